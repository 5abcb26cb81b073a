// Forges snapshots: edits their sections and makes the checksum anew, as someone would who knows the format.
#pragma once

#include <string>

namespace pliant {

struct ForgeReport {
  int refused = 0, stepped = 0, failed = 0;  // failed: taken, and the step ended with a named error
  double slowest = 0;                        // s of the processor, of one input
  int slowest_seed = 0;
  double memory = 0;     // MB, the most that the process held
  std::string failures;  // what should not have happened, with the seed
  std::string last;      // what the last one ended with
};

// seeds first .. first + count - 1
ForgeReport fuzz_snapshots(int first, int count);

}  // namespace pliant

// Runs spoiled scene files through the loader.
#pragma once

#include <string>

namespace pliant {

struct FuzzReport {
  int refused = 0, accepted = 0;
  double slowest = 0;    // s, of one file
  double memory = 0;     // MB, the most that the process held
  std::string failures;  // what should not have happened, with the seed
};

// `repository` holds the files to spoil; seeds first .. first + count - 1
FuzzReport fuzz_scene_files(const std::string& repository, int first, int count);

// the text of one seed
std::string spoiled_scene_file(const std::string& repository, int seed);

}  // namespace pliant

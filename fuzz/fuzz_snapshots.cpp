// usage: fuzz_snapshots FIRST COUNT MEMORY_IN_MB     forges COUNT snapshots, restores them and takes a step; of one it
//        says what became of it
#include "snapshots.h"

#include <cstdio>
#include <cstdlib>

int main(int count, char** words) {
  if (count != 4) {
    std::fprintf(stderr, "usage: fuzz_snapshots FIRST COUNT MEMORY_IN_MB\n");
    return 2;
  }
  const pliant::ForgeReport report = pliant::fuzz_snapshots(std::atoi(words[1]), std::atoi(words[2]));
  std::printf(
      "%d refused, %d taken and stepped, %d taken and failed by name; slowest %.3f s (seed %d), memory %.0f MB\n%s",
      report.refused, report.stepped, report.failed, report.slowest, report.slowest_seed, report.memory,
      report.failures.c_str());
  if (std::atoi(words[2]) == 1) std::printf("%s\n", report.last.c_str());
  const bool is_good = report.failures.empty() && report.slowest < 2 && report.memory < std::atof(words[3]);
  return is_good ? 0 : 1;
}

// usage: fuzz_scene_files REPOSITORY FIRST COUNT MEMORY     spoils COUNT scene files and loads them
//        fuzz_scene_files REPOSITORY SEED                     prints the text of one
#include "scene_files.h"

#include <cstdio>
#include <cstdlib>

int main(int count, char** words) {
  if (count != 3 && count != 5) {
    std::fprintf(stderr, "usage: fuzz_scene_files REPOSITORY FIRST COUNT MEMORY_IN_MB\n");
    return 2;
  }
  const int first = std::atoi(words[2]);
  if (count == 3) {
    std::fputs(pliant::spoiled_scene_file(words[1], first).c_str(), stdout);
    return 0;
  }
  const pliant::FuzzReport report = pliant::fuzz_scene_files(words[1], first, std::atoi(words[3]));
  std::printf("%d refused, %d accepted, slowest %.3f s, memory %.0f MB\n%s", report.refused, report.accepted,
              report.slowest, report.memory, report.failures.c_str());
  const bool is_good = report.failures.empty() && report.slowest < 2 && report.memory < std::atof(words[4]);
  return is_good ? 0 : 1;
}

#include "scene_files.h"

#include "mutate.h"
#include "pliant/error.h"
#include "pliant/scene_file.h"

#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>

namespace pliant {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> read_all(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
  }
  // the order of a folder is not the same everywhere
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const fs::path& path : paths) {
    std::ifstream stream(path, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return texts;
}

// good files often enough, or most would be refused for what was wrong before
std::vector<std::string> corpus(const fs::path& repository) {
  const std::vector<std::string> good = read_all(repository / "scenes");
  std::vector<std::string> all = read_all(repository / "tests" / "scene" / "bad_files");
  const std::size_t bad = all.size();
  while (all.size() < 2 * bad) all.insert(all.end(), good.begin(), good.end());
  return all;
}

// what should hold for every text; empty if it does
std::string broken_promise(const std::string& yaml, const std::string& folder, const SceneFileOptions& options,
                           FuzzReport& report) {
  const std::vector<Diagnostic> wrong = check_scene_text(yaml, folder, "fuzz.yaml", options);
  for (const Diagnostic& d : wrong) {
    if (d.line < 1 || d.column < 1 || d.message.empty() || d.cure.empty()) return "no line or no cure: " + text(d);
    if (text(d).find('\n') != std::string::npos) return "more than one line: " + text(d);
  }
  if (!wrong.empty()) {
    ++report.refused;
    return {};
  }
  ++report.accepted;
  // what is accepted can be written and read again
  try {
    const std::string again = to_yaml(load_scene_text(yaml, folder, "fuzz.yaml", options), folder, options.models);
    const Scene same = load_scene_text(again, folder, "again.yaml", options);
    return to_yaml(same, folder, options.models) == again ? "" : "it does not come back";
  } catch (const Error& error) {
    return std::string("it cannot be written and read: ") + error.what();
  }
}

}  // namespace

std::string spoiled_scene_file(const std::string& repository, int seed) {
  return Mutator(corpus(repository)).make(std::uint64_t(seed));
}

FuzzReport fuzz_scene_files(const std::string& repository, int first, int count) {
  const std::string folder = (fs::path(repository) / "tests" / "scene" / "bad_files").string();
  SceneFileOptions options;
  options.models = (fs::path(repository) / "models").string();
  Mutator mutator(corpus(repository));
  FuzzReport report;
  for (int seed = first; seed < first + count; ++seed) {
    const std::string yaml = mutator.make(std::uint64_t(seed));
    const std::clock_t start = std::clock();
    const std::string broken = broken_promise(yaml, folder, options, report);
    const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
    report.slowest = std::max(report.slowest, seconds);
    if (!broken.empty()) report.failures += "seed " + std::to_string(seed) + ": " + broken + "\n";
  }
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  report.memory = double(usage.ru_maxrss) / 1024;
  return report;
}

}  // namespace pliant

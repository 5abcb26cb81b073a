// Compares what every case does, step by step, with a file that an earlier build has written.
//
//   guard --root FOLDER [--reference FOLDER] [--write] [--only CASE] [--list] [--errors]
#include "cases.h"
#include "fingerprint.h"
#include "pliant/error.h"

#include <mujoco/mujoco.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace pliant::guard {
namespace {

using Words = std::vector<std::string>;  // of one step
using Run = std::vector<Words>;          // of one case
using Reference = std::map<std::string, Run>;

struct Choice {
  std::string root = ".", reference, only;
  bool write = false, list = false, errors = false;
};

// what the bits of a result depend on besides the code
std::string key() {
#if defined(__clang__)
  const std::string compiler = "clang-" + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__);
#else
  const std::string compiler = "gcc-" + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__);
#endif
#if defined(__AVX512F__) && defined(__AVX512VL__)
  const std::string level = "x86-64-v4";
#elif defined(__AVX2__) && defined(__FMA__)
  const std::string level = "x86-64-v3";
#elif defined(__x86_64__)
  const std::string level = "x86-64";
#else
  const std::string level = "other";
#endif
  return compiler + "_" + level + "_mujoco-" + mj_versionString();
}

Choice parse(int argc, char** argv) {
  Choice choice;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool more = i + 1 < argc;
    if (word == "--write")
      choice.write = true;
    else if (word == "--list")
      choice.list = true;
    else if (word == "--errors")
      choice.errors = true;
    else if (word == "--root" && more)
      choice.root = argv[++i];
    else if (word == "--reference" && more)
      choice.reference = argv[++i];
    else if (word == "--only" && more)
      choice.only = argv[++i];
    else
      throw Error(ErrorCode::bad_input, "guard: '" + word + "' is not known; see the head of guard.cpp");
  }
  if (choice.reference.empty()) choice.reference = choice.root + "/tests/guard/reference";
  return choice;
}

// lines "case NAME", each followed by one line per step
Reference read(const std::filesystem::path& path) {
  std::ifstream file(path);
  Reference reference;
  Run* run = nullptr;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Words all;
    for (std::string word; words >> word;) all.push_back(word);
    if (all.empty() || all[0] == "#") continue;
    if (all[0] == "case" && all.size() > 1)
      run = &reference[all[1]];
    else if (run)
      run->push_back(all);
  }
  return reference;
}

std::string joined(const Words& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

void write(const std::filesystem::path& path, const std::vector<std::pair<std::string, Run>>& runs) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path);
  file << "# " << joined(quantities()) << "\n";
  for (const auto& [name, run] : runs) {
    file << "case " << name << "\n";
    for (const Words& words : run) file << joined(words) << "\n";
  }
  if (!file.flush()) throw Error(ErrorCode::bad_file, "guard: " + path.string() + " cannot be written");
}

Run run(const Case& one, bool errors) {
  World world = one.make();
  Run steps;
  for (int n = 0; n < one.unseen + one.steps; ++n) {
    one.before(world, n);
    std::string outcome;
    try {
      outcome = std::to_string(world.step().substeps);
    } catch (const Error& error) {
      outcome = name(error.code());
      if (errors) std::printf("  step %d: %s\n", n + 1, error.what());
    }
    if (n >= one.unseen) steps.push_back(fingerprint(world, outcome));
  }
  return steps;
}

// what differs first, in words; empty if nothing does
std::string difference(const Run& now, const Run& before) {
  for (std::size_t n = 0; n < std::min(now.size(), before.size()); ++n) {
    if (now[n] == before[n]) continue;
    std::string what;
    for (std::size_t q = 0; q < quantities().size(); ++q)
      if (q >= before[n].size() || now[n][q] != before[n][q]) what += " " + quantities()[q];
    return "differs from step " + std::to_string(n + 1) + " on:" + what;
  }
  if (now.size() == before.size()) return "";
  return "has " + std::to_string(now.size()) + " steps, the reference " + std::to_string(before.size());
}

// how many of the steps failed, for people to read
std::string failures(const Run& steps) {
  std::map<std::string, int> count;
  for (const Words& words : steps)
    if (words[0].find_first_not_of("0123456789") != std::string::npos) ++count[words[0]];
  std::string text;
  for (const auto& [code, times] : count) text += ", " + std::to_string(times) + " " + code;
  return text;
}

std::string verdict(const Run& steps, const Reference& reference, const Case& one) {
  const auto found = reference.find(one.name);
  if (found == reference.end()) return "not in the reference";
  return difference(steps, found->second);
}

int compare(const Choice& choice) {
  const std::filesystem::path path = std::filesystem::path(choice.reference) / (key() + ".txt");
  const bool known = std::filesystem::exists(path);
  if (!known && !choice.write) {
    std::printf("guard: nothing to compare with: there is no %s; tools/guard --write makes it\n", path.c_str());
    return 0;
  }
  const Reference reference = known ? read(path) : Reference{};
  std::vector<Case> cases = small_cases();
  for (const Case& one : scene_cases(choice.root + "/scenes", choice.root + "/models")) cases.push_back(one);

  std::vector<std::pair<std::string, Run>> runs;
  int differ = 0, done = 0;
  for (const Case& one : cases) {
    const bool wanted = choice.only.empty() || choice.only == one.name;
    // what is not run again stays as it was
    if (!wanted) {
      if (const auto old = reference.find(one.name); old != reference.end()) runs.push_back(*old);
      continue;
    }
    if (choice.list) {
      std::printf("%-34s%4d steps\n", one.name.c_str(), one.steps);
      continue;
    }
    const std::clock_t start = std::clock();
    runs.emplace_back(one.name, run(one, choice.errors));
    const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;  // of all threads together
    const std::string wrong = verdict(runs.back().second, reference, one);
    std::printf("%-34s%4d steps%6.1f s  %s%s\n", one.name.c_str(), one.steps, seconds,
                wrong.empty() ? "ok" : wrong.c_str(), failures(runs.back().second).c_str());
    std::fflush(stdout);
    ++done;
    differ += !wrong.empty();
  }
  if (choice.list) return 0;
  if (choice.write) write(path, runs);
  std::printf("guard: %d cases, %d differ%s\n", done, differ, choice.write ? "; written" : "");
  if (done == 0) throw Error(ErrorCode::bad_input, "guard: no case is called '" + choice.only + "'; see --list");
  return differ && !choice.write ? 1 : 0;
}

}  // namespace
}  // namespace pliant::guard

int main(int argc, char** argv) {
  try {
    return pliant::guard::compare(pliant::guard::parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}

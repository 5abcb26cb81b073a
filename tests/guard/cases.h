// The cases of the guard: every scene file with each method that it can take, and small scenes made in code.
#pragma once

#include "pliant/world.h"

#include <functional>
#include <string>
#include <vector>

namespace pliant::guard {

constexpr int threads = 2;

struct Case {
  std::string name;
  int unseen = 0;  // steps before those that are compared
  int steps = 40;
  std::function<World()> make;
  // what a user does before step `n`, counted from 0
  std::function<void(World&, int n)> before = [](World&, int) {};
};

// of the files of a folder; a file that the table does not know throws Error(bad_input)
std::vector<Case> scene_cases(const std::string& scenes, const std::string& models);

std::vector<Case> small_cases();

}  // namespace pliant::guard

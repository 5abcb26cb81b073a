// Things of a scene by their names.
#pragma once

#include "core/error.h"
#include "world/namespace.h"

#include <string>
#include <vector>

namespace pliant::world {

// its place in the list; Error(bad_input) with the names that there are
template <class T>
std::size_t find_named(const std::vector<T>& list, const std::string& name, const char* what) {
  std::string known;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].name == name) return i;
    known += (i ? ", '" : "'") + list[i].name + "'";
  }
  fail(ErrorCode::bad_input, "there is no {} '{}'; known are {}", what, name, known.empty() ? "none" : known);
}

}  // namespace pliant::world

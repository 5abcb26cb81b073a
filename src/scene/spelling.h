// Finds what somebody probably meant to write.
#pragma once

#include "scene/namespace.h"

#include <string>
#include <string_view>
#include <vector>

namespace pliant::scene {

// how many letters must be changed, added, left out or swapped with a neighbour
std::size_t edit_distance(std::string_view a, std::string_view b);

// the known word next to `word`, empty if none is near
std::string nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace pliant::scene

// Matter that starts inside of a solid: the first steps throw it out.
#pragma once

#include "step/model.h"
#include "world/namespace.h"
#include "world/sampled.h"

#include <string>
#include <vector>

namespace pliant::world {

// Warnings, one for each piece of matter and solid that overlap by a good part of a cell, with the deepest place. Bodies are
// where the model's geoms are. Not of boundaries that hold matter fast: it may well start in them.
template <class S>
std::vector<std::string> overlap_warnings(const Model<S>& model, const Sampled& sampled);

}  // namespace pliant::world

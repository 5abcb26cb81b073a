// E and nu of single particles, in place of those of their material.
#pragma once

#include "step/inputs.h"
#include "step/model.h"
#include "world/namespace.h"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace pliant::world {

// can a particle have this?
bool is_elasticity(const Elasticity& e);

// the inputs' list with these of piece g, see World::set_elasticity; throws Error(bad_input)
template <class S>
std::shared_ptr<const std::vector<Elasticity>> with_elasticity(const Model<S>& model, std::size_t g,
                                                               std::span<const double> E, std::span<const double> nu,
                                                               const Inputs& inputs);

// what it is now, by id within the piece
template <class S>
std::vector<std::array<double, 2>> elasticity_of(const Model<S>& model, std::size_t g, const Inputs& inputs);

}  // namespace pliant::world

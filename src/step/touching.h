// Which pieces of matter touch something at the start of a step. While they do, their shear has its loss.
#pragma once

#include "grid/obstacle.h"
#include "step/model.h"
#include "step/namespace.h"
#include "step/state.h"

#include <span>
#include <vector>

namespace pliant::step {

// By group; only those whose loss would act are looked at. A piece touches if some contact is remembered, or if one of
// its particles is so near to a boundary, or to a body that is an obstacle for the grid, that nodes inside of it hold it.
template <int D, class S>
void find_touching(const Model<S>& model, const State<D, S>& now, std::span<const Obstacle* const> obstacles,
                   std::vector<char>& touching);

// s, the longest substep in which a viscosity of shear takes no more than all of the shear of a particle:
// 8 dt viscosity / (density h^2) <= 1
double longest_with_loss(const Material& material, double viscosity, double cell);

}  // namespace pliant::step

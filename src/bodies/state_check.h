// Whether numbers from outside can be a state of these bodies.
#pragma once

#include "bodies/bodies.h"
#include "bodies/namespace.h"

namespace pliant::bodies {

// what is wrong with a state that someone else has written; empty: nothing
std::string wrong_state(const mjModel* model, const BodiesState& state);
// the same, of the quaternions among joint positions
std::string wrong_quaternions(const mjModel* model, std::span<const double> qpos);

}  // namespace pliant::bodies

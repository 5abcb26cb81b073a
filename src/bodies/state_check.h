// Whether numbers from outside can be a state of these bodies.
#pragma once

#include "bodies/bodies.h"

namespace pliant {

// what is wrong with a state that someone else has written; empty: nothing
std::string wrong_state(const mjModel* model, const BodiesState& state);

}  // namespace pliant

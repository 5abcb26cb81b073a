// Actuators of matter: the stresses that they and World::set_actuation ask for.
#pragma once

#include "step/inputs.h"
#include "step/model.h"
#include "step/namespace.h"

namespace pliant::step {

// Pa, in the material frame, of a value of 1
std::array<double, 9> stress_per_value(const Actuator& actuator, int dimension);

// Pa, by piece of matter, at a time
template <class S>
void find_stresses(const Model<S>& model, const Inputs& inputs, double time,
                   std::vector<std::array<double, 9>>& stresses);

}  // namespace pliant::step

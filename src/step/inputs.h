// All that is said from outside for a step. Motions of the scene are in the Model.
#pragma once

#include "bodies/bodies.h"
#include "core/small.h"
#include "step/namespace.h"

#include <array>
#include <vector>

namespace pliant::step {

struct Inputs {
  BodyInputs bodies;
  std::vector<std::array<double, 9>> actuations;       // Pa, symmetric, in the material frame, by piece of matter
  std::vector<Vector<double, 3>> boundary_velocities;  // m/s; of a boundary with a motion it is not read
};

}  // namespace pliant::step

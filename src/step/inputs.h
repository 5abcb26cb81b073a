// All that is said from outside for a step. Motions of the scene are in the Model.
#pragma once

#include "bodies/bodies.h"
#include "core/small.h"
#include "step/namespace.h"

#include <array>
#include <memory>
#include <vector>

namespace pliant::step {

// of one particle; 0 and 0: as its material says
struct Elasticity {
  double E = 0, nu = 0;
};

struct Inputs {
  BodyInputs bodies;
  std::vector<std::array<double, 9>> actuations;       // Pa, symmetric, in the material frame, by piece of matter
  std::vector<double> actuator_values;                 // by actuator of matter; of one with a motion it is not read
  std::vector<Vector<double, 3>> boundary_velocities;  // m/s; of a boundary with a motion it is not read
  std::shared_ptr<const std::vector<Elasticity>> elasticity;  // by id; nullptr: as the materials say
};

}  // namespace pliant::step

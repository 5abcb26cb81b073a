// A node of the grid.
#pragma once

#include "grid/namespace.h"

namespace pliant::grid {

// While particles are scattered: momentum and mass. After the grid's own step: velocity and mass.
template <class S>
struct Node {
  S a[4];  // in 2-D a[2] is unused; a[3] is the mass
};
constexpr int node_mass = 3;

}  // namespace pliant::grid

// The inertia with which a particle turns on the grid.
#pragma once

#include "implicit/namespace.h"

#include <algorithm>
#include <cmath>

namespace pliant::implicit {

// Per mass, about one axis of two, m^2: the second moment that the nodes of the quadratic kernel give to any particle.
inline double inertia_on_nodes(double h) { return h * h / 4; }

// The second moment of a cube of this volume, which is what a particle stands for.
inline double inertia_of_cube(double volume, double h) {
  const double side = std::cbrt(volume);
  return std::min(side * side / 12, inertia_on_nodes(h));
}

}  // namespace pliant::implicit

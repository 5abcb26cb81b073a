// Volume, first and second moments of a solid in its own frame.
#pragma once

#include "geometry/namespace.h"
#include "geometry/solid.h"

namespace pliant::geometry {

struct Moments {
  double volume = 0;            // m^3
  Point first = Point::zero();  // m^4, the integral of x
  double second[6] = {};        // m^5, of xx, yy, zz, xy, yz, zx
};

// Closed forms, and for a mesh the sum over its triangles. Of 3-D solids.
Moments moments(const Solid& solid);

}  // namespace pliant::geometry

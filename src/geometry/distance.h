// Distance from points to a rigid shape, with normal.
#pragma once

#include "geometry/namespace.h"
#include "geometry/shape.h"

#include <cstddef>

namespace pliant::geometry {

struct ShapeDistance {
  double phi;  // m, < 0: inside the shape
  Vector<double, 3>
      normal;  // unit, the gradient of phi; where phi has none (centres, edges, medial axes) one of its sides'
};

// In the shape's frame. Exact for primitives to a few round-offs of the size of shape and x; for a mesh as its field.
ShapeDistance distance(const RigidShape& shape, const Vector<double, 3>& x);

// Of the shape at a pose, x and normal in the world.
ShapeDistance distance(const RigidShape& shape, const Pose& pose, const Vector<double, 3>& x);

// no point of the shape is closer to x (in the shape's frame) than this; < 0 means nothing
double distance_at_least(const RigidShape& shape, const Vector<double, 3>& x);

// rows of numbers, one row per axis; distances reads and writes `count` numbers of each
template <class S>
struct ConstRows {
  const S* row[3];
};
template <class S>
struct Rows {
  S* row[3];
};

// Many points of the world against a shape at a pose, in packs of S (float or double); a mesh goes point by point.
// Normals in the world.
template <class S>
void distances(const RigidShape& shape, const Pose& pose, std::size_t count, const ConstRows<S>& x, S* phi,
               const Rows<S>& normal);

}  // namespace pliant::geometry

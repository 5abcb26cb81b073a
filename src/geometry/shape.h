// A rigid shape that matter can touch, in its own frame, as MuJoCo's geoms are.
#pragma once

#include "core/small.h"
#include "geometry/namespace.h"

#include <cmath>
#include <memory>

namespace pliant::geometry {

class DistanceField;

struct RigidShape {
  enum class Kind { plane, sphere, capsule, ellipsoid, cylinder, box, mesh };
  Kind kind = Kind::sphere;
  // sizes as MuJoCo's geom_size: sphere (radius), capsule and cylinder (radius, half length along z), ellipsoid (three
  // half axes), box (three half edges), mesh (half edges of the box around it, centred at its origin); a plane is z < 0
  // without end
  double size[3] = {0, 0, 0};                  // m
  std::shared_ptr<const DistanceField> field;  // mesh
  bool inside_out = false;                     // solid is what lies outside of the surface
};

// a rotation whose z is this unit vector
Matrix<double, 3> frame_along(const Vector<double, 3>& z);

// of a sphere around the shape's origin, m
double bounding_radius(const RigidShape& shape);

// a shape's place: x_world = position + rotation x_shape
struct Pose {
  Vector<double, 3> position;
  Matrix<double, 3> rotation;
};

// a box along the axes, m; empty if lower > upper
struct Bounds {
  Vector<double, 3> lower, upper;
};

// the smallest box along the world's axes around the shape (for a mesh: around its own box); a plane's has no end
Bounds world_bounds(const RigidShape& shape, const Pose& pose);

}  // namespace pliant::geometry

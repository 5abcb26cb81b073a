#include "geometry/shape.h"

#include "geometry/distance_field.h"

#include <limits>

namespace pliant::geometry {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// the box in the shape's frame that a mesh fills
Bounds mesh_bounds(const RigidShape& shape) {
  if (shape.field) return shape.field->bounds();
  const double* s = shape.size;
  return {{{-s[0], -s[1], -s[2]}}, {{s[0], s[1], s[2]}}};
}

// how far the shape reaches from its origin along the world's axis whose image in the shape's frame is `axis`
double reach(const RigidShape& shape, const Vector<double, 3>& axis) {
  if (shape.inside_out) return infinity;
  const double* s = shape.size;
  switch (shape.kind) {
    case RigidShape::Kind::plane: return infinity;
    case RigidShape::Kind::sphere: return s[0];
    case RigidShape::Kind::capsule: return s[0] + std::fabs(axis[2]) * s[1];
    case RigidShape::Kind::cylinder: return std::hypot(axis[0], axis[1]) * s[0] + std::fabs(axis[2]) * s[1];
    case RigidShape::Kind::ellipsoid: return std::hypot(axis[0] * s[0], axis[1] * s[1], axis[2] * s[2]);
    case RigidShape::Kind::box:
      return std::fabs(axis[0]) * s[0] + std::fabs(axis[1]) * s[1] + std::fabs(axis[2]) * s[2];
    case RigidShape::Kind::mesh: break;
  }
  const Bounds box = mesh_bounds(shape);
  double r = 0;
  for (int j = 0; j < 3; ++j) r += 0.5 * std::fabs(axis[j]) * (box.upper[j] - box.lower[j]);
  return r;
}

}  // namespace

Matrix<double, 3> frame_along(const Vector<double, 3>& z) {
  using Vec = Vector<double, 3>;
  const Vec helper = std::fabs(z[0]) < 0.9 ? Vec{{1, 0, 0}} : Vec{{0, 1, 0}};
  const Vec across = helper - dot(helper, z) * z;
  const Vec x = (1 / norm(across)) * across, y = cross(z, x);
  return {{x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]}};
}

double bounding_radius(const RigidShape& shape) {
  if (shape.inside_out) return infinity;
  const double* s = shape.size;
  switch (shape.kind) {
    case RigidShape::Kind::plane: return infinity;
    case RigidShape::Kind::sphere: return s[0];
    case RigidShape::Kind::capsule: return s[0] + s[1];
    case RigidShape::Kind::cylinder: return std::hypot(s[0], s[1]);
    case RigidShape::Kind::ellipsoid: return std::fmax(s[0], std::fmax(s[1], s[2]));
    case RigidShape::Kind::box: return std::hypot(s[0], s[1], s[2]);
    case RigidShape::Kind::mesh: break;
  }
  const Bounds box = mesh_bounds(shape);
  double far[3];
  for (int j = 0; j < 3; ++j) far[j] = std::fmax(std::fabs(box.lower[j]), std::fabs(box.upper[j]));
  return std::hypot(far[0], far[1], far[2]);
}

Bounds world_bounds(const RigidShape& shape, const Pose& pose) {
  Vector<double, 3> center = pose.position;
  if (shape.kind == RigidShape::Kind::mesh) {
    const Bounds box = mesh_bounds(shape);
    center += pose.rotation * (0.5 * (box.lower + box.upper));
  }
  Bounds world;
  for (int i = 0; i < 3; ++i) {
    const double r = reach(shape, {{pose.rotation(i, 0), pose.rotation(i, 1), pose.rotation(i, 2)}});
    world.lower[i] = center[i] - r;
    world.upper[i] = center[i] + r;
  }
  return world;
}

}  // namespace pliant::geometry

#include "grid/boundary.h"

#include <algorithm>
#include <cmath>

namespace pliant::grid {
namespace {

Vec vec(const Vec3& v) { return {{v[0], v[1], v[2]}}; }

Matrix<double, 3> rotation_matrix(const std::array<double, 4>& q) {
  const double n = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const double w = q[0] / n, x = q[1] / n, y = q[2] / n, z = q[3] / n;
  return {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),  //
           2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),  //
           2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
}

// in 2-D endless out of the plane
RigidShape solid_of(const Boundary& boundary, int dimension) {
  constexpr double endless = 1e30;
  using Kind = RigidShape::Kind;
  const double half = dimension == 2 ? endless : 0.5 * boundary.length;
  const Vec3& size = boundary.size;
  switch (boundary.kind) {
    case Boundary::Kind::plane: return {Kind::plane, {}, nullptr};
    case Boundary::Kind::sphere: return {Kind::sphere, {boundary.radius}, nullptr};
    case Boundary::Kind::cylinder: return {Kind::cylinder, {boundary.radius, half}, nullptr};
    case Boundary::Kind::box: break;
  }
  return {Kind::box, {0.5 * size[0], 0.5 * size[1], dimension == 2 ? endless : 0.5 * size[2]}, nullptr};
}

}  // namespace

BoundaryShape boundary_shape(const Boundary& boundary, int dimension) {
  BoundaryShape s = {boundary.condition,
                     boundary.friction,
                     solid_of(boundary, dimension),
                     Matrix<double, 3>::identity(),
                     boundary.inside_out ? -1.0 : 1.0,
                     vec(boundary.angular_velocity),
                     dimension == 2 || boundary.at == Boundary::At::nodes};
  if (boundary.kind == Boundary::Kind::box) {
    s.rotation = rotation_matrix(boundary.rotation);
  } else if (boundary.kind != Boundary::Kind::sphere) {
    const Vec n = vec(boundary.normal);
    s.rotation = frame_along((1 / norm(n)) * n);
  }
  return s;
}

ShapeDistance distance(const BoundaryShape& s, const Vec& center, const Vec& x) {
  // planes and spheres need no more of their frame
  if (s.solid.kind == RigidShape::Kind::plane) {
    const Vec n = {{s.rotation(0, 2), s.rotation(1, 2), s.rotation(2, 2)}};
    return {s.side * dot(x - center, n), s.side * n};
  }
  const bool is_round = s.solid.kind == RigidShape::Kind::sphere;
  const ShapeDistance d = is_round ? distance(s.solid, x - center) : distance(s.solid, Pose{center, s.rotation}, x);
  return {s.side * d.phi, s.side * d.normal};
}

Vec project(Boundary::Condition condition, double friction, const Vec& normal, const Vec& v) {
  if (condition == Boundary::Condition::stick) return Vec::zero();
  const double v_n = dot(v, normal);
  const Vec v_t = v - v_n * normal;
  const double speed = std::sqrt(dot(v_t, v_t) + 1e-60);
  const double slowed = std::max(speed + friction * std::min(v_n, 0.0), 0.0);
  const double apart = condition == Boundary::Condition::separate ? std::max(v_n, 0.0) : 0.0;
  return (slowed / speed) * v_t + apart * normal;
}

}  // namespace pliant::grid

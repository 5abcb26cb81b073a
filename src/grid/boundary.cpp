#include "grid/boundary.h"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

Vec vec(const Vec3& v) { return {{v[0], v[1], v[2]}}; }

Matrix<double, 3> rotation_matrix(const std::array<double, 4>& q) {
  const double n = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const double w = q[0] / n, x = q[1] / n, y = q[2] / n, z = q[3] / n;
  return {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),  //
           2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),  //
           2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
}

// some unit vector where the direction is not defined
Vec unit_or(const Vec& v, double length, const Vec& other) { return length > 1e-300 ? (1 / length) * v : other; }

Distance box_distance(const BoundaryShape& s, const Vec& r) {
  const Vec local = transpose(s.rotation) * r;
  Vec outside = Vec::zero(), normal = Vec::zero();
  int nearest = 0;
  double depth = -1e300;
  for (int d = 0; d < 3; ++d) {
    const double excess = std::fabs(local[d]) - s.half[d];
    outside[d] = std::max(excess, 0.0) * (local[d] < 0 ? -1 : 1);
    if (excess > depth) {
      depth = excess;
      nearest = d;
    }
  }
  normal[nearest] = local[nearest] < 0 ? -1 : 1;
  const double length = norm(outside);
  if (length > 0) return {length, s.rotation * unit_or(outside, length, normal)};
  return {depth, s.rotation * normal};
}

Distance cylinder_distance(const BoundaryShape& s, const Vec& r) {
  const double along = dot(r, s.normal);
  const Vec across = r - along * s.normal;
  const double rho = norm(across);
  const Vec helper = std::fabs(s.normal[0]) < 0.9 ? Vec{{1, 0, 0}} : Vec{{0, 1, 0}};
  const Vec radial = unit_or(across, rho, helper - dot(helper, s.normal) * s.normal);
  const Vec axial = (along < 0 ? -1.0 : 1.0) * s.normal;
  const double a = rho - s.radius, b = std::fabs(along) - s.half_length;
  if (a > 0 && b > 0) {
    const double length = std::hypot(a, b);
    return {length, (a / length) * radial + (b / length) * axial};
  }
  return a > b ? Distance{a, radial} : Distance{b, axial};
}

}  // namespace

BoundaryShape boundary_shape(const Boundary& boundary, int dimension) {
  BoundaryShape s;
  s.kind = boundary.kind;
  s.condition = boundary.condition;
  s.friction = boundary.friction;
  const Vec n = vec(boundary.normal);
  s.normal = (1 / norm(n)) * n;
  s.half = 0.5 * vec(boundary.size);
  s.half_length = 0.5 * boundary.length;
  if (dimension == 2) s.half[2] = s.half_length = 1e30;  // endless out of the plane
  s.rotation = rotation_matrix(boundary.rotation);
  s.radius = boundary.radius;
  s.side = boundary.inside_out ? -1 : 1;
  return s;
}

Distance distance(const BoundaryShape& s, const Vec& center, const Vec& x) {
  const Vec r = x - center;
  Distance d = {};
  switch (s.kind) {
    case Boundary::Kind::plane: d = {dot(r, s.normal), s.normal}; break;
    case Boundary::Kind::sphere: {
      const double length = norm(r);
      d = {length - s.radius, unit_or(r, length, {{0, 1, 0}})};
      break;
    }
    case Boundary::Kind::box: d = box_distance(s, r); break;
    case Boundary::Kind::cylinder: d = cylinder_distance(s, r); break;
  }
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

}  // namespace pliant

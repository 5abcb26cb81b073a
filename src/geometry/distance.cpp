#include "geometry/distance.h"

#include "geometry/distance_field.h"

#include <algorithm>

namespace pliant::geometry {
namespace {

using Vec = Vector<double, 3>;

constexpr Vec up = {{0, 0, 1}};

double sign_of(double x) { return x < 0 ? -1 : 1; }

// hypot is slow, and needed only where squares vanish or overflow
double length_of(const Vec& v) {
  const double squares = dot(v, v);
  return squares > 1e-280 && squares < 1e280 ? std::sqrt(squares) : std::hypot(v[0], v[1], v[2]);
}

// v / length, or some unit vector where v has no direction
Vec unit_or(const Vec& v, double length, const Vec& other) {
  return length > 1e-300 ? Vec{{v[0] / length, v[1] / length, v[2] / length}} : other;
}

ShapeDistance sphere_distance(double radius, const Vec& x) {
  const double length = length_of(x);
  return {length - radius, unit_or(x, length, up)};
}

ShapeDistance capsule_distance(double radius, double half, const Vec& x) {
  const Vec from_axis = {{x[0], x[1], x[2] - std::clamp(x[2], -half, half)}};
  const double length = length_of(from_axis);
  return {length - radius, unit_or(from_axis, length, {{1, 0, 0}})};
}

ShapeDistance cylinder_distance(double radius, double half, const Vec& x) {
  const double rho = std::hypot(x[0], x[1]);
  const Vec radial = unit_or({{x[0], x[1], 0}}, rho, {{1, 0, 0}}), axial = {{0, 0, sign_of(x[2])}};
  const double a = rho - radius, b = std::fabs(x[2]) - half;
  if (a > 0 && b > 0) {
    const double length = std::hypot(a, b);
    return {length, (a / length) * radial + (b / length) * axial};
  }
  return a > b ? ShapeDistance{a, radial} : ShapeDistance{b, axial};
}

ShapeDistance box_distance(const double* half, const Vec& x) {
  Vec outside = Vec::zero(), normal = Vec::zero();
  int nearest = 0;
  double excess[3];
  for (int i = 0; i < 3; ++i) {
    excess[i] = std::fabs(x[i]) - half[i];
    outside[i] = std::max(excess[i], 0.0) * sign_of(x[i]);
    if (excess[i] > excess[nearest]) nearest = i;
  }
  normal[nearest] = sign_of(x[nearest]);
  if (excess[nearest] <= 0) return {excess[nearest], normal};
  const double length = length_of(outside);
  return {length, unit_or(outside, length, normal)};
}

// The closest point p of an ellipsoid of half axes e satisfies x_i = p_i (1 + t / e_i^2) for one number t, and phi is t
// times the length of (p_i / e_i^2). With the least half axis m, u = 1 + t / m^2 >= 0 is the root of
//   S(u) = sum_i (a_i / (u + k_i))^2 = 1,    a_i = e_i |x_i| / m^2,    k_i = (e_i / m)^2 - 1.
// 1 / sqrt(S) grows and is concave, so Newton's method from the left never passes the root.
struct EllipsoidRoot {
  double a[3], k[3];

  // the root, or 0 if the closest point leaves the plane that x lies in
  double solve() const {
    double u = 0;
    for (int i = 0; i < 3; ++i) u = std::max(u, a[i] - k[i]);
    for (int n = 0; n < 2000; ++n) {
      double S = 0, Q = 0;
      for (int i = 0; i < 3; ++i) {
        if (a[i] == 0) continue;
        const double q = a[i] / (u + k[i]);
        S += q * q;
        Q += q * q / (u + k[i]);
      }
      if (S <= 1) return u;
      const double next = u + S * (std::sqrt(S) - 1) / Q;
      if (!(next > u)) return u;
      u = next;
    }
    return u;
  }
};

ShapeDistance ellipsoid_distance(const double* e, const Vec& x) {
  const int least = e[0] < e[1] ? (e[0] < e[2] ? 0 : 2) : (e[1] < e[2] ? 1 : 2);
  const double m = e[least];
  EllipsoidRoot root;
  for (int i = 0; i < 3; ++i) {
    root.a[i] = (e[i] / m) * (std::fabs(x[i]) / m);
    root.k[i] = ((e[i] - m) / m) * ((e[i] + m) / m);
  }
  const double u = root.solve();

  // p_i / e_i, the closest point on the unit sphere
  Vec q;
  double rest = 1;
  for (int i = 0; i < 3; ++i) {
    q[i] = root.a[i] > 0 ? root.a[i] / (u + root.k[i]) : 0.0;
    if (i != least) rest -= q[i] * q[i];
  }
  if (u == 0) q[least] = std::sqrt(std::max(rest, 0.0));

  // gradient of the ellipsoid's equation, times m
  Vec n;
  for (int i = 0; i < 3; ++i) n[i] = q[i] * (m / e[i]);
  const double length = length_of(n);
  for (int i = 0; i < 3; ++i) n[i] = sign_of(x[i]) * n[i] / length;
  return {(u - 1) * m * length, n};
}

ShapeDistance solid_distance(const RigidShape& shape, const Vec& x) {
  const double* s = shape.size;
  switch (shape.kind) {
    case RigidShape::Kind::plane: return {x[2], up};
    case RigidShape::Kind::sphere: return sphere_distance(s[0], x);
    case RigidShape::Kind::capsule: return capsule_distance(s[0], s[1], x);
    case RigidShape::Kind::cylinder: return cylinder_distance(s[0], s[1], x);
    case RigidShape::Kind::ellipsoid: return ellipsoid_distance(s, x);
    case RigidShape::Kind::box: return box_distance(s, x);
    case RigidShape::Kind::mesh: return shape.field->distance(x);
  }
  return {0, up};
}

}  // namespace

ShapeDistance distance(const RigidShape& shape, const Vec& x) {
  const ShapeDistance d = solid_distance(shape, x);
  return shape.inside_out ? ShapeDistance{-d.phi, -1.0 * d.normal} : d;
}

ShapeDistance distance(const RigidShape& shape, const Pose& pose, const Vec& x) {
  const ShapeDistance d = distance(shape, transpose(pose.rotation) * (x - pose.position));
  return {d.phi, pose.rotation * d.normal};
}

double distance_at_least(const RigidShape& shape, const Vec& x) {
  return shape.kind == RigidShape::Kind::mesh && !shape.inside_out ? shape.field->at_least(x) : distance(shape, x).phi;
}

}  // namespace pliant::geometry

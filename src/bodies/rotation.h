// Unit quaternions w, x, y, z, and the turns between them.
#pragma once

#include "bodies/namespace.h"

#include <array>
#include <cmath>

namespace pliant::bodies {

using Quaternion = std::array<double, 4>;

inline Quaternion quaternion_at(const double* q) { return {q[0], q[1], q[2], q[3]}; }

inline double norm(const Quaternion& q) { return std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]); }

// a unit quaternion keeps its bits
inline Quaternion normalized(const Quaternion& q) {
  const double length = norm(q);
  return length == 1 ? q : Quaternion{q[0] / length, q[1] / length, q[2] / length, q[3] / length};
}

inline Quaternion product(const Quaternion& a, const Quaternion& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

// rotation vector w, in world axes, of the shorter way: to = exp(w) from
inline std::array<double, 3> turn_between(const Quaternion& from, const Quaternion& to) {
  Quaternion d = product(to, {from[0], -from[1], -from[2], -from[3]});
  if (d[0] < 0) d = {-d[0], -d[1], -d[2], -d[3]};
  const double sine = std::sqrt(d[1] * d[1] + d[2] * d[2] + d[3] * d[3]);
  // angle / sine tends to 2 for small turns
  const double scale = sine < 1e-150 ? 2 : 2 * std::atan2(sine, d[0]) / sine;
  return {scale * d[1], scale * d[2], scale * d[3]};
}

// exp(s w) q
inline Quaternion turned(const Quaternion& q, const std::array<double, 3>& w, double s) {
  const double angle = std::sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  const double half = 0.5 * s * angle;
  const double scale = angle < 1e-150 ? 0.5 * s : std::sin(half) / angle;
  return product({std::cos(half), scale * w[0], scale * w[1], scale * w[2]}, q);
}

}  // namespace pliant::bodies

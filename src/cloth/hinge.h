// The bending of two triangles about their common edge: the angle between their normals and its gradient. On numbers
// and packs alike.
#pragma once

#include "cloth/namespace.h"
#include "core/small.h"

#include <numbers>

namespace pliant::cloth {

// the angle of the direction (c, s), -pi to pi: three times halved, then the series of the arc tangent
template <class T>
inline T angle_of(const T& c, const T& s) {
  using S = Scalar<T>;
  constexpr int terms = sizeof(S) == 4 ? 5 : 11;  // the halved tangent is below 0.2
  const T length = sqrt(c * c + s * s);
  T t = s / max(length + abs(c), T(S(1e-30)));
  for (int halving = 0; halving < 2; ++halving) t = t / (T(1) + sqrt(T(1) + t * t));
  const T square = t * t;
  T sum = T(S(1) / S(2 * terms + 1));
#pragma GCC unroll 11
  for (int k = terms - 1; k >= 0; --k) sum = T(S(1) / S(2 * k + 1)) - square * sum;
  const T angle = T(8) * t * sum, half_turn = T(S(std::numbers::pi));
  return select(c < T(0), select(s < T(0), T(0) - half_turn, half_turn) - angle, angle);
}

template <class T>
struct HingeAngle {
  T angle;                   // rad, 0: flat; positive if the opposite corners are above the edge
  Vector<T, 3> gradient[4];  // by corner, 1/m
};

// corners 0 and 1 are the edge, 2 and 3 opposite
template <class T>
HingeAngle<T> hinge_angle(const Vector<T, 3> x[4]) {
  const T tiny = T(Scalar<T>(1e-30));
  const Vector<T, 3> e = x[1] - x[0], a = x[2] - x[0], b = x[3] - x[0];
  const Vector<T, 3> N1 = cross(e, a), N2 = cross(b, e);
  const T length2 = max(dot(e, e), tiny), length = sqrt(length2);
  const T square1 = max(dot(N1, N1), tiny), square2 = max(dot(N2, N2), tiny);
  // the product of the normals is short: to lengths of about 1 first
  const T scale = T(1) / sqrt(square1 * square2);
  HingeAngle<T> h;
  h.angle = angle_of(scale * dot(N1, N2), scale * dot(cross(N2, N1), e) / length);
  // heights above the edge, and where on it they stand
  h.gradient[2] = (length / square1) * N1;
  h.gradient[3] = (length / square2) * N2;
  const T u = dot(a, e) / length2, v = dot(b, e) / length2;
  h.gradient[0] = (u - T(1)) * h.gradient[2] + (v - T(1)) * h.gradient[3];
  h.gradient[1] = (T(0) - u) * h.gradient[2] - v * h.gradient[3];
  return h;
}

}  // namespace pliant::cloth

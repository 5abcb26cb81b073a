// The bending of two triangles about their common edge: the angle between their normals and its gradient.
#pragma once

#include "core/small.h"

#include <cmath>

namespace pliant {

template <class S>
struct HingeAngle {
  S angle;                   // rad, 0: flat; positive if the opposite corners are above the edge
  Vector<S, 3> gradient[4];  // by corner, 1/m
};

// corners 0 and 1 are the edge, 2 and 3 opposite
template <class S>
HingeAngle<S> hinge_angle(const Vector<S, 3> x[4]) {
  constexpr S tiny = S(1e-30);
  const Vector<S, 3> e = x[1] - x[0], a = x[2] - x[0], b = x[3] - x[0];
  const Vector<S, 3> N1 = cross(e, a), N2 = cross(b, e);
  const S length2 = max(dot(e, e), tiny), length = sqrt(length2);
  const S square1 = max(dot(N1, N1), tiny), square2 = max(dot(N2, N2), tiny);
  HingeAngle<S> h;
  h.angle = std::atan2(-dot(cross(N1, N2), e) / length, dot(N1, N2));
  // heights above the edge, and where on it they stand
  h.gradient[2] = (length / square1) * N1;
  h.gradient[3] = (length / square2) * N2;
  const S u = dot(a, e) / length2, v = dot(b, e) / length2;
  h.gradient[0] = (u - 1) * h.gradient[2] + (v - 1) * h.gradient[3];
  h.gradient[1] = (-u) * h.gradient[2] + (-v) * h.gradient[3];
  return h;
}

}  // namespace pliant

// Points of space as the scene library computes with them: always three numbers, the third is 0 in 2-D.
#pragma once

#include "core/small.h"
#include "geometry/namespace.h"
#include "pliant/scene.h"

#include <array>

namespace pliant::geometry {

using Point = Vector<double, 3>;

inline Point to_point(const Vec3& v) { return {{v[0], v[1], v[2]}}; }
inline Vec3 to_vec3(const Point& p) { return {p[0], p[1], p[2]}; }

// unit quaternion w, x, y, z
inline Point rotate(const std::array<double, 4>& q, const Point& p) {
  const Point axis = {{q[1], q[2], q[3]}};
  const Point t = 2.0 * cross(axis, p);
  return p + q[0] * t + cross(axis, t);
}

}  // namespace pliant::geometry

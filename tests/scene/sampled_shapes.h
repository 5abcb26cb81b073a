// What the tests of sampling share: shapes of every kind and what is known of them.
#pragma once

#include "core/random.h"
#include "geometry/point.h"
#include "scene/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace pliant::test {

using namespace geometry;
using namespace scene;

using std::numbers::pi;
using Kind = Shape::Kind;
using Method = Sampling::Method;

// a turned shape of each kind, off the origin, in 3-D or 2-D
inline Shape make_shape(Kind kind, int dimension) {
  Shape shape;
  shape.kind = kind;
  shape.center = {0.3, -0.7, dimension == 3 ? 1.1 : 0};
  shape.size = {0.5, 0.33, 0.27};
  shape.radius = 0.21;
  shape.length = 0.37;
  if (dimension == 3) shape.rotation = {0.5, -0.5, 0.5, 0.5};
  if (dimension == 2) shape.rotation = {0.8, 0, 0, 0.6};
  return shape;
}

struct Case {
  Kind kind;
  int dimension;
};
constexpr Case cases[] = {{Kind::box, 3},     {Kind::sphere, 3}, {Kind::cylinder, 3},
                          {Kind::capsule, 3}, {Kind::box, 2},    {Kind::sphere, 2}};

inline double exact_volume(const Shape& s, int dimension) {
  const double r = s.radius;
  switch (s.kind) {
    case Kind::box: return s.size[0] * s.size[1] * (dimension == 3 ? s.size[2] : 1);
    case Kind::sphere: return dimension == 3 ? 4 * pi / 3 * r * r * r : pi * r * r;
    case Kind::cylinder: return pi * r * r * s.length;
    default: return pi * r * r * s.length + 4 * pi / 3 * r * r * r;
  }
}

// distance to the surface, positive inside
inline double exact_depth(const Shape& s, const Vec3& world, int dimension) {
  const auto& [w, x, y, z] = s.rotation;
  const Point p = rotate({w, -x, -y, -z}, to_point(world) - to_point(s.center));
  const double across = std::min(s.size[0] / 2 - std::fabs(p[0]), s.size[1] / 2 - std::fabs(p[1]));
  switch (s.kind) {
    case Kind::box: return dimension == 3 ? std::min(across, s.size[2] / 2 - std::fabs(p[2])) : across;
    case Kind::sphere: return s.radius - norm(p);
    case Kind::cylinder: return std::min(s.radius - std::hypot(p[0], p[1]), s.length / 2 - std::fabs(p[2]));
    default: {
      const double t = std::clamp(p[2], -s.length / 2, s.length / 2);
      return s.radius - norm(p - Point{{0, 0, t}});
    }
  }
}

inline double sum(const std::vector<double>& numbers) {
  return double(std::accumulate(numbers.begin(), numbers.end(), 0.0L));
}

inline double distance(const Vec3& a, const Vec3& b) { return norm(to_point(a) - to_point(b)); }

inline double least_distance(const std::vector<Vec3>& points) {
  double least = HUGE_VAL;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) least = std::min(least, distance(points[i], points[j]));
  return least;
}

inline Sampling make_sampling(Method method, int dimension, bool surface_layer = false) {
  Sampling sampling;
  sampling.method = method;
  sampling.particles_per_cell = dimension == 3 ? 8 : 4;
  sampling.surface_layer = surface_layer ? SurfaceLayer::yes : SurfaceLayer::no;
  return sampling;
}

}  // namespace pliant::test

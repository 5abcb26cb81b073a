// Points on the surfaces of primitive shapes and poses for them, for tests.
#pragma once

#include "core/random.h"
#include "geometry/shape.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pliant {

using namespace geometry;

using Vec = Vector<double, 3>;
using Kind = RigidShape::Kind;

inline RigidShape shape_of(Kind kind, double a = 0, double b = 0, double c = 0) { return {kind, {a, b, c}, nullptr}; }

inline double between(Random& random, double low, double high) { return low + (high - low) * random.uniform(); }

inline Vec random_in(Random& random, double half) {
  return {{between(random, -half, half), between(random, -half, half), between(random, -half, half)}};
}

inline Vec random_direction(Random& random) {
  for (;;) {
    const Vec v = random_in(random, 1);
    const double n = norm(v);
    if (n > 0.1 && n < 1) return (1 / n) * v;
  }
}

inline Pose random_pose(Random& random) {
  const Vec x = random_direction(random), helper = random_direction(random);
  const Vec across = helper - dot(helper, x) * x;
  const Vec y = (1 / norm(across)) * across;
  const Vec z = {{x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]}};
  return {random_in(random, 1), {{x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]}}};
}

// some point of the surface; edges, rims and corners come up too
inline Vec random_on_surface(const RigidShape& shape, Random& random) {
  const double* s = shape.size;
  const Vec u = random_direction(random);
  const double angle = between(random, 0, 6.2831853071795865), root = std::sqrt(random.uniform());
  const double side = random.uniform() < 0.5 ? -1 : 1;
  switch (shape.kind) {
    case Kind::plane: return {{between(random, -3, 3), between(random, -3, 3), 0}};
    case Kind::sphere: return s[0] * u;
    case Kind::capsule:
      if (random.uniform() < 0.5) return s[0] * u + Vec{{0, 0, u[2] < 0 ? -s[1] : s[1]}};
      return {{s[0] * std::cos(angle), s[0] * std::sin(angle), between(random, -s[1], s[1])}};
    case Kind::ellipsoid: return {{s[0] * u[0], s[1] * u[1], s[2] * u[2]}};
    case Kind::cylinder: {
      const double pick = random.uniform();
      const double r = pick < 0.4 ? s[0] * root : s[0], z = pick < 0.6 ? side * s[1] : between(random, -s[1], s[1]);
      return {{r * std::cos(angle), r * std::sin(angle), z}};
    }
    default: {
      Vec p = {{between(random, -s[0], s[0]), between(random, -s[1], s[1]), between(random, -s[2], s[2])}};
      for (int n = 1 + int(random.below(3)); n > 0; --n) {
        const auto i = int(random.below(3));
        p[i] = random.uniform() < 0.5 ? -s[i] : s[i];
      }
      return p;
    }
  }
}

// 0 on the surface, < 0 inside; its slope along the normal is at least about 1 / (the shape's size), never small
inline double equation(const RigidShape& shape, const Vec& x) {
  const double* s = shape.size;
  const double rho = std::hypot(x[0], x[1]), z = std::fabs(x[2]);
  switch (shape.kind) {
    case Kind::plane: return x[2];
    case Kind::sphere: return norm(x) - s[0];
    case Kind::capsule: return std::hypot(rho, std::max(z - s[1], 0.0)) - s[0];
    case Kind::ellipsoid: return std::hypot(x[0] / s[0], x[1] / s[1], x[2] / s[2]) - 1;
    case Kind::cylinder: return std::max(rho - s[0], z - s[1]);
    default: return std::max({std::fabs(x[0]) - s[0], std::fabs(x[1]) - s[1], z - s[2]});
  }
}

inline std::vector<RigidShape> primitives() {
  return {shape_of(Kind::plane),
          shape_of(Kind::sphere, 0.7),
          shape_of(Kind::capsule, 0.3, 0.6),
          shape_of(Kind::cylinder, 0.5, 0.3),
          shape_of(Kind::cylinder, 0.1, 0.8),
          shape_of(Kind::box, 0.5, 0.2, 0.7),
          shape_of(Kind::ellipsoid, 0.8, 0.3, 0.5),
          shape_of(Kind::ellipsoid, 0.5, 0.5, 0.5),
          shape_of(Kind::ellipsoid, 0.4, 0.8, 0.4),
          shape_of(Kind::ellipsoid, 0.6, 0.6, 0.01),
          shape_of(Kind::ellipsoid, 0.01, 0.01, 0.9),
          shape_of(Kind::ellipsoid, 0.9, 0.1, 0.003)};
}

}  // namespace pliant

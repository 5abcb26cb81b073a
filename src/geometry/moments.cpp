#include "geometry/moments.h"

#include <numbers>

namespace pliant::geometry {
namespace {

using std::numbers::pi;

constexpr int pair_of[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};

// Tetrahedra from a point to each triangle; about the middle of the box, where round-off is least, and then moved.
Moments moments_of(const Mesh& mesh) {
  const Point middle = 0.5 * (mesh.lower + mesh.upper);
  Moments sum;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Point a = mesh.corner(t, 0) - middle, b = mesh.corner(t, 1) - middle, c = mesh.corner(t, 2) - middle;
    const double volume = dot(a, cross(b, c)) / 6;
    const Point s = a + b + c;
    sum.volume += volume;
    sum.first += (volume / 4) * s;
    for (int k = 0; k < 6; ++k) {
      const auto [i, j] = pair_of[k];
      sum.second[k] += volume / 20 * (s[i] * s[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]);
    }
  }
  for (int k = 0; k < 6; ++k) {
    const auto [i, j] = pair_of[k];
    sum.second[k] += middle[i] * sum.first[j] + middle[j] * sum.first[i] + sum.volume * middle[i] * middle[j];
  }
  sum.first += sum.volume * middle;
  return sum;
}

}  // namespace

Moments moments(const Solid& solid) {
  if (solid.kind() == Shape::Kind::mesh) return moments_of(solid.tree().mesh());
  const Shape& shape = solid.shape();
  const double r = shape.radius, l = shape.length, V = solid.volume();
  Moments m;
  m.volume = V;
  for (int d = 0; d < 3; ++d) m.second[d] = V * r * r / 5;  // a sphere
  if (shape.kind == Shape::Kind::box)
    for (std::size_t d = 0; d < 3; ++d) m.second[d] = V * shape.size[d] * shape.size[d] / 12;
  if (shape.kind == Shape::Kind::cylinder) {
    m.second[0] = m.second[1] = V * r * r / 4;
    m.second[2] = V * l * l / 12;
  }
  if (shape.kind == Shape::Kind::capsule) {
    const double ends = 4.0 / 3 * pi * r * r * r, rod = V - ends;
    m.second[0] = m.second[1] = rod * r * r / 4 + ends * r * r / 5;
    m.second[2] = rod * l * l / 12 + ends * (r * r / 5 + 0.375 * r * l + l * l / 4);
  }
  return m;
}

}  // namespace pliant::geometry

// A mug and a torus as closed meshes, for tests.
#pragma once

#include "geometry/mesh.h"
#include "geometry/meshes.h"

#include <numbers>

namespace pliant {

using namespace geometry;

// a profile of (radius, height) from the axis to the axis, revolved about z; outward if it runs counter-clockwise
inline TriangleSoup revolved(const std::vector<std::array<double, 2>>& profile, std::uint32_t around) {
  TriangleSoup soup;
  const std::size_t last = profile.size() - 1;
  std::vector<std::uint32_t> start;
  for (std::size_t i = 0; i <= last; ++i) {
    start.push_back(std::uint32_t(soup.vertices.size()));
    const std::uint32_t copies = i == 0 || i == last ? 1 : around;
    for (std::uint32_t k = 0; k < copies; ++k) {
      const double angle = 2 * std::numbers::pi * k / around;
      soup.vertices.push_back({{profile[i][0] * std::cos(angle), profile[i][0] * std::sin(angle), profile[i][1]}});
    }
  }
  const auto at = [&](std::size_t i, std::uint32_t k) {
    return i == 0 || i == last ? start[i] : start[i] + k % around;
  };
  for (std::size_t i = 0; i < last; ++i)
    for (std::uint32_t k = 0; k < around; ++k) {
      const std::uint32_t a = at(i, k), b = at(i, k + 1), c = at(i + 1, k + 1), d = at(i + 1, k);
      if (a != b) soup.triangles.push_back({a, b, c});
      if (c != d) soup.triangles.push_back({a, c, d});
    }
  return soup;
}

// radius 40 mm, height 100 mm, wall and floor 3 mm
inline Mesh mug_mesh(std::uint32_t around = 48) {
  const double r = 0.04, h = 0.1, w = 0.003;
  return checked_mesh(revolved({{0, 0}, {r, 0}, {r, h}, {r - w, h}, {r - w, w}, {0, w}}, around), "mug");
}

inline TriangleSoup soup_of(const Triangles& t) {
  TriangleSoup soup;
  soup.vertices = t.vertices;
  for (const auto& [a, b, c] : t.faces)
    soup.triangles.push_back({std::uint32_t(a), std::uint32_t(b), std::uint32_t(c)});
  return soup;
}

}  // namespace pliant

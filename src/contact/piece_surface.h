// With which of its particles a piece of matter touches, and what each of them stands for. Part of the model.
#pragma once

#include "contact/namespace.h"
#include "core/small.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace pliant::contact {

struct PieceSurface {
  // Ids of those that touch: all of the piece, or the vertices of its surface.
  std::uint32_t begin = 0, end = ~0u;
  std::vector<double> radii;  // m, by particle, of a piece whose particles are balls; else empty
  bool thins = false;         // balls become thinner beside walls along which the piece spreads

  // of a piece with a surface, by vertex; else empty: a particle stands for V^(2/3)
  std::vector<double> areas;                            // m^2, at rest
  std::vector<Vector<double, 3>> facing;                // m^2, the same along the outward normal at rest
  std::vector<std::array<std::uint32_t, 3>> triangles;  // by vertex, counter-clockwise seen from outside

  bool touches(std::uint32_t id) const { return id >= begin && id < end; }
  bool all_touch() const { return areas.empty(); }
  // m, of the ball that the particle is; 0: a point
  double radius(std::uint32_t id) const { return radii.empty() ? 0 : radii[id - begin]; }
  double largest_radius() const { return radii.empty() ? 0 : *std::max_element(radii.begin(), radii.end()); }
};

// m^2, of the vertex as it is deformed by F (row by row), that faces a partner along the normal n out of it. Of a corner
// of a box that lies flat only one of its three faces counts; what hardly faces the partner counts a little.
template <class S>
double facing_area(const PieceSurface& piece, std::uint32_t vertex, const S* F, const Vector<double, 3>& n);

}  // namespace pliant::contact

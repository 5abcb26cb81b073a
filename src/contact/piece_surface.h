// With which of its particles a piece of matter touches, and what each of them stands for. Part of the model.
#pragma once

#include "contact/namespace.h"
#include "core/small.h"

#include <array>
#include <cstdint>
#include <vector>

namespace pliant::contact {

struct PieceSurface {
  // Ids of those that touch: all of the piece, or the vertices of its surface.
  std::uint32_t begin = 0, end = ~0u;
  double largest_ball = 0;  // m; > 0: particles are balls of radius 1/2 V^(1/3), this is that of the largest

  // of a piece with a surface, by vertex; else empty: a particle stands for V^(2/3)
  std::vector<double> areas;                            // m^2, at rest
  std::vector<Vector<double, 3>> facing;                // m^2, the same along the outward normal at rest
  std::vector<std::array<std::uint32_t, 3>> triangles;  // by vertex, counter-clockwise seen from outside

  bool touches(std::uint32_t id) const { return id >= begin && id < end; }
  bool all_touch() const { return areas.empty(); }
};

// m, of a particle that is a ball
double ball_radius(double volume);

// m^2, of the vertex as it is deformed by F (row by row), that faces a partner along the normal n out of it. Of a corner
// of a box that lies flat only one of its three faces counts; what hardly faces the partner counts a little.
template <class S>
double facing_area(const PieceSurface& piece, std::uint32_t vertex, const S* F, const Vector<double, 3>& n);

}  // namespace pliant::contact

// A smooth closed surface around particles of matter that flows: what pictures show of it.
#pragma once

#include "geometry/namespace.h"
#include "geometry/point.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace pliant::geometry {

struct Skin {
  std::vector<Point> vertices;                          // m
  std::vector<Point> normals;                           // outwards, of unit length
  std::vector<std::array<std::uint32_t, 3>> triangles;  // counter-clockwise seen from outside
};

// Where the smoothed density of the particles is half of that inside. A face of a lattice stays flat and half a spacing
// outside of its particles; edges get round over about a spacing. A particle or a thread of them that is too thin to
// reach that density is a drop of about its volume. One volume, m^3, for each point; fineness: nodes of the grid per
// spacing of particles, 1..4.
Skin skin_of(std::span<const Point> points, std::span<const double> volumes, double fineness = 2);

}  // namespace pliant::geometry

// The surface of a solid as triangles whose vertices lie on it, evenly spread: what matter that lasts touches with.
#pragma once

#include "geometry/namespace.h"
#include "geometry/solid.h"

#include <array>
#include <cstdint>
#include <vector>

namespace pliant::geometry {

struct TriangleSurface {
  std::vector<Point> vertices;                          // in the solid's frame
  std::vector<std::array<std::uint32_t, 3>> triangles;  // counter-clockwise seen from outside; none: points alone
  std::vector<double> areas;  // m^2, what each vertex stands for; they sum to that of the solid
  std::vector<Point> facing;  // m^2, the same as vectors along the outward normal: of a corner the sum over its faces
};

// Closed, oriented outwards, every edge between two triangles; edges of boxes, rims of cylinders and sharp edges of
// meshes are edges of it. Edges are about a spacing long, at most 1.5 of it. A mesh that defeats the remesher (edges
// of more than two triangles) gives random points without triangles. Of 3-D solids.
TriangleSurface triangle_surface(const Solid& solid, double spacing);

// about how many vertices that will have
double expected_vertices(const Solid& solid, double spacing);

}  // namespace pliant::geometry

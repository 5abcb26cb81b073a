// Triangles of about even size on the surface of a closed mesh.
#pragma once

#include "geometry/namespace.h"
#include "geometry/point.h"

#include <array>
#include <cstdint>
#include <vector>

namespace pliant::geometry {

struct TriangleMesh {
  std::vector<Point> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

// Edges longer than 1.5 spacings are halved; those much shorter than a spacing collapse onto one of their ends, if
// nothing folds. So all vertices lie on the mesh, and corners and sharp edges stay. Empty if some edge of the result
// has not exactly two triangles that agree about the outside.
TriangleMesh remesh(TriangleMesh mesh, double spacing);

}  // namespace pliant::geometry

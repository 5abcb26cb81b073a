// Sheets of cloth: open triangle meshes, from a file or as a rectangle made here.
#pragma once

#include "scene/namespace.h"
#include "scene/sampling.h"

#include <array>
#include <cstdint>

namespace pliant::scene {

struct SheetMesh {
  std::vector<Vec3> vertices;  // m, in the scene
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

// The sheet of a shape of kind cloth. Throws Error(bad_file) for a file that cannot be read, has no triangles, a
// triangle without area, an edge of more than two triangles or a vertex of none; Error(too_large) beyond `limit`
// particles.
SheetMesh sheet_mesh(const Shape& shape, double cell, std::size_t limit = 20'000'000);

// m, mean over the edges of all triangles
double mean_edge(const SheetMesh& mesh);

// particles at the vertices, then at the centroids of the triangles; `share` of a triangle's volume is its centroid's
Samples sheet_samples(const SheetMesh& mesh, double thickness, double share);

}  // namespace pliant::scene

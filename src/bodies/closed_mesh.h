// A closed mesh from triangles in memory, as MuJoCo holds them.
#pragma once

#include "scene/mesh.h"

namespace pliant {

// Joins equal vertices, leaves out triangles without area, and turns a mesh that is inside out. Throws Error(bad_file)
// if the rest is open, not consistently oriented, or encloses nothing; `name` is told in its text.
Mesh closed_mesh(const TriangleSoup& soup, const std::string& name);

// throws Error(bad_file) if an edge is not walked as often forth as back, or an index or coordinate is not allowed
void check_closed(const Mesh& mesh, const std::string& name);

}  // namespace pliant

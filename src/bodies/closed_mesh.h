// A closed mesh from triangles in memory, as MuJoCo holds them.
#pragma once

#include "scene/mesh.h"

namespace pliant {

// closed_mesh of scene/mesh.h for triangles that nobody has looked at. Throws Error(bad_file).
Mesh checked_mesh(const TriangleSoup& soup, const std::string& name);

// throws Error(bad_file) if an edge is not walked as often forth as back, or an index or coordinate is not allowed
void check_closed(const Mesh& mesh, const std::string& name);

}  // namespace pliant

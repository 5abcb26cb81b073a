// Reads triangles from STL (ascii and binary) and OBJ files. Files are untrusted: every size, count, index and number
// is checked before it is used, and a refusal names file, line and cure.
#pragma once

#include "geometry/namespace.h"
#include "geometry/point.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pliant::geometry {

struct MeshLimits {
  std::uintmax_t bytes = std::uintmax_t(1) << 30;  // of the file
  std::size_t triangles = 5'000'000;
};

// triangles as the file lists them: not welded, not checked to be closed
struct TriangleSoup {
  std::vector<Point> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::vector<std::uint32_t> lines;  // where each triangle stands in a text file; empty for a binary one
};

// throws Error(bad_file), or Error(too_large) beyond the limits
TriangleSoup read_mesh_file(const std::string& path, const MeshLimits& limits);

}  // namespace pliant::geometry

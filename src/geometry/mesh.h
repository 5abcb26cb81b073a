// Closed triangle meshes, as solids to fill.
//
// A mesh is taken as a solid if every edge is walked as often in one direction as in the other: then its triangles
// bound something, and the number of times that they wind around a point is a whole number, 1 inside and 0 outside.
#pragma once

#include "geometry/mesh_file.h"
#include "geometry/namespace.h"

namespace pliant::geometry {

struct Mesh {
  std::vector<Point> vertices;                          // welded
  std::vector<std::array<std::uint32_t, 3>> triangles;  // counter-clockwise seen from outside, none degenerate
  Point lower, upper;                                   // m, bounding box
  double volume = 0;                                    // m^3, > 0
  double area = 0;                                      // m^2

  Point corner(std::size_t triangle, int i) const { return vertices[triangles[triangle][i]]; }
};

// Loads a mesh, multiplied by scale. Throws Error(bad_file) if it cannot be read, is open or not consistently oriented.
Mesh load_mesh(const std::string& path, double scale, const MeshLimits& limits = {});

// The same from triangles in memory, not empty, whose vertices are finite and there; `name` is told in texts.
Mesh closed_mesh(const TriangleSoup& soup, const std::string& name);

// The same for triangles that nobody has looked at.
Mesh checked_mesh(const TriangleSoup& soup, const std::string& name);

// throws Error(bad_file) if an edge is not walked as often forth as back, or an index or coordinate is not allowed
void check_closed(const Mesh& mesh, const std::string& name);

// for each vertex, of which there is at least one, the first one that is equal to it
std::vector<std::uint32_t> weld_equal(const std::vector<Point>& vertices);

}  // namespace pliant::geometry

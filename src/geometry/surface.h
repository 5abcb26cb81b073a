// Points on the surface of a mesh.
#pragma once

#include "core/random.h"
#include "geometry/namespace.h"
#include "geometry/tree.h"

namespace pliant::geometry {

// Random points on a mesh, evenly by area.
class SurfaceDarts {
 public:
  explicit SurfaceDarts(const Mesh& mesh);

  struct Dart {
    std::size_t triangle;
    Point at;
  };
  Dart next(Random& random) const;

 private:
  const Mesh& mesh_;
  std::vector<double> area_up_to_;  // m^2, of a triangle and those before it
};

// throws Error(bad_file) if parts of the mesh overlap on more than 1 % of its surface: its volume would count them
// twice
void check_overlap(const MeshTree& tree, const std::string& path);

}  // namespace pliant::geometry

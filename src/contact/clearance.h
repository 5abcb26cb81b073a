// Which particles are so far from every mesh that their distances need not be taken again until they, or the meshes, have
// moved that far. Distances to meshes are dear, and most particles near one are inside of their matter. Only work is saved by
// this: whoever could be a contact is measured.
#pragma once

#include "bodies/geom_paths.h"
#include "contact/namespace.h"
#include "core/buffer.h"

#include <cstdint>
#include <vector>

namespace pliant::contact {

class MeshClearance {
 public:
  // a search among so many particles begins: meshes have moved since the last one
  void begin(const GeomPaths& paths, std::size_t particles);

  // no mesh is nearer to this particle than the limit, as its field has it, m
  bool is_clear(std::uint32_t id, const Vector<double, 3>& x, double limit) const;
  // A mesh is not nearer than phi as its field has it, and those that are not measured in this search not than `others`.
  void note(std::uint32_t id, const Vector<double, 3>& x, double phi, double others);

 private:
  struct Seen {
    float x[3], clearance;  // m, of the shapes themselves, at least
    double travel;          // m, of meshes until then
    std::uint64_t search;   // 0: none
  };
  std::vector<Seen> seen_;   // by id of a particle
  std::vector<Pose> poses_;  // of the last search
  double travel_ = 0, tolerance_ = 0;
  std::uint64_t search_ = 0;
};

inline bool is_mesh(const GeomPath& path) {
  return path.geom.shape.kind == geometry::RigidShape::Kind::mesh && !path.geom.shape.inside_out;
}

}  // namespace pliant::contact

// Answers for points near or in a mesh, through a tree of boxes.
#pragma once

#include "scene/mesh.h"

namespace pliant {

class MeshTree {
 public:
  explicit MeshTree(Mesh mesh);

  const Mesh& mesh() const { return mesh_; }

  // Where the surface crosses a vertical line: +1 where it faces up, -1 where it faces down.
  struct Crossing {
    double z;
    int sign;
  };
  // Crossings of the line through (x, y), from top to bottom. Their signs sum to 0 for any line, also one through
  // vertices and edges.
  void crossings(double x, double y, std::vector<Crossing>& found) const;

  // how often the surface winds around p: 1 inside, 0 outside; else parts of the mesh overlap
  int winding(const Point& p) const;
  bool contains(const Point& p) const { return winding(p) > 0; }

  // is any point of the surface closer than this?
  bool near(const Point& p, double distance) const;

 private:
  struct Node {
    Point lower, upper;
    std::uint32_t first, count;  // triangles of a leaf; count 0: children are the next node and `first`
  };
  void build(std::vector<Point>& centers, std::uint32_t first, std::uint32_t last);
  Node box_of(std::uint32_t first, std::uint32_t last) const;
  template <class Visit>
  void for_each_crossing(double x, double y, double above, Visit visit) const;

  Mesh mesh_;
  std::vector<std::uint32_t> order_;  // triangles, leaf by leaf
  std::vector<Node> nodes_;
};

// throws Error(bad_file) if parts of the mesh overlap on more than 1 % of its surface: its volume would count them
// twice
void check_overlap(const MeshTree& tree, const std::string& path);

}  // namespace pliant

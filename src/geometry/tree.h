// Trees of boxes over the triangles of a mesh, and what they answer for points near or in it.
#pragma once

#include "geometry/mesh.h"
#include "geometry/namespace.h"

namespace pliant::geometry {

// Boxes around the triangles of a mesh, halved at the median along their longest side.
class BoxTree {
 public:
  static constexpr int max_depth = 64;  // each split halves the number of triangles, so 33 would do

  struct Node {
    Point lower, upper;
    std::uint32_t first, count;  // triangles of a leaf in `order`; count 0: children are the next node and `first`

    double squared_distance(const Point& p) const;  // m^2, 0 inside
  };

  BoxTree(const Mesh& mesh, std::uint32_t leaf_size);

  const Node& operator[](std::uint32_t node) const { return nodes_[node]; }  // 0: the root
  const std::vector<std::uint32_t>& order() const { return order_; }         // numbers of the triangles, leaf by leaf

 private:
  Node box_of(const Mesh& mesh, std::uint32_t first, std::uint32_t last) const;
  void build(const Mesh& mesh, const std::vector<Point>& centers, std::uint32_t first, std::uint32_t last);

  std::uint32_t leaf_size_;
  std::vector<std::uint32_t> order_;
  std::vector<Node> nodes_;
};

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
  template <class Visit>
  void for_each_crossing(double x, double y, double above, Visit visit) const;

  Mesh mesh_;
  BoxTree boxes_;
};

}  // namespace pliant::geometry

// The point of a triangle mesh that is closest to a given one, through a tree of boxes.
#pragma once

#include "scene/mesh.h"

namespace pliant {

struct ClosestPoint {
  Point at;
  double squared;          // m^2, distance
  std::uint32_t triangle;  // the first of those that are equally close
};

class ClosestPointTree {
 public:
  explicit ClosestPointTree(const Mesh& mesh);  // which must outlive the tree

  // `guess`: a triangle that may be close. The answer does not depend on it, the time does.
  ClosestPoint find(const Point& x, std::uint32_t guess) const;

 private:
  struct Node {
    Point lower, upper;
    std::uint32_t first, count;  // triangles of a leaf; count 0: children are the next node and `first`
  };
  void build(const std::vector<Point>& centers, std::uint32_t first, std::uint32_t last);
  double squared_distance_to_box(const Node& node, const Point& x) const;

  struct Corners {
    Point a, b, c;
  };
  const Mesh& mesh_;
  std::vector<Corners> corners_;      // triangles, leaf by leaf
  std::vector<std::uint32_t> order_;  // their numbers in the mesh
  std::vector<Node> nodes_;
};

// of the triangle a b c
Point closest_on_triangle(const Point& x, const Point& a, const Point& b, const Point& c);

}  // namespace pliant

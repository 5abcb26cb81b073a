// The point of a triangle mesh that is closest to a given one, through a tree of boxes.
#pragma once

#include "geometry/namespace.h"
#include "geometry/tree.h"

namespace pliant::geometry {

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
  struct Corners {
    Point a, b, c;
  };
  const Mesh& mesh_;
  BoxTree boxes_;
  std::vector<Corners> corners_;  // of the triangles, leaf by leaf
};

// of the triangle a b c
Point closest_on_triangle(const Point& x, const Point& a, const Point& b, const Point& c);

}  // namespace pliant::geometry

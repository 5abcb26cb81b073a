#include "geometry/closest_point.h"

#include <algorithm>
#include <cmath>

namespace pliant::geometry {
namespace {

constexpr std::uint32_t leaf_size = 2;

Point closest_on_segment(const Point& x, const Point& a, const Point& b) {
  const Point along = b - a;
  const double squared = dot(along, along);
  if (!(squared > 0)) return a;
  const double t = dot(x - a, along) / squared;
  if (t <= 0) return a;
  if (t >= 1) return b;
  return a + t * along;
}

}  // namespace

Point closest_on_triangle(const Point& x, const Point& a, const Point& b, const Point& c) {
  const Point n = cross(b - a, c - a);
  const double n2 = dot(n, n);
  const bool over_face = n2 > 0 && dot(cross(b - a, x - a), n) >= 0 && dot(cross(c - b, x - b), n) >= 0 &&
                         dot(cross(a - c, x - c), n) >= 0;
  if (over_face) return x - (dot(x - a, n) / n2) * n;
  Point best = closest_on_segment(x, a, b);
  double least = dot(x - best, x - best);
  for (const Point& p : {closest_on_segment(x, b, c), closest_on_segment(x, c, a)}) {
    const double squared = dot(x - p, x - p);
    if (squared < least) {
      least = squared;
      best = p;
    }
  }
  return best;
}

ClosestPointTree::ClosestPointTree(const Mesh& mesh) : mesh_(mesh), boxes_(mesh, leaf_size) {
  corners_.reserve(boxes_.order().size());
  for (const std::uint32_t t : boxes_.order())
    corners_.push_back({mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2)});
}

ClosestPoint ClosestPointTree::find(const Point& x, std::uint32_t guess) const {
  // boxes are left out only if they are farther by more than round-off, so that equally close triangles are all seen
  constexpr double slack = 1 + 1e-9;
  const Point first = closest_on_triangle(x, mesh_.corner(guess, 0), mesh_.corner(guess, 1), mesh_.corner(guess, 2));
  ClosestPoint best = {first, dot(x - first, x - first), guess};
  double limit = best.squared * slack + 1e-300;
  struct Waiting {
    std::uint32_t node;
    double squared;
  };
  Waiting stack[BoxTree::max_depth];
  int depth = 0;
  stack[depth++] = {0, boxes_[0].squared_distance(x)};
  while (depth > 0) {
    const auto [self, squared_to_box] = stack[--depth];
    if (squared_to_box > limit) continue;
    const BoxTree::Node& node = boxes_[self];
    if (node.count == 0) {
      const Waiting left = {self + 1, boxes_[self + 1].squared_distance(x)};
      const Waiting right = {node.first, boxes_[node.first].squared_distance(x)};
      // the nearer one first
      const bool left_first = left.squared <= right.squared;
      stack[depth++] = left_first ? right : left;
      stack[depth++] = left_first ? left : right;
      continue;
    }
    for (std::uint32_t k = node.first; k < node.first + node.count; ++k) {
      const Corners& t = corners_[k];
      const Point at = closest_on_triangle(x, t.a, t.b, t.c);
      const double squared = dot(x - at, x - at);
      if (squared > best.squared || (squared == best.squared && boxes_.order()[k] > best.triangle)) continue;
      best = {at, squared, boxes_.order()[k]};
      limit = std::min(limit, squared * slack + 1e-300);
    }
  }
  return best;
}

}  // namespace pliant::geometry

#include "bodies/closest_point.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pliant {
namespace {

constexpr std::uint32_t leaf_size = 2;
constexpr int max_depth = 64;  // each split halves the number of triangles, so 33 would do

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

ClosestPointTree::ClosestPointTree(const Mesh& mesh) : mesh_(mesh), order_(mesh.triangles.size()) {
  std::iota(order_.begin(), order_.end(), 0u);
  std::vector<Point> centers(order_.size());
  for (std::size_t t = 0; t < centers.size(); ++t) {
    corners_.push_back({mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2)});
    centers[t] = mesh.corner(t, 0) + mesh.corner(t, 1) + mesh.corner(t, 2);
  }
  nodes_.reserve(order_.size());
  build(centers, 0, std::uint32_t(order_.size()));
  std::vector<Corners> by_leaf(corners_.size());
  for (std::size_t k = 0; k < order_.size(); ++k) by_leaf[k] = corners_[order_[k]];
  corners_.swap(by_leaf);
}

// the triangles first..last as a subtree, split at the median along the longest side
void ClosestPointTree::build(const std::vector<Point>& centers, std::uint32_t first, std::uint32_t last) {
  const std::size_t self = nodes_.size();
  nodes_.push_back({corners_[order_[first]].a, corners_[order_[first]].a, first, last - first});
  Node& node = nodes_[self];
  for (std::uint32_t k = first; k < last; ++k) {
    const Corners& t = corners_[order_[k]];
    for (int i = 0; i < 3; ++i) {
      node.lower[i] = std::min({node.lower[i], t.a[i], t.b[i], t.c[i]});
      node.upper[i] = std::max({node.upper[i], t.a[i], t.b[i], t.c[i]});
    }
  }
  if (last - first <= leaf_size) return;
  const Point size = node.upper - node.lower;
  const int axis = size[0] >= size[1] ? (size[0] >= size[2] ? 0 : 2) : (size[1] >= size[2] ? 1 : 2);
  const std::uint32_t middle = first + (last - first) / 2;
  std::nth_element(order_.begin() + first, order_.begin() + middle, order_.begin() + last,
                   [&](std::uint32_t a, std::uint32_t b) {
                     return centers[a][axis] != centers[b][axis] ? centers[a][axis] < centers[b][axis] : a < b;
                   });
  build(centers, first, middle);
  nodes_[self].first = std::uint32_t(nodes_.size());
  nodes_[self].count = 0;
  build(centers, middle, last);
}

double ClosestPointTree::squared_distance_to_box(const Node& node, const Point& x) const {
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    const double gap = std::max(std::max(node.lower[i] - x[i], x[i] - node.upper[i]), 0.0);
    sum += gap * gap;
  }
  return sum;
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
  Waiting stack[max_depth];
  int depth = 0;
  stack[depth++] = {0, squared_distance_to_box(nodes_[0], x)};
  while (depth > 0) {
    const auto [self, squared_to_box] = stack[--depth];
    if (squared_to_box > limit) continue;
    const Node& node = nodes_[self];
    if (node.count == 0) {
      const Waiting left = {self + 1, squared_distance_to_box(nodes_[self + 1], x)};
      const Waiting right = {node.first, squared_distance_to_box(nodes_[node.first], x)};
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
      if (squared > best.squared || (squared == best.squared && order_[k] > best.triangle)) continue;
      best = {at, squared, order_[k]};
      limit = std::min(limit, squared * slack + 1e-300);
    }
  }
  return best;
}

}  // namespace pliant

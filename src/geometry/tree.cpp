#include "geometry/tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pliant::geometry {

namespace {

constexpr std::uint32_t leaf_size = 4;

// Is the edge u v, which crosses the height y, right of x? Both triangles of an edge ask with the same order of u and v
// and run the same instructions (hence no inlining), so they always agree, whatever the rounding.
[[gnu::noinline]] bool is_right(const Point& u, const Point& v, double x, double y) {
  if (x < std::min(u[0], v[0])) return true;
  if (x > std::max(u[0], v[0])) return false;
  const double side = (v[0] - u[0]) * (y - u[1]) - (v[1] - u[1]) * (x - u[0]);
  return v[1] > u[1] ? side > 0 : side < 0;
}

// Sign with which a triangle crosses the vertical line through (x, y): how often its outline winds around that point.
int crossing_sign(const Mesh& mesh, const std::array<std::uint32_t, 3>& triangle, double x, double y) {
  int sign = 0;
  for (int i = 0; i < 3; ++i) {
    const std::uint32_t a = triangle[i], b = triangle[(i + 1) % 3];
    const bool a_is_above = mesh.vertices[a][1] > y, b_is_above = mesh.vertices[b][1] > y;
    if (a_is_above == b_is_above) continue;
    if (is_right(mesh.vertices[std::min(a, b)], mesh.vertices[std::max(a, b)], x, y)) sign += b_is_above ? 1 : -1;
  }
  return sign;
}

double crossing_height(const Mesh& mesh, const std::array<std::uint32_t, 3>& triangle, double x, double y) {
  const Point &a = mesh.vertices[triangle[0]], &b = mesh.vertices[triangle[1]], &c = mesh.vertices[triangle[2]];
  const Point n = cross(b - a, c - a);
  const double z = a[2] - (n[0] * (x - a[0]) + n[1] * (y - a[1])) / n[2];
  // an upright triangle has no single height: any of its own will do
  if (!std::isfinite(z)) return a[2];
  return std::clamp(z, std::min({a[2], b[2], c[2]}), std::max({a[2], b[2], c[2]}));
}

double squared_distance_to_segment(const Point& p, const Point& a, const Point& b) {
  const Point along = b - a;
  const double t = std::clamp(dot(p - a, along) / dot(along, along), 0.0, 1.0);
  const Point gap = p - a - t * along;
  return dot(gap, gap);
}

double squared_distance(const Point& p, const Point& a, const Point& b, const Point& c) {
  const Point n = cross(b - a, c - a);
  const bool over_face =
      dot(cross(b - a, p - a), n) >= 0 && dot(cross(c - b, p - b), n) >= 0 && dot(cross(a - c, p - c), n) >= 0;
  const double n2 = dot(n, n);
  if (over_face && n2 > 0) {
    const double height = dot(p - a, n);
    return height * height / n2;
  }
  return std::min({squared_distance_to_segment(p, a, b), squared_distance_to_segment(p, b, c),
                   squared_distance_to_segment(p, c, a)});
}

}  // namespace

double BoxTree::Node::squared_distance(const Point& p) const {
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    const double gap = std::max({lower[i] - p[i], p[i] - upper[i], 0.0});
    sum += gap * gap;
  }
  return sum;
}

BoxTree::BoxTree(const Mesh& mesh, std::uint32_t leaf_size) : leaf_size_(leaf_size), order_(mesh.triangles.size()) {
  std::iota(order_.begin(), order_.end(), 0u);
  std::vector<Point> centers(order_.size());
  for (std::size_t t = 0; t < centers.size(); ++t)
    centers[t] = mesh.corner(t, 0) + mesh.corner(t, 1) + mesh.corner(t, 2);
  nodes_.reserve(order_.size());
  build(mesh, centers, 0, std::uint32_t(order_.size()));
}

BoxTree::Node BoxTree::box_of(const Mesh& mesh, std::uint32_t first, std::uint32_t last) const {
  Node node{mesh.corner(order_[first], 0), mesh.corner(order_[first], 0), first, last - first};
  for (std::uint32_t k = first; k < last; ++k) {
    for (int v = 0; v < 3; ++v) {
      const Point p = mesh.corner(order_[k], v);
      for (int i = 0; i < 3; ++i) {
        node.lower[i] = std::min(node.lower[i], p[i]);
        node.upper[i] = std::max(node.upper[i], p[i]);
      }
    }
  }
  return node;
}

// the triangles first..last as a subtree
void BoxTree::build(const Mesh& mesh, const std::vector<Point>& centers, std::uint32_t first, std::uint32_t last) {
  const std::size_t self = nodes_.size();
  nodes_.push_back(box_of(mesh, first, last));
  if (last - first <= leaf_size_) return;
  const Point size = nodes_[self].upper - nodes_[self].lower;
  const int axis = size[0] >= size[1] ? (size[0] >= size[2] ? 0 : 2) : (size[1] >= size[2] ? 1 : 2);
  const std::uint32_t middle = first + (last - first) / 2;
  std::nth_element(order_.begin() + first, order_.begin() + middle, order_.begin() + last,
                   [&](std::uint32_t a, std::uint32_t b) {
                     return centers[a][axis] != centers[b][axis] ? centers[a][axis] < centers[b][axis] : a < b;
                   });
  build(mesh, centers, first, middle);
  nodes_[self].first = std::uint32_t(nodes_.size());
  nodes_[self].count = 0;
  build(mesh, centers, middle, last);
}

MeshTree::MeshTree(Mesh mesh) : mesh_(std::move(mesh)), boxes_(mesh_, leaf_size) {}

// visits each crossing of the vertical line through (x, y) that is above the given height
template <class Visit>
void MeshTree::for_each_crossing(double x, double y, double above, Visit visit) const {
  std::uint32_t stack[BoxTree::max_depth];
  int depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const std::uint32_t self = stack[--depth];
    const BoxTree::Node& node = boxes_[self];
    if (x < node.lower[0] || x > node.upper[0] || y < node.lower[1] || y > node.upper[1]) continue;
    if (node.upper[2] <= above) continue;
    if (node.count == 0) {
      stack[depth++] = node.first;
      stack[depth++] = self + 1;
      continue;
    }
    for (std::uint32_t k = node.first; k < node.first + node.count; ++k) {
      const auto& triangle = mesh_.triangles[boxes_.order()[k]];
      const int sign = crossing_sign(mesh_, triangle, x, y);
      if (sign == 0) continue;
      const double z = crossing_height(mesh_, triangle, x, y);
      if (z > above) visit(z, sign);
    }
  }
}

void MeshTree::crossings(double x, double y, std::vector<Crossing>& found) const {
  found.clear();
  for_each_crossing(x, y, -HUGE_VAL, [&](double z, int sign) { found.push_back({z, sign}); });
  std::sort(found.begin(), found.end(),
            [](const Crossing& a, const Crossing& b) { return a.z != b.z ? a.z > b.z : a.sign > b.sign; });
}

int MeshTree::winding(const Point& p) const {
  int sum = 0;
  for_each_crossing(p[0], p[1], p[2], [&](double, int sign) { sum += sign; });
  return sum;
}

bool MeshTree::near(const Point& p, double distance) const {
  const double squared = distance * distance;
  std::uint32_t stack[BoxTree::max_depth];
  int depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const std::uint32_t self = stack[--depth];
    const BoxTree::Node& node = boxes_[self];
    if (node.squared_distance(p) >= squared) continue;
    if (node.count == 0) {
      stack[depth++] = node.first;
      stack[depth++] = self + 1;
      continue;
    }
    for (std::uint32_t k = node.first; k < node.first + node.count; ++k) {
      const std::uint32_t t = boxes_.order()[k];
      if (squared_distance(p, mesh_.corner(t, 0), mesh_.corner(t, 1), mesh_.corner(t, 2)) < squared) return true;
    }
  }
  return false;
}

}  // namespace pliant::geometry

#include "scene/mesh_tree.h"

#include "core/error.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pliant {

namespace {

constexpr std::uint32_t leaf_size = 4;
constexpr int max_depth = 64;  // each split halves the number of triangles, so 33 would do

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

double squared_distance_to_box(const Point& p, const Point& lower, const Point& upper) {
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    const double gap = std::max({lower[i] - p[i], p[i] - upper[i], 0.0});
    sum += gap * gap;
  }
  return sum;
}

}  // namespace

MeshTree::MeshTree(Mesh mesh) : mesh_(std::move(mesh)), order_(mesh_.triangles.size()) {
  std::iota(order_.begin(), order_.end(), 0u);
  std::vector<Point> centers(order_.size());
  for (std::size_t t = 0; t < centers.size(); ++t)
    centers[t] = mesh_.corner(t, 0) + mesh_.corner(t, 1) + mesh_.corner(t, 2);
  nodes_.reserve(order_.size());
  build(centers, 0, std::uint32_t(order_.size()));
}

MeshTree::Node MeshTree::box_of(std::uint32_t first, std::uint32_t last) const {
  Node node{mesh_.corner(order_[first], 0), mesh_.corner(order_[first], 0), first, last - first};
  for (std::uint32_t k = first; k < last; ++k) {
    for (int v = 0; v < 3; ++v) {
      const Point p = mesh_.corner(order_[k], v);
      for (int i = 0; i < 3; ++i) {
        node.lower[i] = std::min(node.lower[i], p[i]);
        node.upper[i] = std::max(node.upper[i], p[i]);
      }
    }
  }
  return node;
}

// the triangles first..last as a subtree, split at the median along the longest side
void MeshTree::build(std::vector<Point>& centers, std::uint32_t first, std::uint32_t last) {
  const std::size_t self = nodes_.size();
  nodes_.push_back(box_of(first, last));
  if (last - first <= leaf_size) return;
  const Point size = nodes_[self].upper - nodes_[self].lower;
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

// visits each crossing of the vertical line through (x, y) that is above the given height
template <class Visit>
void MeshTree::for_each_crossing(double x, double y, double above, Visit visit) const {
  std::uint32_t stack[max_depth];
  int depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const std::uint32_t self = stack[--depth];
    const Node& node = nodes_[self];
    if (x < node.lower[0] || x > node.upper[0] || y < node.lower[1] || y > node.upper[1]) continue;
    if (node.upper[2] <= above) continue;
    if (node.count == 0) {
      stack[depth++] = node.first;
      stack[depth++] = self + 1;
      continue;
    }
    for (std::uint32_t k = node.first; k < node.first + node.count; ++k) {
      const auto& triangle = mesh_.triangles[order_[k]];
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
  std::uint32_t stack[max_depth];
  int depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const std::uint32_t self = stack[--depth];
    const Node& node = nodes_[self];
    if (squared_distance_to_box(p, node.lower, node.upper) >= squared) continue;
    if (node.count == 0) {
      stack[depth++] = node.first;
      stack[depth++] = self + 1;
      continue;
    }
    for (std::uint32_t k = node.first; k < node.first + node.count; ++k) {
      const std::uint32_t t = order_[k];
      if (squared_distance(p, mesh_.corner(t, 0), mesh_.corner(t, 1), mesh_.corner(t, 2)) < squared) return true;
    }
  }
  return false;
}

void check_overlap(const MeshTree& tree, const std::string& path) {
  constexpr int darts = 4096;
  const Mesh& mesh = tree.mesh();
  const double step = 1e-6 * norm(mesh.upper - mesh.lower);
  const SurfaceDarts surface(mesh);
  Random random(1);
  Point place = mesh.lower;
  int bad = 0;
  for (int n = 0; n < darts; ++n) {
    // just outside and just inside, a solid winds 0 and 1 times
    const auto [t, at] = surface.next(random);
    const Point normal = cross(mesh.corner(t, 1) - mesh.corner(t, 0), mesh.corner(t, 2) - mesh.corner(t, 0));
    const Point offset = (step / std::max(norm(normal), 1e-300)) * normal;
    const int inside = tree.winding(at - offset), outside = tree.winding(at + offset);
    if (std::min(inside, outside) >= 0 && std::max(inside, outside) <= 1) continue;
    place = at;
    ++bad;
  }
  if (bad > darts / 100) {
    fail(ErrorCode::bad_file,
         "mesh file '{}': parts of the mesh overlap, for example at ({:g} {:g} {:g}), on {:.2g} % of its surface; join "
         "them into one solid",
         path, place[0], place[1], place[2], 100.0 * bad / darts);
  }
}

}  // namespace pliant

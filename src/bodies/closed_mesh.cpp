#include "bodies/closed_mesh.h"

#include "core/error.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace pliant {
namespace {

void check_numbers(const std::vector<Point>& vertices, const std::vector<std::array<std::uint32_t, 3>>& triangles,
                   const std::string& name) {
  if (triangles.empty()) fail(ErrorCode::bad_file, "mesh '{}' has no triangle with an area; export it again", name);
  for (const Point& p : vertices)
    if (!std::isfinite(p[0] + p[1] + p[2]))
      fail(ErrorCode::bad_file, "mesh '{}' has a vertex ({} {} {}); give finite numbers", name, p[0], p[1], p[2]);
  for (const auto& triangle : triangles)
    for (const std::uint32_t v : triangle)
      if (v >= vertices.size())
        fail(ErrorCode::bad_file, "mesh '{}' has a triangle with vertex {} of {}; export it again", name, v,
             vertices.size());
}

struct Edge {
  std::uint32_t low, high;
  int way;  // 1: from low to high
};

std::vector<Edge> sorted_edges(const std::vector<std::array<std::uint32_t, 3>>& triangles) {
  std::vector<Edge> edges;
  edges.reserve(3 * triangles.size());
  for (const auto& t : triangles)
    for (int i = 0; i < 3; ++i) {
      const std::uint32_t a = t[i], b = t[(i + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), a < b ? 1 : -1});
    }
  std::sort(edges.begin(), edges.end(),
            [](const Edge& a, const Edge& b) { return std::tie(a.low, a.high) < std::tie(b.low, b.high); });
  return edges;
}

}  // namespace

void check_closed(const Mesh& mesh, const std::string& name) {
  check_numbers(mesh.vertices, mesh.triangles, name);
  const std::vector<Edge> edges = sorted_edges(mesh.triangles);
  std::size_t open = 0, turned = 0;
  Edge example = {};
  for (std::size_t first = 0, last = 0; first < edges.size(); first = last) {
    int sum = 0;
    for (; last < edges.size() && edges[last].low == edges[first].low && edges[last].high == edges[first].high; ++last)
      sum += edges[last].way;
    if (sum == 0) continue;
    if (open + turned == 0) example = edges[first];
    ++((last - first) % 2 != 0 ? open : turned);
  }
  if (open + turned == 0) return;
  const Point &a = mesh.vertices[example.low], &b = mesh.vertices[example.high];
  fail(ErrorCode::bad_file,
       "mesh '{}' bounds no solid: {} edges are open and at {} edges triangles disagree about the outside, the first "
       "from ({:g} {:g} {:g}) to ({:g} {:g} {:g}) m; close its holes and make its normals point outward, or use "
       "primitive shapes or the mesh's convex hull",
       name, open, turned, a[0], a[1], a[2], b[0], b[1], b[2]);
}

Mesh checked_mesh(const TriangleSoup& soup, const std::string& name) {
  check_numbers(soup.vertices, soup.triangles, name);
  return closed_mesh(soup, name);
}

}  // namespace pliant

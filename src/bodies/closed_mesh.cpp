#include "bodies/closed_mesh.h"

#include "core/error.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace pliant {
namespace {

// for each vertex the first one that is equal to it
std::vector<std::uint32_t> weld(const std::vector<Point>& vertices) {
  std::vector<std::uint32_t> order(vertices.size()), same(vertices.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto key = [&](std::uint32_t v) { return std::tuple(vertices[v][0], vertices[v][1], vertices[v][2]); };
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return key(a) != key(b) ? key(a) < key(b) : a < b; });
  for (std::size_t k = 0; k < order.size(); ++k)
    same[order[k]] = k > 0 && key(order[k]) == key(order[k - 1]) ? same[order[k - 1]] : order[k];
  return same;
}

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

Mesh closed_mesh(const TriangleSoup& soup, const std::string& name) {
  check_numbers(soup.vertices, soup.triangles, name);
  const std::vector<std::uint32_t> same = weld(soup.vertices);
  Mesh mesh;
  std::vector<std::uint32_t> number(soup.vertices.size(), ~0u);
  for (const auto& t : soup.triangles) {
    std::array<std::uint32_t, 3> triangle = {same[t[0]], same[t[1]], same[t[2]]};
    if (triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0]) continue;
    for (std::uint32_t& v : triangle) {
      if (number[v] == ~0u) {
        number[v] = std::uint32_t(mesh.vertices.size());
        mesh.vertices.push_back(soup.vertices[v]);
      }
      v = number[v];
    }
    mesh.triangles.push_back(triangle);
  }
  check_closed(mesh, name);

  mesh.lower = mesh.upper = mesh.vertices.front();
  for (const Point& p : mesh.vertices)
    for (int i = 0; i < 3; ++i) {
      mesh.lower[i] = std::min(mesh.lower[i], p[i]);
      mesh.upper[i] = std::max(mesh.upper[i], p[i]);
    }
  const Point middle = 0.5 * (mesh.lower + mesh.upper);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Point a = mesh.corner(t, 0) - middle, b = mesh.corner(t, 1) - middle, c = mesh.corner(t, 2) - middle;
    mesh.volume += dot(a, cross(b, c)) / 6;
    mesh.area += 0.5 * norm(cross(b - a, c - a));
  }
  if (mesh.volume < 0) {
    for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
    mesh.volume = -mesh.volume;
  }
  const double size = norm(mesh.upper - mesh.lower);
  if (!(mesh.volume > 1e-12 * size * size * size))
    fail(ErrorCode::bad_file, "mesh '{}' encloses {:g} m^3 in a box of diagonal {:g} m; give a solid", name,
         mesh.volume, size);
  return mesh;
}

}  // namespace pliant

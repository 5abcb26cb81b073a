#include "scene/sheet_mesh.h"

#include "core/error.h"
#include "geometry/mesh.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace pliant::scene {
namespace {

using Triangle = std::array<std::uint32_t, 3>;

// a triangle of less than this part of its longest edge squared has no area
constexpr double least_area = 1e-6;

double twice_area(const TriangleSoup& mesh, const Triangle& t) {
  const Point& a = mesh.vertices[t[0]];
  return norm(cross(mesh.vertices[t[1]] - a, mesh.vertices[t[2]] - a));
}

double longest_edge(const TriangleSoup& mesh, const Triangle& t) {
  double longest = 0;
  for (std::size_t i = 0; i < 3; ++i)
    longest = std::max(longest, norm(mesh.vertices[t[i]] - mesh.vertices[t[(i + 1) % 3]]));
  return longest;
}

std::string place_of(const TriangleSoup& soup, const std::string& path, std::size_t triangle) {
  return soup.lines.empty() ? path : fmt::format("{}:{}", path, soup.lines[triangle]);
}

std::string text_of(const Point& p) { return fmt::format("({:g} {:g} {:g})", p[0], p[1], p[2]); }

void refuse_unused(const TriangleSoup& soup, const std::string& path) {
  std::vector<bool> used(soup.vertices.size());
  for (const Triangle& t : soup.triangles)
    for (const std::uint32_t v : t) used[v] = true;
  const auto bad = std::find(used.begin(), used.end(), false);
  if (bad == used.end()) return;
  const auto number = std::size_t(bad - used.begin());
  fail(ErrorCode::bad_file, "{}: vertex {} at {} belongs to no triangle; remove it", path, number + 1,
       text_of(soup.vertices[number]));
}

void refuse_flat(const TriangleSoup& mesh, const TriangleSoup& soup, const std::string& path) {
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const Triangle& t = mesh.triangles[i];
    const double longest = longest_edge(mesh, t);
    if (twice_area(mesh, t) > least_area * longest * longest) continue;
    fail(ErrorCode::bad_file, "{}: the triangle at {} has no area; remove it", place_of(soup, path, i),
         text_of(mesh.vertices[t[0]]));
  }
}

void refuse_fans(const TriangleSoup& mesh, const TriangleSoup& soup, const std::string& path) {
  struct Edge {
    std::uint32_t low, high, triangle;
  };
  std::vector<Edge> edges;
  for (std::uint32_t i = 0; i < mesh.triangles.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(mesh.triangles[i][k], mesh.triangles[i][(k + 1) % 3]);
      edges.push_back({low, high, i});
    }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
  });
  for (std::size_t i = 0; i + 2 < edges.size(); ++i) {
    const Edge &a = edges[i], &c = edges[i + 2];
    if (a.low != c.low || a.high != c.high) continue;
    fail(ErrorCode::bad_file, "{}: more than two triangles share the edge from {} to {}; a sheet has at most two",
         place_of(soup, path, c.triangle), text_of(mesh.vertices[a.low]), text_of(mesh.vertices[a.high]));
  }
}

// vertices at the same place become one; the others keep their order
TriangleSoup welded(const TriangleSoup& soup) {
  const std::vector<std::uint32_t> same = weld_equal(soup.vertices);
  std::vector<std::uint32_t> number(soup.vertices.size());
  TriangleSoup mesh;
  for (std::uint32_t v = 0; v < soup.vertices.size(); ++v) {
    if (same[v] != v) continue;
    number[v] = std::uint32_t(mesh.vertices.size());
    mesh.vertices.push_back(soup.vertices[v]);
  }
  for (const Triangle& t : soup.triangles)
    mesh.triangles.push_back({number[same[t[0]]], number[same[t[1]]], number[same[t[2]]]});
  return mesh;
}

TriangleSoup mesh_of_file(const std::string& path) {
  const TriangleSoup soup = read_mesh_file(path, {});
  if (soup.triangles.empty()) fail(ErrorCode::bad_file, "mesh file '{}' has no triangles; export it again", path);
  refuse_unused(soup, path);
  TriangleSoup mesh = welded(soup);
  refuse_flat(mesh, soup, path);
  refuse_fans(mesh, soup, path);
  return mesh;
}

// how many squares fit along an edge
double squares(double size, double spacing) { return std::max(1.0, std::round(size / spacing)); }

// squares cut by diagonals that change direction like the colours of a chess board
TriangleSoup rectangle(const Shape& shape, double cell, std::size_t limit) {
  const double spacing = shape.spacing > 0 ? shape.spacing : cell;
  const double nx = squares(shape.size[0], spacing), ny = squares(shape.size[1], spacing);
  const double particles = (nx + 1) * (ny + 1) + 2 * nx * ny;
  if (!(particles <= double(limit)))
    fail(ErrorCode::too_large, "the sheet would be {:g} particles, the limit is {}; use a larger spacing", particles,
         limit);
  const auto columns = std::uint32_t(nx), rows = std::uint32_t(ny);
  TriangleSoup mesh;
  for (std::uint32_t j = 0; j <= rows; ++j)
    for (std::uint32_t i = 0; i <= columns; ++i)
      mesh.vertices.push_back({{(i / nx - 0.5) * shape.size[0], (j / ny - 0.5) * shape.size[1], 0}});
  for (std::uint32_t j = 0; j < rows; ++j)
    for (std::uint32_t i = 0; i < columns; ++i) {
      const std::uint32_t a = j * (columns + 1) + i, b = a + 1, d = a + columns + 1, c = d + 1;
      if ((i + j) % 2 == 0)
        mesh.triangles.insert(mesh.triangles.end(), {{a, b, c}, {a, c, d}});
      else
        mesh.triangles.insert(mesh.triangles.end(), {{a, b, d}, {b, c, d}});
    }
  return mesh;
}

}  // namespace

SheetMesh sheet_mesh(const Shape& shape, double cell, std::size_t limit) {
  const bool made_here = shape.mesh_file.empty();
  TriangleSoup mesh = made_here ? rectangle(shape, cell, limit) : mesh_of_file(shape.mesh_file);
  if (mesh.vertices.size() + mesh.triangles.size() > limit)
    fail(ErrorCode::too_large, "mesh file '{}' has {} vertices and {} triangles, each a particle; the limit is {}",
         shape.mesh_file, mesh.vertices.size(), mesh.triangles.size(), limit);
  const double scale = made_here ? 1 : shape.mesh_scale;
  SheetMesh placed;
  for (const Point& p : mesh.vertices)
    placed.vertices.push_back(to_vec3(to_point(shape.center) + rotate(shape.rotation, scale * p)));
  placed.triangles = std::move(mesh.triangles);
  return placed;
}

double mean_edge(const SheetMesh& mesh) {
  double sum = 0;
  for (const Triangle& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k)
      sum += norm(to_point(mesh.vertices[t[(k + 1) % 3]]) - to_point(mesh.vertices[t[k]]));
  return sum / (3.0 * double(mesh.triangles.size()));
}

Samples sheet_samples(const SheetMesh& mesh, double thickness, double share) {
  Samples samples;
  samples.positions = mesh.vertices;
  samples.volumes.assign(mesh.vertices.size(), 0);
  for (const Triangle& t : mesh.triangles) {
    const Point a = to_point(mesh.vertices[t[0]]), b = to_point(mesh.vertices[t[1]]), c = to_point(mesh.vertices[t[2]]);
    const double volume = 0.5 * thickness * norm(cross(b - a, c - a));
    for (const std::uint32_t v : t) samples.volumes[v] += (1 - share) / 3 * volume;
    samples.positions.push_back(to_vec3((1.0 / 3) * (a + b + c)));
    samples.volumes.push_back(share * volume);
  }
  return samples;
}

}  // namespace pliant::scene

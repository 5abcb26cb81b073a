#include "geometry/mesh.h"

#include "core/error.h"
#include "geometry/near_points.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace pliant::geometry {

namespace {

// vertices within this part of the mesh's size are one, where exact equality leaves a mesh open
constexpr double weld_tolerance = 1e-6;

bool before(const Point& a, const Point& b) {
  return std::lexicographical_compare(std::begin(a.a), std::end(a.a), std::begin(b.a), std::end(b.a));
}

// for each vertex the first one that is within the distance
std::vector<std::uint32_t> weld_near(const std::vector<Point>& vertices, double distance) {
  NearPoints near(vertices.front(), distance);
  std::vector<std::uint32_t> kept, same(vertices.size());
  for (std::uint32_t v = 0; v < vertices.size(); ++v) {
    const std::uint32_t found = near.find(vertices[v]);
    same[v] = found == NearPoints::none ? v : kept[found];
    if (found != NearPoints::none) continue;
    near.add(vertices[v]);
    kept.push_back(v);
  }
  return same;
}

// a triangle that welding made a line bounds nothing: its edges cancel
std::vector<std::array<std::uint32_t, 3>> weld_triangles(const TriangleSoup& soup,
                                                         const std::vector<std::uint32_t>& same,
                                                         std::vector<std::uint32_t>& lines) {
  std::vector<std::array<std::uint32_t, 3>> welded;
  welded.reserve(soup.triangles.size());
  lines.clear();
  for (std::size_t t = 0; t < soup.triangles.size(); ++t) {
    const auto& [a, b, c] = soup.triangles[t];
    if (same[a] == same[b] || same[b] == same[c] || same[c] == same[a]) continue;
    welded.push_back({same[a], same[b], same[c]});
    lines.push_back(soup.lines.empty() ? 0 : soup.lines[t]);
  }
  return welded;
}

// edges that are not walked as often forth as back
struct BadEdges {
  std::uint32_t from, to, triangle;  // the first, in file order
  bool is_open;                      // it is; else its triangles disagree on which side is outside
  std::size_t open, turned;          // how many are
};

std::optional<BadEdges> find_bad_edges(const std::vector<std::array<std::uint32_t, 3>>& triangles) {
  struct Edge {
    std::uint32_t low, high, triangle;
    bool forth;
  };
  std::vector<Edge> edges;
  edges.reserve(3 * triangles.size());
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    for (int i = 0; i < 3; ++i) {
      const std::uint32_t a = triangles[t][i], b = triangles[t][(i + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), t, a < b});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    if (a.low != b.low) return a.low < b.low;
    return a.high != b.high ? a.high < b.high : a.triangle < b.triangle;
  });
  std::optional<BadEdges> bad;
  std::size_t open = 0, turned = 0;
  for (std::size_t first = 0, last = 0; first < edges.size(); first = last) {
    int sum = 0;
    for (; last < edges.size() && edges[last].low == edges[first].low && edges[last].high == edges[first].high; ++last)
      sum += edges[last].forth ? 1 : -1;
    if (sum == 0) continue;
    const bool is_open = (last - first) % 2 != 0;
    ++(is_open ? open : turned);
    const Edge& edge = edges[first];
    if (!bad || edge.triangle < bad->triangle) bad = BadEdges{edge.low, edge.high, edge.triangle, is_open, 0, 0};
  }
  if (bad) bad->open = open, bad->turned = turned;
  return bad;
}

std::string edge_text(const std::vector<Point>& vertices, const BadEdges& bad) {
  const Point &a = vertices[bad.from], &b = vertices[bad.to];
  return fmt::format("from ({:g} {:g} {:g}) to ({:g} {:g} {:g})", a[0], a[1], a[2], b[0], b[1], b[2]);
}

// line: where the triangle stands in its file; 0: in none
[[noreturn]] void refuse(const std::string& path, std::uint32_t line, const std::string& edge, const BadEdges& bad) {
  const std::string place = line > 0 ? fmt::format("{}:{}", path, line) : path;
  const std::size_t count = bad.open + bad.turned;
  if (bad.is_open) {
    fail(ErrorCode::bad_file,
         "{}: the mesh is not closed: the edge {} has a triangle on one side only ({} such edges); close its holes",
         place, edge, count);
  }
  fail(ErrorCode::bad_file,
       "{}: the mesh is not consistently oriented: triangles disagree about the outside at the edge {} ({} such "
       "edges); make its normals point outward",
       place, edge, count);
}

// numbers the used vertices anew, in file order
void compact_vertices(Mesh& mesh, const std::vector<Point>& vertices) {
  constexpr std::uint32_t unused = ~0u;
  std::vector<std::uint32_t> number(vertices.size(), unused);
  for (auto& triangle : mesh.triangles) {
    for (std::uint32_t& v : triangle) {
      if (number[v] == unused) {
        number[v] = std::uint32_t(mesh.vertices.size());
        mesh.vertices.push_back(vertices[v]);
      }
      v = number[v];
    }
  }
}

void find_bounds(const std::vector<Point>& vertices, Point& lower, Point& upper) {
  lower = upper = vertices.front();
  for (const Point& p : vertices) {
    for (int i = 0; i < 3; ++i) {
      lower[i] = std::min(lower[i], p[i]);
      upper[i] = std::max(upper[i], p[i]);
    }
  }
}

// volume by tetrahedra from the centre of the box, where round-off is least; a mesh that is all inside out is turned
void measure(Mesh& mesh, const std::string& path) {
  find_bounds(mesh.vertices, mesh.lower, mesh.upper);
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
  if (!(mesh.volume > 1e-12 * size * size * size)) {
    fail(ErrorCode::bad_file, "mesh file '{}' encloses {:g} m^3 in a box of diagonal {:g} m; give a solid", path,
         mesh.volume, size);
  }
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

}  // namespace

std::vector<std::uint32_t> weld_equal(const std::vector<Point>& vertices) {
  std::vector<std::uint32_t> order(vertices.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (before(vertices[a], vertices[b])) return true;
    return !before(vertices[b], vertices[a]) && a < b;
  });
  std::vector<std::uint32_t> same(vertices.size());
  std::uint32_t first = order.front();
  for (const std::uint32_t v : order) {
    if (before(vertices[first], vertices[v])) first = v;
    same[v] = first;
  }
  return same;
}

Mesh load_mesh(const std::string& path, double scale, const MeshLimits& limits) {
  TriangleSoup soup = read_mesh_file(path, limits);
  for (Point& p : soup.vertices) p = scale * p;
  return closed_mesh(soup, path);
}

Mesh closed_mesh(const TriangleSoup& soup, const std::string& path) {
  Point lower, upper;
  find_bounds(soup.vertices, lower, upper);

  Mesh mesh;
  std::vector<std::uint32_t> lines;
  mesh.triangles = weld_triangles(soup, weld_equal(soup.vertices), lines);
  std::optional<BadEdges> bad = find_bad_edges(mesh.triangles);
  const double distance = weld_tolerance * norm(upper - lower);
  if (bad && distance > 0) {
    auto welded = weld_triangles(soup, weld_near(soup.vertices, distance), lines);
    bad = find_bad_edges(welded);
    mesh.triangles = std::move(welded);
  }
  if (bad) refuse(path, lines[bad->triangle], edge_text(soup.vertices, *bad), *bad);
  if (mesh.triangles.empty()) {
    fail(ErrorCode::bad_file, "mesh file '{}' has no triangle with an area; export the mesh again", path);
  }
  compact_vertices(mesh, soup.vertices);
  measure(mesh, path);
  return mesh;
}

Mesh checked_mesh(const TriangleSoup& soup, const std::string& name) {
  check_numbers(soup.vertices, soup.triangles, name);
  return closed_mesh(soup, name);
}

void check_closed(const Mesh& mesh, const std::string& name) {
  check_numbers(mesh.vertices, mesh.triangles, name);
  const std::optional<BadEdges> bad = find_bad_edges(mesh.triangles);
  if (!bad) return;
  fail(ErrorCode::bad_file,
       "mesh '{}' bounds no solid: {} edges are open and at {} edges triangles disagree about the outside, the first "
       "{} m; close its holes and make its normals point outward, or use primitive shapes or the mesh's convex hull",
       name, bad->open, bad->turned, edge_text(mesh.vertices, *bad));
}

}  // namespace pliant::geometry

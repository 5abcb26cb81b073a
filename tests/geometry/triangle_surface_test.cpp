// Surfaces of solids: closed, oriented, on the solid, evenly spread; moments of solids.
#include "geometry/triangle_surface.h"

#include "core/random.h"
#include "geometry/meshes.h"
#include "geometry/moments.h"
#include "geometry/remesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

namespace pliant {

using namespace geometry;

namespace {

using Kind = Shape::Kind;
using std::numbers::pi;
constexpr int pair_of[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};

Shape shape_of(Kind kind) {
  Shape shape;
  shape.kind = kind;
  shape.size = {0.5, 0.33, 0.27};
  shape.radius = 0.21;
  shape.length = 0.37;
  return shape;
}

// each edge once forth and once back, the signed volume positive, and Euler's number 2 (0 for a torus)
void expect_closed(const TriangleSurface& s, long euler) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> walked;
  double volume = 0;
  for (const auto& t : s.triangles) {
    for (std::size_t i = 0; i < 3; ++i) ++walked[{t[i], t[(i + 1) % 3]}];
    volume += dot(s.vertices[t[0]], cross(s.vertices[t[1]], s.vertices[t[2]])) / 6;
  }
  for (const auto& [edge, times] : walked) {
    ASSERT_EQ(times, 1);
    ASSERT_EQ(walked.count({edge.second, edge.first}), 1u);
  }
  EXPECT_GT(volume, 0);
  EXPECT_EQ(long(s.vertices.size()) - long(walked.size() / 2) + long(s.triangles.size()), euler);
}

double longest_edge(const TriangleSurface& s) {
  double longest = 0;
  for (const auto& t : s.triangles)
    for (std::size_t i = 0; i < 3; ++i)
      longest = std::max(longest, norm(s.vertices[t[i]] - s.vertices[t[(i + 1) % 3]]));
  return longest;
}

double total(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double x : numbers) sum += x;
  return sum;
}

TEST(TriangleSurface, IsClosedEvenAndOnTheSolid) {
  for (const Kind kind : {Kind::box, Kind::sphere, Kind::cylinder, Kind::capsule})
    for (const double spacing : {0.4, 0.1, 0.031, 0.0173}) {
      const Solid solid(shape_of(kind), 3);
      const TriangleSurface s = triangle_surface(solid, spacing);
      expect_closed(s, 2);
      EXPECT_LE(longest_edge(s), 1.5 * spacing) << int(kind);
      // on the surface: neither below nor above by more than round-off
      for (const Point& p : s.vertices) {
        ASSERT_FALSE(solid.deeper(p, 1e-12));
        ASSERT_TRUE(solid.deeper(p, -1e-12));
      }
      EXPECT_NEAR(total(s.areas), solid.surface_area(), 1e-12);
      Point sum = Point::zero();
      for (std::size_t v = 0; v < s.vertices.size(); ++v) {
        sum += s.facing[v];
        ASSERT_LE(norm(s.facing[v]), s.areas[v] * (1 + 1e-12));
        // away from the middle, as all faces of these shapes look
        ASSERT_GT(dot(s.facing[v], s.vertices[v]), 0);
      }
      EXPECT_LT(norm(sum), 1e-12);
      // one per spacing^2 where the shape is large enough to have a choice; steps are rounded up
      if (spacing > 0.05) continue;
      const double wanted = solid.surface_area() / (spacing * spacing);
      EXPECT_GT(double(s.vertices.size()), 0.95 * wanted) << int(kind);
      EXPECT_LT(double(s.vertices.size()), 1.3 * wanted) << int(kind);
      EXPECT_NEAR(expected_vertices(solid, spacing), double(s.vertices.size()), 0.3 * wanted);
    }
}

// a corner of a box stands for a quarter of a square of each face, an edge for half of one of two
TEST(TriangleSurface, BoxHasItsCornersAndTheirShares) {
  Shape box;
  box.size = {0.4, 0.2, 0.3};
  const TriangleSurface s = triangle_surface(Solid(box, 3), 0.1);
  EXPECT_EQ(s.vertices.size(), 5u * 3 * 4 - 3 * 1 * 2);
  int corners = 0;
  for (std::size_t v = 0; v < s.vertices.size(); ++v) {
    int outer = 0;
    for (int d = 0; d < 3; ++d)
      outer += std::fabs(std::fabs(s.vertices[v][d]) - 0.5 * box.size[std::size_t(d)]) < 1e-15;
    corners += outer == 3;
    EXPECT_NEAR(s.areas[v], 0.01 * (outer == 3 ? 0.75 : 1), 1e-15);
  }
  EXPECT_EQ(corners, 8);
}

TEST(TriangleSurface, RimsOfCylindersStay) {
  const Shape rod = shape_of(Kind::cylinder);
  const TriangleSurface s = triangle_surface(Solid(rod, 3), 0.03);
  for (const auto& t : s.triangles) {
    // no triangle cuts the rim: all corners on an end, or all on the side
    int ends = 0, sides = 0;
    for (const std::uint32_t v : t) {
      ends += std::fabs(std::fabs(s.vertices[v][2]) - 0.5 * rod.length) < 1e-12;
      sides += std::fabs(std::hypot(s.vertices[v][0], s.vertices[v][1]) - rod.radius) < 1e-12;
    }
    ASSERT_TRUE(ends == 3 || sides == 3);
  }
}

TriangleMesh mesh_of(const Triangles& t) {
  TriangleSoup soup;
  soup.vertices = t.vertices;
  for (const auto& [a, b, c] : t.faces)
    soup.triangles.push_back({std::uint32_t(a), std::uint32_t(b), std::uint32_t(c)});
  const Mesh mesh = checked_mesh(soup, "made");
  return {mesh.vertices, mesh.triangles};
}

// coarse triangles are split, fine ones join; edges of a cube stay straight, a torus stays a torus
TEST(TriangleSurface, MeshesCoarseAndFine) {
  const TriangleMesh box = mesh_of(cube({{-0.5, -0.3, -0.2}}, {{0.5, 0.3, 0.2}}));
  const TriangleMesh ring = mesh_of(torus(1, 0.4, 300, 150));
  for (const double spacing : {0.3, 0.1, 0.05}) {
    const TriangleMesh s = remesh(box, spacing);
    TriangleSurface surface = {s.vertices, s.triangles, {}, {}};
    expect_closed(surface, 2);
    EXPECT_LE(longest_edge(surface), 1.5 * spacing);
    double volume = 0, area = 2 * (0.6 + 0.4 + 0.24);
    for (const auto& t : s.triangles) volume += dot(s.vertices[t[0]], cross(s.vertices[t[1]], s.vertices[t[2]])) / 6;
    EXPECT_NEAR(volume, 1 * 0.6 * 0.4, 1e-12) << "corners and edges are where they were";
    EXPECT_LT(double(s.vertices.size()), 2.5 * area / (spacing * spacing) + 30);
  }
  for (const double spacing : {0.2, 0.1}) {
    const TriangleMesh s = remesh(ring, spacing);
    const TriangleSurface surface = {s.vertices, s.triangles, {}, {}};
    expect_closed(surface, 0);
    EXPECT_LE(longest_edge(surface), 1.5 * spacing);
    const double area = 4 * pi * pi * 0.4;
    // the spacing is a half of the tube's radius, then a quarter: what would fold does not collapse
    EXPECT_LT(double(s.vertices.size()), 4 * area / (spacing * spacing));
    EXPECT_LT(s.vertices.size(), ring.vertices.size() / 4);
    for (const Point& p : s.vertices)
      ASSERT_NEAR(std::hypot(std::hypot(p[0], p[1]) - 1, p[2]), 0.4, 1e-12) << "a vertex of the file";
  }
}

// two cubes that share an edge: it has four triangles
TEST(TriangleSurface, AMeshThatIsNoManifoldGivesPoints) {
  const TriangleMesh two =
      mesh_of(together(cube({{0, 0, 0}}, {{0.5, 0.5, 0.5}}), cube({{0.5, 0.5, 0}}, {{1, 1, 0.5}})));
  EXPECT_TRUE(remesh(two, 0.1).triangles.empty());
  const TemporaryFolder folder;
  Shape shape;
  shape.kind = Kind::mesh;
  shape.mesh_file = folder.write(
      "a.obj", obj_text(together(cube({{0, 0, 0}}, {{0.5, 0.5, 0.5}}), cube({{0.5, 0.5, 0}}, {{1, 1, 0.5}}))));
  const TriangleSurface s = triangle_surface(Solid(shape, 3), 0.1);
  EXPECT_TRUE(s.triangles.empty());
  EXPECT_GT(s.vertices.size(), 200u);
  EXPECT_EQ(s.facing.size(), s.vertices.size());
  EXPECT_NEAR(total(s.areas), 3, 1e-12);
}

// against sums over random points of the box around each, which miss by 1/sqrt(count)
TEST(Moments, AreThoseOfTheSolid) {
  const TemporaryFolder folder;
  Shape mesh;
  mesh.kind = Kind::mesh;
  mesh.mesh_file = folder.write("a.obj", obj_text(cube({{0.1, -0.2, 0.3}}, {{0.4, 0.3, 0.9}})));
  for (const Shape& shape :
       {shape_of(Kind::box), shape_of(Kind::sphere), shape_of(Kind::cylinder), shape_of(Kind::capsule), mesh}) {
    const Solid solid(shape, 3);
    const Moments exact = moments(solid);
    EXPECT_NEAR(exact.volume, solid.volume(), 1e-14);
    const Point size = solid.upper() - solid.lower();
    const int count = 400'000;
    const double each = size[0] * size[1] * size[2] / count;
    Random random(7);
    Moments sum;
    for (int n = 0; n < count; ++n) {
      Point p;
      for (int d = 0; d < 3; ++d) p[d] = solid.lower()[d] + size[d] * random.uniform();
      if (!solid.deeper(p, 0)) continue;
      sum.volume += each;
      sum.first += each * p;
      for (int k = 0; k < 6; ++k) sum.second[k] += each * p[pair_of[k][0]] * p[pair_of[k][1]];
    }
    // five deviations of such a sum, which is at most that of numbers between 0 and the largest
    const double far = norm(solid.upper()) + norm(solid.lower()), miss = 5 / std::sqrt(count);
    EXPECT_NEAR(sum.volume, exact.volume, miss * each * count);
    EXPECT_LT(norm(sum.first - exact.first), miss * each * count * far);
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(sum.second[k], exact.second[k], miss * each * count * far * far);
  }
  // the mesh of a box to round-off
  const Moments m = moments(Solid(mesh, 3));
  const double V = 0.3 * 0.5 * 0.6;
  const Point c = {{0.25, 0.05, 0.6}};
  EXPECT_LT(norm(m.first - V * c), 1e-15);
  const double own[3] = {0.09 / 12, 0.25 / 12, 0.36 / 12};
  for (int k = 0; k < 6; ++k) {
    const auto [i, j] = pair_of[k];
    EXPECT_NEAR(m.second[k], V * (c[i] * c[j] + (i == j ? own[i] : 0)), 1e-15);
  }
}

}  // namespace
}  // namespace pliant

// Meshes from files: what is read, what is refused, and what is inside.
#include "geometry/mesh.h"

#include "core/random.h"
#include "geometry/meshes.h"
#include "geometry/surface.h"
#include "scene/errors.h"
#include "scene/sampling.h"

#include <algorithm>
#include <numeric>

namespace pliant {

using namespace geometry;
using namespace scene;

namespace {

using std::numbers::pi;

// the polyhedron that `torus` gives is a stack of rings of regular polygons
double torus_volume(double ring_radius, double tube_radius, int around, int across) {
  const double section = 0.5 * across * tube_radius * tube_radius * std::sin(2 * pi / across);
  return around * std::sin(2 * pi / around) * ring_radius * section;
}

// How far p is inside the polyhedron, measured in the section through the axis and p, where it is a regular polygon.
double torus_depth(const Point& p, double ring_radius, double tube_radius, int around, int across) {
  const double step = 2 * pi / around, angle = std::atan2(p[1], p[0]);
  const double off = angle - step * (std::floor(angle / step) + 0.5);
  const double r = std::hypot(p[0], p[1]) * std::cos(off) / std::cos(0.5 * step) - ring_radius;
  const double turn = 2 * pi / across, beta = std::atan2(p[2], r);
  const double from_middle = beta - turn * (std::floor(beta / turn) + 0.5);
  return tube_radius * std::cos(0.5 * turn) - std::hypot(r, p[2]) * std::cos(from_middle);
}

// twin: the sum of the solid angles of all triangles seen from p, in turns
double winding_by_solid_angle(const Mesh& mesh, const Point& p) {
  double sum = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Point a = mesh.corner(t, 0) - p, b = mesh.corner(t, 1) - p, c = mesh.corner(t, 2) - p;
    const double la = norm(a), lb = norm(b), lc = norm(c);
    sum += 2 * std::atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  return sum / (4 * pi);
}

// twin of MeshTree::near by dense sampling of each triangle
double distance_by_sampling(const Mesh& mesh, const Point& p, int steps) {
  double least = HUGE_VAL;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (int i = 0; i <= steps; ++i)
      for (int j = 0; j <= steps - i; ++j) {
        const double u = double(i) / steps, v = double(j) / steps;
        const Point q = (1 - u - v) * mesh.corner(t, 0) + u * mesh.corner(t, 1) + v * mesh.corner(t, 2);
        least = std::min(least, norm(p - q));
      }
  return least;
}

Point random_point(Random& random, const Point& half) {
  Point p;
  for (int i = 0; i < 3; ++i) p[i] = half[i] * (2 * random.uniform() - 1);
  return p;
}

struct Format {
  const char* file;
  std::string (*text)(const Triangles&);
  double tolerance;  // of a volume: text keeps all digits, binary STL has float coordinates
};

const Format formats[] = {{"a.obj", obj_text, 1e-13},
                          {"a.stl", ascii_stl_text, 1e-13},
                          {"A.STL", [](const Triangles& t) { return binary_stl_bytes(t); }, 1e-6}};

TEST(Mesh, VolumeAndAreaFromEachFormat) {
  const TemporaryFolder folder;
  for (const Format& format : formats) {
    SCOPED_TRACE(format.file);
    const Mesh box = load_mesh(folder.write(format.file, format.text(cube({{-1, 0, 2}}, {{1, 3, 2.5}}))), 1);
    EXPECT_EQ(box.vertices.size(), 8u);
    EXPECT_EQ(box.triangles.size(), 12u);
    EXPECT_NEAR(box.volume, 3, 3 * format.tolerance);
    EXPECT_NEAR(box.area, 17, 17 * format.tolerance);
    EXPECT_EQ(box.lower[2], 2);
    EXPECT_EQ(box.upper[1], 3);

    const Mesh tetra = load_mesh(folder.write(format.file, format.text(tetrahedron(0.3))), 10);
    EXPECT_NEAR(tetra.volume, 4.5, 4.5 * format.tolerance);

    const Mesh ring = load_mesh(folder.write(format.file, format.text(torus(1, 0.4, 40, 25))), 1);
    EXPECT_EQ(ring.vertices.size(), 1000u);
    EXPECT_EQ(ring.triangles.size(), 2000u);
    const double exact = torus_volume(1, 0.4, 40, 25);
    EXPECT_NEAR(ring.volume, exact, exact * format.tolerance);
  }
}

TEST(Mesh, InsideOutIsTurned) {
  const TemporaryFolder folder;
  const Mesh mesh = load_mesh(folder.write("a.obj", obj_text(inside_out(torus(1, 0.4, 20, 10)))), 1);
  EXPECT_GT(mesh.volume, 0);
  EXPECT_TRUE(MeshTree(mesh).contains({{1, 0.01, 0.02}}));
}

TEST(Mesh, ObjDialects) {
  const TemporaryFolder folder;
  // quads, texture and normal indices, negative indices, a joined line, signs, exponents, windows line ends, extra
  // words
  const std::string text =
      "mtllib x.mtl\r\nv 0 0 0\r\nv +1 0 0\r\nv 1 1 0 0.5 0.5 0.5\r\nv 0 1e0 0\r\nv 0 0 1\r\nv 1 0 1\r\nv 1 1 1\r\nv 0 "
      "1 1\r\n"
      "vn 0 0 1\r\nvt 0 0\r\ng side\r\ns off\r\nusemtl y\r\n"
      "f 4/1/1 3/1/1 2/1/1 1/1/1\r\nf -4 -3 -2 -1\r\nf 1//1 2//1 \\\r\n 6//1 5//1\r\nf 2 3 7 6\nf 3/1 4/1 8/1 7/1\n\nf "
      "4 1 5 8";
  const Mesh mesh = load_mesh(folder.write("a.obj", text), 1);
  EXPECT_EQ(mesh.triangles.size(), 12u);
  EXPECT_DOUBLE_EQ(mesh.volume, 1);
}

// an L as one polygon: the fan about a corner that does not see all of it covers some places twice, once inside out
TEST(Mesh, ConcavePolygon) {
  const TemporaryFolder folder;
  const std::string text =
      "v 1 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 0 1 0\nv 1 1 0\nv 1 0 1\nv 2 0 1\nv 2 2 1\nv 0 2 1\nv 0 1 1\nv 1 1 1\n"
      "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";
  Shape shape;
  shape.kind = Shape::Kind::mesh;
  shape.mesh_file = folder.write("a.obj", text);
  EXPECT_DOUBLE_EQ(volume(shape, 3), 3);
  const MeshTree tree(load_mesh(shape.mesh_file, 1));
  Random random(5);
  for (int n = 0; n < 2000; ++n) {
    const Point p = {{3 * random.uniform() - 0.5, 3 * random.uniform() - 0.5, 2 * random.uniform() - 0.5}};
    const bool in_box = p[0] > 0 && p[0] < 2 && p[1] > 0 && p[1] < 2 && p[2] > 0 && p[2] < 1;
    ASSERT_EQ(tree.contains(p), in_box && (p[0] > 1 || p[1] > 1)) << p[0] << " " << p[1] << " " << p[2];
  }
}

TEST(Mesh, AsciiStlDialects) {
  const TemporaryFolder folder;
  std::string text = ascii_stl_text(tetrahedron(1));
  // two solids, upper case, normals that are no numbers, and all on one line
  std::transform(text.begin(), text.end(), text.begin(), [](char c) { return char(std::toupper(c)); });
  for (std::size_t at; (at = text.find("NORMAL 0 0 0")) != std::string::npos;)
    text.replace(at, 12, "NORMAL NAN NAN NAN");
  std::string other = ascii_stl_text(cube({{2, 2, 2}}, {{3, 3, 3}}));
  const std::size_t first_line = other.find('\n') + 1;
  std::replace(other.begin() + std::ptrdiff_t(first_line), other.end(), '\n', ' ');
  const Mesh mesh = load_mesh(folder.write("a.stl", text + "\n" + other), 1);
  EXPECT_EQ(mesh.triangles.size(), 16u);
  EXPECT_NEAR(mesh.volume, 7.0 / 6, 1e-15);
}

// corners that differ in the last digits are one
TEST(Mesh, NearVerticesAreWelded) {
  const TemporaryFolder folder;
  Triangles loose;
  const Triangles ring = torus(1, 0.4, 20, 10);
  Random random(3);
  for (const auto& face : ring.faces) {
    for (const int v : face)
      loose.vertices.push_back(ring.vertices[std::size_t(v)] + random_point(random, {{2e-7, 2e-7, 2e-7}}));
    const int n = int(loose.vertices.size());
    loose.faces.push_back({n - 3, n - 2, n - 1});
  }
  const Mesh mesh = load_mesh(folder.write("a.stl", ascii_stl_text(loose)), 1);
  EXPECT_EQ(mesh.vertices.size(), 200u);
  EXPECT_EQ(mesh.triangles.size(), 400u);
  // each coordinate is off by 2e-7
  EXPECT_NEAR(mesh.volume, torus_volume(1, 0.4, 20, 10), 1e-5);
}

TEST(Mesh, InsideTorus) {
  const TemporaryFolder folder;
  const MeshTree tree(load_mesh(folder.write("a.obj", obj_text(torus(1, 0.4, 40, 25))), 1));
  Random random(1);
  int inside = 0;
  for (int n = 0; n < 20'000; ++n) {
    const Point p = random_point(random, {{1.5, 1.5, 0.5}});
    const double depth = torus_depth(p, 1, 0.4, 40, 25);
    // so near the surface the answer may go either way by round-off
    if (std::fabs(depth) < 1e-12) continue;
    ASSERT_EQ(tree.contains(p), depth > 0) << p[0] << " " << p[1] << " " << p[2] << " depth " << depth;
    inside += depth > 0;
  }
  // the share of the box: 20,000 tries have a deviation of 69
  EXPECT_NEAR(inside, 20'000 * torus_volume(1, 0.4, 40, 25) / 9, 350);
}

// lines that pass exactly through vertices and edges, where rays usually fail
TEST(Mesh, LinesThroughVerticesAndEdges) {
  const TemporaryFolder folder;
  const Triangles thing = torus(1, 0.4, 16, 9);
  const MeshTree tree(load_mesh(folder.write("a.obj", obj_text(thing)), 1));
  std::vector<MeshTree::Crossing> found;
  for (const auto& face : thing.faces) {
    const Point &a = thing.vertices[std::size_t(face[0])], &b = thing.vertices[std::size_t(face[1])];
    for (const double part : {0.0, 0.25, 0.5, 1.0 / 3}) {
      const Point on_edge = a + part * (b - a);
      tree.crossings(on_edge[0], on_edge[1], found);
      EXPECT_EQ(std::accumulate(found.begin(), found.end(), 0, [](int s, const auto& c) { return s + c.sign; }), 0);
      for (const double z : {-0.37, -0.1, 0.013, 0.2, 0.39}) {
        const Point p = {{on_edge[0], on_edge[1], z}};
        const double depth = torus_depth(p, 1, 0.4, 16, 9);
        if (std::fabs(depth) < 1e-12) continue;
        ASSERT_EQ(tree.winding(p), depth > 0 ? 1 : 0) << p[0] << " " << p[1] << " " << p[2] << " depth " << depth;
      }
    }
  }
}

// a mesh without any symmetry, against the sum of solid angles
TEST(Mesh, WindingAgreesWithSolidAngles) {
  const TemporaryFolder folder;
  Triangles thing = torus(1, 0.4, 14, 9);
  Random random(11);
  for (Point& p : thing.vertices) p += random_point(random, {{0.08, 0.08, 0.08}});
  const MeshTree tree(load_mesh(folder.write("a.obj", obj_text(thing)), 1));
  int inside = 0;
  for (int n = 0; n < 3000; ++n) {
    const Point p = random_point(random, {{1.6, 1.6, 0.6}});
    const double twin = winding_by_solid_angle(tree.mesh(), p);
    // a closed mesh: whole numbers up to the round-off of 252 angles
    ASSERT_NEAR(twin, std::round(twin), 1e-12);
    ASSERT_EQ(tree.winding(p), int(std::round(twin)));
    inside += twin > 0.5;
  }
  EXPECT_GT(inside, 500);
}

TEST(Mesh, Near) {
  const TemporaryFolder folder;
  const MeshTree tree(load_mesh(folder.write("a.obj", obj_text(torus(1, 0.4, 12, 7))), 1));
  Random random(2);
  for (int n = 0; n < 100; ++n) {
    const Point p = random_point(random, {{1.6, 1.6, 0.8}});
    const double distance = distance_by_sampling(tree.mesh(), p, 24);
    EXPECT_TRUE(tree.near(p, distance * (1 + 1e-12)));
    // edges are 0.8 at most, so the nearest point has a sample within 0.8 / 24 / sqrt(3) = 0.02 beside it
    const double least = std::sqrt(std::max(distance * distance - 0.02 * 0.02, 0.0));
    EXPECT_FALSE(tree.near(p, least * (1 - 1e-12))) << distance;
  }
}

// a solid with a hole that has no way out
TEST(Mesh, Cavity) {
  const TemporaryFolder folder;
  const Triangles shell =
      together(cube({{-1, -1, -1}}, {{1, 1, 1}}), inside_out(cube({{-0.5, -0.5, -0.5}}, {{0.5, 0.5, 0.5}})));
  Shape shape;
  shape.kind = Shape::Kind::mesh;
  shape.mesh_file = folder.write("a.obj", obj_text(shell));
  EXPECT_DOUBLE_EQ(volume(shape, 3), 7);
  for (const auto method : {Sampling::Method::lattice, Sampling::Method::poisson}) {
    Sampling sampling;
    sampling.method = method;
    const Samples samples = sample(shape, sampling, 0.2, 3);
    // 7 m^3 at 0.1 m: exactly so on a lattice, within the 1 % of Poisson disks
    EXPECT_NEAR(double(samples.positions.size()), 7000, method == Sampling::Method::lattice ? 0 : 70);
    for (const Vec3& p : samples.positions) {
      const double largest = std::max({std::fabs(p[0]), std::fabs(p[1]), std::fabs(p[2])});
      ASSERT_TRUE(largest <= 1 && largest >= 0.5) << largest;
    }
  }
}

// Lattice columns run exactly along the diagonals of the faces and next to upright walls
TEST(Mesh, LatticeInCubeIsComplete) {
  const TemporaryFolder folder;
  Shape shape;
  shape.kind = Shape::Kind::mesh;
  shape.mesh_file = folder.write("a.obj", obj_text(cube({{0, 0, 0}}, {{1, 1, 1}})));
  shape.mesh_scale = 0.5;
  shape.center = {3, -2, 1};
  Sampling sampling;
  sampling.method = Sampling::Method::lattice;
  for (const int n : {1, 2, 5, 10, 17}) {
    const Samples samples = sample(shape, sampling, 1.0 / n, 3);
    ASSERT_EQ(samples.positions.size(), std::size_t(n * n * n));
    Vec3 mean = {0, 0, 0};
    for (const Vec3& p : samples.positions)
      for (std::size_t i = 0; i < 3; ++i) mean[i] += p[i] / double(samples.positions.size());
    // the file's origin is at the centre, so the middle of the cube is at + 0.25; sums of up to 4913 numbers
    EXPECT_NEAR(mean[0], 3.25, 1e-12);
    EXPECT_NEAR(mean[1], -1.75, 1e-12);
    EXPECT_NEAR(mean[2], 1.25, 1e-12);
  }
}

TEST(Mesh, SamplesOfTorus) {
  const TemporaryFolder folder;
  Shape shape;
  shape.kind = Shape::Kind::mesh;
  shape.center = {0.1, 0.2, -0.3};
  shape.rotation = {0.5, 0.5, -0.5, 0.5};
  const double exact = torus_volume(1, 0.4, 40, 25);
  for (const Format& format : formats) {
    shape.mesh_file = folder.write(format.file, format.text(torus(1, 0.4, 40, 25)));
    for (const auto method : {Sampling::Method::lattice, Sampling::Method::poisson}) {
      Sampling sampling;
      sampling.method = method;
      const Samples samples = sample(shape, sampling, 0.16, 3);
      const long double sum = std::accumulate(samples.volumes.begin(), samples.volumes.end(), 0.0L);
      EXPECT_NEAR(double(sum), exact, exact * format.tolerance);
      // a lattice cuts the surface in about 2,000 places at random: a deviation of 0.5 %
      EXPECT_NEAR(double(samples.positions.size()), exact / std::pow(0.08, 3), 0.02 * exact / std::pow(0.08, 3));
      for (const Vec3& v : samples.positions) {
        // back by the conjugate quaternion
        const Point p = rotate({0.5, -0.5, 0.5, -0.5}, to_point(v) - to_point(shape.center));
        ASSERT_GE(torus_depth(p, 1, 0.4, 40, 25), -std::max(format.tolerance, 1e-12));
      }
    }
  }
}

TEST(Mesh, SurfaceLayerOfTorus) {
  const TemporaryFolder folder;
  Shape shape;
  shape.kind = Shape::Kind::mesh;
  shape.mesh_file = folder.write("a.obj", obj_text(torus(1, 0.4, 40, 25)));
  const MeshTree tree(load_mesh(shape.mesh_file, 1));
  const double spacing = 0.08;
  for (const auto method : {Sampling::Method::lattice, Sampling::Method::poisson}) {
    Sampling sampling;
    sampling.method = method;
    sampling.surface_layer = SurfaceLayer::yes;
    const Samples samples = sample(shape, sampling, 2 * spacing, 3);
    const long double sum = std::accumulate(samples.volumes.begin(), samples.volumes.end(), 0.0L);
    EXPECT_NEAR(double(sum), tree.mesh().volume, 1e-12 * tree.mesh().volume);
    const std::size_t vertices = samples.areas.size();
    std::vector<Point> on_surface;
    Point first = Point::zero();
    double second[3][3] = {};
    for (std::size_t i = 0; i < samples.positions.size(); ++i) {
      const Point p = to_point(samples.positions[i]);
      first += samples.volumes[i] * p;
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) second[a][b] += samples.volumes[i] * p[a] * p[b];
      if (i < vertices) {
        on_surface.push_back(p);
        ASSERT_TRUE(tree.near(p, 1e-12));
      } else {
        ASSERT_TRUE(tree.contains(p));
        ASSERT_FALSE(tree.near(p, 0.5 * spacing));
      }
    }
    // of the smooth torus, V (R^2/2 + 3 r^2/8) and V r^2/4; a polyhedron of 40 x 25 sides is off by 2 %
    const double V = tree.mesh().volume;
    EXPECT_LT(norm(first), 1e-12);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        EXPECT_NEAR(second[a][b], a != b ? 0 : a == 2 ? V * 0.04 : V * 0.56, a != b ? 1e-12 : 0.02 * V * 0.56);
    EXPECT_GT(samples.triangles.size(), vertices);
    for (std::size_t t = 0; t < tree.mesh().triangles.size(); ++t) {
      double gap = HUGE_VAL;
      for (const Point& p : on_surface) gap = std::min(gap, norm(p - tree.mesh().corner(t, 0)));
      ASSERT_LT(gap, 1.5 * spacing);
    }
  }
}

// --- what is refused ---

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(MeshFile, RefusedFiles) {
  const TemporaryFolder folder;
  const std::string stl = ascii_stl_text(cube({{0, 0, 0}}, {{1, 1, 1}})),
                    obj = obj_text(cube({{0, 0, 0}}, {{1, 1, 1}}));
  const std::string binary = binary_stl_bytes(cube({{0, 0, 0}}, {{1, 1, 1}}));
  const float nan = std::nanf("");
  struct Bad {
    std::string file, bytes;
    std::vector<std::string> said;
  };
  const std::vector<Bad> files = {
      {"empty.stl", "", {"empty.stl", "0 bytes", "export it again"}},
      {"empty.obj", "", {"empty.obj", "no triangles"}},
      {"a.ply", stl, {"a.ply", "neither .stl nor .obj", "convert"}},
      {"lying.stl",
       binary_stl_bytes(tetrahedron(1), 4'000'000'000),
       {"lying.stl", "4000000000 triangles", "truncated or corrupt"}},
      {"few.stl", binary_stl_bytes(tetrahedron(1), 3), {"few.stl", "3 triangles", "234 bytes", "284"}},
      {"short.stl", binary.substr(0, binary.size() - 1), {"12 triangles", "684 bytes", "683"}},
      {"nan.stl", replaced(binary, bytes_of("\0\0\x80\x3f", 4), bytes_of(&nan, 4)), {"nan.stl", "triangle 1 ", "nan"}},
      {"cut.stl", stl.substr(0, stl.size() / 2), {"cut.stl:", "truncated"}},
      {"unended.stl", stl.substr(0, stl.find("endsolid")), {"unended.stl:86", "endsolid", "truncated"}},
      {"word.stl", replaced(stl, "vertex", "vortex"), {"word.stl:4: 'vortex'", "'vertex' is expected"}},
      {"four.stl", replaced(stl, "endloop", "vertex 0 0 0\nendloop"), {"four.stl:7: 'vertex'", "'endloop'"}},
      {"number.stl", replaced(stl, "vertex 0", "vertex 0x"), {"number.stl:4: '0x'", "number"}},
      {"inf.stl", replaced(stl, "vertex 0", "vertex inf"), {"inf.stl:4: 'inf'", "finite"}},
      {"nan.obj", replaced(obj, "v 0 0 0", "v 0 nan 0"), {"nan.obj:3: 'nan'", "finite"}},
      {"huge.obj", replaced(obj, "v 0 0 0", "v 0 1e999 0"), {"huge.obj:3: '1e999'"}},
      {"large.obj", replaced(obj, "v 0 0 0", "v 0 -1e13 0"), {"large.obj:3: '-1e13'", "1e12"}},
      {"two.obj", replaced(obj, "v 0 0 0", "v 0 0"), {"two.obj:3:", "2 coordinates"}},
      {"index.obj", replaced(obj, "f 1 3 4", "f 1 3 9"), {"index.obj:11:", "vertex 9", "8 vertices"}},
      {"zero.obj", replaced(obj, "f 1 3 4", "f 0 3 4"), {"zero.obj:11:", "vertex 0"}},
      {"minus.obj", replaced(obj, "f 1 3 4", "f -9 3 4"), {"minus.obj:11:", "vertex -9"}},
      {"wide.obj", replaced(obj, "f 1 3 4", "f 99999999999999999999 3 4"), {"wide.obj:11:", "not a corner"}},
      {"corner.obj", replaced(obj, "f 1 3 4", "f a/1 3 4"), {"corner.obj:11:", "'a/1'"}},
      {"line.obj", replaced(obj, "f 1 3 4", "f 1 3"), {"line.obj:11:", "2 corners"}},
      {"open.obj", replaced(obj, "f 1 3 4\n", ""), {"open.obj:", "not closed", "3 such edges", "close its holes"}},
      {"open.stl",
       binary_stl_bytes({cube({{0, 0, 0}}, {{1, 1, 1}}).vertices, {{0, 1, 2}}}),
       {"open.stl: ", "not closed"}},
      {"turned.obj", replaced(obj, "f 1 3 4", "f 1 4 3"), {"turned.obj:11:", "not consistently oriented", "normals"}},
      {"flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n", {"flat.obj", "encloses 0 m^3", "give a solid"}},
      {"point.obj", "v 0 0 0\nf 1 1 1\n", {"point.obj", "no triangle with an area"}},
  };
  for (const Bad& bad : files) {
    SCOPED_TRACE(bad.file);
    const std::string path = folder.write(bad.file, bad.bytes);
    expect_error(ErrorCode::bad_file, bad.said, [&] { load_mesh(path, 1); });
  }
}

TEST(MeshFile, MissingFileAndFolder) {
  const TemporaryFolder folder;
  expect_error(ErrorCode::bad_file, {"nothing.stl", "missing", "check the path"},
               [&] { load_mesh(folder.file("nothing.stl"), 1); });
  std::filesystem::create_directory(folder.file("folder.stl"));
  expect_error(ErrorCode::bad_file, {"folder.stl", "not a regular file"},
               [&] { load_mesh(folder.file("folder.stl"), 1); });
  expect_error(ErrorCode::bad_file, {"neither"}, [&] { load_mesh("/dev/zero", 1); });
}

TEST(MeshFile, Limits) {
  const TemporaryFolder folder;
  const Triangles thing = cube({{0, 0, 0}}, {{1, 1, 1}});
  MeshLimits limits;
  limits.triangles = 11;
  for (const Format& format : formats) {
    const std::string path = folder.write(format.file, format.text(thing));
    expect_error(ErrorCode::too_large, {"12 triangles", "limit is 11", "simplify"},
                 [&] { load_mesh(path, 1, limits); });
  }
  limits = {};
  limits.bytes = 100;
  expect_error(ErrorCode::too_large, {"limit is 100"}, [&] { load_mesh(folder.file("a.obj"), 1, limits); });
  limits = {};
  limits.triangles = 2;
  const std::string many = folder.write("many.obj", "v 0 0 0\nv 0 0 0\nv 0 0 0\nv 0 0 0\nv 0 0 0\nv 0 0 0\nv 0 0 0\n");
  expect_error(ErrorCode::too_large, {"many.obj:7:", "6 vertices"}, [&] { load_mesh(many, 1, limits); });
}

// random damage never does worse than a named error
TEST(MeshFile, DamagedFiles) {
  const TemporaryFolder folder;
  Random random(9);
  int refused = 0;
  for (int n = 0; n < 600; ++n) {
    const Format& format = formats[n % 3];
    std::string bytes = format.text(torus(1, 0.4, 5, 4));
    for (std::uint64_t k = random.below(4) + 1; k > 0; --k) bytes[random.below(bytes.size())] = char(random.bits());
    if (n % 5 == 0) bytes.resize(random.below(bytes.size()));
    const std::string path = folder.write(format.file, bytes);
    try {
      const Mesh mesh = load_mesh(path, 1);
      EXPECT_GT(mesh.volume, 0);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(format.file), std::string::npos) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(MeshFile, OverlappingParts) {
  const TemporaryFolder folder;
  Shape shape;
  shape.kind = Shape::Kind::mesh;
  const Triangles a = cube({{0, 0, 0}}, {{2, 2, 2}}), b = cube({{1, 1, 1}}, {{3, 3, 3}});
  shape.mesh_file = folder.write("a.obj", obj_text(together(torus(1, 0.4, 20, 10), torus(1, 0.3, 20, 10))));
  expect_error(ErrorCode::bad_file, {"a.obj", "overlap", "join them"}, [&] { volume(shape, 3); });
  shape.mesh_file = folder.write("b.obj", obj_text(together(a, a)));
  expect_error(ErrorCode::bad_file, {"b.obj", "overlap"}, [&] { volume(shape, 3); });
  shape.mesh_file = folder.write("b.obj", obj_text(together(a, b)));
  expect_error(ErrorCode::bad_file, {"b.obj", "overlap"}, [&] { volume(shape, 3); });
  // two solids that only touch are fine
  shape.mesh_file = folder.write("c.obj", obj_text(together(a, cube({{2, 2, 0}}, {{3, 3, 2}}))));
  EXPECT_DOUBLE_EQ(volume(shape, 3), 10);
}

}  // namespace
}  // namespace pliant

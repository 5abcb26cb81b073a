// The distance field of a mesh against the mesh itself.
#include "geometry/distance_field.h"

#include "core/parallel.h"
#include "core/random.h"
#include "geometry/closest_point.h"
#include "geometry/mugs.h"
#include "geometry/surface.h"
#include "scene/errors.h"

#include <gtest/gtest.h>

namespace pliant {

using namespace geometry;

namespace {

// exact answers, by the mesh's own triangles
struct Twin {
  explicit Twin(const Mesh& mesh) : tree(mesh), closest(tree.mesh()) {}

  double phi(const Point& x) const {
    const double d = std::sqrt(closest.find(x, 0).squared);
    return tree.contains(x) ? -d : d;
  }

  MeshTree tree;
  ClosestPointTree closest;
};

struct Mug {
  explicit Mug(double tolerance) : twin(mug_mesh()), workers(0) {
    field = std::make_unique<DistanceField>(
        DistanceField::build(twin.tree.mesh(), "mug", {tolerance, std::size_t(256) << 20}, workers));
  }
  double tolerance() const { return field->tolerance(); }

  Twin twin;
  Workers workers;
  std::unique_ptr<DistanceField> field;
};

const Mug& quick_mug() {
  static const Mug mug(1e-3);
  return mug;
}

// within the cube that the field fills
Point random_around_mug(Random& random) {
  const double half[3] = {0.06, 0.06, 0.063};
  Point p;
  for (int i = 0; i < 3; ++i) p[i] = half[i] * (2 * random.uniform() - 1) + (i == 2 ? 0.05 : 0);
  return p;
}

Point normal_of(const Mesh& mesh, std::size_t t) {
  const Point n = cross(mesh.corner(t, 1) - mesh.corner(t, 0), mesh.corner(t, 2) - mesh.corner(t, 0));
  return (1 / norm(n)) * n;
}

TEST(ClosestPoint, IsThatOfAllTriangles) {
  const Twin twin(mug_mesh());
  const Mesh& mesh = twin.tree.mesh();
  Random random(1);
  for (int n = 0; n < 1000; ++n) {
    const Point x = random_around_mug(random);
    ClosestPoint best = {x, HUGE_VAL, 0};
    for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
      const Point at = closest_on_triangle(x, mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2));
      if (dot(x - at, x - at) < best.squared) best = {at, dot(x - at, x - at), t};
    }
    for (int guess = 0; guess < 3; ++guess) {
      const ClosestPoint found = twin.closest.find(x, std::uint32_t(random.below(mesh.triangles.size())));
      // two sums of the same numbers may be rounded differently
      EXPECT_NEAR(std::sqrt(found.squared), std::sqrt(best.squared), 1e-16);
      EXPECT_LT(norm(found.at - best.at), 1e-15);
    }
  }
}

// twin of the closest point: many points of the triangle
TEST(ClosestPoint, OnOneTriangle) {
  Random random(2);
  const auto any = [&] { return Point{{random.uniform(), random.uniform(), random.uniform()}}; };
  for (int n = 0; n < 300; ++n) {
    const Point a = any(), b = any(), c = any(), x = 2.0 * any() - Point{{0.5, 0.5, 0.5}};
    const Point at = closest_on_triangle(x, a, b, c);
    double least = HUGE_VAL;
    for (int i = 0; i <= 60; ++i)
      for (int j = 0; j <= 60 - i; ++j)
        least = std::min(least, norm(x - a - (i / 60.0) * (b - a) - (j / 60.0) * (c - a)));
    EXPECT_LE(norm(x - at), least + 1e-14);
    EXPECT_GE(norm(x - at), least - 0.02);  // half a step between samples
  }
}

void expect_right_signs(const Mug& mug, int points) {
  Random random(3);
  int wrong = 0, inside = 0, close = 0;
  for (int n = 0; n < points; ++n) {
    const Point x = random_around_mug(random);
    const double phi = mug.field->distance(x).phi;
    const bool is_inside = mug.twin.tree.contains(x);
    inside += is_inside;
    if ((phi < 0) == is_inside) continue;
    // only a point within the tolerance may be wrong
    ++close;
    if (mug.twin.tree.near(x, mug.tolerance())) continue;
    ++wrong;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(inside, points / 50);
  EXPECT_LT(close, points / 100);
}

TEST(DistanceField, SignsAroundAMug) { expect_right_signs(quick_mug(), 100'000); }
TEST(DistanceField, LONG_SignsAroundAMug) { expect_right_signs(Mug(2e-4), 1'000'000); }

struct Errors {
  double near = 0;                         // m
  double far_outside = 0, far_inside = 0;  // parts of the distance
};

// near the surface phi errs by less than the tolerance, elsewhere by a part of the distance
Errors errors_of(const Mug& mug, int points) {
  Random random(4);
  const SurfaceDarts surface(mug.twin.tree.mesh());
  Errors worst;
  for (int n = 0; n < points; ++n) {
    const auto [t, at] = surface.next(random);
    const Point near = at + (4 * random.uniform() - 2) * mug.tolerance() * normal_of(mug.twin.tree.mesh(), t);
    worst.near = std::max(worst.near, std::fabs(mug.field->distance(near).phi - mug.twin.phi(near)));
    const Point far = random_around_mug(random);
    const double exact = mug.twin.phi(far), error = std::fabs(mug.field->distance(far).phi - exact);
    double& far_part = exact > 0 ? worst.far_outside : worst.far_inside;
    if (error > mug.tolerance()) far_part = std::max(far_part, error / std::fabs(exact));
    EXPECT_LE(mug.field->at_least(far), std::max(exact, 0.0));
  }
  return worst;
}

// a tenth outside and a fifth inside at the points that the builder looks at, at most twice that between them
void expect_small_errors(const Mug& mug, int points) {
  const Errors worst = errors_of(mug, points);
  EXPECT_LT(worst.near, mug.tolerance());
  EXPECT_LT(worst.far_outside, 0.2);
  EXPECT_LT(worst.far_inside, 0.4);
  testing::Test::RecordProperty("near_um", int(worst.near * 1e6));
}

TEST(DistanceField, ErrorIsBelowTheTolerance) { expect_small_errors(quick_mug(), 50'000); }

TEST(DistanceField, LONG_ErrorIsBelowTheTolerance) { expect_small_errors(Mug(2e-4), 300'000); }

// edges of 60 degrees, the tip of a needle, and creases of any angle
TEST(DistanceField, ErrorIsBelowTheToleranceAtSharpPlaces) {
  const double tolerance = 1e-3;
  Triangles needle = tetrahedron(0.1);
  needle.vertices = {{{0, 0, 0}}, {{0.01, 0.003, 0}}, {{0.002, 0.012, 0.001}}, {{0.005, 0.004, 0.15}}};
  Workers workers(0);
  for (const Triangles& triangles : {needle, tetrahedron(0.1), torus(0.05, 0.02, 7, 5)}) {
    const Twin twin(checked_mesh(soup_of(triangles), "sharp"));
    const DistanceField field =
        DistanceField::build(twin.tree.mesh(), "sharp", {tolerance, std::size_t(64) << 20}, workers);
    const SurfaceDarts surface(twin.tree.mesh());
    Random random(11);
    double worst = 0;
    for (int n = 0; n < 30'000; ++n) {
      Point x = surface.next(random).at;
      for (int i = 0; i < 3; ++i) x[i] += 2 * tolerance * (2 * random.uniform() - 1);
      const double phi = twin.phi(x);
      if (std::fabs(phi) < 2 * tolerance) worst = std::max(worst, std::fabs(field.distance(x).phi - phi));
    }
    EXPECT_LT(worst, tolerance);
  }
}

// just thicker than twice the tolerance, askew to the cells
TEST(DistanceField, AThinPlateHasNoHoles) {
  const double thickness = 0.0022;
  Triangles plate = cube({{-0.05, -0.04, -thickness / 2}}, {{0.05, 0.04, thickness / 2}});
  const auto turn = [](const Point& p) {
    return rotate({std::cos(0.3), std::sin(0.3) * 0.6, std::sin(0.3) * 0.64, std::sin(0.3) * 0.48}, p);
  };
  for (Point& p : plate.vertices) p = turn(p);
  Workers workers(0);
  const DistanceField field =
      DistanceField::build(checked_mesh(soup_of(plate), "plate"), "plate", {0.001, std::size_t(64) << 20}, workers);
  Random random(5);
  double largest = -1;
  for (int n = 0; n < 50'000; ++n) {
    const Point middle = {{0.0978 * (random.uniform() - 0.5), 0.0778 * (random.uniform() - 0.5), 0}};
    largest = std::max(largest, field.distance(turn(middle)).phi);
  }
  EXPECT_LT(largest, 0);
}

TEST(DistanceField, NormalIsTheGradient) {
  const Mug& mug = quick_mug();
  Random random(6);
  const double h = 1e-5;
  int checked = 0;
  for (int n = 0; n < 5000; ++n) {
    const Point x = random_around_mug(random);
    const Point normal = mug.field->distance(x).normal;
    EXPECT_NEAR(norm(normal), 1, 1e-14);
    Point gradient;
    double turn = 0;
    for (int i = 0; i < 3; ++i) {
      Point step = Point::zero();
      step[i] = h;
      const ShapeDistance ahead = mug.field->distance(x + step), behind = mug.field->distance(x - step);
      gradient[i] = (ahead.phi - behind.phi) / (2 * h);
      turn = std::max({turn, norm(ahead.normal - normal), norm(behind.normal - normal)});
    }
    // medial axes, and the bends at creases
    if (norm(gradient) < 0.5 || turn > 0.05) continue;
    ++checked;
    // round-off of a float phi of up to 0.1 m over h, doubled by |gradient| > 1/2
    EXPECT_LT(norm((1 / norm(gradient)) * gradient - normal), turn + 4e-3);
  }
  EXPECT_GT(checked, 4500);
}

// no jumps, neither inside a level nor where levels meet
TEST(DistanceField, PhiAndNormalAreContinuous) {
  const Mug& mug = quick_mug();
  Random random(7);
  const double step = 1e-7;
  int turned = 0;
  for (int n = 0; n < 100'000; ++n) {
    // across faces between cells of any level: their coordinates are corner + edge k / 2^m
    const double edge = 1.25 * 0.1 + 8 * mug.tolerance();
    Point x;
    for (int i = 0; i < 3; ++i) x[i] = 0.99 * edge * (random.uniform() - 0.5) + (i == 2 ? 0.05 : 0);
    const auto axis = int(random.below(3));
    const double corner = (axis == 2 ? 0.05 : 0) - edge / 2, cell = edge / double(1 << (2 + random.below(7)));
    x[axis] = corner + cell * std::clamp(std::round((x[axis] - corner) / cell), 1.0, edge / cell - 1);
    Point ahead = x, behind = x;
    ahead[axis] += step;
    behind[axis] -= step;
    const ShapeDistance a = mug.field->distance(ahead), b = mug.field->distance(behind);
    // slopes of up to 1.5 at creases, and round-off of float
    EXPECT_LT(std::fabs(a.phi - b.phi), 1.5 * 2 * step + 4e-8);
    turned += norm(a.normal - b.normal) > 0.02;
  }
  // at a medial axis the gradient is small and its direction round-off
  EXPECT_LT(turned, 100);
}

TEST(DistanceField, NormalsOfATorus) {
  const double ring = 0.05, tube = 0.02;
  Workers workers(0);
  const Mesh mesh = checked_mesh(soup_of(torus(ring, tube, 64, 32)), "torus");
  const DistanceField field = DistanceField::build(mesh, "torus", {5e-4, std::size_t(64) << 20}, workers);
  Random random(8);
  const SurfaceDarts surface(mesh);
  double worst = 0;
  for (int n = 0; n < 20'000; ++n) {
    const Point x = surface.next(random).at;
    const double rho = std::hypot(x[0], x[1]);
    const Point from_ring = {{x[0] * (1 - ring / rho), x[1] * (1 - ring / rho), x[2]}};
    worst = std::max(worst, norm(field.distance(x).normal - (1 / norm(from_ring)) * from_ring));
  }
  // the facets themselves turn by 2 pi / 32 / 2 = 0.1 from the torus
  EXPECT_LT(worst, 0.15);
}

TEST(DistanceField, FarAwayItIsSafe) {
  const Mug& mug = quick_mug();
  Random random(9);
  for (int n = 0; n < 20'000; ++n) {
    const Point x = 30.0 * (random_around_mug(random) - Point{{0, 0, 0.05}});
    const ShapeDistance d = mug.field->distance(x);
    const double exact = mug.twin.phi(x);
    if (exact > 0.1) {
      EXPECT_GT(d.phi, 0.5 * exact);
      EXPECT_LT(d.phi, 1.1 * exact);
      EXPECT_LE(mug.field->at_least(x), exact);
    }
    EXPECT_NEAR(norm(d.normal), 1, 1e-14);
  }
  // not a number gives not a number, and no crash
  EXPECT_TRUE(std::isnan(mug.field->distance({{NAN, 0, 0}}).phi));
  EXPECT_GT(mug.field->distance({{HUGE_VAL, 0, 0}}).phi, 1e300);
}

TEST(DistanceField, SameBitsForAnyNumberOfThreads) {
  const Mesh mesh = checked_mesh(soup_of(torus(0.05, 0.02, 16, 8)), "torus");
  std::uint64_t hash[3];
  for (int threads = 1; threads <= 3; ++threads) {
    Workers workers(threads);
    hash[threads - 1] = DistanceField::build(mesh, "torus", {2e-3, std::size_t(64) << 20}, workers).hash();
  }
  EXPECT_EQ(hash[0], hash[1]);
  EXPECT_EQ(hash[0], hash[2]);
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(DistanceField, FileHoldsItAndDamageIsNoticed) {
  const TemporaryFolder folder;
  Workers workers(0);
  const Mesh mesh = checked_mesh(soup_of(cube({{0, 0, 0}}, {{0.1, 0.2, 0.05}})), "brick");
  const DistanceFieldOptions options = {0.02, std::size_t(64) << 20};
  const DistanceField field = DistanceField::build(mesh, "brick", options, workers);
  const std::uint64_t key = DistanceField::key(mesh, options.tolerance);
  const std::string path = folder.file("field");
  field.save(path, key);
  EXPECT_EQ(DistanceField::load(path, key, options.memory).hash(), field.hash());

  const auto refused = [&](const std::string& file, std::uint64_t wanted, std::size_t memory) {
    try {
      DistanceField::load(file, wanted, memory);
    } catch (const Error& error) {
      return error.code() == ErrorCode::bad_file;
    }
    return false;
  };
  EXPECT_TRUE(refused(path, key + 1, options.memory));
  EXPECT_TRUE(refused(path, key, 1000));
  EXPECT_TRUE(refused(folder.file("nothing"), key, options.memory));

  // every byte of the header and the end, and some of the rest
  const std::string whole = read(path);
  Random random(10);
  for (std::size_t n = 0; n < 400; ++n) {
    std::string bytes = whole;
    const std::size_t at = n < 136 ? n : n < 152 ? whole.size() - 1 - (n - 136) : random.below(whole.size());
    bytes[at] = char(bytes[at] ^ (1 << random.below(8)));
    EXPECT_TRUE(refused(folder.write("bad", bytes), key, options.memory)) << "byte " << at;
  }
  for (std::size_t n = 0; n < 80; ++n) {
    const std::size_t size = n < 60 ? 4 * n : random.below(whole.size());
    EXPECT_TRUE(refused(folder.write("bad", whole.substr(0, size)), key, options.memory)) << "cut to " << size;
  }
  EXPECT_TRUE(refused(folder.write("bad", whole + "x"), key, options.memory));
}

TEST(DistanceField, CacheIsUsedAndRepaired) {
  const TemporaryFolder folder;
  Workers workers(0);
  const Mesh mesh = checked_mesh(soup_of(cube({{0, 0, 0}}, {{0.1, 0.2, 0.05}})), "brick");
  const DistanceFieldOptions options = {0.01, std::size_t(64) << 20};
  const std::string cache = folder.file("cache");
  const CachedField first = cached_distance_field(mesh, "brick", options, cache, workers);
  EXPECT_FALSE(first.from_file);
  EXPECT_EQ(first.note, "");
  const CachedField second = cached_distance_field(mesh, "brick", options, cache, workers);
  EXPECT_TRUE(second.from_file);
  EXPECT_EQ(second.field->hash(), first.field->hash());
  EXPECT_FALSE(cached_distance_field(mesh, "brick", {0.012, options.memory}, cache, workers).from_file);

  // a damaged file is built anew and whole again
  const std::uint64_t key = DistanceField::key(mesh, options.tolerance);
  const std::string path = cache + fmt::format("/{:016x}.distance", key);
  ASSERT_TRUE(std::filesystem::exists(path));
  std::filesystem::resize_file(path, 5000);
  const CachedField third = cached_distance_field(mesh, "brick", options, cache, workers);
  EXPECT_FALSE(third.from_file);
  EXPECT_NE(third.note.find("truncated"), std::string::npos) << third.note;
  EXPECT_EQ(third.field->hash(), first.field->hash());
  EXPECT_TRUE(cached_distance_field(mesh, "brick", options, cache, workers).from_file);

  // a folder that cannot be written costs time, not the run
  const std::string blocked = folder.write("file", "not a folder");
  const CachedField fourth = cached_distance_field(mesh, "brick", options, blocked, workers);
  EXPECT_FALSE(fourth.from_file);
  EXPECT_NE(fourth.note, "");
  EXPECT_EQ(fourth.field->hash(), first.field->hash());
}

TEST(DistanceField, MemoryLimitNamesATolerance) {
  const Mesh mesh = mug_mesh(24);
  Workers workers(0);
  const std::size_t memory = 1'000'000;
  std::string text;
  try {
    DistanceField::build(mesh, "mug", {5e-4, memory}, workers);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::too_large);
    text = error.what();
  }
  const std::string words = "a tolerance of ";
  const std::size_t at = text.find(words);
  ASSERT_NE(at, std::string::npos) << text;
  const double tolerance = std::stod(text.substr(at + words.size()));
  EXPECT_GT(tolerance, 5e-4);
  const DistanceField field = DistanceField::build(mesh, "mug", {tolerance, memory}, workers);
  EXPECT_LE(field.bytes(), memory + sizeof field);
  expect_error(ErrorCode::too_large, {"allow more memory"}, [&] {
    DistanceField::build(mesh, "mug", {1e-3, 100}, workers);
  });
}

TEST(DistanceField, RefusesWhatBoundsNoSolid) {
  Workers workers(1);
  const DistanceFieldOptions options = {0.01, std::size_t(64) << 20};
  const TriangleSoup brick = soup_of(cube({{0, 0, 0}}, {{0.1, 0.2, 0.05}}));
  const auto make = [&](const TriangleSoup& soup) { return [&] { checked_mesh(soup, "brick"); }; };

  TriangleSoup open = brick;
  open.triangles.erase(open.triangles.begin() + 5);
  expect_error(ErrorCode::bad_file, {"brick", "one side only (3 such edges)", "close its holes"}, make(open));
  TriangleSoup turned = brick;
  std::swap(turned.triangles[3][0], turned.triangles[3][1]);
  expect_error(ErrorCode::bad_file, {"disagree about the outside", "3 such edges", "outward"}, make(turned));
  TriangleSoup lying = brick;
  lying.triangles[0][1] = 8;
  expect_error(ErrorCode::bad_file, {"vertex 8 of 8"}, make(lying));
  TriangleSoup wild = brick;
  wild.vertices[2][1] = NAN;
  expect_error(ErrorCode::bad_file, {"finite"}, make(wild));
  expect_error(ErrorCode::bad_file, {"no triangle"}, make({}));
  TriangleSoup flat = brick;
  for (Point& p : flat.vertices) p[2] = p[0];
  expect_error(ErrorCode::bad_file, {"give a solid"}, make(flat));

  // a mesh that nobody checked, and tolerances that are not allowed
  Mesh mesh = checked_mesh(brick, "brick");
  for (const double tolerance : {0.0, -1.0, 1e-9, 1.0, double(NAN)})
    expect_error(ErrorCode::bad_input, {"tolerance is"}, [&] {
      DistanceField::build(mesh, "brick", {tolerance, options.memory}, workers);
    });
  mesh.triangles.pop_back();
  expect_error(ErrorCode::bad_file, {"3 edges are open"},
               [&] { DistanceField::build(mesh, "brick", options, workers); });
}

TEST(ClosedMesh, JoinsEqualVerticesAndTurnsInsideOut) {
  const Triangles brick = inside_out(cube({{0, 0, 0}}, {{1, 2, 3}}));
  TriangleSoup soup;
  for (const auto& face : brick.faces)
    for (const int v : face) {
      if (soup.vertices.size() % 3 == 0) {
        const auto n = std::uint32_t(soup.vertices.size());
        soup.triangles.push_back({n, n + 1, n + 2});
      }
      soup.vertices.push_back(brick.vertices[std::size_t(v)]);
    }
  const Mesh mesh = checked_mesh(soup, "brick");
  EXPECT_EQ(mesh.vertices.size(), 8u);
  EXPECT_NEAR(mesh.volume, 6, 1e-14);
  EXPECT_NEAR(mesh.area, 22, 1e-13);
  EXPECT_TRUE(MeshTree(mesh).contains({{0.5, 1, 1.5}}));
}

}  // namespace
}  // namespace pliant

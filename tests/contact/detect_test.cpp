// Who touches whom, against brute force; what a contact is found again by; which side it keeps.
#include "contact/detect.h"

#include "bodies/models.h"
#include "contact/taxels.h"
#include "geometry/distance_field.h"
#include "geometry/mugs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>

namespace pliant {

using namespace bodies;
using namespace contact;

namespace {

constexpr double cell = 0.05;
constexpr const char* shapes = R"(<mujoco><worldbody>
  <geom type="plane" size="1 1 1" pos="0 0 -.4"/>
  <geom type="sphere" size=".2" pos=".3 .1 0"/>
  <geom type="box" size=".2 .02 .3" euler="10 20 30"/>
  <geom type="capsule" size=".05 .3" euler="0 90 0" pos="0 .3 .2"/>
  <geom type="cylinder" size=".1 .2" euler="40 0 0" pos="-.4 -.3 0"/>
  <geom type="ellipsoid" size=".1 .2 .05" pos="-.3 .4 -.3"/></worldbody></mujoco>)";

struct Setting {
  Workers workers{1};
  Bodies bodies = test::make_bodies(shapes);
  GeomPaths paths{bodies, {}, workers};
  Buffer<grid::Point<3, float>> points;
  Layout<3, float> layout;
  ContactFinder<float> finder;
  std::vector<ContactMemory> memory;
  MemoryIndex index;

  explicit Setting(std::size_t count) {
    std::mt19937 random(3);
    std::uniform_real_distribution<float> place(-0.6f, 0.6f);
    Buffer<grid::Point<3, float>> unsorted;
    unsorted.allocate(count);
    points.allocate(count);
    for (std::size_t i = 0; i < count; ++i) {
      for (float& x : unsorted[i].x) x = place(random);
      unsorted[i].id = std::uint32_t(i);
    }
    layout.build(unsorted, {{0, count / 3}, {count / 3, count}}, float(cell), workers);
    layout.reorder(unsorted, points, workers);
    bodies.update_kinematics();
    paths.remember_poses(bodies);
    finder.on_sorted(layout, points, cell);
    index.build(memory, count);
  }

  std::vector<FoundContact> find(const SearchReach& reach) {
    std::vector<FoundContact> found;
    finder.find(points, paths, reach, memory, index, workers, found);
    return found;
  }

  // where solids meet, by what is not covered: see seams_test.cpp
  ShapeDistance distance_of(std::size_t path, std::size_t i) const {
    Seams seams;
    seams.find(paths, cell);
    const Pose& pose = paths[path].now;
    const ShapeDistance d = seams.distance(paths, path, transpose(pose.rotation) * (at(i) - pose.position));
    return {d.phi, pose.rotation * d.normal};
  }

  Vector<double, 3> at(std::size_t i) const {
    return {{double(points[i].x[0]), double(points[i].x[1]), double(points[i].x[2])}};
  }
};

TEST(Finder, FindsWhatBruteForceFinds) {
  Setting s(20000);
  for (const double ahead : {0.0, 0.01}) {
    // particles wander a little without being sorted again
    std::mt19937 random(5);
    std::uniform_real_distribution<float> step(-0.02f, 0.02f);
    for (auto& p : s.points)
      for (float& x : p.x) x += step(random);
    const SearchReach reach = {0.04, ahead / 2e-3, 1e-3, cell};
    const double limit = ahead + 1e-3 * cell;
    using Key = std::tuple<std::uint32_t, std::uint32_t>;
    std::vector<Key> expected, got;
    for (std::uint32_t g = 0; g < s.paths.size(); ++g)
      for (std::uint32_t i = 0; i < s.points.size(); ++i)
        if (s.distance_of(g, i).phi < limit) expected.push_back({g, i});
    for (const FoundContact& f : s.find(reach)) {
      got.push_back({f.path, f.particle});
      EXPECT_EQ(f.id, s.points[f.particle].id);
      const ShapeDistance d = s.distance_of(f.path, f.particle);
      EXPECT_NEAR(f.gap, d.phi, 1e-14);
      EXPECT_NEAR(norm(f.normal - d.normal), 0, 1e-12);
    }
    EXPECT_GT(expected.size(), 1000u);
    EXPECT_EQ(got, expected);
  }
}

// the first group touches by some of its ids, the second as balls of different sizes
TEST(Finder, SurfacesAndBalls) {
  Setting s(20000);
  std::mt19937 random(8);
  std::vector<PieceSurface> pieces(2);
  pieces[0].begin = 100;
  pieces[0].end = 2100;
  pieces[0].areas.assign(2000, 1);
  const std::size_t first_ball = s.points.size() / 3;
  std::uniform_real_distribution<double> radius_of(5e-3, 2.3e-2);
  pieces[1].begin = std::uint32_t(first_ball);
  for (std::size_t i = first_ball; i < s.points.size(); ++i) pieces[1].radii.push_back(radius_of(random));
  s.finder.set_pieces(pieces);
  s.finder.on_sorted(s.layout, s.points, cell);
  const SearchReach reach = {0, 0, 1e-3, cell};
  using Key = std::tuple<std::uint32_t, std::uint32_t>;
  std::vector<Key> expected, got;
  for (std::uint32_t g = 0; g < s.paths.size(); ++g)
    for (std::uint32_t i = 0; i < s.points.size(); ++i) {
      const bool ball = s.points[i].id >= first_ball;
      const double radius = ball ? pieces[1].radii[s.points[i].id - first_ball] : 0;
      if (!ball && (s.points[i].id < 100 || s.points[i].id >= 2100)) continue;
      if (s.distance_of(g, i).phi - radius < 1e-3 * cell) expected.push_back({g, i});
    }
  for (const FoundContact& f : s.find(reach)) {
    got.push_back({f.path, f.particle});
    const ShapeDistance d = s.distance_of(f.path, f.particle);
    EXPECT_EQ(f.radius, f.id >= first_ball ? pieces[1].radii[f.id - first_ball] : 0);
    EXPECT_NEAR(f.gap, d.phi - f.radius, 1e-14);
    EXPECT_NEAR(norm(f.position + f.radius * f.normal - s.at(f.particle)), 0, 1e-15) << "the skin of the ball";
  }
  EXPECT_GT(expected.size(), 1000u);
  EXPECT_EQ(got, expected);
}

TEST(Finder, AContactKeepsItsSideOfAThinWall) {
  Setting s(1);
  const auto wall = std::size_t(2);  // the box of 4 cm
  const GeomPath& path = s.paths[wall];
  const auto put = [&](double y) {
    const Vector<double, 3> x = path.now.position + path.now.rotation * Vector<double, 3>{{0.01, y, 0.02}};
    for (int d = 0; d < 3; ++d) s.points[0].x[d] = float(x[d]);
    return s.find({1, 0, 1e-3, cell});
  };
  const auto of_wall = [&](const std::vector<FoundContact>& found) {
    for (const FoundContact& f : found)
      if (f.path == wall) return f;
    return FoundContact{};
  };
  // just inside, from above; then beyond the middle, and out at the back
  const FoundContact first = of_wall(put(0.019));
  EXPECT_NEAR(first.gap, -0.001, 1e-7);
  ContactMemory m = {};
  m.particle = 0;
  m.geom = std::uint32_t(path.geom.id);
  m.anchor = {{0.01, 0.02, 0.02}};
  m.normal = {{0, 1, 0}};
  s.memory = {m};
  s.index.build(s.memory, 1);
  for (const double y : {-0.01, -0.019, -0.03}) {
    const FoundContact f = of_wall(put(y));
    EXPECT_EQ(f.memory, 0) << y;
    EXPECT_NEAR(f.gap, y - 0.02, 1e-7) << y;
    EXPECT_NEAR(norm(f.normal - first.normal), 0, 1e-12) << y;
  }
  // without a memory it is pushed out at the back
  s.memory.clear();
  s.index.build(s.memory, 1);
  EXPECT_NEAR(of_wall(put(-0.019)).gap, -0.001, 1e-7);
}

// Who is clear of a mesh is not measured again until it or the mesh may have come near: over many searches in which both move,
// all are found that brute force finds, and in the first ones most are left out.
TEST(Finder, MeshesThatMoveAreFoundByAllWhoTouchThem) {
  Setting s(4000);
  Geom geom;
  geom.shape = {RigidShape::Kind::mesh, {0.04, 0.04, 0.1}, nullptr};
  geom.shape.field = std::make_shared<const DistanceField>(
      DistanceField::build(mug_mesh(), "mug", {3e-4, std::size_t(256) << 20}, s.workers));
  geom.boundary = 0;
  s.paths = GeomPaths();
  s.paths.add_boundary(geom, {Vec3d::zero(), Mat3d::identity()});
  std::mt19937 random(9);
  std::uniform_real_distribution<float> place(-0.07f, 0.07f), step(-4e-4f, 4e-4f);
  for (auto& p : s.points)
    for (int d = 0; d < 3; ++d) p.x[d] = place(random) + (d == 2 ? 0.05f : 0.f);
  std::size_t all = 0;
  for (int search = 0; search < 40; ++search) {
    Buffer<grid::Point<3, float>> unsorted;
    unsorted.allocate(s.points.size());
    std::copy(s.points.begin(), s.points.end(), unsorted.begin());
    s.layout.build(unsorted, {{0, 1000}, {1000, 4000}}, 0.01f, s.workers);
    s.layout.reorder(unsorted, s.points, s.workers);
    s.finder.on_sorted(s.layout, s.points, 0.01);
    // some jump, as those that a user puts elsewhere
    for (auto& p : s.points)
      for (float& x : p.x) x += step(random) + (p.id % 997 == std::size_t(search) ? 0.03f : 0.f);
    const double t = 0.02 * search;
    s.paths.place_boundary(0,
                           {{{0.01 * t, 0, 0.02 * std::sin(9 * t)}}, {{t, 0.3 * t, 0}}, Vec3d::zero(), Vec3d::zero()});
    using Key = std::tuple<std::uint32_t, std::uint32_t>;
    std::vector<Key> expected, got;
    for (std::uint32_t i = 0; i < s.points.size(); ++i)
      if (distance(geom.shape, s.paths[0].now, s.at(i)).phi < 1e-5) expected.push_back({0, i});
    std::vector<FoundContact> found;
    s.finder.find(s.points, s.paths, {0.032, 0, 1e-3, 0.01}, s.memory, s.index, s.workers, found);
    for (const FoundContact& f : found) got.push_back({f.path, f.particle});
    ASSERT_EQ(got, expected) << search;
    all += expected.size();
  }
  EXPECT_GT(all, 1000u);
}

TEST(Memory, IsFoundByParticleAndGeom) {
  std::vector<ContactMemory> entries(6);
  const std::uint32_t pairs[6][2] = {{3, 1}, {0, 2}, {3, 0}, {7, 1}, {3, 2}, {0, 1}};
  for (std::size_t k = 0; k < 6; ++k) entries[k].particle = pairs[k][0], entries[k].geom = pairs[k][1];
  MemoryIndex index;
  index.build(entries, 9);
  for (std::uint32_t p = 0; p < 9; ++p)
    for (std::uint32_t g = 0; g < 4; ++g) {
      int expected = -1;
      for (int k = 0; k < 6; ++k)
        if (pairs[k][0] == p && pairs[k][1] == g) expected = k;
      EXPECT_EQ(index.find(entries, p, g), expected);
    }
  entries.resize(1);
  index.build(entries, 9);
  EXPECT_FALSE(index.has(0));
  EXPECT_EQ(index.find(entries, 3, 1), 0);
}

TEST(Taxels, TakeTheForceWhereItActs) {
  Setting s(1);
  Touch touch;
  touch.geom = touch.partner = s.paths[2].geom.id;
  const Vector<double, 3> x = s.paths[2].now.position + s.paths[2].now.rotation * Vector<double, 3>{{-0.15, 0.02, 0.2}};
  touch.position = {x[0], x[1], x[2]};
  touch.impulse = {1, 2, 3};
  Touch other = touch;
  other.geom = other.partner = s.paths[1].geom.id;
  // columns along x from -0.2 to 0.2, rows along z from -0.3 to 0.3
  const Taxels t = taxels(std::vector<Touch>{touch, other}, s.paths[2].geom, s.paths[2].before, 0.5, 3, 4);
  for (std::size_t k = 0; k < t.forces.size(); ++k) EXPECT_EQ(t.forces[k][1], k == 2 * 4 + 0 ? 4.0 : 0.0) << k;
}

}  // namespace
}  // namespace pliant

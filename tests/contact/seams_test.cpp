// Where solids meet nothing catches, and nothing slips through.
#include "contact/seams.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace pliant {

using namespace bodies;
using namespace contact;

namespace {

using Kind = RigidShape::Kind;
constexpr double cell = 0.02;
const Mat3d upright = Mat3d::identity();

void add(GeomPaths& paths, const RigidShape& shape, const Vec3d& at, const Mat3d& rotation = upright, int rigid = 0) {
  Geom geom;
  geom.shape = shape;
  geom.rigid = rigid;
  geom.boundary = int(paths.size());
  paths.add_boundary(geom, {at, rotation});
}
RigidShape box(double x, double y, double z) { return {Kind::box, {x, y, z}, nullptr}; }

struct Near {
  double phi;
  Vec3d normal;
};

// x and normal in the world
Near near(const Seams& seams, const GeomPaths& paths, std::size_t path, const Vec3d& x) {
  const Pose& pose = paths[path].now;
  const Vec3d local = transpose(pose.rotation) * (x - pose.position);
  const ShapeDistance d =
      seams.any(path) ? seams.distance(paths, path, local) : distance(paths[path].geom.shape, local);
  return {d.phi, pose.rotation * d.normal};
}

class SeamsAtAngles : public testing::TestWithParam<double> {
 protected:
  std::mt19937 random{5};
  // everything is turned by this, so that no axis is special
  Mat3d turn = [] {
    const double a = GetParam(), c = std::cos(a), s = std::sin(a), c2 = std::cos(0.7 * a), s2 = std::sin(0.7 * a);
    const Mat3d about_z = {{c, -s, 0, s, c, 0, 0, 0, 1}}, about_x = {{1, 0, 0, 0, c2, -s2, 0, s2, c2}};
    return about_z * about_x;
  }();
  double uniform(double low, double high) { return std::uniform_real_distribution<>(low, high)(random); }
};

TEST_P(SeamsAtAngles, TablesSideBySideAreOne) {
  GeomPaths paths;
  add(paths, box(0.15, 0.2, 0.05), turn * Vec3d{{-0.15, 0, -0.05}}, turn);
  add(paths, box(0.15, 0.2, 0.05), turn * Vec3d{{0.15, 0, -0.05}}, turn);
  Seams seams;
  seams.find(paths, cell);
  ASSERT_TRUE(seams.any(0) && seams.any(1));
  const Vec3d up = turn * Vec3d{{0, 0, 1}};
  for (int n = 0; n < 3000; ++n) {
    const double x = uniform(-0.2, 0.2) * cell, z = uniform(-seam_reach, seam_reach) * cell;
    for (std::size_t path : {0u, 1u}) {
      const Near d = near(seams, paths, path, turn * Vec3d{{x, uniform(-0.1, 0.1), z}});
      // the table that it is over, and it alone: two would push twice
      const bool over_own = path == 0 ? x <= 0 : x >= 0;
      ASSERT_EQ(d.phi < 1, over_own) << x << " " << z << " table " << path;
      if (!over_own) continue;
      EXPECT_NEAR(dot(d.normal, up), 1, 1e-9) << x << " " << z << " table " << path;
      EXPECT_NEAR(d.phi, z, 1e-12);
    }
  }
}

TEST_P(SeamsAtAngles, AWallOnAFloorHoldsBothWays) {
  GeomPaths paths;
  add(paths, {Kind::plane, {}, nullptr}, Vec3d::zero(), turn);
  add(paths, box(0.02, 0.2, 0.1), turn * Vec3d{{-0.02, 0, 0.1}}, turn);
  Seams seams;
  seams.find(paths, cell);
  const Vec3d up = turn * Vec3d{{0, 0, 1}}, aside = turn * Vec3d{{1, 0, 0}};
  for (int n = 0; n < 3000; ++n) {
    const double x = uniform(-0.9, 1) * seam_reach * cell, z = uniform(-0.9, 1) * seam_reach * cell;
    const Vec3d at = turn * Vec3d{{x, uniform(-0.1, 0.1), z}};
    const Near floor = near(seams, paths, 0, at), wall = near(seams, paths, 1, at);
    EXPECT_NEAR(floor.phi, z, 1e-12);
    EXPECT_NEAR(dot(floor.normal, up), 1, 1e-9);
    EXPECT_NEAR(wall.phi, x, 1e-12) << x << " " << z;
    EXPECT_NEAR(dot(wall.normal, aside), 1, 1e-9) << x << " " << z;
  }
}

INSTANTIATE_TEST_SUITE_P(Angles, SeamsAtAngles, testing::Values(0.0, 0.3, 1.1));

TEST(Seams, SolidsThatSlideAlongEachOtherHaveNone) {
  GeomPaths paths;
  add(paths, box(0.15, 0.2, 0.05), {{-0.15, 0, -0.05}});
  add(paths, box(0.15, 0.2, 0.05), {{0.15, 0, -0.05}});
  paths.place_boundary(1, {Vec3d::zero(), Vec3d::zero(), {{0, 0.1, 0}}, Vec3d::zero()});
  Seams seams;
  seams.find(paths, cell);
  // into the side of the other table, which moves
  EXPECT_NEAR(dot(near(seams, paths, 1, {{-1e-4, 0, -1e-3}}).normal, Vec3d{{-1, 0, 0}}), 1, 1e-9);
}

// two pads that have closed on a sheet, which is as thin as nothing: what is between them is not theirs to leave out
TEST(Seams, FingersThatHaveClosedHaveNone) {
  const double overlap = 1e-3 * cell;
  for (const int other : {1, 2}) {
    GeomPaths paths;
    add(paths, box(0.003, 0.04, 0.02), {{-0.003 + overlap, 0, 0}}, upright, 1);
    add(paths, box(0.003, 0.04, 0.02), {{0.003 - overlap, 0, 0}}, upright, other);
    Seams seams;
    seams.find(paths, cell);
    const Near left = near(seams, paths, 0, {{0, 0, -0.019}}), right = near(seams, paths, 1, {{0, 0, -0.019}});
    const bool is_one_solid = other == 1;
    EXPECT_EQ(std::fabs(left.phi + overlap) < 1e-12 && std::fabs(right.phi + overlap) < 1e-12, !is_one_solid);
    if (is_one_solid) continue;
    EXPECT_NEAR(left.normal[0], 1, 1e-12);
    EXPECT_NEAR(right.normal[0], -1, 1e-12);
  }
}

TEST(Seams, SolidsApartHaveNone) {
  GeomPaths paths;
  add(paths, box(0.15, 0.2, 0.05), {{-0.15, 0, -0.05}});
  add(paths, box(0.15, 0.2, 0.05), {{0.16, 0, -0.05}});
  add(paths, {Kind::sphere, {0.05}, nullptr}, {{0, 0, 0.3}});
  Seams seams;
  seams.find(paths, cell);
  for (std::size_t path : {0u, 1u, 2u}) EXPECT_FALSE(seams.any(path));
}

}  // namespace
}  // namespace pliant

// Boundaries that matter feels at its surface: what they hold, what they give, and that nothing is lost.
#include "step/support.h"

#include <algorithm>

namespace pliant::test {
namespace {

using Condition = Boundary::Condition;
constexpr double cell = 0.02, g = 9.81;

// a jelly block on, or under, a plane that lies where no grid likes it
Scene block_at_plane(Method method, Condition condition, double side) {
  Scene scene = empty_scene(3, cell, method == Method::strong ? 1e-2 : 2e-3, Precision::float32);
  scene.step.substeps = 0;
  scene.step.method = method;
  scene.step.tolerance = method == Method::strong ? 1e-6 : 0;
  scene.step.gravity = {0, 0, -g};
  scene.materials = {elastic(1e5, 0.3)};
  Matter m;
  m.name = "block", m.material = "elastic";
  m.shape.size = {0.08, 0.06, 0.06};
  m.shape.center = {0.0031, -0.0017, 0.0131 + side * 0.03};
  m.sampling.method = Sampling::Method::lattice;
  scene.matter = {m};
  Boundary b = plane({0.1, 0.2, 0.0131}, {0, 0, side}, 0, condition);
  b.name = "plane";
  b.at = Boundary::At::surfaces;
  scene.boundaries = {b};
  return scene;
}

Vec3 mean_of(const World& world, Attribute attribute) {
  const auto x = numbers(world, "block", attribute), m = numbers(world, "block", Attribute::mass);
  Vec3 sum = {0, 0, 0};
  double mass = 0;
  for (std::size_t p = 0; p < m.size(); ++p) {
    for (std::size_t d = 0; d < 3; ++d) sum[d] += m[p] * x[3 * p + d];
    mass += m[p];
  }
  for (double& s : sum) s /= mass;
  return sum;
}

void run(World& world, double seconds) {
  while (world.time() < seconds - 1e-9) world.step();
}

class SurfaceBoundary : public testing::TestWithParam<Method> {};

// matter that starts a half spacing from the plane falls onto it first: such a boundary holds what has touched it
TEST_P(SurfaceBoundary, WhatSticksHangsAndCarriesTheWeight) {
  Scene scene = block_at_plane(GetParam(), Condition::stick, -1);
  scene.step.gravity = {0.5, 0, g};  // towards the plane
  World world(scene, 2);
  run(world, 0.1);
  const Vec3 before = mean_of(world, Attribute::position);
  const auto bytes = world.save();
  scene.step.gravity = {0.5, 0, -g};
  World hanging(scene, 2);
  hanging.restore(bytes);
  run(hanging, 0.6);
  const Vec3 after = mean_of(hanging, Attribute::position);
  // shear and stretch by its own weight: below rho g H^2 / E = 0.4 mm
  for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(after[d], before[d], 5e-4);
}

TEST_P(SurfaceBoundary, WhatSlipsStaysAndSlidesFreely) {
  Scene scene = block_at_plane(GetParam(), Condition::slip, -1);
  scene.step.gravity = {0, 0, g};
  World world(scene, 2);
  run(world, 0.1);
  const double height = mean_of(world, Attribute::position)[2];
  const auto bytes = world.save();
  scene.step.gravity = {2, 0, -g};
  World hanging(scene, 2);
  hanging.restore(bytes);
  const double from = mean_of(hanging, Attribute::velocity)[0];
  run(hanging, 0.5);
  EXPECT_NEAR(mean_of(hanging, Attribute::position)[2], height, 5e-4);
  EXPECT_NEAR(mean_of(hanging, Attribute::velocity)[0] - from, 2 * 0.4, 0.008);
}

TEST_P(SurfaceBoundary, GivesWhatMatterGets) {
  Scene scene = block_at_plane(GetParam(), Condition::separate, 1);
  scene.boundaries[0].friction = 0.4;
  scene.matter[0].velocity = {0.3, 0.1, -0.2};
  World world(scene, 2);
  std::size_t touched = 0;
  for (int n = 0; n < 60; ++n) {
    const StepReport& r = world.step();
    const Wrench w = world.wrench("plane");
    touched += world.contacts().size();
    for (std::size_t d = 0; d < 3; ++d) {
      const double change = r.after.momentum[d] - r.before.momentum[d], push = r.boundary_impulses[0][d];
      // sums of float momenta of 288 particles
      EXPECT_NEAR(change, r.gravity_impulse[d] + push, 2e-6 * 0.288 * 0.4 * 10);
      EXPECT_NEAR(w.force[d] * scene.step.dt, -push, 1e-12);
      double touches = 0;
      for (const Touch& t : world.contacts()) {
        EXPECT_EQ(t.boundary, 0);
        EXPECT_EQ(t.geom, -1);
        touches += t.impulse[d];
      }
      EXPECT_NEAR(touches, -push, 1e-12);
    }
  }
  EXPECT_GT(touched, 500u);
}

// a floor that moves carries the block along
TEST_P(SurfaceBoundary, CarriesWhatLiesOnIt) {
  Scene scene = block_at_plane(GetParam(), Condition::separate, 1);
  scene.boundaries[0].friction = 0.8;
  scene.boundaries[0].velocity = {0.2, 0, 0.1};
  scene.matter[0].velocity = {0.2, 0, 0.1};
  World world(scene, 2);
  run(world, 0.4);
  const Vec3 v = mean_of(world, Attribute::velocity);
  EXPECT_NEAR(v[0], 0.2, 2e-3);
  EXPECT_NEAR(v[2], 0.1, 2e-2);
}

TEST_P(SurfaceBoundary, SameBitsOnAnyThreadsAndAfterRestore) {
  Scene scene = block_at_plane(GetParam(), Condition::stick, 1);
  scene.matter[0].velocity = {0.3, 0.1, -0.5};
  Boundary wall = scene.boundaries[0];
  wall.name = "wall", wall.condition = Condition::separate, wall.friction = 0.3;
  wall.normal = {-1, 0.1, 0.1}, wall.center = {0.05, 0, 0};
  scene.boundaries.push_back(wall);
  World one(scene, 1), two(scene, 2), other(scene, 2);
  for (int n = 0; n < 10; ++n) one.step(), two.step();
  other.restore(two.save());
  for (int n = 0; n < 10; ++n) one.step(), two.step(), other.step();
  EXPECT_EQ(one.state_hash(), two.state_hash());
  EXPECT_EQ(one.state_hash(), other.state_hash());
}

INSTANTIATE_TEST_SUITE_P(Methods, SurfaceBoundary, testing::Values(Method::async, Method::strong));

}  // namespace
}  // namespace pliant::test

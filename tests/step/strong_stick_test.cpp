// Boundaries that stick in the strong step: their nodes are not solved for, and what holds them is the boundary's load.
#include "step/support.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant::test {
namespace {

using Condition = Boundary::Condition;
constexpr double g = 9.81, cell = 0.02, dt = 1e-2;

// a cube of 0.08 m on a floor that sticks and moves with it
Scene carried_cube(Precision precision, const Vec3& velocity) {
  Scene scene = empty_scene(3, cell, dt, precision);
  scene.step.method = Method::strong;
  scene.step.tolerance = 1e-6;
  scene.step.gravity = {0, 0, -g};
  add(scene, "cube", elastic(1e5, 0.3), block(3, {0, 0, 0}, {.08, .08, .08}, cell / 2, 0), cell / 2);
  scene.matter[0].velocity = velocity;
  scene.boundaries = {plane({0, 0, 0.005}, {0, 0, 1}, 0, Condition::stick)};
  scene.boundaries[0].velocity = velocity;
  return scene;
}

// over a second
struct Second {
  Vec3 given = {0, 0, 0};  // N s, by the boundary, less what gravity took
  Vec3 gained;             // N s, by the matter
  double weight;           // N
  double height = 0;       // m, mean at the end
};
Second run_for_a_second(const Scene& scene) {
  World world(scene, 2);
  const Balance before = world.balance();
  Second s;
  for (int n = 0; n < 100; ++n) {
    world.step();
    for (std::size_t i = 0; i < 3; ++i) s.given[i] += world.report().boundary_impulses[0][i];
  }
  s.weight = before.mass * g;
  s.given[2] -= s.weight;
  for (std::size_t i = 0; i < 3; ++i) s.gained[i] = world.balance().momentum[i] - before.momentum[i];
  const auto x = numbers(world, "cube", Attribute::position);
  for (std::size_t p = 2; p < x.size(); p += 3) s.height += x[p] / double(x.size() / 3);
  return s;
}

// As nodes of 10^6 times their mass they lost about 1 % of the weight per step in float.
TEST(StrongStick, AMovingFloorBearsTheWeight) {
  for (const Vec3& velocity : {Vec3{0, 0, 0}, Vec3{2, 0, 0}, Vec3{0, 0, 2}}) {
    SCOPED_TRACE(testing::Message() << velocity[0] << " " << velocity[2]);
    const Second f = run_for_a_second(carried_cube(Precision::float32, velocity));
    const Second d = run_for_a_second(carried_cube(Precision::float64, velocity));
    for (const auto& [s, tolerance] : {std::pair(f, 1e-5), std::pair(d, 1e-10)}) {
      // momentum is kept to the rounding of the velocities of particles: in float 6e-8 of 2 m/s in each step
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(s.given[i], s.gained[i], tolerance * s.weight) << i;
      // at rest at the start and after a second, but for what swings on, and what the solver's tolerance leaves
      EXPECT_NEAR(s.given[2], 0, 1e-3 * s.weight);
    }
    EXPECT_NEAR(f.given[2], d.given[2], 1e-5 * d.weight);
    // a hundred times the rounding of places up to 2 m in float
    EXPECT_NEAR(f.height, d.height, 1.2e-5);
  }
}

// a ball lies on a pad so thin that most of what it presses on sticks: the floor bears both
TEST(StrongStick, AFloorBearsWhatLiesOnTheMatter) {
  Scene scene = carried_cube(Precision::float64, {0, 0, 0});
  scene.matter[0].points = block(3, {0, 0, 0}, {.08, .08, .02}, cell / 2, 0);
  scene.step.gravity = {0, 0, -g};
  scene.bodies = {body_of(
      R"(<body pos=".04 .04 .05"><joint type="slide" axis="0 0 1" damping="2"/><geom type="sphere" size=".03" mass=".5"/></body>)")};
  World world(scene, 2);
  double pushed = 0;
  for (int n = 0; n < 150; ++n) {
    const Balance before = world.balance();
    const StepReport& r = world.step();
    double body = 0;
    for (const auto& v : r.body_impulses) body += v[2];
    // momentum is kept to the round-off of its sums
    EXPECT_NEAR(r.after.momentum[2] - before.momentum[2] - r.gravity_impulse[2], r.boundary_impulses[0][2] + body,
                1e-12)
        << n;
    if (n >= 100) pushed += r.boundary_impulses[0][2] / (50 * dt);
  }
  const double weight = (world.balance().mass + 0.5) * g;
  EXPECT_NEAR(pushed, weight, 1e-2 * weight);
}

// nothing is left to solve for
TEST(StrongStick, AllNodesMayStick) {
  Scene scene = carried_cube(Precision::float32, {0.5, 0, 0});
  scene.boundaries[0].center = {0, 0, 0.5};
  World world(scene, 2);
  const auto x = numbers(world, "cube", Attribute::position);
  for (int n = 0; n < 5; ++n) {
    const StepReport& r = world.step();
    EXPECT_NEAR(r.boundary_impulses[0][2], world.balance().mass * g * dt, 1e-6);
  }
  const auto after = numbers(world, "cube", Attribute::position);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(after[i], x[i] + (i % 3 == 0 ? 0.5 * 5 * dt : 0), 1e-6);
}

}  // namespace
}  // namespace pliant::test

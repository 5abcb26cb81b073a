// A ball that rolls in small steps: its particles strain in windows of substeps (plan.cpp).
#include "step/support.h"

#include <gtest/gtest.h>

namespace pliant::test {
namespace {

constexpr double radius = 0.05, speed = 1;

// at a place and an angle that no grid likes
Scene rolling_ball() {
  Scene scene;
  scene.step.dt = 2e-3;
  scene.step.cell = radius / 4;
  Material rubber;
  rubber.name = "rubber", rubber.law = Law::neo_hookean, rubber.density = 1000, rubber.E = 1e6, rubber.nu = 0.3;
  scene.materials = {rubber};
  Matter ball;
  ball.name = "ball", ball.material = "rubber";
  ball.shape.kind = Shape::Kind::sphere;
  ball.shape.radius = radius;
  ball.shape.center = {0.003, 0.0071, 0.0049 + radius};
  ball.velocity = {0.6 * speed, 0.8 * speed, 0};
  ball.angular_velocity = {-0.8 * speed / radius, 0.6 * speed / radius, 0};
  scene.matter = {ball};
  Boundary floor;
  floor.name = "floor", floor.kind = Boundary::Kind::plane, floor.center = {0, 0, 0.0049}, floor.friction = 0.5;
  scene.boundaries = {floor};
  return scene;
}

// mean square of the distance from the middle, m^2
double size_of(const World& world) {
  Vec3 middle = {0, 0, 0};
  double square = 0;
  const auto all = particles<3>(world);
  for (const auto& p : all)
    for (std::size_t d = 0; d < 3; ++d) middle[d] += double(p.x[d]) / double(all.size());
  for (const auto& p : all)
    for (std::size_t d = 0; d < 3; ++d) square += std::pow(double(p.x[d]) - middle[d], 2);
  return square / double(all.size());
}

TEST(Rolling, KeepsItsSizeAndItsSpeed) {
  World world(rolling_ball(), 1);
  const double size = size_of(world);
  for (int n = 0; n < 50; ++n) world.step();
  const auto momentum = world.balance().momentum;
  // straight ways in a window make a ball that turns larger, unless F knows of them; a flat spot takes some 1e-3
  EXPECT_NEAR(size_of(world) / size, 1, 5e-3);
  // coarse, r/h is 4: a resistance of .02 of the load
  EXPECT_NEAR(std::hypot(momentum[0], momentum[1]) / world.balance().mass, speed, 0.02 * speed);
}

TEST(Rolling, HasWindowsAndTheSameBitsOnAnyNumberOfThreadsAndAfterRestore) {
  World one(rolling_ball(), 1), three(rolling_ball(), 3);
  for (int n = 0; n < 8; ++n) one.step(), three.step();
  EXPECT_EQ(one.state_hash(), three.state_hash());
  const auto saved = one.save();
  // as many substeps, given by hand, have no windows
  Scene given = rolling_ball();
  given.step.substeps = int(one.step().substeps);
  World plain(given, 1), again(rolling_ball(), 2);
  plain.restore(saved), again.restore(saved);
  plain.step(), again.step();
  EXPECT_EQ(again.state_hash(), one.state_hash());
  EXPECT_NE(plain.state_hash(), one.state_hash());
}

}  // namespace
}  // namespace pliant::test

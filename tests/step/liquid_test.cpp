// A liquid in small steps, between walls that are felt at surfaces: its pressure is one within a cell, and its volume that of its
// mass.
#include "step/tank.h"

namespace pliant::test {
namespace {

Scene small_steps() {
  Scene scene = tank_scene();
  scene.step.method = Method::async;
  scene.step.substeps = 0;
  scene.step.tolerance = StepOptions().tolerance;
  return scene;
}

std::vector<Vec3> lattice() {
  const double half = tank_width / 2;
  return block(3, {-half, -half, 0}, {half, half, tank_depth}, tank_cell / 2, 0);
}

double mean_height(const World& world) {
  double sum = 0;
  const auto all = particles<3>(world);
  for (const auto& p : all) sum += p.x[2];
  return sum / double(all.size());
}

// A lattice that stands 5 % too low, at a pressure that knows nothing of it. Without a look at the mass around the particles it stays
// so.
TEST(Liquid, ThatIsTooDenseTakesItsRoom) {
  Scene scene = small_steps();
  scene.matter[0].points = lattice();
  for (Vec3& x : scene.matter[0].points) x[2] /= 1.05;
  World world(scene, 1);
  EXPECT_NEAR(mean_height(world), 0.5 * tank_depth / 1.05, 1e-6);
  for (int n = 0; n < 60; ++n) world.step();
  // the doubt of .5 %, and what the weight presses it together by, .16 %
  EXPECT_NEAR(mean_height(world), 0.5 * tank_depth, 0.015 * 0.5 * tank_depth);
}

// a lattice at its density stays where it is
TEST(Liquid, AtItsDensityStays) {
  Scene scene = small_steps();
  scene.matter[0].points = lattice();
  World world(scene, 1);
  for (int n = 0; n < 60; ++n) world.step();
  EXPECT_NEAR(mean_height(world), 0.5 * tank_depth, 0.01 * 0.5 * tank_depth);
}

TEST(Liquid, HasTheSameBitsOnAnyNumberOfThreadsAndAfterRestore) {
  const Scene scene = small_steps();
  World one(scene, 1), two(scene, 2);
  for (int n = 0; n < 3; ++n) one.step(), two.step();
  const auto saved = two.save();
  for (int n = 0; n < 3; ++n) one.step(), two.step();
  EXPECT_EQ(one.state_hash(), two.state_hash());
  two.restore(saved);
  for (int n = 0; n < 3; ++n) two.step();
  EXPECT_EQ(one.state_hash(), two.state_hash());
}

}  // namespace
}  // namespace pliant::test

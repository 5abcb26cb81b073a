// A liquid in small steps, between walls that are felt at surfaces: its pressure is one within a cell, and its volume that of its
// mass.
#include "step/tank.h"

#include <algorithm>
#include <cmath>
#include <string>

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

// A column let go in the corner of two walls slides down along both. Its outermost particles are balls that touch with their
// skin. As long as these kept their size while the water spread along the walls, walls did work: the energy grew by a
// twentieth until the column lay flat, and jets rose from the corners opposite by as much. Contacts lend energy for
// moments, .1 %.
TEST(Liquid, ThatSpreadsAlongWallsGetsNoEnergyFromThem) {
  Scene scene = small_steps();
  scene.step.balance = true;
  const double cell = scene.step.cell, wide = 6 * cell, high = 9 * cell, pool = 3 * wide;
  scene.matter[0].points = block(3, {0, 0, 0}, {wide, wide, high}, cell / 2, 0);
  scene.bodies.clear();
  scene.boundaries.clear();
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {0.0, pool}) {
      if (axis == 2 && side > 0) continue;
      Boundary wall;
      wall.name = "wall" + std::to_string(2 * axis + (side > 0));
      wall.kind = Boundary::Kind::plane;
      wall.normal = {0, 0, 0};
      wall.normal[std::size_t(axis)] = side > 0 ? -1 : 1;
      wall.center = {0, 0, 0};
      wall.center[std::size_t(axis)] = side;
      scene.boundaries.push_back(wall);
    }
  World world(scene, 1);
  const auto energy = [&] {
    const Balance& b = world.report().after;
    return b.kinetic_energy + b.elastic_energy + b.gravity_energy;
  };
  world.step();
  const double start = energy();
  double least = start;
  while (world.time() < 1.5 * std::sqrt(2 * high / 9.81)) {
    world.step();
    EXPECT_LT(energy(), least + 1e-3 * start) << world.time();
    least = std::min(least, energy());
  }
  // it has fallen
  EXPECT_LT(mean_height(world), 0.5 * 0.5 * high);
  EXPECT_GT(least, 0.5 * start);
}

}  // namespace
}  // namespace pliant::test

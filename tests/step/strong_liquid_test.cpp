// A liquid in the strong step: at rest it stays at rest, keeps its level and presses as its depth says.
#include "effort.h"
#include "step/tank.h"

#include <algorithm>
#include <numeric>

namespace pliant::test {
namespace {

// m, of all particles
double mean_height(const World& world) {
  double sum = 0;
  const auto all = particles<3>(world);
  for (const auto& p : all) sum += p.x[2];
  return sum / double(all.size());
}

struct Rest {
  double settled, last;              // m, height of the centre after half a second, and at the end
  double least, most;                // m, of all particles, at the end
  double surface;                    // m, mean height of the upper twentieth
  double energy;                     // J, of motion: mean of the last second
  double weight;                     // N
  std::array<double, 5> force = {};  // N on the geoms, across them: mean of the last second
  double linear = 0;                 // iterations per step: mean of the last second
};

Rest come_to_rest(int steps, Transfer transfer) {
  Scene scene = tank_scene();
  scene.step.transfer = transfer;
  World world(scene, 2);
  Rest r = {};
  for (int n = 1; n <= steps; ++n) {
    const StepReport& report = world.step();
    if (n == 50) r.settled = mean_height(world);
    if (n <= steps - 100) continue;
    r.energy += report.after.kinetic_energy / 100;
    r.linear += report.linear_iterations / 100.0;
    for (std::size_t g = 0; g < 5; ++g)
      r.force[g] += report.body_impulses[g][g == 0 ? 2 : g < 3 ? 0 : 1] / (100 * scene.step.dt);
  }
  r.weight = world.report().after.mass * tank_gravity;
  r.last = mean_height(world);
  std::vector<double> heights;
  for (const auto& p : particles<3>(world)) heights.push_back(p.x[2]);
  std::sort(heights.begin(), heights.end());
  r.least = heights.front(), r.most = heights.back();
  const auto upper = std::ptrdiff_t(heights.size() / 20);
  r.surface = std::accumulate(heights.end() - upper, heights.end(), 0.0) / double(upper);
  return r;
}

void stays_at_rest(int steps, Transfer transfer) {
  const Rest r = come_to_rest(steps, transfer);
  const double mass = r.weight / tank_gravity, seconds = (steps - 50) * 1e-2;
  // forces that no pressure balances push particles about, by less than a tenth of g for one step
  EXPECT_LT(std::sqrt(2 * r.energy / mass), 0.2 * tank_gravity * 1e-2);
  // it sinks together, which it should not: .5 to .9 mm/s are measured over five seconds
  EXPECT_GT(r.last - r.settled, -1.2e-3 * seconds);
  // a quarter of the wall
  EXPECT_GT(r.least, -1.1e-3);
  EXPECT_LT(r.most, tank_depth + 0.5 * tank_cell);
  // what is left of the motion moves the mean force of a second by this
  EXPECT_NEAR(r.force[0], r.weight, 2e-3 * r.weight);
  // the grid knows where the surface is to within a few tenths of a cell
  const double push = 0.5 * 1000 * tank_gravity * r.surface * r.surface * tank_width;
  for (std::size_t g = 1; g < 5; ++g) EXPECT_NEAR(std::fabs(r.force[g]), push, 0.15 * push) << g;
  // springs as stiff as those of other matter took thousands
  EXPECT_LT(r.linear, 300);
}

TEST(StrongLiquid, StaysAtRestBetweenThinWalls) {
  if (is_sanitized) GTEST_SKIP() << only_figures;
  stays_at_rest(120, Transfer::mls);
}
TEST(StrongLiquid, LONG_StaysAtRestForFiveSeconds) {
  for (const Transfer transfer : {Transfer::pic, Transfer::mls, Transfer::apic}) stays_at_rest(500, transfer);
}

// thrown to one side it runs up the wall; nothing leaves, and it comes to rest at the same level
TEST(StrongLiquid, SloshesAndKeepsItsVolume) {
  Scene scene = tank_scene();
  scene.matter[0].velocity = {0.5, 0, 0};
  World world(scene, 2);
  double highest = 0;
  for (int n = 0; n < as_many(150); ++n) {
    world.step();
    for (const auto& p : particles<3>(world)) {
      highest = std::max(highest, p.x[2]);
      // half of the wall
      ASSERT_GT(p.x[2], -2e-3);
      for (int d = 0; d < 2; ++d) ASSERT_LT(std::fabs(p.x[d]), 0.5 * tank_width + 2e-3);
    }
  }
  if (is_sanitized) GTEST_SKIP() << only_figures;
  EXPECT_GT(highest, tank_depth + 0.5 * tank_cell);
  // a tenth: it has been thrown about, and steps are large
  EXPECT_NEAR(mean_height(world), tank_depth / 2, 0.1 * tank_depth / 2);
  EXPECT_NEAR(world.report().after.volume, world.report().after.mass / 1000, 5e-3 * world.report().after.mass / 1000);
}

TEST(StrongLiquid, SameBitsOnAnyNumberOfThreadsAndAfterRestore) {
  const Scene scene = tank_scene();
  World one(scene, 1), two(scene, 2);
  for (int n = 0; n < 5; ++n) one.step(), two.step();
  const auto saved = two.save();
  for (int n = 0; n < 5; ++n) one.step(), two.step();
  EXPECT_EQ(one.state_hash(), two.state_hash());
  two.restore(saved);
  for (int n = 0; n < 5; ++n) two.step();
  EXPECT_EQ(one.state_hash(), two.state_hash());
}

}  // namespace
}  // namespace pliant::test

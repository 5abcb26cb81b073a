// Walls that go through nodes of the grid. With cells of 0.02 m in float the node at 3 cells was 1e-9 m outside of a
// wall at 0.06 m and felt nothing: water sank away through the floor, and what stuck came off.
#include "effort.h"
#include "step/support.h"

#include <algorithm>

namespace pliant::test {
namespace {

using Condition = Boundary::Condition;
constexpr double cell = 0.02, floor_at = 0.06, g = 9.81;

Boundary wall(const std::string& name, const Vec3& center, const Vec3& normal,
              Condition condition = Condition::separate) {
  Boundary b = plane(center, normal, 0, condition);
  b.name = name;
  return b;
}

Scene scene_of(Method method, Precision precision) {
  Scene scene = empty_scene(3, cell, method == Method::strong ? 1e-2 : 5e-3, precision);
  scene.step.method = method;
  scene.step.tolerance = 1e-5;
  scene.step.substeps = 0;
  return scene;
}

// five planes through nodes, filled from wall to wall to a height of 0.08 m
Scene tank(Method method, Precision precision) {
  Scene scene = scene_of(method, precision);
  scene.step.gravity = {0, 0, -g};
  Material water;
  water.name = "water", water.law = Law::liquid, water.density = 1000, water.bulk_modulus = 1e5, water.viscosity = 1e-3;
  const double low = floor_at, high = floor_at + 0.08;
  add(scene, "water", water, block(3, {low, low, low}, {high, high, low + 0.08}, cell / 2), cell / 2);
  scene.boundaries = {wall("floor", {0, 0, low}, {0, 0, 1}), wall("left", {low, 0, 0}, {1, 0, 0}),
                      wall("right", {high, 0, 0}, {-1, 0, 0}), wall("front", {0, low, 0}, {0, 1, 0}),
                      wall("back", {0, high, 0}, {0, -1, 0})};
  return scene;
}

// mean height over the floor, m
double mean_height(const World& world, const std::string& matter) {
  const auto x = numbers(world, matter, Attribute::position);
  double sum = 0;
  for (std::size_t p = 2; p < x.size(); p += 3) sum += x[p] - floor_at;
  return sum / double(x.size() / 3);
}

void stays(Method method, Precision precision, double seconds) {
  SCOPED_TRACE(testing::Message() << (method == Method::strong ? "strong " : "async ") << int(precision));
  World world(tank(method, precision), 2);
  const double start = mean_height(world, "water");
  double worst = 0;
  while (world.time() < seconds - 1e-9) {
    world.step();
    worst = std::max(worst, std::fabs(mean_height(world, "water") / start - 1));
  }
  // its own weight presses it by 0.4 %, it fills the lattice's gaps and sloshes while it does
  EXPECT_LT(worst, 0.03);
}

TEST(WallOnNodes, WaterStaysInATank) {
  for (const Method method : {Method::async, Method::strong}) {
    stays(method, Precision::float32, as_long(4));
    stays(method, Precision::float64, 0.3);
  }
}

// gravity pulls a cube off the floor that its lower side sticks to
TEST(WallOnNodes, AStickingOneHoldsMatterAgainstGravity) {
  for (const Precision precision : {Precision::float32, Precision::float64})
    for (const Method method : {Method::async, Method::strong}) {
      SCOPED_TRACE(testing::Message() << (method == Method::strong ? "strong " : "async ") << int(precision));
      Scene scene = scene_of(method, precision);
      scene.step.gravity = {0, 0, g};
      const double E = 1e5, side = 0.08;
      add(scene, "cube", elastic(E, 0.3), block(3, {0, 0, floor_at}, {side, side, floor_at + side}, cell / 2, 0),
          cell / 2);
      scene.boundaries = {wall("floor", {0, 0, floor_at}, {0, 0, 1}, Condition::stick)};
      World world(scene, 2);
      const double start = mean_height(world, "cube");
      double most = 0;
      while (world.time() < 0.5) {
        world.step();
        most = std::max(most, mean_height(world, "cube") - start);
      }
      // stretched by rho g side^2 / (3 E) in the mean if it is loaded slowly, by twice that at once, and some more
      // where the grid has only weights of a kernel at the wall
      EXPECT_LT(most, 4 * 1000 * g * side * side / (3 * E));
      EXPECT_GT(most, 0.5 * 1000 * g * side * side / (3 * E));
    }
}

}  // namespace
}  // namespace pliant::test

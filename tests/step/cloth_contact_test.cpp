// Cloth on cloth and cloth on bodies.
#include "effort.h"
#include "step/sheets.h"

#include <mujoco/mujoco.h>

namespace pliant {
namespace {

using namespace test;

constexpr const char* table = R"(<geom name="top" type="plane" size="2 2 .1"/>)";

// m/s^2 along the slope, of a sheet on another one that sticks to the table; friction of cloth 0.3, gravity tilted
double slide(double slope) {
  Scene scene = cloth_scene(fabric());
  scene.materials[0].friction = 0.3;
  const double cell = scene.step.cell, dt = scene.step.dt;
  scene.step.gravity = {9.81 * slope, 0, -9.81};
  scene.contact.friction = 3;
  scene.bodies = {body_of(table, "table")};
  add_sheet(scene, "low", 0.3, 0.15, {0, 0, 0});
  add_sheet(scene, "up", 0.15, 0.1, {0, 0, 0.8 * cell}, 0.7 * cell);
  World world(scene, 2);
  for (int i = 0; i < 30; ++i) world.step();
  const double before = mean_velocity(world, "up")[0];
  for (int i = 0; i < 30; ++i) world.step();
  EXPECT_NEAR(mean_velocity(world, "low")[0], 0, 1e-3);
  return (mean_velocity(world, "up")[0] - before) / (30 * dt);
}

// Below the friction coefficient nothing moves. Above it the acceleration is proportional to what friction leaves of
// the slope: the factor is what the grid adds to the inertia of layers that are less than a cell apart (README.md of
// src/cloth).
TEST(ClothContact, LayersObeyTheirFrictionCoefficient) {
  if (is_sanitized) GTEST_SKIP() << only_figures;
  EXPECT_NEAR(slide(0.27), 0, 0.01);
  const double one = slide(0.45), two = slide(0.6), per_slope = (two - one) / 0.15;
  EXPECT_GT(one, 0.2);
  EXPECT_NEAR(0.45 - one / per_slope, 0.3, 0.015);
}

// eight layers fall onto a table; vertex by vertex they stay above each other
void drop_layers(double E, double density, double duration) {
  Scene scene = cloth_scene(fabric(E, 0.3, density));
  scene.precision = Precision::float32;
  scene.step.gravity = {0, 0, -9.81};
  scene.step.balance = false;
  scene.bodies = {body_of(table, "table")};
  const double cell = scene.step.cell;
  for (int k = 0; k < 8; ++k) add_sheet(scene, "s" + std::to_string(k), 0.16, 0.16, {0, 0, 0.05 + k * cell});
  World world(scene, 2);
  double least = 1;
  while (world.time() < duration) {
    world.step();
    std::vector<Vec3> below = vertices(world, "s0");
    for (const Vec3& x : below) least = std::min(least, x[2] + 0.5 * cell);
    for (int k = 1; k < 8; ++k) {
      const std::vector<Vec3> above = vertices(world, "s" + std::to_string(k));
      for (std::size_t v = 0; v < above.size(); ++v) least = std::min(least, above[v][2] - below[v][2]);
      below = above;
    }
  }
  // layers keep more than half a cell between them, and off the table
  EXPECT_GT(least, 0.45 * cell);
}

TEST(ClothContact, EightLayersDoNotPass) { drop_layers(1e5, 1000, 0.25); }
TEST(ClothContact, LONG_EightLayersDoNotPass) {
  drop_layers(1e5, 1000, 2);
  drop_layers(3.2e6, 1500, 0.6);
}

// Two light fingers close on a sheet by force alone; then the clips that it hung by let go. Whatever is between the fingers
// has no thickness: they overlap, as far as springs of contact give way.
TEST(ClothContact, TwoFingersPinchASheetAndHoldIt) {
  if (is_sanitized) GTEST_SKIP() << only_figures;
  constexpr double force = 5, a = 0.06;
  Scene scene = cloth_scene(fabric(5e4, 0.4, 1500), 0.0078125, 5e-3);
  scene.precision = Precision::float32;
  scene.step.gravity = {0, 0, -9.81};
  scene.contact.friction = 0.6;
  scene.bodies = {body_of(R"(
      <body name="left" pos="-.0051 .0013 .017" gravcomp="1"><joint name="left" type="slide" axis="1 0 0" damping="50"/>
        <geom name="left" type="box" size=".003 .021 .012" mass=".1" contype="2" conaffinity="0"/></body>
      <body name="right" pos=".0051 .0013 .017" gravcomp="1"><joint name="right" type="slide" axis="-1 0 0" damping="50"/>
        <geom name="right" type="box" size=".003 .021 .012" mass=".1" contype="2" conaffinity="0"/></body>)",
                          "fingers")};
  Matter& sheet = add_sheet(scene, "sheet", a, a, {0, 0, 0}, 0.006);
  sheet.shape.rotation = {std::sqrt(0.5), 0, std::sqrt(0.5), 0};  // it hangs
  sheet.pins = {{"clips", {0, 0, a / 2}, 0.0301}};
  sheet.pins[0].until = 0.25;
  World world(scene, 2);
  world.data()->qfrc_applied[0] = world.data()->qfrc_applied[1] = force;
  while (world.time() < 0.3) world.step();
  const std::vector<Vec3> before = vertices(world, "sheet");
  double fastest = 0, least = 2 * force, most = 0;
  while (world.time() < 0.6) {
    const StepReport& report = world.step();
    fastest = std::max(fastest, std::fabs(world.data()->qvel[0]));
    // on the matter, along x, from either side
    double pressed = 0;
    for (const Vec3& impulse : report.body_impulses) pressed += std::fabs(impulse[0]) / scene.step.dt / 2;
    least = std::min(least, pressed);
    most = std::max(most, pressed);
  }
  // at rest; each finger feels what pushes the other
  EXPECT_LT(fastest, 1e-3);
  EXPECT_NEAR(least, force, 0.01 * force);
  EXPECT_NEAR(most, force, 0.01 * force);
  // nothing between them has moved, where friction needs a fiftieth of what it has
  const std::vector<Vec3> after = vertices(world, "sheet");
  for (std::size_t v = 0; v < after.size(); ++v) {
    const bool is_between = std::fabs(before[v][1]) < 0.018 && std::fabs(before[v][2] - 0.017) < 0.009;
    for (std::size_t d = 0; d < 3 && is_between; ++d) EXPECT_NEAR(after[v][d], before[v][d], 2e-4) << v << " " << d;
  }
}

TEST(ClothContact, BallLiesOnASheetThatIsHeldAtItsCorners) {
  const double a = 0.14, mass = 0.3;
  Scene scene = cloth_scene(fabric(1e5, 0.3, 1000), 0.02);
  scene.step.gravity = {0, 0, -9.81};
  scene.bodies = {
      body_of(R"(<body name="ball" pos="0 0 .06"><freejoint/><geom type="sphere" size=".05" mass=".3"/></body>)")};
  Matter& sheet = add_sheet(scene, "sheet", 2 * a, 2 * a, {0, 0, 0});
  int corner = 0;
  for (const double x : {-a, a})
    for (const double y : {-a, a}) sheet.pins.push_back({"pin" + std::to_string(corner++), {x, y, 0}, 0.025});
  World world(scene, 2);
  const double weight = (mass_of(world, "sheet") + mass) * 9.81;
  double held = 0;
  for (int i = 0; i < 400; ++i) {
    const StepReport& r = world.step();
    for (const auto& p : r.pin_impulses) held += p[2];
  }
  // what the pins gave and gravity took is the momentum that is left in sheet and ball
  const double sheet_momentum = world.balance().momentum[2], ball_momentum = mass * world.data()->qvel[2];
  EXPECT_NEAR(held - weight * world.time(), sheet_momentum + ball_momentum, 1e-6 * held);
  // it swings, so the mean of 0.8 s is near its weight only; it is above the sheet, within its reach
  EXPECT_NEAR(held / (weight * world.time()), 1, 0.2);
  EXPECT_GT(world.data()->qpos[2], -0.15);
  double least = 1;
  for (const Vec3& x : vertices(world, "sheet"))
    least = std::min(
        least, std::hypot(x[0] - world.data()->qpos[0], x[1] - world.data()->qpos[1], x[2] - world.data()->qpos[2]));
  EXPECT_GT(least, 0.05 - 0.1 * scene.step.cell);
}

// a sheet falls onto a fixed ball; after some time it hangs around it: m, of the corners and of the centre of mass
std::array<double, 2> drape(double cell) {
  Scene scene = cloth_scene(fabric(1e5, 0.3, 500), cell);
  scene.precision = Precision::float32;
  scene.step.gravity = {0, 0, -9.81};
  scene.bodies = {body_of(R"(<geom type="sphere" size=".1" pos="0 0 -.105"/>)")};
  add_sheet(scene, "sheet", 0.4, 0.4, {0, 0, 0});
  World world(scene, 2);
  while (world.time() < 0.2) world.step();
  const std::vector<Vec3> x = vertices(world, "sheet");
  double corners = 0, middle = 0;
  std::size_t n = std::size_t(std::lround(0.4 / cell)) + 1;
  for (const std::size_t v : {std::size_t(0), n - 1, n * (n - 1), n * n - 1}) corners += x[v][2] / 4;
  for (const Vec3& p : x) {
    middle += p[2] / double(x.size());
    // on the ball, not in it
    EXPECT_GT(std::hypot(p[0], p[1], p[2] + 0.105), 0.1 - 0.05 * cell);
  }
  return {corners, middle};
}

TEST(ClothContact, DrapeOverASphereConverges) {
  const auto coarse = drape(0.04), fine = drape(0.02);
  // they fall by 0.15 to 0.2 m; cells of 0.04 m are less than half of the ball's radius
  EXPECT_LT(fine[0], -0.1);
  EXPECT_NEAR(coarse[0], fine[0], 0.02);
  EXPECT_NEAR(coarse[1], fine[1], 0.01);
}

TEST(ClothContact, LONG_DrapeOverASphereConverges) {
  const auto coarse = drape(0.04), fine = drape(0.02), finest = drape(0.01);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_LT(std::fabs(finest[k] - fine[k]), std::fabs(fine[k] - coarse[k]) + 2e-3);
}

TEST(ClothContact, OneWayBodiesHoldClothToo) {
  Scene scene = cloth_scene(fabric(), 0.02);
  scene.step.gravity = {0, 0, -9.81};
  scene.step.method = Method::one_way;
  scene.bodies = {body_of(table, "table")};
  add_sheet(scene, "sheet", 0.2, 0.2, {0, 0, 0.05});
  World world(scene, 2);
  for (int i = 0; i < 100; ++i) world.step();
  for (const Vec3& x : vertices(world, "sheet")) {
    EXPECT_GT(x[2], -0.02);
    EXPECT_LT(x[2], 0.03);
  }
}

}  // namespace
}  // namespace pliant

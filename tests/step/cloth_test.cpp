// Cloth alone: elasticity against the continuum, bending against the beam, pins, momentum, same bits.
#include "step/sheets.h"

namespace pliant {
namespace {

using namespace test;

// N, mean over steps, by pin
std::vector<Vec3> mean_pin_forces(World& world, int steps) {
  std::vector<Vec3> sum;
  for (int i = 0; i < steps; ++i) {
    const StepReport& r = world.step();
    sum.resize(r.pin_impulses.size(), {0, 0, 0});
    for (std::size_t k = 0; k < sum.size(); ++k)
      for (std::size_t d = 0; d < 3; ++d) sum[k][d] += r.pin_impulses[k][d] / (steps * world.scene().step.dt);
  }
  return sum;
}

TEST(Cloth, StripPullsWithYoungsModulus) {
  const double a = 0.25, b = 0.125, strain = 0.01, E = 1e5;
  for (const double part : {0.5, 1.0, 1.5}) {
    Scene scene = cloth_scene(fabric(E, 0));
    Matter& strip = add_sheet(scene, "strip", a, b, {0, 0, 0}, part * scene.step.cell);
    strip.pins = {half_space("left", -a / 2, 1, {0, 0, 0}), half_space("right", a / 2, -1, {0, 0, 0})};
    scene.motion = {move_pin(strip, strip.pins[1], {strain * a, 0, 0}, 0.2)};
    World world(scene, 2);
    for (int i = 0; i < 100; ++i) world.step();
    const std::vector<Vec3> force = mean_pin_forces(world, 50);
    // what is left of the strip's own swinging; the mesh itself is exact
    EXPECT_NEAR(force[1][0], E * 1e-3 * b * strain, 2e-3 * E * 1e-3 * b * strain) << part;
    EXPECT_NEAR(force[0][0], -force[1][0], 1e-3 * force[1][0]);
    EXPECT_NEAR(force[1][1], 0, 1e-3 * force[1][0]);
  }
}

// the vertices of the border move as in a homogeneous deformation x -> x + grad x
void expect_energy(const std::array<double, 4>& grad, double expected) {
  const double a = 0.2, E = 1e5, nu = 0.3, spacing = 0.025;
  Scene scene = cloth_scene(fabric(E, nu), spacing);
  Matter& patch = add_sheet(scene, "patch", a, a, {0, 0, 0});
  const int n = 8;
  std::vector<Vec3> ways;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j) {
      if (i % n != 0 && j % n != 0) continue;
      const double x = -a / 2 + i * spacing, y = -a / 2 + j * spacing;
      patch.pins.push_back({"p" + std::to_string(i) + "_" + std::to_string(j), {x, y, 0}, 1e-3});
      ways.push_back({grad[0] * x + grad[1] * y, grad[2] * x + grad[3] * y, 0});
    }
  for (std::size_t k = 0; k < ways.size(); ++k) scene.motion.push_back(move_pin(patch, patch.pins[k], ways[k], 0.2));
  World world(scene, 2);
  for (int i = 0; i < 120; ++i) world.step();
  // second order of the strain of 1 %, and what swings
  EXPECT_NEAR(world.balance().elastic_energy, expected * 1e-3 * a * a, 0.01 * expected * 1e-3 * a * a);
}

TEST(Cloth, PatchHoldsTheEnergyOfPlaneStress) {
  const double e = 0.01, E = 1e5, nu = 0.3;
  expect_energy({0, e, 0, 0}, 0.5 * E / (2 * (1 + nu)) * e * e);
  expect_energy({e, 0, 0, e}, E / (1 - nu) * e * e);
  expect_energy({e, 0, 0, 0}, 0.5 * E / (1 - nu * nu) * e * e);
}

// Loaded at once a beam swings to twice its deflection at rest, q L^4 / (8 D). What the mesh makes of it: the clamp is
// half a spacing before its last row (1 + 2 a / L), and vertices where eight triangles meet yield against the others,
// which leaves 5/6 of D (README.md of src/cloth).
TEST(Cloth, CantileverBendsAsABeam) {
  const double length = 0.2, width = 0.05, t = 1e-3, D = 1e-3, density = 200, g = 0.1, a = 0.0125;
  Material m = fabric(1e4, 0, density);
  m.bending = D;
  Scene scene = cloth_scene(m, a, 5e-3);
  scene.step.gravity = {0, 0, -g};
  // two rows of vertices are the clamp
  Matter& strip = add_sheet(scene, "strip", length + a, width, {(length - a) / 2, 0, 0});
  strip.pins = {half_space("clamp", 0, 1, {0, 0, 0})};
  World world(scene, 2);
  double lowest = 0;
  for (int i = 0; i < 140; ++i) {
    world.step();
    for (const Vec3& x : vertices(world, "strip")) lowest = std::min(lowest, x[2]);
  }
  const double rest = -density * t * g * std::pow(length, 4) / (8 * D) * (1 + 2 * a / length) * 6 / 5;
  // higher modes swing along
  EXPECT_NEAR(lowest / (2 * rest), 1, 0.05);
}

TEST(Cloth, FreeSheetKeepsItsMomenta) {
  Scene scene = cloth_scene(fabric(1e5, 0.3));
  Matter& sheet = add_sheet(scene, "flag", 0.25, 0.2, {0.3, -0.2, 0.1});
  sheet.velocity = {1, 0.5, -0.2};
  sheet.angular_velocity = {9, 2, 3};
  World world(scene, 2);
  const Balance before = world.balance();
  for (int i = 0; i < 150; ++i) world.step();
  const Balance after = world.balance();
  double size = 0, spin = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    size = std::max(size, std::fabs(before.momentum[d]));
    spin = std::max(spin, std::fabs(before.angular_momentum[d]));
  }
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_NEAR(after.momentum[d], before.momentum[d], 1e-13 * size);
    // a centroid is put to the middle of its corners, not to where its own velocity leads
    EXPECT_NEAR(after.angular_momentum[d], before.angular_momentum[d], 1e-4 * spin);
  }
  EXPECT_LT(after.kinetic_energy + after.elastic_energy, before.kinetic_energy * (1 + 1e-6));
  EXPECT_GT(after.kinetic_energy + after.elastic_energy, before.kinetic_energy * 0.97);
}

TEST(Cloth, PinsHoldMoveAndRelease) {
  Scene scene = cloth_scene(fabric());
  scene.step.gravity = {0, 0, -9.81};
  const double a = 0.125;
  Matter& towel = add_sheet(scene, "towel", 2 * a, 2 * a, {0, 0, 0});
  towel.pins = {{"stays", {-a, -a, 0}, 0.02}, {"moves", {a, a, 0}, 0.02}, {"goes", {a, -a, 0}, 0.02, 0.1}};
  scene.motion = {move_pin(towel, towel.pins[1], {-0.05, 0, 0.05}, 0.2)};
  World world(scene, 2);
  const std::vector<Vec3> start = vertices(world, "towel");
  for (int i = 0; i < 120; ++i) {
    const StepReport r = world.step();
    ASSERT_EQ(r.pin_impulses.size(), 3u);
    for (std::size_t d = 0; d < 3; ++d) {
      double given = r.gravity_impulse[d];
      for (const auto& p : r.pin_impulses) given += p[d];
      EXPECT_NEAR(r.after.momentum[d] - r.before.momentum[d], given, 1e-14);
    }
    const bool released = world.time() > 0.101;
    for (std::size_t d = 0; d < 3 && released; ++d) EXPECT_EQ(r.pin_impulses[2][d], 0);
  }
  const std::vector<Vec3> end = vertices(world, "towel");
  const auto distance = [](const Vec3& x, const Vec3& y) { return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]); };
  const double none = 1e-15;
  int held = 0;
  for (std::size_t v = 0; v < start.size(); ++v) {
    Vec3 moved = start[v];
    const bool moves = distance(start[v], {a, a, 0}) < 0.02, goes = distance(start[v], {a, -a, 0}) < 0.02;
    if (moves) moved = {moved[0] - 0.05, moved[1], moved[2] + 0.05};
    if (!moves && !goes && distance(start[v], {-a, -a, 0}) >= 0.02) continue;
    ++held;
    if (goes)
      EXPECT_LT(end[v][2], -0.02);
    else
      EXPECT_NEAR(distance(end[v], moved), 0, none);
  }
  // three or four vertices at each corner
  EXPECT_GE(held, 9);
}

TEST(Cloth, PinsThatCannotBeAreRefused) {
  Scene scene = cloth_scene(fabric());
  Matter& towel = add_sheet(scene, "towel", 0.25, 0.25, {0, 0, 0});
  towel.pins = {{"one", {0, 0, 1}, 0.02}};
  const auto refused = [&](const char* said) {
    try {
      World world(scene, 1);
      ADD_FAILURE() << said;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
    }
  };
  refused("pin 'one' holds nothing");
  towel.pins = {{"one", {0, 0, 0}, 0.02}, {"two", {0.01, 0, 0}, 0.02}};
  refused("pins 'one' and 'two' both hold vertex");
  towel.pins.pop_back();
  scene.motion = {move_pin(towel, towel.pins[0], {0, 0, 1}, 1)};
  scene.motion[0].values[0][2] = 0.1;
  refused("it starts at (0 0 0.1) m");
  scene.motion[0].target = "towel/three";
  refused("no such pin; known are 'towel/one'");
}

// a towel on two pins in gravity, and jelly that falls onto it
Scene busy_scene(Precision precision) {
  Scene scene = cloth_scene(fabric());
  scene.precision = precision;
  scene.step.gravity = {0, 0, -9.81};
  Matter& towel = add_sheet(scene, "towel", 0.25, 0.25, {0, 0, 0});
  towel.pins = {{"a", {-0.125, -0.125, 0}, 0.02}, {"b", {0.125, 0.125, 0}, 0.02}};
  scene.motion = {move_pin(towel, towel.pins[1], {-0.05, 0, 0.05}, 0.1)};
  add(scene, "jelly", elastic(1e4, 0.3), block(3, {-.03, -.03, .02}, {.03, .03, .08}, 0.01), 0.01);
  return scene;
}

TEST(Cloth, SameBitsForAnyNumberOfThreadsAndAfterRestore) {
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    const Scene scene = busy_scene(precision);
    World one(scene, 1);
    std::vector<std::byte> saved;
    for (int i = 0; i < 30; ++i) {
      one.step();
      if (i == 14) saved = one.save();
    }
    for (const int threads : {2, 3, 8}) {
      World world(scene, threads);
      for (int i = 0; i < 30; ++i) world.step();
      EXPECT_EQ(world.state_hash(), one.state_hash()) << threads << " threads";
    }
    World later(scene, 2);
    later.restore(saved);
    for (int i = 15; i < 30; ++i) later.step();
    EXPECT_EQ(later.state_hash(), one.state_hash());
  }
}

TEST(Cloth, AWideMeshIsWarnedOfOnce) {
  const auto warnings = [](double spacing) {
    Scene scene = cloth_scene(fabric());
    add_sheet(scene, "sail", 0.3, 0.2, {0, 0, 0}, spacing);
    World world(scene, 1);
    const std::vector<std::string> first = world.step().warnings;
    EXPECT_TRUE(world.step().warnings.empty());
    return first;
  };
  EXPECT_TRUE(warnings(1.0 / 64).empty());
  const std::vector<std::string> found = warnings(0.025);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].starts_with("cloth 'sail': its edges are 0.02")) << found[0];
}

TEST(Cloth, TrianglesAndParticlesBelongTogether) {
  World world(busy_scene(Precision::float64), 2);
  EXPECT_TRUE(world.triangles("jelly").empty());
  const auto triangles = world.triangles("towel");
  for (int i = 0; i < 20; ++i) world.step();
  const std::vector<double> x = numbers(world, "towel", Attribute::position);
  const std::size_t corners = vertices(world, "towel").size();
  ASSERT_EQ(x.size(), 3 * (corners + triangles.size()));
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (std::size_t d = 0; d < 3; ++d) {
      double middle = 0;
      for (const std::int32_t v : triangles[t]) middle += x[3 * std::size_t(v) + d] / 3;
      EXPECT_NEAR(x[3 * (corners + t) + d], middle, 1e-15);
    }
}

}  // namespace
}  // namespace pliant

// Grasps close on force: what stops an actuator is state like any other.
#include "core/hash.h"
#include "effort.h"
#include "step/support.h"

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <cmath>
#include <cstring>
#include <string_view>

namespace pliant {
namespace {

// a plate on a servo above a floor
constexpr const char* press = R"(<mujoco><option integrator="implicitfast"/><worldbody>
  <geom type="plane" size="1 1 .1"/>
  <body name="plate" pos="0 0 .2" gravcomp="1"><joint name="down" type="slide" axis="0 0 -1"/>
    <geom type="box" size=".1 .1 .01" pos="0 0 .01" mass=".5"/></body>
  %s</worldbody><actuator><position name="down" joint="down" kp="2000" kv="30"/></actuator></mujoco>)";

constexpr double wanted = 6;  // N
// the servo runs ahead of its plate by kv v / kp, and holds what that gives it: 30 N s/m at 0.18 m/s
constexpr double lead = 5.4;  // N

// presses for 1 s down to the floor, holds for 0.5 s, goes up
Scene pressing(Method method) {
  Scene scene;
  Material jelly;
  jelly.name = "jelly";
  jelly.law = Law::linear_corotated;
  jelly.E = 2e4;
  jelly.nu = 0.3;
  jelly.density = 500;
  jelly.loss = 0;  // with loss the force falls once the press stands still
  scene.materials = {jelly};
  Matter block;
  block.name = "block";
  block.material = "jelly";
  block.shape.size = {0.1, 0.1, 0.1};
  block.shape.center = {0, 0, 0.05};
  block.sampling.method = Sampling::Method::lattice;
  scene.matter = {block};
  scene.step.cell = 0.025;
  scene.step.dt = 0.005;
  scene.step.method = method;
  scene.step.tolerance = method == Method::strong ? 1e-5 : 1e-2;
  Body body;
  body.name = "press";
  body.text = press;
  body.text.replace(body.text.find("%s"), 2, "");
  scene.bodies = {body};
  Motion motion;
  motion.target = "press/down";
  motion.path = Motion::Path::linear;
  motion.times = {0, 1, 1.5, 2};
  motion.values = {{0}, {0.18}, {0.18}, {0}};
  motion.until_force = {"press/plate", wanted};
  motion.release = {false, false, false, true};
  scene.motion = {motion};
  return scene;
}

Scene pressing_a_rigid_block() {
  Scene scene = pressing(Method::async);
  scene.materials.clear();
  scene.matter.clear();
  scene.bodies[0].text = press;
  const std::string block =
      R"(<body pos="0 0 .05"><freejoint/><geom type="box" size=".05 .05 .05" mass=".5" solref=".02 1"/></body>)";
  scene.bodies[0].text.replace(scene.bodies[0].text.find("%s"), 2, block);
  return scene;
}

double force_on_plate(const World& world) {
  const Vec3 f = world.wrench("press/plate").force;
  return std::sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
}

int steps_to(const World& world, double time) { return int(std::lround(time / world.scene().step.dt)); }

TEST(UntilForce, APressStopsAtTheForceOfMatter) {
  for (Method method : {Method::async, Method::strong}) {
    SCOPED_TRACE(int(method));
    World world(pressing(method), 2);
    int stopped = 0;
    double control = 0, last = 0;
    for (int i = 1; i <= steps_to(world, 1.5); ++i) {
      last = force_on_plate(world);
      world.step();
      if (stopped) {
        EXPECT_EQ(world.data()->ctrl[0], control);
      }
      if (stopped || force_on_plate(world) < wanted) continue;
      // the very step in which the force is reached, for the first time
      stopped = i;
      control = world.data()->ctrl[0];
      EXPECT_LT(last, wanted);
    }
    ASSERT_GT(stopped, 0);
    EXPECT_LT(control, 0.15);
    EXPECT_GT(force_on_plate(world), wanted);
    EXPECT_LT(force_on_plate(world), wanted + lead);

    // up again, from where it was
    world.step();
    EXPECT_NEAR(world.data()->ctrl[0], control * 0.99, 1e-12);
    for (int i = 0; i < steps_to(world, 0.6); ++i) world.step();
    EXPECT_EQ(world.data()->ctrl[0], 0);
    EXPECT_EQ(force_on_plate(world), 0);
  }
}

TEST(UntilForce, APressStopsAtTheForceOfABody) {
  World world(pressing_a_rigid_block(), 1);
  for (int i = 0; i < steps_to(world, 1.4); ++i) world.step();
  const double control = world.data()->ctrl[0];
  EXPECT_GT(control, 0.1);  // it is on the block
  EXPECT_LT(control, 0.15);
  // at rest the servo's force is on the block; the force that stopped it was that of an impact
  const double force = 2000 * (control - world.data()->qpos[0]);
  EXPECT_GT(force, 1);
  EXPECT_LT(force, wanted + lead);

  Scene stronger = pressing_a_rigid_block();
  stronger.motion[0].until_force.newton = 1e6;
  World free(stronger, 1);
  for (int i = 0; i < steps_to(free, 1.4); ++i) free.step();
  EXPECT_EQ(free.data()->ctrl[0], 0.18);
}

TEST(UntilForce, HeldControlsAreSavedAndRestored) {
  for (Method method : {Method::async, Method::strong}) {
    if (test::is_sanitized && method == Method::strong) continue;  // the case above has its steps
    const Scene scene = pressing(method);
    World world(scene, 2), one(scene, 1);
    for (int i = 0; i < steps_to(world, 1.2); ++i) {
      world.step();
      one.step();
    }
    EXPECT_EQ(world.state_hash(), one.state_hash());
    const auto saved = world.save();
    World other(scene, 1);
    other.restore(saved);
    EXPECT_EQ(world.state_hash(), other.state_hash());
    for (int i = 0; i < steps_to(world, 0.6); ++i) {
      world.step();
      other.step();
      ASSERT_EQ(world.state_hash(), other.state_hash()) << i;
      ASSERT_EQ(world.data()->ctrl[0], other.data()->ctrl[0]) << i;
    }
    // back to before it was stopped
    const std::uint64_t end = world.state_hash();
    World fresh(scene, 1);
    const auto start = fresh.save();
    world.restore(start);
    for (int i = 0; i < steps_to(world, 1.8); ++i) world.step();
    EXPECT_EQ(world.state_hash(), end);
  }
}

// bytes that someone else has written, with a checksum that fits
TEST(UntilForce, AHeldControlThatIsNoNumberIsRefused) {
  World world(pressing(Method::async), 1);
  std::vector<std::byte> bytes = world.save();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t section = text.find(std::string("holds") + '\0');
  ASSERT_NE(section, std::string_view::npos);
  const double bad = NAN;
  std::memcpy(bytes.data() + section + 16 + 8, &bad, sizeof bad);
  const std::uint64_t checksum = hash_bytes(bytes.data(), bytes.size() - 8);
  std::memcpy(bytes.data() + bytes.size() - 8, &checksum, 8);
  const std::uint64_t before = world.state_hash();
  try {
    world.restore(bytes);
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_file);
    EXPECT_NE(std::string(error.what()).find("a control held at nan"), std::string::npos) << error.what();
  }
  EXPECT_EQ(world.state_hash(), before);
}

TEST(UntilForce, UnknownBodiesAreRefused) {
  Scene scene = pressing(Method::strong);
  scene.motion[0].until_force.body = "press/plane";
  try {
    World world(scene, 1);
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_NE(std::string(error.what()).find("did you mean 'press/plate'?"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace pliant

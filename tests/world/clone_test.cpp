// A clone goes on as the original does, and neither disturbs the other; a reset world is as new.
#include "step/support.h"

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <malloc.h>

#include <thread>

namespace pliant {
namespace {

// a cube that slides on a moving table against a servo, on a plane that moves
Scene busy(Method method, Precision precision = Precision::float32) {
  Scene scene;
  scene.precision = precision;
  scene.step.method = method;
  scene.step.cell = 0.02, scene.step.dt = 4e-3;
  test::add_cube(scene, test::elastic(1e5, 0.3));
  scene.matter[0].velocity = {0.5, 0.1, -0.3};
  scene.matter[0].angular_velocity = {0, 0, 5};
  Body things = test::body_of("");
  things.text = R"(<mujoco><option integrator="implicitfast"/><worldbody>
      <geom type="plane" size="1 1 .1" pos="0 0 0"/>
      <body name="cart" pos=".12 0 .04"><joint name="cart" type="slide" axis="1 0 0" damping="1"/>
        <geom name="cart" type="box" size=".055 .1 .03" mass=".1"/></body>
    </worldbody><actuator><position joint="cart" kp="20"/></actuator></mujoco>)";
  scene.bodies = {things};
  scene.boundaries = {test::plane({0, -.06, 0}, {0, 1, 0}, 0.3)};
  scene.boundaries[0].velocity = {0, 0.05, 0};
  return scene;
}

constexpr Method methods[] = {Method::async, Method::strong, Method::one_way};

TEST(Clone, GoesOnWithTheSameBitsOnAnyNumberOfThreads) {
  for (Method method : methods) {
    World world(busy(method), 2);
    world.data()->ctrl[0] = -0.02;
    for (int i = 0; i < 3; ++i) world.step();
    World one = world.clone(1), three = world.clone(3);
    EXPECT_EQ(one.state_hash(), world.state_hash());
    EXPECT_EQ(one.report().time, world.report().time);
    EXPECT_EQ(one.contacts().size(), world.contacts().size());
    EXPECT_EQ(one.wrench("thing/cart").force, world.wrench("thing/cart").force);
    for (int i = 0; i < 3; ++i) {
      world.step();
      one.step();
      three.step();
      ASSERT_EQ(one.state_hash(), world.state_hash()) << int(method) << " " << i;
      ASSERT_EQ(three.state_hash(), world.state_hash()) << int(method) << " " << i;
      ASSERT_EQ(one.wrench("thing/cart").force, world.wrench("thing/cart").force);
    }
  }
}

// a clone has a new workspace: throwing it away after every step changes no bit
TEST(Clone, AWorkspaceMayBeThrownAwayBetweenAnyTwoSteps) {
  for (Method method : methods)
    for (Precision precision : {Precision::float32, Precision::float64}) {
      World kept(busy(method, precision), 2);
      World thrown = kept.clone();
      for (int i = 0; i < 6; ++i) {
        kept.step();
        thrown = thrown.clone();
        thrown.step();
        ASSERT_EQ(kept.state_hash(), thrown.state_hash()) << int(method) << " " << i;
      }
    }
}

TEST(Clone, IsIndependent) {
  World world(busy(Method::async), 1);
  world.step();
  World other = world.clone();
  const auto before = world.state_hash();
  other.data()->ctrl[0] = 0.05;
  other.set_boundary_velocity("plane", {0, 1, 0});
  other.set_actuation("cube", {50, 0, 0, 0, 0, 0, 0, 0, 0});
  for (int i = 0; i < 3; ++i) other.step();
  EXPECT_EQ(world.state_hash(), before);
  EXPECT_NE(other.state_hash(), before);
  EXPECT_EQ(world.model(), other.model());
  EXPECT_NE(world.data(), other.data());
}

TEST(Clone, ClonesStepAtTheSameTime) {
  for (Method method : {Method::async, Method::strong}) {
    World world(busy(method), 1);
    std::vector<World> clones;
    for (int i = 0; i < 4; ++i) clones.push_back(world.clone());
    std::vector<std::thread> threads;
    for (World& clone : clones)
      threads.emplace_back([&clone] {
        for (int i = 0; i < 4; ++i) clone.step();
      });
    for (std::thread& t : threads) t.join();
    for (int i = 0; i < 4; ++i) world.step();
    for (World& clone : clones) EXPECT_EQ(clone.state_hash(), world.state_hash());
  }
}

TEST(Clone, LivesOnAfterTheOriginal) {
  auto world = std::make_unique<World>(busy(Method::async), 1);
  world->step();
  World other = world->clone(), twin = world->clone();
  world.reset();
  EXPECT_NO_THROW(other.step());
  twin.step();
  EXPECT_EQ(other.state_hash(), twin.state_hash());
}

// bytes that the program holds
std::size_t held() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

void expect_no_loss(const World& world, int clones, bool step) {
  const auto make = [&] {
    World clone = world.clone();
    if (step) clone.step();
  };
  // what libraries keep for good is there after a few
  for (int i = 0; i < 20; ++i) make();
  const std::size_t before = held();
  for (int i = 0; i < clones; ++i) make();
  // What threads keep for themselves of freed memory counts as held, some kB in all. A loss would be 32 bytes of each at
  // least: 320 kB of ten thousand.
  EXPECT_LT(double(held()) - double(before), 65536) << "with" << (step ? "" : "out") << " a step";
}

TEST(Clone, ManyLeaveTheMemoryWhereItWas) {
  const World world(busy(Method::async), 2), strong(busy(Method::strong), 1);
  expect_no_loss(world, 1000, false);
  expect_no_loss(world, 200, true);
  expect_no_loss(strong, 50, true);
}

TEST(Clone, LONG_TenThousandLeaveTheMemoryWhereItWas) {
  expect_no_loss(World(busy(Method::async), 2), 10000, false);
  expect_no_loss(World(busy(Method::async), 2), 10000, true);
}

TEST(Reset, IsAsNew) {
  for (Method method : methods) {
    const Scene scene = busy(method);
    World fresh(scene, 2), world(scene, 1);
    const auto first = fresh.state_hash();
    world.set_actuation("cube", {50, 0, 0, 0, 0, 0, 0, 0, 0});
    world.set_boundary_velocity("plane", {0, 1, 0});
    world.data()->ctrl[0] = 0.05;
    for (int i = 0; i < 4; ++i) world.step();
    world.reset();
    EXPECT_EQ(world.state_hash(), first);
    EXPECT_EQ(world.time(), 0);
    EXPECT_TRUE(world.contacts().empty());
    for (int i = 0; i < 3; ++i) {
      fresh.step();
      world.step();
      ASSERT_EQ(world.state_hash(), fresh.state_hash()) << i;
    }
  }
}

TEST(Set, WritesByIdAndIsKept) {
  World world(busy(Method::async), 1);
  for (int i = 0; i < 3; ++i) world.step();
  const std::vector<Attribute> all = {Attribute::position, Attribute::velocity, Attribute::affine,
                                      Attribute::deformation_gradient, Attribute::plastic};
  // writing what is there changes nothing but the memory of contacts
  World same = world.clone();
  for (Attribute a : all) same.set("cube", a, test::numbers(world, "cube", a));
  for (Attribute a : all) EXPECT_EQ(test::numbers(same, "cube", a), test::numbers(world, "cube", a));

  std::vector<double> x = test::numbers(world, "cube", Attribute::position);
  for (std::size_t i = 0; i < x.size(); i += 3) x[i] = float(x[i] + 0.25);
  world.set("cube", Attribute::position, x);
  EXPECT_EQ(test::numbers(world, "cube", Attribute::position), x);
  std::vector<double> v(x.size(), 2.5);
  world.set("cube", Attribute::velocity, v);
  const World copy = world.clone();
  EXPECT_EQ(test::numbers(copy, "cube", Attribute::position), x);
  EXPECT_EQ(test::numbers(copy, "cube", Attribute::velocity), v);
  World restored(busy(Method::async), 1);
  restored.restore(world.save());
  EXPECT_EQ(restored.state_hash(), world.state_hash());
  world.step();
  restored.step();
  EXPECT_EQ(restored.state_hash(), world.state_hash());
  // free flight of matter that was put beside everything; floats of this size are good to 3e-8
  const std::vector<double> after = test::numbers(world, "cube", Attribute::position);
  double moved = 0;
  for (std::size_t i = 0; i < x.size(); i += 3) moved += (after[i] - x[i]) / (double(x.size()) / 3);
  EXPECT_NEAR(moved, 2.5 * 4e-3, 3e-8);
}

TEST(Set, RefusesWhatNoParticleCanHave) {
  World world(busy(Method::async), 1);
  const auto before = world.state_hash();
  std::vector<double> x = test::numbers(world, "cube", Attribute::position);
  const auto refused = [&](Attribute attribute, std::vector<double> values, ErrorCode code, const char* part) {
    const std::string text = test::error_of([&] { world.set("cube", attribute, values); }, code);
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  auto bad = x;
  bad[7] = std::numeric_limits<double>::quiet_NaN();
  refused(Attribute::position, bad, ErrorCode::bad_input, "particle 2");
  bad[7] = 1e39;  // infinite as a float
  refused(Attribute::velocity, bad, ErrorCode::bad_input, "finite");
  bad[7] = 1e7;
  refused(Attribute::position, bad, ErrorCode::out_of_range, "grid");
  bad.pop_back();
  refused(Attribute::position, bad, ErrorCode::bad_input, "512 particles");
  refused(Attribute::deformation_gradient, std::vector<double>(9 * 512, 0.0), ErrorCode::bad_input, "determinant");
  refused(Attribute::mass, std::vector<double>(512, 1.0), ErrorCode::bad_input, "cannot be set");
  EXPECT_EQ(world.state_hash(), before);
}

TEST(SetBodies, ChecksAndWrites) {
  Scene scene = busy(Method::async);
  scene.bodies.push_back(
      test::body_of("<body name='ball' pos='0 0 1'><freejoint/><geom size='.02' mass='.1'/></body>", "free"));
  World world(scene, 1);
  const int nq = int(world.model()->nq), nv = int(world.model()->nv);
  std::vector<double> qpos(world.data()->qpos, world.data()->qpos + nq), qvel(std::size_t(nv), 0.1);
  qpos[1] = 0.3;
  world.set_bodies(qpos, qvel);
  EXPECT_EQ(world.data()->qpos[1], 0.3);
  EXPECT_EQ(world.data()->qvel[0], 0.1);
  const int ball = mj_name2id(world.model(), mjOBJ_BODY, "free/ball");
  EXPECT_EQ(world.data()->xpos[3 * ball], 0.3);
  const auto before = world.state_hash();
  auto bad = qpos;
  bad[4] = 0.5;
  EXPECT_NE(test::error_of([&] { world.set_bodies(bad, qvel); }, ErrorCode::bad_input).find("quaternion"),
            std::string::npos);
  bad[4] = std::numeric_limits<double>::infinity();
  test::error_of([&] { world.set_bodies(bad, qvel); }, ErrorCode::bad_input);
  test::error_of([&] { world.set_bodies({}, std::vector<double>{1}); }, ErrorCode::bad_input);
  EXPECT_EQ(world.state_hash(), before);
}

}  // namespace
}  // namespace pliant

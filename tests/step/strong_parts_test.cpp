// A strong step that fails whole is repeated in parts.
#include "step/support.h"
#include "world/snapshot_parts.h"

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <cmath>
#include <limits>

namespace pliant {
namespace {

constexpr double dt = 1e-2;

// A cube that turns by 3 rad in a step, which is too many, between a floor, a ball that it hits, a hand that follows a
// motion, a cart with a servo, and a plane that moves.
Scene spinning(int max_cuts) {
  Scene scene;
  scene.precision = Precision::float64;
  scene.step.method = Method::strong;
  scene.step.exact_rotation = true;
  scene.step.cell = 0.02, scene.step.dt = dt, scene.step.max_cuts = max_cuts;
  // twenty solves, in each of which friction is found, before the whole step is given up
  scene.step.budget = 200'000;
  test::add_cube(scene, test::elastic(1e6, 0.3, 1000, Law::linear_corotated));
  scene.matter[0].angular_velocity = {0, 0, 300};
  Body things = test::body_of("");
  things.text = R"(<mujoco><option integrator="implicitfast"/><worldbody>
      <geom type="plane" size="1 1 .1" pos="0 0 0"/>
      <body name="ball" pos=".085 0 .04"><freejoint/><geom type="sphere" size=".05" mass=".3"/></body>
      <body name="cart" pos="-.1 0 .04"><joint name="cart" type="slide" axis="1 0 0" damping="1"/><geom type="box" size=".055 .1 .03" mass=".1"/></body>
      <body name="hand" mocap="true" pos="0 .1 .04"><geom type="box" size=".03 .05 .03"/></body>
    </worldbody><actuator><position joint="cart" kp="20"/></actuator></mujoco>)";
  scene.bodies = {things};
  scene.boundaries = {test::plane({0, -.06, 0}, {0, 1, 0}, 0.3)};
  const Motion push = {.kind = Motion::Kind::mocap,
                       .target = "thing/hand",
                       .times = {0, 1},
                       .values = {{0, .1, .04, 1, 0, 0, 0}, {0, 0, .04, 1, 0, 0, 0}}};
  const Motion drive = {
      .kind = Motion::Kind::boundary, .target = "plane", .times = {0, 1}, .values = {{0, -.06, 0}, {0, .04, 0}}};
  scene.motion = {push, drive};
  return scene;
}

// the bytes of a state but for its time and its count of steps
std::vector<std::byte> bytes_of(const World& world) {
  SnapshotParts parts(world.save());
  for (const char* name : {"time", "steps"}) parts.find(name).data.assign(8, std::byte(0));
  return parts.join();
}

struct ByHand {
  std::vector<std::byte> bytes;
  Vec3 on_ball = {0, 0, 0}, on_boundary = {0, 0, 0}, gravity = {0, 0, 0};  // N s
  int iterations = 0;
};

void add(Vec3& sum, const Vec3& more, double factor = 1) {
  for (std::size_t d = 0; d < 3; ++d) sum[d] += factor * more[d];
}

// steps of a world with smaller dt
ByHand by_hand(const std::vector<std::byte>& start, int parts, double control) {
  Scene scene = spinning(0);
  scene.step.dt = dt / parts;
  World world(scene, 1);
  world.restore(start);
  world.data()->ctrl[0] = control;
  ByHand result;
  for (int i = 0; i < parts; ++i) {
    const StepReport& report = world.step();
    add(result.on_ball, world.wrench("thing/ball").force, dt / parts);
    add(result.on_boundary, report.boundary_impulses[0]);
    add(result.gravity, report.gravity_impulse);
    result.iterations += report.iterations;
  }
  result.bytes = bytes_of(world);
  return result;
}

void expect_near(const Vec3& a, const Vec3& b) {
  // sums of the same numbers in another order
  for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(a[d], b[d], 1e-13 * (1 + std::fabs(b[d])));
}

TEST(StrongParts, AStepThatFailsWholeIsThatOfSmallerSteps) {
  World world(spinning(3), 1);
  world.data()->ctrl[0] = 0.02;
  for (int step = 0; step < 2; ++step) {
    const std::vector<std::byte> start = world.save();
    const StepReport& report = world.step();
    ASSERT_GT(report.substeps, 1) << step;
    const ByHand expected = by_hand(start, report.substeps, 0.02);
    EXPECT_EQ(bytes_of(world), expected.bytes) << step;
    EXPECT_EQ(report.iterations, expected.iterations);
    EXPECT_EQ(report.time, world.time());
    EXPECT_NEAR(world.time(), (step + 1) * dt, 1e-15);
    EXPECT_EQ(world.model()->opt.timestep, dt);
    ASSERT_EQ(report.warnings.size(), step == 0 ? 2u : 1u);  // at first also that the ball starts inside of the matter
    EXPECT_NE(report.warnings[0].find("not_converged"), std::string::npos) << report.warnings[0];

    // forces are means over the whole step, and the same in all accounts
    Vec3 on_ball = world.wrench("thing/ball").force, touched = {0, 0, 0};
    for (double& f : on_ball) f *= dt;
    const int ball = mj_name2id(world.model(), mjOBJ_BODY, "thing/ball");
    for (const Touch& touch : world.contacts())
      if (touch.body == ball) add(touched, touch.impulse);
    expect_near(on_ball, expected.on_ball);
    expect_near(touched, expected.on_ball);
    expect_near(report.boundary_impulses[0], expected.on_boundary);
    EXPECT_GT(report.boundary_impulses[0][1], 1e-3);
    expect_near(report.gravity_impulse, expected.gravity);
    Vec3 change = report.after.momentum, given = report.gravity_impulse;
    add(change, report.before.momentum, -1);
    for (const Vec3& impulse : report.body_impulses) add(given, impulse);
    add(given, report.boundary_impulses[0]);
    // what is left over by a solve is spread over all of matter, so that momentum is kept to round-off
    for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(change[d], given[d], 1e-12) << d;
  }
  // it was no near miss
  EXPECT_GT(std::fabs(world.data()->qvel[0]) + std::fabs(world.data()->qvel[1]), 1e-2);
}

TEST(StrongParts, SameBitsOnAnyNumberOfThreadsAndAfterRestore) {
  World one(spinning(3), 1), two(spinning(3), 2);
  std::vector<std::byte> saved;
  for (int i = 0; i < 2; ++i) {
    EXPECT_GT(one.step().substeps, 1);
    two.step();
    ASSERT_EQ(one.state_hash(), two.state_hash()) << i;
    if (i == 0) saved = one.save();
  }
  World again(spinning(3), 2);
  again.restore(saved);
  again.step();
  EXPECT_EQ(again.state_hash(), one.state_hash());
  one.restore(saved);
  one.step();
  EXPECT_EQ(again.state_hash(), one.state_hash());
}

std::string failure_of(World& world) {
  const auto hash = world.state_hash();
  const auto before = test::numbers(world, "cube", Attribute::position);
  const std::string text = test::error_of([&] { world.step(); }, ErrorCode::not_converged);
  EXPECT_EQ(world.state_hash(), hash);
  EXPECT_EQ(test::numbers(world, "cube", Attribute::position), before);
  EXPECT_EQ(world.model()->opt.timestep, dt);
  EXPECT_EQ(world.boundary_centers()[0], (Vec3{0, -.06, 0}));
  EXPECT_EQ(world.time(), 0);
  return text;
}

TEST(StrongParts, AreNotTakenWithoutCuts) {
  World world(spinning(0), 1);
  const std::string text = failure_of(world);
  EXPECT_NE(text.find("smaller dt"), std::string::npos) << text;
  EXPECT_EQ(text.find("parts"), std::string::npos) << text;
}

// 2000 rad/s are too fast for eighths too
TEST(StrongParts, AStepThatFailsInPartsTooChangesNothing) {
  Scene scene = spinning(3);
  scene.matter[0].angular_velocity = {0, 0, 2000};
  World world(scene, 1);
  const std::string text = failure_of(world);
  EXPECT_NE(text.find("t = 0 s"), std::string::npos) << text;
  EXPECT_NE(text.find("8 parts too"), std::string::npos) << text;
  // nor does it leave anything behind that a later step would see
  const std::string again = failure_of(world);
  EXPECT_EQ(again, text);
}

// a force that is no number from the middle of the first step on
void break_late(const mjModel*, mjData* d) {
  if (d->time > 0.4 * dt) d->qfrc_passive[0] = std::numeric_limits<double>::quiet_NaN();
}

// half of the parts go well, then one does not: all goes back to the start
TEST(StrongParts, ALaterPartThatFailsChangesNothing) {
  World world(spinning(3), 1);
  mjcb_passive = break_late;
  const std::string text = failure_of(world);
  mjcb_passive = nullptr;
  EXPECT_NE(text.find("8 parts too"), std::string::npos) << text;
  World fresh(spinning(3), 1);
  world.step();
  fresh.step();
  EXPECT_EQ(world.state_hash(), fresh.state_hash());
}

// a step that goes well whole is the same with and without cuts
TEST(StrongParts, AreNotTakenWithoutNeed) {
  Scene scene = spinning(3);
  scene.matter[0].angular_velocity = {0, 0, 10};
  Scene plain = scene;
  plain.step.max_cuts = 0;
  World world(scene, 1), other(plain, 1);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(world.step().substeps, 1);
    for (const std::string& w : world.report().warnings) EXPECT_EQ(w.find("parts"), std::string::npos) << w;
    other.step();
  }
  EXPECT_EQ(world.state_hash(), other.state_hash());
}

}  // namespace
}  // namespace pliant

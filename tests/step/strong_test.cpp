// The strong step: matter, friction and bodies in one implicit solve.
#include "bodies/models.h"
#include "effort.h"
#include "solve/newton.h"
#include "step/bodies_in_step.h"
#include "step/support.h"

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <Eigen/Geometry>

#include <cmath>

namespace pliant {

using namespace bodies;
using namespace solve;
using namespace step;

namespace {

using test::add_cube;
using test::body_of;
using test::elastic;
using test::floor_text;

// a soft cube of 0.08 m, cells of 0.02 m, steps of 10 ms
Scene cube_scene(Law law = Law::linear_corotated, Precision precision = Precision::float64) {
  Scene scene;
  scene.precision = precision;
  scene.step.method = Method::strong;
  scene.step.tolerance = 1e-6;
  scene.step.cell = 0.02, scene.step.dt = 1e-2;
  add_cube(scene, elastic(1e5, 0.3, 1000, law));
  return scene;
}

TEST(Strong, WithoutMatterGivesMujocosAcceleration) {
  Workers workers(1);
  for (const test::TestModel& model : test::ten_models()) {
    SCOPED_TRACE(model.name);
    Bodies bodies = test::make_bodies(model.text);
    if (bodies.takes_damping_implicitly()) continue;  // its velocity is not that of the acceleration
    // MuJoCo's own solver, as far as it goes
    const_cast<mjModel*>(bodies.model())->opt.tolerance = 0;
    const_cast<mjModel*>(bodies.model())->opt.iterations = 200;
    for (int i = 0; i < 100; ++i) bodies.step();
    bodies.forward();
    const mjModel* m = bodies.model();
    const mjData* d = bodies.data();
    const double dt = m->opt.timestep;
    BodiesInStep cost(bodies, dt);
    Unknowns unknowns;
    number_unknowns({}, cost, unknowns);
    StrongProblem problem;
    problem.unknowns = &unknowns;
    problem.bodies = &cost;
    NewtonOptions options;
    options.relative_tolerance = 1e-13;
    NewtonWork work;
    std::vector<double> w(d->qvel, d->qvel + m->nv);
    solve_newton(problem, options, workers, work, {}, w);
    double largest = 0;
    for (int i = 0; i < m->nv; ++i) largest = std::max(largest, std::fabs(d->qacc[i]));
    for (int i = 0; i < m->nv; ++i)
      EXPECT_NEAR((w[std::size_t(i)] - d->qvel[i]) / dt, d->qacc[i], 1e-9 * (1 + largest)) << i;
  }
}

TEST(Strong, FallsFreelyWithEveryLaw) {
  for (const Law law : {Law::linear, Law::linear_corotated, Law::fixed_corotated, Law::neo_hookean, Law::hencky,
                        Law::sand, Law::liquid, Law::snow}) {
    SCOPED_TRACE(name(law));
    World world(cube_scene(law), 1);
    for (int i = 0; i < 10; ++i) world.step();
    const Balance b = world.balance();
    // momentum is exact to the round-off of its sums
    EXPECT_NEAR(b.momentum[2], -b.mass * 9.81 * 0.1, 1e-13);
    EXPECT_NEAR(b.momentum[0], 0, 1e-13);
  }
}

// ten turns a second, steps of a millisecond
void keeps_spinning(Law law, int steps) {
  SCOPED_TRACE(name(law));
  Scene scene = cube_scene(law);
  scene.materials[0].E = 1e7;
  scene.step.gravity = {0, 0, 0};
  scene.step.dt = 1e-3, scene.step.tolerance = 1e-8;
  scene.step.exact_rotation = true;
  scene.matter[0].angular_velocity = {0, 0, 20 * 3.14159265358979};
  World world(scene, 2);
  const Balance before = world.balance();
  for (int i = 0; i < steps; ++i) world.step();
  const Balance after = world.balance();
  // 1e-8 of the momentum may be left over in each step, with any sign
  EXPECT_NEAR(after.angular_momentum[2], before.angular_momentum[2], 1e-6 * before.angular_momentum[2]);
  // what centrifugal forces stretch: density (omega r)^2 / E is 6e-4 at the edges
  EXPECT_NEAR(after.volume, before.volume, 1e-3 * before.volume);
}
TEST(Strong, ExactRotationKeepsAngularMomentumAndVolume) {
  keeps_spinning(Law::linear_corotated, 20);
  keeps_spinning(Law::neo_hookean, 20);
}
TEST(Strong, LONG_ExactRotationKeepsAngularMomentumAndVolumeForASecond) {
  for (Law law : {Law::linear_corotated, Law::fixed_corotated, Law::neo_hookean, Law::hencky})
    keeps_spinning(law, 1000);
}

// two radians in a step are too many
TEST(Strong, ARotationThatIsNotFoundIsAnErrorWithACure) {
  Scene scene = cube_scene();
  scene.step.gravity = {0, 0, 0};
  scene.step.exact_rotation = true;
  scene.step.max_cuts = 0;
  scene.matter[0].angular_velocity = {0, 0, 200};
  World world(scene, 1);
  const std::uint64_t before = world.state_hash();
  try {
    world.step();
    FAIL() << "it was found";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_converged);
    EXPECT_NE(std::string(error.what()).find("smaller dt"), std::string::npos) << error.what();
  }
  EXPECT_EQ(world.state_hash(), before);
}

// half of the velocity is left after ln 2 / mass_damping
TEST(Strong, MassDampingSlowsDown) {
  Scene scene = cube_scene();
  scene.step.gravity = {0, 0, 0};
  scene.step.dt = 1e-3, scene.step.mass_damping = 2;
  scene.matter[0].velocity = {1, 0, 0};
  World world(scene, 1);
  for (int i = 0; i < 100; ++i) world.step();
  const Balance b = world.balance();
  // backward Euler: (1 + 2 dt)^-100
  EXPECT_NEAR(b.momentum[0], b.mass * std::pow(1.002, -100), 1e-6 * b.mass);
}

TEST(Strong, ACubeAtRestWeighsWhatItWeighs) {
  Scene scene = cube_scene();
  scene.bodies = {body_of(floor_text)};
  World world(scene, 2);
  for (int i = 0; i < 100; ++i) world.step();
  const double weight = world.balance().mass * 9.81;
  EXPECT_NEAR(world.wrench("world").force[2], -weight, 1e-4 * weight);
  EXPECT_EQ(world.report().most_contacts, 64u);
}

// 8 m/s are four cells in a step
TEST(Strong, StopsFastMatterOnTheFloor) {
  Scene scene = cube_scene();
  scene.bodies = {body_of(floor_text)};
  for (Vec3& p : scene.matter[0].points) p[2] += 0.5;
  scene.matter[0].velocity = {0, 0, -8};
  World world(scene, 2);
  double lowest = 1;
  for (int i = 0; i < 40; ++i) {
    world.step();
    const View x = world.view("cube", Attribute::position);
    for (std::size_t p = 0; p < x.count; ++p)
      lowest =
          std::min(lowest, reinterpret_cast<const double*>(static_cast<const std::byte*>(x.data) + p * x.stride)[2]);
  }
  // balls of 5 mm on a floor at 0; the spring of the contact gives way by a part of their size
  EXPECT_GT(lowest, 0);
}

// two panels of 1 kg press 10 N each, the cube of 0.512 kg hangs by friction
Scene squeezed(Method method) {
  Scene scene = cube_scene();
  scene.step.method = method;
  if (method == Method::async) scene.step.dt = 1e-3;
  scene.contact.friction = 0.8;
  Body panels = body_of("");
  panels.text = R"(<mujoco><worldbody>
      <body name="left" pos="-.06 0 .04" gravcomp="1"><joint name="l" type="slide" axis="1 0 0"/><geom type="box" size=".02 .06 .06" mass="1"/></body>
      <body name="right" pos=".06 0 .04" gravcomp="1"><joint name="r" type="slide" axis="1 0 0"/><geom type="box" size=".02 .06 .06" mass="1"/></body>
    </worldbody><actuator><motor joint="l"/><motor joint="r"/></actuator></mujoco>)";
  scene.bodies = {panels};
  return scene;
}

// mean over the last fifth
Vec3 force_on_right(World& world, double seconds) {
  world.data()->ctrl[0] = 10, world.data()->ctrl[1] = -10;
  const int steps = int(std::lround(seconds / world.scene().step.dt));
  const int last = steps / 5;
  Vec3 mean = {0, 0, 0};
  for (int i = 0; i < steps; ++i) {
    world.step();
    for (std::size_t d = 0; d < 3 && i >= steps - last; ++d) mean[d] += world.wrench("thing/right").force[d] / last;
  }
  return mean;
}

TEST(Strong, PanelsFeelWhatTheyPressAndHalfTheWeight) {
  World world(squeezed(Method::strong), 2);
  const Vec3 force = force_on_right(world, 1);
  const double half = world.balance().mass * 9.81 / 2;
  EXPECT_NEAR(force[0], 10, 1e-3);
  EXPECT_NEAR(force[1], 0, 1e-4);
  EXPECT_NEAR(force[2], -half, 1e-3);
  // it swings for a while
  force_on_right(world, 1);
  const auto before = test::numbers(world, "cube", Attribute::position);
  force_on_right(world, 1);
  const auto after = test::numbers(world, "cube", Attribute::position);
  // along z, where it hangs: less than 5e-4 mm/s, measured 1e-4. Along x nothing holds cube and panels together.
  for (std::size_t k = 2; k < before.size(); k += 3) ASSERT_NEAR(after[k], before[k], 5e-7);
}

TEST(Strong, AgreesWithTheAsynchronousStep) {
  if (test::is_sanitized) GTEST_SKIP() << test::only_figures;
  World strong(squeezed(Method::strong), 2), async(squeezed(Method::async), 2);
  const Vec3 a = force_on_right(strong, 1), b = force_on_right(async, 1);
  // the cube of the explicit step still rings
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], 0.05) << k;
}

TEST(Strong, MatterAndAFreeBodyKeepTheirMomentum) {
  Scene scene = cube_scene();
  scene.step.gravity = {0, 0, 0};
  scene.matter[0].velocity = {0.5, 0, 0};
  scene.bodies = {body_of(
      R"(<body name="box" pos=".1 .01 .05" euler="5 10 15"><freejoint/><geom type="box" size=".05 .04 .045" mass="5"/></body>)")};
  scene.bodies[0].text = "<mujoco><option gravity='0 0 0'/>" + scene.bodies[0].text.substr(8);
  World world(scene, 2);
  const auto total = [&](int k) { return world.balance().momentum[std::size_t(k)] + 5 * world.data()->qvel[k]; };
  double before[3];
  for (int k = 0; k < 3; ++k) before[k] = total(k);
  std::size_t most = 0;
  for (int i = 0; i < 50; ++i) most = std::max(most, world.step().most_contacts);
  EXPECT_GT(most, 3u);
  EXPECT_GT(world.data()->qvel[0], 0.01);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(total(k), before[k], 1e-12) << k;
}

// Dust, which has no stress of its own, hits a free ball off its centre: what it loses in momentum and angular momentum
// is what the ball gains. (Stresses of an implicit step keep angular momentum to first order in dt alone; and a ball's
// does not depend on how MuJoCo integrates its turn.)
TEST(Strong, DustAndABallKeepMomentumAndAngularMomentum) {
  Scene scene = cube_scene();
  scene.step.tolerance = 1e-10;
  scene.step.gravity = {0, 0, 0};
  scene.materials[0].E = 1e-6;
  scene.contact.stiffness = 1e6;
  scene.matter[0].velocity = {0.5, 0.1, -0.2};
  scene.matter[0].angular_velocity = {1, 2, 3};
  const double mass = 2, radius = 0.06, inertia = 0.4 * mass * radius * radius;
  scene.bodies = {body_of("")};
  scene.bodies[0].text = R"(<mujoco><option gravity="0 0 0"/><worldbody>
      <body name="ball" pos=".11 .03 .05"><freejoint/><geom type="sphere" size=".06" mass="2"/></body></worldbody></mujoco>)";
  World world(scene, 2);
  const mjData* d = world.data();
  using V = Eigen::Vector3d;
  const auto momenta = [&] {
    const Balance b = world.balance();
    Eigen::Matrix<double, 6, 1> all;
    const V x(d->qpos[0], d->qpos[1], d->qpos[2]), v(d->qvel[0], d->qvel[1], d->qvel[2]);
    const Eigen::Quaterniond turn(d->qpos[3], d->qpos[4], d->qpos[5], d->qpos[6]);
    const V spin = turn * V(d->qvel[3], d->qvel[4], d->qvel[5]);
    for (int k = 0; k < 3; ++k) all[k] = b.momentum[std::size_t(k)], all[3 + k] = b.angular_momentum[std::size_t(k)];
    all.head<3>() += mass * v;
    all.tail<3>() += mass * x.cross(v) + inertia * spin;
    return all;
  };
  const Eigen::Matrix<double, 6, 1> before = momenta();
  for (int i = 0; i < 30; ++i) {
    world.step();
    const Eigen::Matrix<double, 6, 1> off = momenta() - before;
    ASSERT_LT(off.head<3>().norm(), 1e-10 * before.head<3>().norm()) << i;
    ASSERT_LT(off.tail<3>().norm(), 1e-10 * before.tail<3>().norm()) << i;
  }
  // it was no near miss
  EXPECT_GT(mass * d->qvel[0], 0.3 * before[0]);
  EXPECT_GT(inertia * V(d->qvel[3], d->qvel[4], d->qvel[5]).norm(), 0.003 * before.tail<3>().norm());
}

TEST(Strong, SameBitsOnAnyNumberOfThreadsAndAfterRestore) {
  Scene scene = cube_scene(Law::neo_hookean, Precision::float32);
  scene.step.gravity = {1, 0, -9.81};
  scene.bodies = {
      body_of(floor_text),
      body_of(R"(<body name="ball" pos="0 0 .12"><freejoint/><geom type="sphere" size=".05" mass=".3"/></body>)",
              "other")};
  World one(scene, 1), two(scene, 2), three(scene, 3);
  std::vector<std::byte> saved;
  for (int i = 0; i < 20; ++i) {
    one.step(), two.step(), three.step();
    ASSERT_EQ(one.state_hash(), two.state_hash()) << i;
    ASSERT_EQ(one.state_hash(), three.state_hash()) << i;
    if (i == 9) saved = one.save();
  }
  World again(scene, 2);
  again.restore(saved);
  for (int i = 10; i < 20; ++i) again.step();
  EXPECT_EQ(again.state_hash(), one.state_hash());
}

TEST(Strong, AFailedStepChangesNothing) {
  Scene scene = squeezed(Method::strong);
  scene.step.tolerance = 1e-10;
  scene.step.max_iterations = 1;
  World world(scene, 1);
  world.data()->ctrl[0] = 10, world.data()->ctrl[1] = -10;
  const auto hash = world.state_hash();
  const std::string text = test::error_of([&] { world.step(); }, ErrorCode::not_converged);
  EXPECT_NE(text.find("step.max_iterations"), std::string::npos) << text;
  EXPECT_EQ(world.state_hash(), hash);
}

// a plane that sticks holds the cube up like a floor
TEST(Strong, StandsOnABoundaryThatSticks) {
  Scene scene = cube_scene();
  scene.boundaries = {test::plane({0, 0, 0.001}, {0, 0, 1}, 0, Boundary::Condition::stick)};
  World world(scene, 1);
  for (int i = 0; i < 50; ++i) world.step();
  const StepReport& report = world.report();
  EXPECT_LT(report.max_speed, 1e-3);
  // the boundary carries the weight, and nothing else acts; to the tolerance of the solver
  EXPECT_NEAR(report.boundary_impulses[0][2], 0.512 * 9.81 * 0.01, 1e-4 * 0.05);
  EXPECT_NEAR(report.after.momentum[2] - report.before.momentum[2] - report.gravity_impulse[2],
              report.boundary_impulses[0][2], 1e-4 * 0.05);
  const auto x = test::numbers(world, "cube", Attribute::position);
  for (std::size_t k = 2; k < x.size(); k += 3) EXPECT_GT(x[k], 0.003);
}

}  // namespace
}  // namespace pliant

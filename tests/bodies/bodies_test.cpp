#include "bodies/bodies.h"

#include "models.h"
#include "newton.h"

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <cmath>
#include <random>

namespace pliant::test {

using namespace bodies;

namespace {

std::vector<double> physics(const Bodies& bodies) {
  const mjData* d = bodies.data();
  std::vector<double> numbers(d->qpos, d->qpos + bodies.model()->nq);
  numbers.insert(numbers.end(), d->qvel, d->qvel + bodies.model()->nv);
  numbers.insert(numbers.end(), d->act, d->act + bodies.model()->na);
  return numbers;
}

TEST(bodies, step_is_mj_step_bit_for_bit_over_1000_steps) {
  for (const char* text : {servo_arm, gripper, box_pile(false), tendons}) {
    Bodies ours = make_bodies(text);
    const mjModel* m = ours.model();
    mjData* theirs = mj_copyData(nullptr, m, ours.data());
    for (int i = 0; i < 1000; ++i) {
      ours.step();
      if (i % 10 == 0) ours.update_kinematics();
      mj_step(m, theirs);
    }
    EXPECT_TRUE(std::equal(theirs->qpos, theirs->qpos + m->nq, ours.data()->qpos));
    EXPECT_TRUE(std::equal(theirs->qvel, theirs->qvel + m->nv, ours.data()->qvel));
    EXPECT_TRUE(std::equal(theirs->qacc_warmstart, theirs->qacc_warmstart + m->nv, ours.data()->qacc_warmstart));
    EXPECT_EQ(theirs->time, ours.time());
    mj_deleteData(theirs);
  }
}

// one of each kind of state, and different numbers in all of it
constexpr const char* all_kinds_of_state = R"(<mujoco><size nuserdata="3"/><worldbody>
  <body mocap="true"><geom size=".1"/></body>
  <body name="a" pos="1 0 0"><joint name="hinge"/><geom size=".1"/></body>
  <body name="b" pos="2 0 0"><freejoint/><geom size=".1"/></body></worldbody>
  <equality><weld body1="a" body2="b" active="false"/><joint joint1="hinge"/></equality>
  <actuator><intvelocity joint="hinge" kp="1" actrange="-1 1"/>
    <motor joint="hinge" nsample="4" delay=".004"/></actuator></mujoco>)";

TEST(bodies, saved_state_is_that_of_mujoco_and_in_its_order) {
  Bodies bodies = make_bodies(all_kinds_of_state);
  const mjModel* m = bodies.model();
  for (const mjtSize count : {m->na, m->nhistory, m->neq, m->nmocap, m->nuserdata, m->nu}) ASSERT_GT(count, 0);
  std::vector<double> numbers(std::size_t(mj_stateSize(m, mjSTATE_INTEGRATION)));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = double(i + 1);
  mj_setState(m, bodies.data(), numbers.data(), mjSTATE_INTEGRATION);
  mj_getState(m, bodies.data(), numbers.data(), mjSTATE_INTEGRATION);
  ASSERT_NE(numbers.front(), numbers.back());
  EXPECT_EQ(bodies.save().numbers, numbers);
}

TEST(bodies, restored_bodies_continue_with_the_same_bits) {
  for (const TestModel& model : ten_models()) {
    Bodies bodies = make_bodies(model.text);
    for (int i = 0; i < 60; ++i) bodies.step();
    const BodiesState saved = bodies.save();
    for (int i = 0; i < 60; ++i) bodies.step();
    const std::vector<double> first = physics(bodies);
    bodies.restore(saved);
    EXPECT_EQ(bodies.save().numbers, saved.numbers) << model.name;
    for (int i = 0; i < 60; ++i) bodies.step();
    EXPECT_EQ(physics(bodies), first) << model.name;

    // also into other bodies of the same model
    Bodies others(bodies.shared_model());
    others.restore(saved);
    for (int i = 0; i < 60; ++i) others.step();
    EXPECT_EQ(physics(others), first) << model.name;
  }
  Bodies bodies = make_bodies(servo_arm);
  EXPECT_THROW(bodies.restore({{1.0, 2.0}}), Error);
}

// the parts of a sleeping body keep the places of an earlier moment, which no state holds
TEST(bodies, sleep_is_refused_because_it_could_not_be_restored) {
  const char* sleepy =
      "<mujoco><option><flag sleep='enable'/></option><worldbody><body><freejoint/><geom "
      "size='.1'/></body></worldbody></mujoco>";
  const Bodies bodies = make_bodies(sleepy);
  EXPECT_EQ(bodies.model()->opt.enableflags & mjENBL_SLEEP, 0);
  bodies.shared_model()->opt.enableflags |= mjENBL_SLEEP;
  EXPECT_THROW(Bodies(bodies.shared_model(), bodies.shared_data()), Error);
}

TEST(bodies, velocity_of_a_point_is_jacobian_times_qvel_and_the_difference_of_places) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (const char* text : {servo_arm, gripper, ball_chain, box_pile(false)}) {
    Bodies bodies = make_bodies(text);
    const mjModel* m = bodies.model();
    mjData* d = bodies.data();
    for (int i = 0; i < m->nv; ++i) d->qvel[i] = normal(random);
    bodies.update_kinematics();
    const int body = int(m->nbody) - 1;
    const Vector<double, 3> local = {.1, -.2, .3};
    const auto place = [&] {
      Vector<double, 3> p;
      for (int i = 0; i < 3; ++i) {
        p[i] = d->xpos[3 * body + i];
        for (int j = 0; j < 3; ++j) p[i] += d->xmat[9 * body + 3 * i + j] * local[j];
      }
      return p;
    };
    const Vector<double, 3> point = place();
    const Vector<double, 3> v = bodies.velocity_at(body, point);
    const std::vector<double> J = bodies.jacobian(body, point);
    const std::vector<double> speed(d->qvel, d->qvel + m->nv);
    for (int i = 0; i < 3; ++i) {
      double sum = 0;
      for (int j = 0; j < m->nv; ++j) sum += J[std::size_t(i * m->nv + j)] * speed[std::size_t(j)];
      EXPECT_NEAR(v[i], sum, 1e-13);
    }
    // central difference over 2e-5 s: error of order 1e-10
    const double h = 1e-5;
    mj_integratePos(m, d->qpos, speed.data(), h);
    bodies.update_kinematics();
    const Vector<double, 3> above = place();
    mj_integratePos(m, d->qpos, speed.data(), -2 * h);
    bodies.update_kinematics();
    const Vector<double, 3> below = place();
    for (int i = 0; i < 3; ++i) EXPECT_NEAR((above[i] - below[i]) / (2 * h), v[i], 1e-8);
  }
}

TEST(bodies, poses_follow_the_step_after_update_kinematics) {
  Bodies bodies =
      make_bodies("<mujoco><worldbody><body pos='0 0 1'><freejoint/><geom size='.1'/></body></worldbody></mujoco>");
  for (int i = 0; i < 10; ++i) bodies.step();
  EXPECT_NE(bodies.geom_pose(0).position[2], bodies.data()->qpos[2]);
  bodies.update_kinematics();
  EXPECT_EQ(bodies.geom_pose(0).position[2], bodies.data()->qpos[2]);
  EXPECT_NEAR(bodies.velocity_at(1, bodies.geom_pose(0).position)[2], -9.81 * bodies.time(), 1e-12);
}

// places alone are those of the whole kinematics, to the bit; a camera that looks at a centre of mass too
TEST(bodies, poses_alone_are_those_of_all_kinematics) {
  for (const std::string mode : {"fixed", "trackcom", "targetbodycom"}) {
    const std::string xml =
        "<mujoco><worldbody><body name='arm' pos='0 0 1'><joint type='ball'/><geom size='.1' pos='.2 0 .1'/>"
        "<site name='tip' pos='.4 0 0'/><camera name='eye' pos='1 0 1' mode='" +
        mode + (mode == "targetbodycom" ? "' target='hand'" : "'") +
        "/><body name='hand' pos='.5 0 0'><joint axis='0 1 0'/><geom size='.05' pos='0 .1 0'/></body></body>"
        "</worldbody></mujoco>";
    Bodies ours = make_bodies(xml.c_str()), theirs = make_bodies(xml.c_str());
    for (int i = 0; i < 20; ++i) ours.step(), theirs.step();
    ours.update_poses();
    theirs.update_kinematics();
    const mjModel* m = ours.model();
    const mjData *a = ours.data(), *b = theirs.data();
    EXPECT_TRUE(std::equal(a->xpos, a->xpos + 3 * m->nbody, b->xpos)) << mode;
    EXPECT_TRUE(std::equal(a->geom_xmat, a->geom_xmat + 9 * m->ngeom, b->geom_xmat)) << mode;
    EXPECT_TRUE(std::equal(a->site_xpos, a->site_xpos + 3 * m->nsite, b->site_xpos)) << mode;
    EXPECT_TRUE(std::equal(a->cam_xpos, a->cam_xpos + 3 * m->ncam, b->cam_xpos)) << mode;
    EXPECT_TRUE(std::equal(a->cam_xmat, a->cam_xmat + 9 * m->ncam, b->cam_xmat)) << mode;
  }
}

TEST(bodies, mass_matrix_gives_the_kinetic_energy) {
  Bodies bodies = make_bodies(
      "<mujoco><worldbody><body><joint type='slide' axis='1 0 0'/><geom size='.1' mass='3'/><body pos='0 0 1'>"
      "<joint type='slide' axis='1 0 0'/><geom size='.1' mass='2'/></body></body></worldbody></mujoco>");
  const std::vector<double> M = mass_matrix(bodies);
  const std::vector<double> expected = {5, 2, 2, 2};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(M[i], expected[i], 1e-14);
}

// without constraints the free velocity is what MuJoCo's step gives, to the bit
TEST(bodies, free_velocity_is_that_of_a_step_without_constraints) {
  for (const Integrator integrator : {Integrator::euler, Integrator::implicit, Integrator::implicitfast}) {
    Body body;
    body.name = "it";
    body.text = servo_arm;
    BodyOptions options;
    options.integrator = integrator;
    Bodies bodies(assemble({body}, options).model);
    bodies.shared_model()->opt.disableflags |= mjDSBL_CONSTRAINT;
    for (int i = 0; i < 50; ++i) bodies.step();
    bodies.forward();
    const BodiesState before = bodies.save();
    const std::vector<double> free = free_velocity(bodies, Bodies::Damping::as_integrator);
    EXPECT_EQ(bodies.save().numbers, before.numbers);
    const std::vector<double> plain = free_velocity(bodies, Bodies::Damping::explicit_forces);
    bodies.step();
    for (int i = 0; i < bodies.dofs(); ++i) {
      EXPECT_EQ(free[std::size_t(i)], bodies.data()->qvel[i]);
      EXPECT_NE(free[std::size_t(i)], plain[std::size_t(i)]);
    }
  }
}

TEST(bodies, implicit_mass_matrix_is_that_of_the_free_velocity) {
  for (const char* text : {servo_arm, gripper, tendons, ball_chain}) {
    Bodies bodies = make_bodies(text);
    for (int i = 0; i < 30; ++i) bodies.step();
    bodies.forward();
    const int n = bodies.dofs();
    const mjData* d = bodies.data();
    const Dense A = as_square(implicit_mass_matrix(bodies), n);
    EXPECT_LT((A - A.transpose()).norm(), 1e-12 * A.norm());
    const Eigen::Map<const Eigen::VectorXd> force(d->qfrc_smooth, n), v(d->qvel, n);
    const Eigen::VectorXd expected = v + bodies.model()->opt.timestep * A.ldlt().solve(force);
    const Eigen::VectorXd free = as_eigen(free_velocity(bodies, Bodies::Damping::as_integrator));
    // round-off of a 10 x 10 solve; the cube of the gripper does not spin yet, so its gyroscopic part is below that
    EXPECT_LT((free - expected).norm(), 1e-10 * (1 + free.norm())) << text;
  }
}

// MuJoCo would reset such a body to its start in silence
TEST(bodies, a_bad_number_is_an_error_and_the_state_is_put_back) {
  Bodies bodies = make_bodies(
      "<mujoco><worldbody><body name='b'><joint name='spin' axis='0 0 1'/><geom size='.1'/></body></worldbody>"
      "<actuator><motor joint='spin'/></actuator></mujoco>");
  for (int i = 0; i < 10; ++i) bodies.step();
  bodies.data()->qvel[0] = 3;
  const std::vector<double> wrong = {NAN, INFINITY, 1e300};
  for (double number : wrong) {
    bodies.data()->qfrc_applied[0] = number;
    const BodiesState before = bodies.save();
    try {
      bodies.step();
      ADD_FAILURE() << "not refused: " << number;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::not_finite);
      EXPECT_NE(std::string(error.what()).find("it/spin"), std::string::npos) << error.what();
    }
    EXPECT_EQ(bodies.data()->qvel[0], 3);
    EXPECT_NEAR(bodies.time(), 0.02, 1e-12);
    EXPECT_EQ(bodies.data()->qpos[0], before.numbers[1]);
    bodies.data()->qfrc_applied[0] = 0;
  }
  bodies.data()->ctrl[0] = NAN;
  EXPECT_THROW(bodies.step(), Error);
  EXPECT_NEAR(bodies.time(), 0.02, 1e-12);
  bodies.data()->ctrl[0] = 0;
  bodies.step();
  EXPECT_NEAR(bodies.data()->qvel[0], 3, 1e-12);
}

void failing_control(const mjModel*, mjData*) { mju_error("the user's control failed"); }

// an error jumps out of the middle of MuJoCo's step, which leaves its stack in use
TEST(bodies, an_error_inside_of_a_step_leaves_the_bodies_usable) {
  Bodies bodies = make_bodies(box_pile(true)), twin = make_bodies(box_pile(true));
  for (int i = 0; i < 30; ++i) bodies.step();
  for (int i = 0; i < 20; ++i) {
    mjcb_control = failing_control;
    EXPECT_THROW(bodies.step(), Error);
    mjcb_control = nullptr;
  }
  EXPECT_EQ(bodies.data()->pstack, 0u);
  for (int i = 0; i < 30; ++i) bodies.step();
  for (int i = 0; i < 60; ++i) twin.step();
  EXPECT_EQ(physics(bodies), physics(twin));
}

TEST(bodies, warnings_are_handed_over) {
  Bodies bodies = make_bodies(
      "<mujoco><size memory='30K'/><worldbody><geom type='plane' size='5 5 .1'/>"
      "<replicate count='10' offset='0 0 .19'><body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 "
      ".1'/></body></replicate>"
      "</worldbody></mujoco>");
  bodies.step();
  const std::vector<std::string> warnings = bodies.take_warnings();
  ASSERT_FALSE(warnings.empty());
  EXPECT_NE(warnings[0].find("memory"), std::string::npos) << warnings[0];
  EXPECT_TRUE(bodies.take_warnings().empty());
}

TEST(bodies, borrowed_data_is_shared_and_untouched) {
  const Bodies owner = make_bodies(servo_arm);
  std::shared_ptr<mjData> data(mj_makeData(owner.model()), mj_deleteData);
  data->qpos[1] = .25;
  Bodies bodies(owner.shared_model(), data);
  EXPECT_EQ(data->qpos[1], .25);
  bodies.step();
  EXPECT_GT(data->time, 0);
  EXPECT_EQ(bodies.data(), data.get());

  const Bodies other = make_bodies(gripper);
  EXPECT_THROW(Bodies(other.shared_model(), data), Error);
}

}  // namespace
}  // namespace pliant::test

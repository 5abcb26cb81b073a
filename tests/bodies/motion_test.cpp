#include "bodies/motion.h"

#include "models.h"

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <cmath>
#include <functional>

namespace pliant::test {

using namespace bodies;

namespace {

Motion scalar(Motion::Path path) {
  Motion motion;
  motion.target = "it/s1";
  motion.path = path;
  motion.times = {1, 2, 4};
  motion.values = {{0}, {1}, {-1}};
  return motion;
}

Motion pose() {
  Motion motion;
  motion.kind = Motion::Kind::mocap;
  motion.target = "it/hand";
  motion.times = {0, 2, 3};
  const double c = std::cos(1.), s = std::sin(1.);
  // the last is the second with the other sign: the same rotation
  motion.values = {{0, 0, 0, 1, 0, 0, 0},
                   {1, 2, 3, c, s / std::sqrt(3), s / std::sqrt(3), s / std::sqrt(3)},
                   {1, 2, 4, -c, -s / std::sqrt(3), -s / std::sqrt(3), -s / std::sqrt(3)}};
  return motion;
}

std::string refusal(const std::vector<Motion>& motions, const mjModel* model) {
  try {
    MotionPlayer(motions, model);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    return error.what();
  }
  ADD_FAILURE() << "not refused";
  return "";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(motion, passes_its_values_and_rests_outside) {
  for (const Motion::Path path : {Motion::Path::smooth, Motion::Path::linear, Motion::Path::hold}) {
    const Motion motion = scalar(path);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(sample_motion(motion, motion.times[i]).value[0], motion.values[i][0]);
    EXPECT_EQ(sample_motion(motion, -5).value[0], 0);
    EXPECT_EQ(sample_motion(motion, 99).value[0], -1);
    EXPECT_EQ(sample_motion(motion, 99).velocity[0], 0);
    EXPECT_EQ(sample_motion(motion, .5).velocity[0], 0);
  }
}

TEST(motion, paths_have_their_shapes) {
  EXPECT_EQ(sample_motion(scalar(Motion::Path::hold), 1.99).value[0], 0);
  EXPECT_EQ(sample_motion(scalar(Motion::Path::hold), 1.99).velocity[0], 0);
  EXPECT_DOUBLE_EQ(sample_motion(scalar(Motion::Path::linear), 1.25).value[0], .25);
  EXPECT_DOUBLE_EQ(sample_motion(scalar(Motion::Path::linear), 3).velocity[0], -1);
  const Motion smooth = scalar(Motion::Path::smooth);
  EXPECT_DOUBLE_EQ(sample_motion(smooth, 1.5).value[0], .5);
  EXPECT_DOUBLE_EQ(sample_motion(smooth, 1.5).velocity[0], 1.875);
  EXPECT_DOUBLE_EQ(sample_motion(smooth, 3).velocity[0], -1.875);
  // starts and ends at rest: s ~ 10 u^3
  EXPECT_NEAR(sample_motion(smooth, 1 + 1e-3).value[0], 1e-8, 2e-11);
  EXPECT_NEAR(sample_motion(smooth, 2 - 1e-3).velocity[0], 0, 3.1e-5);
}

// central differences over 2e-6 s: error of order 1e-10
TEST(motion, velocity_is_the_rate_of_the_value) {
  const double h = 1e-6;
  for (const Motion::Path path : {Motion::Path::smooth, Motion::Path::linear}) {
    Motion motion = pose();
    motion.path = path;
    for (double t : {.1, .7, 1.3, 1.9, 2.4}) {
      const MotionSample before = sample_motion(motion, t - h), now = sample_motion(motion, t),
                         after = sample_motion(motion, t + h);
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_NEAR(now.velocity[k], (after.value[k] - before.value[k]) / (2 * h), 1e-8);
      // angular velocity from MuJoCo's difference of quaternions, which is in the body's axes
      double turn[3], world[3];
      mju_subQuat(turn, after.value.data() + 3, before.value.data() + 3);
      mju_rotVecQuat(world, turn, now.value.data() + 3);
      for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(now.velocity[3 + k], world[k] / (2 * h), 1e-8);
      double length = 0;
      for (std::size_t k = 3; k < 7; ++k) length += now.value[k] * now.value[k];
      EXPECT_NEAR(length, 1, 1e-15);
    }
  }
}

TEST(motion, turns_the_shorter_way) {
  const MotionSample half = sample_motion(pose(), 1);
  EXPECT_NEAR(half.value[3], std::cos(.5), 1e-15);
  EXPECT_NEAR(half.value[4], std::sin(.5) / std::sqrt(3), 1e-15);
  // q and -q are one rotation
  const MotionSample still = sample_motion(pose(), 2.5);
  for (std::size_t k = 3; k < 6; ++k) EXPECT_NEAR(still.velocity[k], 0, 1e-15);
}

TEST(motion, reaches_mujoco) {
  Bodies arm = make_bodies(servo_arm);
  const MotionPlayer player({scalar(Motion::Path::linear)}, arm.model());
  player.apply(1.25, arm);
  EXPECT_DOUBLE_EQ(arm.data()->ctrl[0], .25);
  EXPECT_EQ(arm.data()->ctrl[1], 1.2);

  Bodies bar = make_bodies(four_bar);
  const MotionPlayer mover({pose()}, bar.model());
  mover.apply(1, bar);
  EXPECT_DOUBLE_EQ(bar.data()->mocap_pos[2], 1.5);
  EXPECT_NEAR(bar.data()->mocap_quat[0], std::cos(.5), 1e-15);
  bar.step();
}

// closes from 1 to 0 in 1 s, stays, and opens to 2 between 3 s and 4 s; then closes once more
Motion grasp() {
  Motion motion = scalar(Motion::Path::linear);
  motion.times = {0, 1, 3, 4, 5};
  motion.values = {{1}, {0}, {0}, {2}, {0}};
  motion.until_force = {"it/base", 10};
  motion.release = {false, false, false, true, false};
  return motion;
}

// applied at 0.1, 0.2, ...; the control at the end
double play(const MotionPlayer& player, Bodies& arm, std::vector<MotionHold>& holds, double to,
            const std::function<double(double)>& force_at) {
  std::vector<Wrench> wrenches(arm.body_count());
  for (int i = 1; 0.1 * i < to + 0.05; ++i) {
    player.apply(0.1 * i, arm, holds);
    wrenches[1].force = {0.6 * force_at(0.1 * i), 0, 0.8 * force_at(0.1 * i)};
    player.feel(0.1 * i, arm, wrenches, holds);
  }
  return arm.data()->ctrl[0];
}

TEST(motion, a_force_stops_it_until_it_is_released) {
  Bodies arm = make_bodies(servo_arm);
  const MotionPlayer player({grasp()}, arm.model());
  ASSERT_EQ(player.hold_count(), 1u);
  const auto squeezes = [](double time) { return time > 0.35 && std::abs(time - 4) > 0.05 ? 10.0 : 9.99; };
  // the first step that feels 10 N is that to 0.4 s, where the control is 0.6
  const auto control_at = [&](double time) {
    std::vector<MotionHold> holds(1);
    return play(player, arm, holds, time, squeezes);
  };
  EXPECT_NEAR(control_at(0.3), 0.7, 1e-15);
  for (double time : {0.4, 0.5, 1.0, 2.0, 3.0}) EXPECT_NEAR(control_at(time), 0.6, 1e-15) << time;
  // it opens from where it was held, not from where it would have been
  EXPECT_NEAR(control_at(3.5), 1.3, 1e-14);
  EXPECT_NEAR(control_at(4.0), 2, 1e-14);
  // and is held again when it closes again
  EXPECT_NEAR(control_at(4.1), 1.8, 1e-14);
  EXPECT_NEAR(control_at(4.9), 1.8, 1e-14);
  EXPECT_NEAR(control_at(9.0), 1.8, 1e-14);
}

TEST(motion, no_force_stops_it_while_it_rests_or_lets_go) {
  Bodies arm = make_bodies(servo_arm);
  const MotionPlayer player({grasp()}, arm.model());
  std::vector<MotionHold> holds(1);
  const auto bumped = [](double time) { return time > 0.95 && time < 3.95 ? 1e3 : 0.0; };
  EXPECT_NEAR(play(player, arm, holds, 3.5, bumped), 1, 1e-14);
  EXPECT_EQ(holds[0].since, MotionHold::never);
  EXPECT_NEAR(play(player, arm, holds, 4.5, bumped), 1, 1e-14);
  // without state it is a motion like any other
  player.apply(0.5, arm);
  EXPECT_NEAR(arm.data()->ctrl[0], 0.5, 1e-15);
}

// a ball of 0.5 kg in a bowl of three planes, and one on another: newton's third law, and weight at rest. MuJoCo's
// solver stops at 1e-8 and the balls come to rest exponentially
TEST(motion, contacts_of_bodies_push_too) {
  Bodies balls = make_bodies(R"(<mujoco><option tolerance="1e-14" iterations="200"/><worldbody>
    <geom type="plane" size="1 1 .1" euler="20 0 0"/><geom type="plane" size="1 1 .1" euler="-20 0 0"/>
    <body name="low" pos="0 0 .1"><joint type="slide" axis="0 0 1" damping="5"/><joint type="slide" axis="0 1 0" damping="5"/>
      <geom size=".1" mass=".5"/></body>
    <body name="high" pos="0 0 .31"><joint type="slide" axis="0 0 1" damping="5"/><geom size=".1" mass=".3"/></body>
    </worldbody></mujoco>)");
  for (int i = 0; i < 3000; ++i) balls.step();
  const Vector<double, 3> low = balls.contact_force(1), high = balls.contact_force(2);
  EXPECT_NEAR(high[2], 0.3 * 9.81, 1e-6);
  EXPECT_NEAR(low[2], 0.5 * 9.81, 1e-6);
  EXPECT_NEAR(low[1], 0, 1e-6);
  EXPECT_NEAR(balls.contact_force(0)[2], -0.8 * 9.81, 1e-6);
}

TEST(motion, mistakes_are_named_with_their_cure) {
  const Bodies arm = make_bodies(servo_arm), bar = make_bodies(four_bar);
  const Motion good = scalar(Motion::Path::smooth);
  Motion bad = good;
  bad.target = "it/s4";
  EXPECT_TRUE(has(refusal({bad}, arm.model()), "did you mean 'it/s1'?"));
  bad.target = "s2";
  EXPECT_TRUE(has(refusal({bad}, arm.model()), "did you mean 'it/s2'?"));
  bad.target = "";
  EXPECT_TRUE(has(refusal({bad}, arm.model()), "name what it moves"));
  bad = pose();
  bad.target = "it/crank";
  EXPECT_TRUE(has(refusal({bad}, bar.model()), "not a mocap body"));
  bad.target = "it/hans";
  EXPECT_TRUE(has(refusal({bad}, bar.model()), "did you mean 'it/hand'?"));
  bad = pose();
  bad.values[1][4] = 3;
  EXPECT_TRUE(has(refusal({bad}, bar.model()), "unit quaternion"));
  bad = good;
  bad.times[2] = 2;
  EXPECT_TRUE(has(refusal({bad}, arm.model()), "each after the one before"));
  bad = good;
  bad.times[0] = NAN;
  EXPECT_TRUE(has(refusal({bad}, arm.model()), "finite times"));
  bad = good;
  bad.values[1] = {1, 2};
  EXPECT_TRUE(has(refusal({bad}, arm.model()), "2 numbers at 2 s; give 1"));
  bad = good;
  bad.values[1][0] = INFINITY;
  EXPECT_TRUE(has(refusal({bad}, arm.model()), "finite numbers"));
  bad = good;
  bad.values.pop_back();
  EXPECT_TRUE(has(refusal({bad}, arm.model()), "3 times and 2 values"));
  bad = good;
  bad.values[1][0] = 2.5;
  EXPECT_TRUE(has(refusal({bad}, arm.model()), "range -2 to 2"));
  EXPECT_TRUE(has(refusal({good, good}, arm.model()), "given twice"));
  bad = grasp();
  bad.until_force.body = "it/bass";
  EXPECT_TRUE(has(refusal({bad}, arm.model()), "motion of 'it/s1', until_force"));
  EXPECT_TRUE(has(refusal({bad}, arm.model()), "did you mean 'it/base'?"));
  bad.until_force.body = "";
  EXPECT_TRUE(has(refusal({bad}, arm.model()), "name the one that feels the force"));
  for (double newton : {-8., 0., double(INFINITY), double(NAN)}) {
    bad = grasp();
    bad.until_force.newton = newton;
    EXPECT_TRUE(has(refusal({bad}, arm.model()), "N on 'it/base'; give a positive number"));
  }
  bad = grasp();
  bad.release.pop_back();
  EXPECT_TRUE(has(refusal({bad}, arm.model()), "5 times and 4 of release"));
  bad = pose();
  bad.until_force = {"it/crank", 1};
  EXPECT_TRUE(has(refusal({bad}, bar.model()), "until_force stops actuators"));
}

}  // namespace
}  // namespace pliant::test

#include "bodies/ik.h"

#include "bodies/motion.h"
#include "bodies/names.h"
#include "models.h"

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <cmath>
#include <random>

namespace pliant::test {

using namespace bodies;

namespace {

// seven joints that alternate between the axes z and y, servos with different gears
const char* const seven_joints = R"(<mujoco><compiler angle="radian"/><option><flag contact="disable"/></option>
  <default><geom type="capsule" size=".05" mass="2"/><joint armature=".1" damping="1"/><position kp="2000" dampratio="1"/></default>
  <worldbody><body pos="0 0 .15"><joint name="j1" axis="0 0 1" range="-2.96 2.96"/><geom fromto="0 0 0 0 0 .19"/>
    <body pos="0 0 .19"><joint name="j2" axis="0 1 0" range="-2.09 2.09"/><geom fromto="0 0 0 0 0 .21"/>
      <body pos="0 0 .21"><joint name="j3" axis="0 0 1" range="-2.96 2.96"/><geom fromto="0 0 0 0 0 .19"/>
        <body pos="0 0 .19"><joint name="j4" axis="0 -1 0" range="-2.09 2.09"/><geom fromto="0 0 0 0 0 .21"/>
          <body pos="0 0 .21"><joint name="j5" axis="0 0 1" range="-2.96 2.96"/><geom fromto="0 0 0 0 0 .19"/>
            <body pos="0 0 .19"><joint name="j6" axis="0 1 0" range="-2.09 2.09"/><geom fromto="0 0 0 0 0 .08"/>
              <body pos="0 0 .081"><joint name="j7" axis="0 0 1" range="-3.05 3.05"/><geom fromto="0 0 0 0 0 .04"/>
                <site name="tool" pos="0 0 .12"/></body></body></body></body></body></body></body><site name="floor"/></worldbody>
  <actuator><position name="s1" joint="j1"/><position name="s2" joint="j2" gear="2"/><position name="s3" joint="j3"/>
    <position name="s4" joint="j4"/><position name="s5" joint="j5" gear="-1"/><position name="s6" joint="j6"/><position name="s7" joint="j7"/></actuator>
  <keyframe><key name="home" qpos="0 .5 0 1.4 0 .9 0" ctrl="0 1 0 1.4 0 .9 0"/></keyframe></mujoco>)";

Bodies make_arm() {
  Body body;
  body.name = "arm";
  body.text = seven_joints;
  BodyOptions options;
  options.timestep = 1e-3;
  options.gravity = {0, 0, 0};
  return Bodies(assemble({body}, options).model);
}

std::vector<double> tool_pose(const Bodies& bodies) {
  const int tool = find_part(bodies.model(), Part::site, "arm/tool");
  const double* p = bodies.data()->site_xpos + 3 * tool;
  double q[4];
  mju_mat2Quat(q, bodies.data()->site_xmat + 9 * tool);
  return {p[0], p[1], p[2], q[0], q[1], q[2], q[3]};
}

Motion reach(std::vector<double> times, std::vector<std::vector<double>> values) {
  Motion motion;
  motion.kind = Motion::Kind::gripper;
  motion.target = "arm/tool";
  motion.times = std::move(times);
  motion.values = std::move(values);
  return motion;
}

// the arm as if its servos were perfect
void put_at(double time, const std::vector<Motion>& motions, Bodies& bodies) {
  MotionPlayer(motions, bodies.model()).apply(time, bodies);
  const double gears[7] = {1, 2, 1, 1, -1, 1, 1};
  for (int i = 0; i < 7; ++i) bodies.data()->qpos[i] = bodies.data()->ctrl[i] / gears[i];
  bodies.update_kinematics();
}

double distance(const std::vector<double>& a, const double* b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

double angle(const std::vector<double>& a, const double* b) {
  double turn[3];
  mju_subQuat(turn, a.data() + 3, b + 3);
  return mju_norm3(turn);
}

// down in front of the arm, aside, up and turned
std::vector<std::vector<double>> waypoints(const std::vector<double>& home) {
  std::vector<std::vector<double>> values(4, home);
  values[1][2] -= .15;
  values[2][1] += .25;
  values[2][2] -= .15;
  values[3][0] -= .05;
  values[3][2] += .1;
  const double turn[3] = {.3, -.5, .8};
  mju_quatIntegrate(values[3].data() + 3, turn, 1);
  return values;
}

TEST(ik, reaches_waypoints_on_straight_lines) {
  Bodies bodies = make_arm();
  const Motion motion = reach({0.5, 1, 2, 3}, waypoints(tool_pose(bodies)));
  const std::vector<Motion> planned = plan_grippers({motion}, bodies);
  ASSERT_EQ(planned.size(), 7u);
  for (std::size_t i = 0; i < 4; ++i) {
    put_at(motion.times[i], planned, bodies);
    EXPECT_LT(distance(tool_pose(bodies), motion.values[i].data()), 1e-6);
    EXPECT_LT(angle(tool_pose(bodies), motion.values[i].data()), 1e-6);
  }
  // between two targets 20 ms apart the joints go straight and the site on an arc: sagitta (v dt)^2 / 8 r, with v below
  // 0.6 m/s and r above 0.2 m, is 1e-4 m
  double worst = 0;
  for (double t = 0.5; t < 3; t += 0.0037) {
    put_at(t, planned, bodies);
    const MotionSample target = sample_motion(motion, t);
    // the time law is followed in pieces as well, so only the distance from the line counts
    const std::size_t i = t < 1 ? 0 : t < 2 ? 1 : 2;
    double along[3], offset[3];
    for (std::size_t k = 0; k < 3; ++k) along[k] = motion.values[i + 1][k] - motion.values[i][k];
    mju_normalize3(along);
    for (std::size_t k = 0; k < 3; ++k) offset[k] = tool_pose(bodies)[k] - target.value[k];
    mju_addToScl3(offset, along, -mju_dot3(offset, along));
    worst = std::max(worst, mju_norm3(offset));
  }
  EXPECT_LT(worst, 1e-4);
  EXPECT_GT(worst, 0);
}

TEST(ik, servos_bring_the_gripper_there) {
  Bodies bodies = make_arm();
  const std::vector<double> start(bodies.data()->qpos, bodies.data()->qpos + 7);
  const std::vector<double> home = tool_pose(bodies);
  const Motion motion = reach({0, .5, 1, 1.5}, waypoints(home));
  const MotionPlayer player(plan_grippers({motion}, bodies), bodies.model());
  EXPECT_TRUE(std::equal(start.begin(), start.end(), bodies.data()->qpos));
  while (bodies.time() < 3) {
    player.apply(bodies.time(), bodies);
    bodies.step();
  }
  bodies.update_kinematics();
  // no gravity, and 1.5 s of rest: servos of 4 Hz and above have settled
  EXPECT_LT(distance(motion.values[3], tool_pose(bodies).data()), 1e-6);
  EXPECT_LT(angle(motion.values[3], tool_pose(bodies).data()), 1e-6);
}

// poses that the arm has at random joints, from its home
TEST(ik, finds_poses_all_over_its_space) {
  Bodies bodies = make_arm();
  const std::vector<double> home(bodies.data()->qpos, bodies.data()->qpos + 7);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-.6, .6);
  for (int trial = 0; trial < 30; ++trial) {
    Bodies there = make_arm();
    for (int i = 0; i < 7; ++i) there.data()->qpos[i] = home[std::size_t(i)] + uniform(random);
    there.update_kinematics();
    const std::vector<double> target = tool_pose(there);
    const std::vector<Motion> planned = plan_grippers({reach({0}, {target})}, bodies);
    put_at(0, planned, there);
    EXPECT_LT(distance(target, tool_pose(there).data()), 1e-6);
    EXPECT_LT(angle(target, tool_pose(there).data()), 1e-6);
    for (int i = 0; i < 7; ++i) {
      EXPECT_GE(there.data()->qpos[i], there.model()->jnt_range[2 * i]);
      EXPECT_LE(there.data()->qpos[i], there.model()->jnt_range[2 * i + 1]);
    }
  }
}

TEST(ik, a_hold_jumps_and_rest_needs_no_targets) {
  const Bodies bodies = make_arm();
  const std::vector<double> home = tool_pose(bodies);
  Motion motion = reach({0, 1, 5}, {home, home, waypoints(home)[1]});
  EXPECT_EQ(plan_grippers({motion}, bodies)[0].times.size(), 2u + 200u);
  motion.path = Motion::Path::hold;
  const std::vector<Motion> planned = plan_grippers({motion}, bodies);
  EXPECT_EQ(planned[0].times, motion.times);
  EXPECT_EQ(planned[0].path, Motion::Path::hold);
}

std::string refusal(const std::vector<Motion>& motions, const Bodies& bodies) {
  try {
    plan_grippers(motions, bodies);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    return error.what();
  }
  ADD_FAILURE() << "not refused";
  return "";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(ik, says_which_waypoint_is_out_of_reach) {
  const Bodies bodies = make_arm();
  const std::vector<double> home = tool_pose(bodies);
  std::vector<double> far = home;
  far[0] += 1;
  std::string text = refusal({reach({0, 2}, {far, home})}, bodies);
  EXPECT_TRUE(has(text, "'arm/tool': waypoint 1 is out of reach at 0 s")) << text;
  text = refusal({reach({0, 2, 4}, {home, home, far})}, bodies);
  EXPECT_TRUE(has(text, "the way to waypoint 3 is out of reach")) << text;

  Motion bad = reach({0}, {home});
  bad.target = "arm/tol";
  EXPECT_TRUE(has(refusal({bad}, bodies), "did you mean 'arm/tool'?"));
  bad.target = "arm/floor";
  EXPECT_TRUE(has(refusal({bad}, bodies), "no position servo"));
  bad = reach({0}, {{1, 2, 3}});
  EXPECT_TRUE(has(refusal({bad}, bodies), "give 7"));
}

TEST(ik, passes_other_motions_on) {
  const Bodies bodies = make_arm();
  Motion other;
  other.target = "arm/s1";
  other.times = {0};
  other.values = {{.1}};
  const std::vector<Motion> planned = plan_grippers({other}, bodies);
  ASSERT_EQ(planned.size(), 1u);
  EXPECT_EQ(planned[0].target, "arm/s1");
}

}  // namespace
}  // namespace pliant::test

// Ten small models, written here, that between them use every kind of MuJoCo's constraints.
#pragma once

#include "bodies/assemble.h"
#include "bodies/bodies.h"
#include "core/error.h"

#include <string>
#include <vector>

namespace pliant::test {

using namespace bodies;

struct TestModel {
  const char* name;
  const char* text;
  int rows;  // of constraints that must come up in 0.8 s
};

inline const char* box_pile(bool elliptic) {
  static const std::string body = R"(
    <worldbody><geom type="plane" size="5 5 .1"/>
      <body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body>
      <body pos=".03 .02 .305" euler="0 0 20"><freejoint/><geom type="box" size=".1 .1 .1" mass="2"/></body>
      <body pos="-.04 .01 .55" euler="10 5 40"><freejoint/><geom type="box" size=".1 .1 .1" mass=".5"/></body>
    </worldbody></mujoco>)";
  static const std::string pyramid = "<mujoco><option cone='pyramidal'/>" + body;
  static const std::string ellipse = "<mujoco><option cone='elliptic' impratio='5'/>" + body;
  return elliptic ? ellipse.c_str() : pyramid.c_str();
}

// one ball of each contact dimension, rolling and spinning on a slope
inline const char* rolling_balls(bool elliptic) {
  static const std::string body = R"(
    <worldbody><geom type="plane" size="5 5 .1" euler="5 0 0"/>
      <body pos="0 0 .1"><freejoint/><geom size=".1" condim="1" priority="1"/></body>
      <body pos=".3 0 .1"><freejoint/><geom size=".1" condim="3" friction=".5" priority="1"/></body>
      <body pos=".6 0 .1"><freejoint/><geom size=".1" condim="4" friction=".3 .01" priority="1"/></body>
      <body pos=".9 0 .1"><freejoint/><geom size=".1" condim="6" friction=".6 .01 .003" priority="1"/></body>
    </worldbody></mujoco>)";
  static const std::string pyramid = "<mujoco><option cone='pyramidal'/>" + body;
  static const std::string ellipse = "<mujoco><option cone='elliptic'/>" + body;
  return elliptic ? ellipse.c_str() : pyramid.c_str();
}

inline constexpr const char* servo_arm = R"(<mujoco><option cone="elliptic"/>
  <default><joint damping=".5" armature=".01" frictionloss=".2"/><position kp="200" kv="10"/></default>
  <worldbody><geom type="plane" size="2 2 .1"/>
    <body name="base" pos="0 0 .3"><joint name="j1" axis="0 0 1" range="-90 90"/><geom type="capsule" fromto="0 0 0 0 0 .2" size=".04"/>
      <body pos="0 0 .2"><joint name="j2" axis="0 1 0" range="-20 100"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
        <body pos=".3 0 0"><joint name="j3" axis="0 1 0" range="-5 120"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
          <site name="tool" pos=".33 0 0"/></body></body></body></worldbody>
  <actuator><position name="s1" joint="j1" ctrlrange="-2 2"/><position name="s2" joint="j2" ctrlrange="-2 2"/>
    <position name="s3" joint="j3" ctrlrange="-2 2"/></actuator>
  <keyframe><key name="home" qpos=".1 .9 .8" ctrl=".1 1.2 .8"/></keyframe></mujoco>)";

// two fingers that mirror each other hold a cube while the wrist turns
inline constexpr const char* gripper = R"(<mujoco><option cone="elliptic" impratio="10"/>
  <worldbody><body name="wrist" pos="0 0 .5"><joint name="wrist" axis="1 0 0" damping="1" armature=".1"/><geom type="box" size=".1 .03 .03" mass="1"/>
      <body pos="0 0 -.08"><joint name="left" type="slide" axis="1 0 0" range="-.1 .06" damping="5"/><geom type="box" pos="-.05 0 0" size=".01 .03 .05" mass=".1" condim="4" friction="1 .01"/></body>
      <body pos="0 0 -.08"><joint name="right" type="slide" axis="-1 0 0" range="-.1 .06" damping="5"/><geom type="box" pos=".05 0 0" size=".01 .03 .05" mass=".1" condim="4" friction="1 .01"/></body></body>
    <body name="cube" pos="0 0 .41"><freejoint/><geom type="box" size=".0395 .02 .02" mass=".2" condim="4" friction="1 .01"/></body></worldbody>
  <equality><joint joint1="left" joint2="right"/></equality>
  <actuator><motor name="grip" joint="left"/><position joint="wrist" kp="20" kv="2"/></actuator>
  <keyframe><key name="home" qpos="0 0 0 0 0 .41 1 0 0 0" ctrl="20 .4"/></keyframe></mujoco>)";

inline constexpr const char* four_bar = R"(<mujoco>
  <worldbody><body name="hand" mocap="true" pos=".02 .5 .8"><geom size=".02" contype="0" conaffinity="0"/></body>
    <body name="crank" pos="0 0 .5"><joint name="crank" axis="0 1 0" damping=".1"/><geom type="capsule" fromto="0 0 0 0 0 .1" size=".01"/>
      <body name="rod" pos="0 0 .1"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 .02" size=".01"/></body></body>
    <body name="rocker" pos=".3 0 .5"><joint axis="0 1 0" range="-60 60" limited="true"/><geom type="capsule" fromto="0 0 0 0 0 .12" size=".01"/></body>
    <body name="dragged" pos="0 .5 .75"><freejoint/><geom type="box" size=".05 .03 .02" mass=".3"/></body></worldbody>
  <equality><connect body1="rod" body2="rocker" anchor=".3 0 .02"/><weld body1="hand" body2="dragged" relpose="0 0 -.05 1 0 0 0" torquescale=".5"/></equality>
  <actuator><velocity joint="crank" kv="2"/></actuator>
  <keyframe><key name="home" qpos="0 0 0 0 .5 .75 1 0 0 0" ctrl="5"/></keyframe></mujoco>)";

inline constexpr const char* tendons = R"(<mujoco>
  <worldbody><site name="anchor" pos="0 0 1"/>
    <body pos="0 0 .6"><joint name="a" axis="0 1 0" damping=".05"/><geom type="capsule" fromto="0 0 0 .2 0 0" size=".02"/><site name="mid" pos=".2 0 .02"/>
      <body pos=".2 0 0"><joint name="b" axis="0 1 0" damping=".05"/><geom type="capsule" fromto="0 0 0 .2 0 0" size=".02"/><site name="end" pos=".2 0 0"/></body></body>
    <body pos="0 .4 .6"><joint name="c" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .2 0 0" size=".02"/></body>
    <body pos="0 .8 .6"><joint name="d" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .2 0 0" size=".02"/></body></worldbody>
  <tendon><spatial name="rope" range="0 .55" limited="true" frictionloss=".05"><site site="anchor"/><site site="mid"/><site site="end"/></spatial>
    <fixed name="sum" frictionloss=".1" range="-.3 .3" limited="true"><joint joint="a" coef="1"/><joint joint="b" coef="-.5"/></fixed>
    <fixed name="pair"><joint joint="c" coef="1"/><joint joint="d" coef="1"/></fixed></tendon>
  <equality><tendon tendon1="pair"/></equality>
  <actuator><motor name="pull" tendon="sum" gear="2"/></actuator></mujoco>)";

inline constexpr const char* ball_chain = R"(<mujoco>
  <default><default class="link"><joint type="ball" damping=".002" range="0 40"/><geom type="capsule" size=".02" fromto="0 0 0 .15 0 0"/></default></default>
  <worldbody><geom type="plane" size="3 3 .1"/>
    <body pos="0 0 .2" childclass="link"><joint/><geom/><body pos=".15 0 0"><joint/><geom/><body pos=".15 0 0"><joint/><geom/>
      <body pos=".15 0 0"><joint/><geom/><body pos=".15 0 0"><joint/><geom/></body></body></body></body></body></worldbody></mujoco>)";

// rows of dry friction, and a wall that is hit at a slant
inline constexpr const char* dry_cart = R"(<mujoco><option cone="elliptic"/>
  <worldbody><geom type="box" pos=".5 0 .2" size=".05 1 .3"/>
    <body pos="0 0 .2"><joint name="x" type="slide" axis="1 0 0" frictionloss="2"/><joint name="y" type="slide" axis="0 1 0" frictionloss="1" damping="1"/>
      <joint name="turn" axis="0 0 1" frictionloss=".05"/><geom type="ellipsoid" size=".2 .15 .1" mass="2" condim="6" friction=".4 .02 .01"/></body></worldbody>
  <actuator><motor joint="x"/><motor joint="y"/></actuator>
  <keyframe><key name="home" qpos=".2 0 .3" ctrl="15 4"/></keyframe></mujoco>)";

inline std::vector<TestModel> ten_models() {
  return {{"box pile, pyramids", box_pile(false), 40},
          {"box pile, ellipses", box_pile(true), 30},
          {"rolling balls, pyramids", rolling_balls(false), 21},
          {"rolling balls, ellipses", rolling_balls(true), 14},
          {"servo arm", servo_arm, 5},
          {"gripper", gripper, 30},
          {"four-bar and weld", four_bar, 13},
          {"tendons", tendons, 5},
          {"ball chain", ball_chain, 20},
          {"dry cart", dry_cart, 9}};
}

inline Bodies make_bodies(const char* text, double timestep = 2e-3) {
  Body body;
  body.name = "it";
  body.text = text;
  BodyOptions options;
  options.timestep = timestep;
  return Bodies(assemble({body}, options).model);
}

// what they write, as values
inline std::vector<double> mass_matrix(const Bodies& bodies) {
  std::vector<double> out;
  bodies.mass_matrix(out);
  return out;
}
inline std::vector<double> implicit_mass_matrix(Bodies& bodies) {
  std::vector<double> out;
  bodies.implicit_mass_matrix(out);
  return out;
}
inline std::vector<double> free_velocity(Bodies& bodies, Bodies::Damping damping) {
  std::vector<double> out;
  bodies.free_velocity(damping, out);
  return out;
}

}  // namespace pliant::test

// Small worlds whose snapshots have every kind of section filled.
#pragma once

#include "pliant/world.h"

#include <cmath>
#include <string>
#include <vector>

namespace pliant::small {

// each kind of number that MuJoCo keeps: a free body, a ball joint, activations, a delayed control, an equality, a
// hand that is moved
inline constexpr const char* things = R"(<mujoco><option integrator="implicitfast"/><worldbody>
    <geom name="floor" type="plane" size="1 1 .1"/>
    <body name="ball" pos=".06 0 .051"><freejoint/><geom name="ball" type="sphere" size=".05" mass=".3"/></body>
    <body name="cart" pos="-.064 0 .04"><joint name="cart" type="slide" axis="1 0 0" damping="1"/>
      <geom name="cart" type="box" size=".05 .1 .03" mass=".1"/>
      <body name="flag" pos="0 0 .1"><joint name="flag" type="ball"/><geom type="box" size=".01 .01 .03"/></body></body>
    <body name="hand" mocap="true" pos="0 .044 .04"><geom name="hand" type="capsule" size=".03 .05"/></body>
  </worldbody><equality><joint joint1="cart" active="false"/></equality>
  <actuator><position name="cart" joint="cart" kp="200" kv="2" nsample="4" delay=".004"/>
    <general name="slow" joint="cart" dyntype="filter" dynprm=".1"/></actuator></mujoco>)";

inline Scene scene_of(int dimension, Precision precision, double dt) {
  Scene scene;
  scene.dimension = dimension, scene.precision = precision;
  scene.step.cell = 0.02, scene.step.dt = dt;
  scene.step.gravity = dimension == 2 ? Vec3{0, -9.81, 0} : Vec3{0, 0, -9.81};
  // who is too fast gives up soon
  scene.step.max_substeps = 100;
  return scene;
}

inline Matter& add_block(Scene& scene, Law law, Vec3 low, int n) {
  Material material;
  material.name = "m" + std::to_string(scene.materials.size());
  material.law = law, material.E = 2e4, material.bulk_modulus = 2e4, material.yield = 500;
  scene.materials.push_back(material);
  Matter matter;
  matter.name = "block" + std::to_string(scene.matter.size()), matter.material = material.name;
  matter.point_volume = std::pow(0.01, scene.dimension);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < (scene.dimension == 3 ? n : 1); ++k)
        matter.points.push_back({low[0] + 0.01 * i, low[1] + 0.01 * j, low[2] + 0.01 * k});
  scene.matter.push_back(matter);
  return scene.matter.back();
}

inline void add_floor(Scene& scene, Boundary::Condition condition) {
  Boundary floor;
  floor.at = Boundary::At::nodes;
  floor.name = "floor", floor.condition = condition, floor.friction = 0.3;
  floor.normal = scene.dimension == 2 ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
  scene.boundaries.push_back(floor);
}

inline Motion move(Motion::Kind kind, const std::string& target, std::vector<double> from, std::vector<double> to) {
  Motion motion;
  motion.kind = kind, motion.target = target;
  motion.times = {0, 0.3};
  motion.values = {std::move(from), std::move(to)};
  return motion;
}

inline Scene flat(Precision precision, Law law) {
  Scene scene = scene_of(2, precision, 1e-3);
  add_block(scene, law, {0.005, 0.005, 0}, 6).velocity = {0.2, -0.5, 0};
  add_block(scene, Law::neo_hookean, {0.09, 0.005, 0}, 5);
  add_floor(scene, Boundary::Condition::separate);
  return scene;
}

inline Scene laws(Precision precision) {
  Scene scene = scene_of(3, precision, 1e-3);
  double x = 0.005;
  for (Law law : {Law::sand, Law::liquid, Law::snow, Law::hencky}) {
    add_block(scene, law, {x, 0.005, 0.005}, 4).velocity = {0, 0, -0.5};
    x += 0.05;
  }
  add_floor(scene, Boundary::Condition::slip);
  return scene;
}

inline Scene with_bodies(Precision precision, Method method) {
  const bool strong = method == Method::strong;
  Scene scene = scene_of(3, precision, strong ? 5e-3 : 2e-3);
  scene.step.method = method;
  // who cannot converge gives up soon
  scene.step.max_iterations = 100, scene.step.max_cuts = 1, scene.step.budget = 5000;
  add_block(scene, Law::linear_corotated, {-.015, -.015, 0.002}, 4);
  Body body;
  body.name = "thing", body.text = things;
  scene.bodies = {body};
  add_floor(scene, Boundary::Condition::separate);
  Motion push = move(Motion::Kind::actuator, "thing/cart", {0}, {0.05});
  push.until_force = {"thing/cart", 0.05};
  scene.motion = {push, move(Motion::Kind::mocap, "thing/hand", {0, .044, .04, 1, 0, 0, 0}, {0, .02, .05, 1, 0, 0, 0})};
  return scene;
}

inline Scene sheet() {
  Scene scene = scene_of(3, Precision::float32, 2e-3);
  Material fabric;
  fabric.name = "fabric", fabric.law = Law::cloth, fabric.E = 1e4;
  scene.materials = {fabric};
  Matter matter;
  matter.name = "sheet", matter.material = "fabric";
  matter.shape.kind = Shape::Kind::cloth;
  matter.shape.size = {0.16, 0.1, 1}, matter.shape.center = {0, 0, 0.02};
  Pin corner;
  corner.name = "corner", corner.center = {-0.08, -0.05, 0.02};
  matter.pins = {corner};
  scene.matter = {matter};
  add_floor(scene, Boundary::Condition::stick);
  return scene;
}

struct Named {
  std::string name;
  World world;
};

inline Named run(const std::string& name, const Scene& scene, int steps) {
  Named it = {name, World(scene, 1)};
  for (int i = 0; i < steps; ++i) it.world.step();
  return it;
}

}  // namespace pliant::small

namespace pliant {

// after a few steps each
inline std::vector<small::Named> snapshot_worlds() {
  using namespace small;
  std::vector<small::Named> list;
  list.push_back(run("flat float", flat(Precision::float32, Law::hencky), 20));
  list.push_back(run("flat double", flat(Precision::float64, Law::fixed_corotated), 20));
  list.push_back(run("laws float", laws(Precision::float32), 10));
  list.push_back(run("laws double", laws(Precision::float64), 10));
  list.push_back(run("bodies", with_bodies(Precision::float32, Method::async), 20));
  list.push_back(run("strong float", with_bodies(Precision::float32, Method::strong), 10));
  list.push_back(run("strong double", with_bodies(Precision::float64, Method::strong), 10));
  list.push_back(run("cloth", sheet(), 20));
  return list;
}

}  // namespace pliant

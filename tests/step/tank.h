// Water in a tank of bodies: five boxes whose walls are thinner than a cell, as those of a mug are.
#pragma once

#include "step/support.h"

namespace pliant::test {

constexpr double tank_cell = 0.01, tank_width = 0.06, tank_depth = 0.05, tank_gravity = 9.81;

inline Scene tank_scene(Precision precision = Precision::float32) {
  Scene scene = empty_scene(3, tank_cell, 1e-2, precision);
  scene.step.method = Method::strong;
  scene.step.tolerance = 1e-6;
  scene.step.gravity = {0, 0, -tank_gravity};
  scene.contact.friction = 0;
  Material water;
  water.name = "water", water.law = Law::liquid, water.density = 1000, water.bulk_modulus = 1e5, water.viscosity = 1e-3;
  const double half = tank_width / 2;
  add(scene, "water", water, block(3, {-half, -half, 0}, {half, half, tank_depth}, tank_cell / 2), tank_cell / 2);
  // 4 mm thick; they overlap at the edges
  scene.bodies = {body_of(R"(<geom name="floor" type="box" pos="0 0 -.002" size=".034 .034 .002"/>
    <geom name="front" type="box" pos=".032 0 .04" size=".002 .034 .044"/>
    <geom name="back" type="box" pos="-.032 0 .04" size=".002 .034 .044"/>
    <geom name="left" type="box" pos="0 .032 .04" size=".034 .002 .044"/>
    <geom name="right" type="box" pos="0 -.032 .04" size=".034 .002 .044"/>)",
                          "tank")};
  return scene;
}

}  // namespace pliant::test

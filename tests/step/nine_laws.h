// A scene with matter of every law but cloth: nine, and those that a build adds.
#pragma once

#include "material/law_info.h"
#include "step/support.h"

namespace pliant::test {

using namespace material;

// every law once, in blocks of some cells that fall on a floor and into each other
inline Scene nine_laws(int dimension, Precision precision, int cells = 2) {
  const double h = 0.125, spacing = h / 2, edge = cells * h;
  Scene scene = empty_scene(dimension, h, 1.0 / 512, precision);
  scene.step.gravity = dimension == 2 ? Vec3{0.25, -8, 0} : Vec3{0.25, 0.5, -8};
  int n = 0;
  for (const Law law : known_laws()) {
    if (info(law).sheet) continue;
    Material material = elastic(2e4, 0.3, 800, law);
    material.name = name(law);
    material.yield = 200, material.bulk_modulus = 2e4, material.viscosity = 1;
    const double left = (edge + 0.02) * (n % 3), low = (edge + 0.01) * (n / 3);
    const Vec3 corner = dimension == 2 ? Vec3{left, low, 0} : Vec3{left, 0.01 * n, low};
    const Vec3 far = {corner[0] + edge, corner[1] + edge, dimension == 2 ? 0 : corner[2] + edge};
    Matter& matter = add(scene, name(law), material, block(dimension, corner, far, spacing), spacing);
    matter.velocity = {0.2 * (n % 2) - 0.1, dimension == 2 ? -1.0 : 0.1, dimension == 2 ? 0.0 : -1.0};
    matter.angular_velocity = {0, 0, 0.5};
    ++n;
  }
  const Vec3 up = dimension == 2 ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
  scene.boundaries.push_back(plane({0, -0.03125, -0.03125}, up, 0.3));
  flatten(scene);
  return scene;
}

}  // namespace pliant::test

// The method on one screen (docs/mpm_in_100_lines.cpp) and the library move the same jelly to the same place.
#include "step/support.h"
#include "step/traps.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

// its headers are included above, so that inside this namespace only its own text is read
namespace hundred_lines {
#include "../docs/mpm_in_100_lines.cpp"
}

namespace pliant::test {
namespace {

TEST(HundredLines, AgreeWithTheLibrary) {
  namespace small = hundred_lines;
  small::start();
  Scene scene = empty_scene(2, small::h, small::dt);
  scene.step.gravity = {0, -small::g, 0};
  std::vector<Vec3> points;
  for (const auto& p : small::particles) points.push_back({p.x[0], p.x[1], 0});
  Matter& jelly = add(scene, "jelly", elastic(small::E, small::nu, small::density), points, small::h / 2);
  jelly.velocity = {0.5, 0, 0};
  scene.boundaries.push_back(plane({0, small::floor_height, 0}, {0, 1, 0}, small::friction));
  World world(scene, 2);
  double lowest = 1;
  for (int n = 0; n < 600; ++n) {
    small::step();
    world.step();
    for (const auto& p : small::particles) lowest = std::min(lowest, p.x[1]);
  }
  // it has hit the floor
  EXPECT_LT(lowest, small::floor_height + small::h);
  const auto x = numbers(world, "jelly", Attribute::position);
  double worst = 0;
  for (std::size_t p = 0; p < points.size(); ++p)
    for (int d = 0; d < 2; ++d) worst = std::max(worst, std::abs(x[2 * p + d] - small::particles[p].x[d]));
  // round-off of 600 steps, amplified by the contact with the floor
  EXPECT_LT(worst, 1e-12);
}

}  // namespace
}  // namespace pliant::test

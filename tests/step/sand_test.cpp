// A round column of dry sand collapses: the run-out is (R - R0) / R0 = 1.24 a for an aspect a = H / R0 below 1.7 (Lube
// et al.).
#include "step/support.h"

namespace pliant::test {
namespace {

constexpr double R0 = 0.1;  // m

// The law's cone touches that of Mohr and Coulomb in triaxial compression. A heap that slumps is sheared near plane
// strain, where the cone of angle p resists as sand of angle q with sin q = 2 sqrt(3) sin p / (3 - sin p): 30 degrees
// for p = 22.2.
constexpr double friction_angle = 22.2;

struct Heap {
  double runout, height;  // in R0
};

Heap collapse(double aspect, int cells_per_radius) {
  const double h = R0 / cells_per_radius, spacing = h / 2;
  Scene scene = empty_scene(3, h, 2e-3, Precision::float32);
  scene.step.substeps = 0;
  scene.step.gravity = {0, 0, -9.81};
  Material sand;
  sand.name = "sand", sand.law = Law::sand, sand.friction_angle = friction_angle;
  // soft enough for long steps: its own weight squeezes it by 2 %
  sand.density = 1600, sand.E = 1e5, sand.nu = 0.3;
  std::vector<Vec3> column;
  for (const Vec3& x : block(3, {-R0, -R0, 0}, {R0, R0, aspect * R0}, spacing))
    if (std::hypot(x[0], x[1]) < R0) column.push_back(x);
  add(scene, "sand", sand, column, spacing);
  // the floor, rough for sand of 30 degrees, acts up to half a cell above its plane
  scene.boundaries.push_back(plane({0, 0, 0.5 * h}, {0, 0, 1}, std::tan(M_PI / 6)));
  World world(scene, 0);
  while (world.time() < 0.6) world.step();
  std::vector<double> radius;
  Heap heap = {0, 0};
  for (const auto& p : particles<3>(world)) {
    radius.push_back(std::hypot(p.x[0], p.x[1]));
    if (radius.back() < 2 * h) heap.height = std::max(heap.height, p.x[2] / R0);
  }
  // the front: single grains fly on, so the radius that holds all but a thousandth of the sand
  std::sort(radius.begin(), radius.end());
  heap.runout = radius[std::size_t(0.999 * double(radius.size()))] / R0 - 1;
  return heap;
}

// The front is thinner than a cell, so that a coarse grid stops it early: 16 % short with 8 cells per radius, 6 %
// with 12.
TEST(SandColumn, RunsOutAsMeasuredByLube) {
  const Heap heap = collapse(1, 8);
  EXPECT_NEAR(heap.runout / 1.24, 1, 0.2);
  EXPECT_GT(heap.height, 0.5);
  EXPECT_LT(heap.height, 0.95);
}

TEST(LONG_SandColumn, RunsOutAsMeasuredByLube) {
  EXPECT_NEAR(collapse(1, 16).runout / 1.24, 1, 0.1);
  EXPECT_NEAR(collapse(0.7, 16).runout / (1.24 * 0.7), 1, 0.1);
}

}  // namespace
}  // namespace pliant::test

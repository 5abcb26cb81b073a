// Counts what the falling cube, and a cube in contact with bodies, allocate in warm steps, by whatever road: malloc
// itself is counted. Prints one number per choice of law, scalar and threads; returns 1 if any is not 0.
#include "counted_malloc.h"
#include "falling_cube.h"
#include "pliant/world.h"

#include <cstdio>

namespace pliant::bench {
namespace {

constexpr int counted = 20;  // steps in which nothing may be allocated

// a soft cube between a floor and a heavy ball, at rest after a while
Scene cube_in_contact() {
  Scene scene;
  Material jelly;
  jelly.name = "jelly";
  Matter cube;
  cube.name = "cube";
  cube.material = "jelly";
  cube.shape.size = {0.1, 0.1, 0.1};
  cube.shape.center = {0, 0, 0.049};
  scene.materials = {jelly};
  scene.matter = {cube};
  Body bodies;
  bodies.name = "bodies";
  bodies.text = R"(<mujoco><worldbody><geom type="plane" size="1 1 1"/>
    <body pos="0 0 .145"><freejoint/><geom type="sphere" size=".05" mass=".2"/></body></worldbody></mujoco>)";
  scene.bodies = {bodies};
  return scene;
}

// a sheet on two pins swings against a ball
Scene sheet_in_contact() {
  Scene scene;
  scene.step.dt = 2e-3;
  Material cotton;
  cotton.name = "cotton";
  cotton.law = Law::cloth;
  Matter sheet;
  sheet.name = "sheet";
  sheet.material = "cotton";
  sheet.shape.kind = Shape::Kind::cloth;
  sheet.shape.size = {0.4, 0.4, 1};
  sheet.pins = {{"left", {-0.2, -0.2, 0}, 0.03}, {"right", {0.2, -0.2, 0}, 0.03}};
  scene.materials = {cotton};
  scene.matter = {sheet};
  Body bodies;
  bodies.name = "bodies";
  bodies.text = R"(<mujoco><worldbody><geom type="sphere" size=".1" pos="0 -.15 -.15"/></worldbody></mujoco>)";
  scene.bodies = {bodies};
  return scene;
}

// between step `first` and the twentieth after it
long allocations_of(const Scene& scene, int threads, int first) {
  World world(scene, threads);
  for (int i = 0; i < first; ++i) world.step();
  return test::allocations_in([&] {
    for (int i = 0; i < counted; ++i) world.step();
  });
}

}  // namespace
}  // namespace pliant::bench

int main() {
  using namespace pliant;
  if (!test::allocations_are_seen()) {
    std::puts("allocations are not seen on this system");
    return 2;
  }
  long total = 0;
  for (Precision precision : {Precision::float32, Precision::float64})
    for (Law law : {Law::neo_hookean, Law::fixed_corotated})
      for (int threads : {1, 2}) {
        const long n = bench::allocations_of(bench::falling_cube({law, precision, 10}), threads, 20);
        std::printf("%s %s %d threads: %ld allocations in %d steps\n", name(law),
                    precision == Precision::float32 ? "float" : "double", threads, n, bench::counted);
        total += n;
      }
  for (int threads : {1, 2}) {
    const long n = bench::allocations_of(bench::cube_in_contact(), threads, 400);
    std::printf("contact %d threads: %ld allocations in %d steps\n", threads, n, bench::counted);
    total += n;
  }
  for (int threads : {1, 2}) {
    const long n = bench::allocations_of(bench::sheet_in_contact(), threads, 400);
    std::printf("cloth %d threads: %ld allocations in %d steps\n", threads, n, bench::counted);
    total += n;
  }
  std::printf("total %ld\n", total);
  return total ? 1 : 0;
}

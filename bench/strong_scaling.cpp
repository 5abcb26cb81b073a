// What a strong step costs as matter grows: a slab of dough on a table with friction, a cylinder lying on it. Prints
// particles, milliseconds of processor time (all threads together; other programs do not count), iterations; the last
// column would be the same for all if the cost were exactly linear. usage: strong_scaling [largest number of particles,
// default 400000] [threads, default 1]
#include "pliant/world.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

namespace pliant::bench {
namespace {

constexpr double cell = 0.02, thickness = 0.06;  // m
constexpr int warm_steps = 4, timed_steps = 4;

Scene slab(double particles) {
  Scene scene;
  scene.step.method = Method::strong;
  scene.step.dt = 0.01, scene.step.cell = cell, scene.step.tolerance = 1e-6;
  Material dough;
  dough.name = "dough", dough.law = Law::linear_corotated, dough.E = 2e4, dough.nu = 0.4, dough.yield = 1225;
  scene.materials = {dough};
  const double side = std::sqrt(particles * cell * cell * cell / (8 * thickness));
  Matter matter;
  matter.name = "slab", matter.material = "dough";
  matter.shape.size = {side, side, thickness};
  matter.shape.center = {0, 0, 0.5 * thickness};
  scene.matter = {matter};
  Boundary table;
  table.name = "table", table.friction = 0.5;
  scene.boundaries = {table};
  Body pin;
  pin.name = "pin";
  const std::string half = std::to_string(0.4 * side), mass = std::to_string(10 * side);
  pin.text = "<mujoco><worldbody><body pos='0 0 .089'><freejoint/><geom type='cylinder' size='.03 " + half +
             "' euler='90 0 0' mass='" + mass + "'/></body></worldbody></mujoco>";
  scene.bodies = {pin};
  return scene;
}

void measure(double particles, int threads) {
  World world(slab(particles), threads);
  for (int i = 0; i < warm_steps; ++i) world.step();
  double seconds = 1e300;
  int iterations = 0, linear = 0;
  std::size_t contacts = 0;
  // the better of two, as other programs share its caches
  for (int round = 0; round < 2; ++round) {
    iterations = linear = 0;
    const std::clock_t start = std::clock();
    for (int i = 0; i < timed_steps; ++i) {
      const StepReport& report = world.step();
      iterations += report.iterations, linear += report.linear_iterations;
      contacts = report.most_contacts;
    }
    seconds = std::min(seconds, double(std::clock() - start) / CLOCKS_PER_SEC / timed_steps);
  }
  const double count = double(world.particle_count());
  std::printf("%9.0f %9zu %9.2f %10.1f %10.1f %14.1f\n", count, contacts, 1e3 * seconds,
              double(iterations) / timed_steps, double(linear) / timed_steps,
              1e9 * seconds / count / (double(linear) / timed_steps));
  std::fflush(stdout);
}

}  // namespace
}  // namespace pliant::bench

int main(int count, char** arguments) {
  const double largest = count > 1 ? std::atof(arguments[1]) : 4e5;
  const int threads = count > 2 ? std::atoi(arguments[2]) : 1;
  std::printf("particles  contacts   ms/step iterations     linear ns/particle/lin\n");
  for (double particles = 6000; particles <= 1.1 * largest; particles *= 4) pliant::bench::measure(particles, threads);
}

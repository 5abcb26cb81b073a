// What a step of a world without matter costs beside mj_step on the same model, least of many short rounds, in
// processor time: on a busy machine too some of them are not disturbed.
//
//   bodies_alone MODEL...      MJCF files
#include "pliant/world.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>

namespace {

constexpr int rounds = 400, steps = 100;

double processor_time() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

// microseconds per call, the least of the rounds of one side
template <class Step>
double least(const Step& step, double best) {
  const double start = processor_time();
  for (int i = 0; i < steps; ++i) step();
  return std::min(best, 1e6 * (processor_time() - start) / steps);
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("%-16s %14s %14s %8s\n", "model", "mj_step, us", "World, us", "ratio");
  for (int k = 1; k < argc; ++k) {
    pliant::Scene scene;
    pliant::Body body;
    body.name = "robot";
    body.file = argv[k];
    scene.bodies = {body};
    pliant::World world(scene, 1), other(scene, 1);
    double ours = 1e300, theirs = 1e300;
    for (int round = 0; round < rounds; ++round) {
      theirs = least([&] { mj_step(other.model(), other.data()); }, theirs);
      ours = least([&] { world.step(); }, ours);
    }
    const std::string name = std::filesystem::path(argv[k]).stem();
    std::printf("%-16s %14.2f %14.2f %8.2f\n", name.c_str(), theirs, ours, ours / theirs);
  }
}

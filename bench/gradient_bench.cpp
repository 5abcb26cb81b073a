// Forward and backward of the falling cube, with the floor at the nodes.
//   gradient_bench [law fixed_corotated] [cells per edge 20] [threads 1] [steps 3] [float or double]
// Processor time per substep, by whatever else the machine does hardly changed: steps without a tape, steps that are
// recorded, the way back.
#include "falling_cube.h"
#include "pliant/tape.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

namespace pliant::bench {
namespace {

double processor_time() { return double(std::clock()) / CLOCKS_PER_SEC; }

// ms per substep
template <class Work>
double measured(int steps, const Work& work) {
  const double begun = processor_time();
  work();
  return 1e3 * (processor_time() - begun) / (steps * substeps);
}

void run(const CubeChoice& choice, int threads, int steps) {
  Scene scene = falling_cube(choice);
  scene.boundaries[0].at = Boundary::At::nodes;
  World world(scene, threads);
  for (int i = 0; i < 2; ++i) world.step();
  World plain = world.clone();
  plain.step();
  const auto take = [&](World& w) {
    for (int i = 0; i < steps; ++i) w.step();
  };
  const double forward = measured(steps, [&] { take(plain); });
  Tape tape(world, std::size_t(8) << 30);
  const double recorded = measured(steps, [&] { take(world); });
  LossSeed seed;
  seed.step = std::size_t(steps - 1), seed.matter = scene.matter[0].name, seed.same = true, seed.values = {1, 0.5, 0.25};
  const std::vector<std::vector<LossSeed>> losses = {{seed}};
  tape.backward(losses);
  const double back = measured(steps, [&] { tape.backward(losses); });
  std::printf(
      "gradient/%s/3d/%s/%d/%d: forward %.2f ms, recorded %.2f ms, backward %.2f ms per substep, backward/forward "
      "%.2f, "
      "tape %.1f MB per substep\n",
      name(choice.law), choice.precision == Precision::float32 ? "float" : "double", particle_count(choice),
      threads, forward, recorded, back, back / forward, double(tape.memory()) / 1e6 / (steps * substeps));
}

}  // namespace
}  // namespace pliant::bench

int main(int argc, char** argv) {
  using namespace pliant;
  const auto argument = [&](int i, const char* otherwise) { return std::string(argc > i ? argv[i] : otherwise); };
  bench::CubeChoice choice;
  choice.law = law_from_name(argument(1, "fixed_corotated"));
  choice.side = std::atoi(argument(2, "20").c_str());
  if (argument(5, "float") == "double") choice.precision = Precision::float64;
  bench::run(choice, std::atoi(argument(3, "1").c_str()), std::atoi(argument(4, "3").c_str()));
}

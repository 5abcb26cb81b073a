// Forward and backward of the falling cube, and in 2-D of the falling rectangle, with the floor at the nodes.
//   gradient_bench [law fixed_corotated] [dimension 3] [cells per edge 20, in 2-D particles 6400] [threads 1] [steps 1]
//                  [scalar float] [rounds 3] [megabytes of the tape 8192]
// Prints one line of JSON: ms per substep of steps without a tape, of steps that are recorded, and of the way back, each as
// wall and processor time; the best of some rounds in which the three take turns, after one that is not counted. The way
// back is taken twice and the second counts: memory was there before, as the peer's. Then the derivative of the loss by
// the velocity that all particles have at the start, which the peer has too.
#include "falling_cube.h"
#include "pliant/tape.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

namespace pliant::bench {
namespace {

struct Time {
  double wall = 1e9, cpu = 1e9;  // ms per substep

  void improve(const Time& other) {
    wall = std::min(wall, other.wall);
    cpu = std::min(cpu, other.cpu);
  }
};

template <class Work>
Time measured(int steps, const Work& work) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begun = Clock::now();
  const std::clock_t cpu = std::clock();
  work();
  const double per = 1e3 / (steps * substeps);
  return {per * std::chrono::duration<double>(Clock::now() - begun).count(),
          per * double(std::clock() - cpu) / CLOCKS_PER_SEC};
}

struct Choice {
  int threads, steps, rounds;
  std::size_t memory;
};

void run(const Scene& scene, const Choice& choice) {
  World world(scene, choice.threads);
  for (int i = 0; i < 2; ++i) world.step();
  World plain = world.clone();
  const auto take = [&](World& w) {
    for (int i = 0; i < choice.steps; ++i) w.step();
  };
  LossSeed seed;
  seed.step = std::size_t(choice.steps - 1), seed.matter = scene.matter[0].name, seed.same = true;
  seed.values = {1, 0.5, 0.25};
  seed.values.resize(std::size_t(scene.dimension));
  const std::vector<std::vector<LossSeed>> losses = {{seed}};
  const std::vector<std::byte> start = world.save();
  Time forward, recorded, back;
  double bytes = 0, by_velocity[3] = {0, 0, 0};
  for (int round = 0; round <= choice.rounds; ++round) {
    plain.restore(start);
    world.restore(start);
    const Time taken = measured(choice.steps, [&] { take(plain); });
    Tape tape(world, choice.memory);
    const Time taped = measured(choice.steps, [&] { take(world); });
    std::vector<Gradient> gradients = tape.backward(losses);
    const Time gone_back = measured(choice.steps, [&] { gradients = tape.backward(losses); });
    bytes = double(tape.memory());
    std::fill(std::begin(by_velocity), std::end(by_velocity), 0);
    const std::vector<double>& all = gradients[0].matter.begin()->second.velocities;
    for (std::size_t i = 0; i < all.size(); ++i) by_velocity[i % std::size_t(scene.dimension)] += all[i];
    if (round == 0) continue;
    forward.improve(taken);
    recorded.improve(taped);
    back.improve(gone_back);
  }
  std::printf(
      "{\"forward\": [%.4f, %.4f], \"recorded\": [%.4f, %.4f], \"backward\": [%.4f, %.4f], \"ratio\": %.3f, "
      "\"megabytes\": %.3f, \"by_velocity\": [%.9g, %.9g, %.9g]}\n",
      forward.wall, forward.cpu, recorded.wall, recorded.cpu, back.wall, back.cpu, back.cpu / forward.cpu,
      bytes / 1e6 / (choice.steps * substeps), by_velocity[0], by_velocity[1], by_velocity[2]);
}

}  // namespace
}  // namespace pliant::bench

int main(int argc, char** argv) {
  using namespace pliant;
  const auto argument = [&](int i, const char* otherwise) { return std::string(argc > i ? argv[i] : otherwise); };
  const auto number = [&](int i, const char* otherwise) { return std::atoi(argument(i, otherwise).c_str()); };
  const Law law = law_from_name(argument(1, "fixed_corotated"));
  const bool flat = number(2, "3") == 2;
  const int size = number(3, flat ? "6400" : "20");
  const bench::Choice choice = {number(4, "1"), number(5, "1"), number(7, "3"), std::size_t(number(8, "8192")) << 20};
  const Precision precision = argument(6, "float") == "double" ? Precision::float64 : Precision::float32;
  if (flat)
    bench::run(bench::falling_rectangle({law, precision, size / 160, 40}), choice);
  else
    bench::run(bench::falling_cube({law, precision, size}), choice);
}

// Speed of the explicit step on the falling cube and the falling rectangle, through the public API. One iteration is one World::step of 16
// substeps.
#include "falling_cube.h"
#include "pliant/world.h"

#include <benchmark/benchmark.h>

#include <ctime>
#include <functional>
#include <map>

namespace pliant::bench {
namespace {

constexpr int warm_steps = 2;
constexpr double gravity = 9.81;  // m/s^2

struct Row {
  std::string name;
  std::function<Scene()> make;
  int particles, threads;

  // enough to time, before the block jumps up again
  int steps() const { return particles < 500'000 ? 6 : 2; }
};

std::string name_of(Law law, const char* dimension, Precision precision, int particles, int threads) {
  const char* scalar = precision == Precision::float32 ? "float" : "double";
  return std::string("explicit/") + name(law) + "/" + dimension + "/" + scalar + "/" + std::to_string(particles) + "/" +
         std::to_string(threads);
}

Row row_of(const CubeChoice& c, int threads) {
  const int particles = particle_count(c);
  return {name_of(c.law, "3d", c.precision, particles, threads), [c] { return falling_cube(c); }, particles, threads};
}

Row row_of(const RectangleChoice& c, int threads) {
  const int particles = particle_count(c);
  return {name_of(c.law, "2d", c.precision, particles, threads), [c] { return falling_rectangle(c); }, particles,
          threads};
}

// where the block is in the end: the peer must come to the same place
void tell_outcome(const World& world, benchmark::UserCounters& counters) {
  const Balance b = world.balance();
  counters["height"] = b.gravity_energy / (b.mass * gravity) / world.scene().step.cell;  // cells, of the centre of mass
  counters["kinetic"] = b.kinetic_energy;
  counters["elastic"] = b.elastic_energy;
}

void run(benchmark::State& state, const Row& row) {
  World world(row.make(), row.threads);
  for (int i = 0; i < warm_steps; ++i) world.step();

  std::map<std::string, double> seconds;
  double total = 0;
  const std::clock_t cpu_start = std::clock();
  for (auto _ : state) {
    const StepReport& report = world.step();
    for (const StageTime& s : report.stages) {
      seconds[s.stage] += s.seconds;
      total += s.seconds;
    }
  }

  const double cpu_seconds = double(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  const double particles = double(world.particle_count());
  const double work = particles * substeps * double(state.iterations()) / 1e6;
  state.counters["mpps"] = benchmark::Counter(work, benchmark::Counter::kIsRate);
  state.counters["cpu_mpps"] = work / cpu_seconds;  // per second of a core: all threads together
  state.counters["bytes_per_particle"] = double(world.memory()) / particles;
  for (const auto& [stage, s] : seconds) state.counters["share_" + stage] = s / total;
  tell_outcome(world, state.counters);
}

void add(const Row& row) {
  benchmark::RegisterBenchmark(row.name.c_str(), [row](benchmark::State& state) { run(state, row); })
      ->Iterations(row.steps())
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

void add_rows() {
  for (Law law : {Law::neo_hookean, Law::fixed_corotated})
    for (Precision precision : {Precision::float32, Precision::float64})
      for (int threads : {1, 2}) {
        for (int side : {10, 20, 40}) add(row_of(CubeChoice{law, precision, side}, threads));
        // 6,400 as in S5, and as many as in the cube of 20 cells
        add(row_of(RectangleChoice{law, precision, 40, 40}, threads));
        add(row_of(RectangleChoice{law, precision, 160, 100}, threads));
      }
}

}  // namespace
}  // namespace pliant::bench

int main(int argc, char** argv) {
  pliant::bench::add_rows();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

// What it costs to find the particles near 50 small shapes: 100,000 particles of a unit cube, sorted as the grid sorts
// them. One iteration is one substep; ns_per_particle beside about 30 for the transfer of a particle.
#include "bodies/broad_phase.h"
#include "core/parallel.h"
#include "core/random.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>

namespace pliant::bench {

using namespace bodies;

namespace {

constexpr std::size_t particles = 100'000;
constexpr std::uint32_t shape_count = 50;
constexpr double margin = 0.005;    // m
constexpr std::size_t stride = 16;  // floats of a particle's record

struct Crowd {
  std::vector<float> x = std::vector<float>(particles * stride);
  std::vector<RigidShape> shapes;
  std::vector<PosedShape> posed;

  Crowd() {
    Random random(1);
    std::vector<std::array<float, 3>> points(particles);
    for (auto& p : points)
      for (float& c : p) c = float(random.uniform());
    // blocks of 4 cells of a grid of 1/64 m
    const auto key = [](const std::array<float, 3>& p) {
      return (int(p[0] * 16) * 16 + int(p[1] * 16)) * 16 + int(p[2] * 16);
    };
    std::stable_sort(points.begin(), points.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    for (std::size_t p = 0; p < particles; ++p) std::copy(points[p].begin(), points[p].end(), &x[p * stride]);

    using Kind = RigidShape::Kind;
    const Kind kinds[] = {Kind::sphere, Kind::capsule, Kind::ellipsoid, Kind::cylinder, Kind::box};
    for (std::uint32_t s = 0; s < shape_count; ++s) shapes.push_back({kinds[s % 5], {0.03, 0.04, 0.02}, nullptr});
    for (const RigidShape& shape : shapes) {
      const double a = 6.28 * random.uniform(), c = std::cos(a), d = std::sin(a);
      posed.push_back({&shape,
                       {{{random.uniform(), random.uniform(), random.uniform()}},  //
                        {{c, -d, 0, d, c, 0, 0, 0, 1}}}});
    }
  }
};

struct Outcome {
  std::size_t pairs = 0, touching = 0;
  std::clock_t start = std::clock();

  void tell(benchmark::State& state) const {
    const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
    state.counters["ns_per_particle"] = 1e9 * seconds / double(particles) / double(state.iterations());
    state.counters["pairs_per_particle"] = double(pairs) / double(particles);
    state.counters["touching"] = double(touching);
  }
};

// distances of the particles of a range, in packs; how many are closer than the margin
std::size_t count_touching(const Crowd& crowd, const TouchCandidate& range, std::vector<float> (&rows)[7]) {
  const std::size_t count = range.end - range.begin;
  for (auto& row : rows) row.resize(std::max(row.size(), count));
  for (std::size_t p = 0; p < count; ++p)
    for (int i = 0; i < 3; ++i) rows[i][p] = crowd.x[(range.begin + p) * stride + std::size_t(i)];
  const PosedShape& posed = crowd.posed[range.shape];
  distances<float>(*posed.shape, posed.pose, count, {{rows[0].data(), rows[1].data(), rows[2].data()}}, rows[6].data(),
                   {{rows[3].data(), rows[4].data(), rows[5].data()}});
  return std::size_t(std::count_if(rows[6].begin(), rows[6].begin() + std::ptrdiff_t(count),
                                   [](float phi) { return phi < float(margin); }));
}

void broad_phase(benchmark::State& state, bool with_distances) {
  const Crowd crowd;
  Workers workers(1);
  BroadPhase broad;
  std::vector<TouchCandidate> found;
  std::vector<float> rows[7];
  Outcome outcome;
  for (auto _ : state) {
    broad.build<float>({crowd.x.data(), stride, particles, 3}, workers);
    broad.query(crowd.posed, margin, found);
    outcome.pairs = outcome.touching = 0;
    for (const TouchCandidate& c : found) {
      outcome.pairs += c.end - c.begin;
      if (with_distances) outcome.touching += count_touching(crowd, c, rows);
    }
    benchmark::DoNotOptimize(outcome.touching);
  }
  outcome.tell(state);
}

void brute_force(benchmark::State& state) {
  const Crowd crowd;
  std::vector<float> rows[7];
  Outcome outcome;
  outcome.pairs = particles * shape_count;
  for (auto _ : state) {
    outcome.touching = 0;
    for (std::uint32_t s = 0; s < shape_count; ++s)
      outcome.touching += count_touching(crowd, {s, 0, std::uint32_t(particles)}, rows);
    benchmark::DoNotOptimize(outcome.touching);
  }
  outcome.tell(state);
}

BENCHMARK_CAPTURE(broad_phase, boxes_only, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(broad_phase, with_distances, true)->Unit(benchmark::kMillisecond);
BENCHMARK(brute_force)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pliant::bench

BENCHMARK_MAIN();

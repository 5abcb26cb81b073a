#include "snapshots.h"

#include "pliant/error.h"
#include "world/snapshot_parts.h"
#include "world/snapshot_worlds.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <limits>

namespace pliant {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double evil_numbers[] = {std::numeric_limits<double>::quiet_NaN(),
                                   infinity,
                                   -infinity,
                                   0,
                                   -0.0,
                                   1,
                                   -1,
                                   0.5,
                                   1e-300,
                                   1e-30,
                                   -1e-8,
                                   10,
                                   -1000,
                                   1e4,
                                   1e7,
                                   -1e9,
                                   1e10,
                                   1e18,
                                   1e30,
                                   -1e37,
                                   1e150,
                                   1e300,
                                   -1.7e308};
constexpr std::uint64_t evil_counts[] = {0,
                                         1,
                                         2,
                                         63,
                                         64,
                                         65,
                                         255,
                                         0x7fffffff,
                                         0x80000000,
                                         0xffffffff,
                                         0x7fffffffffffffff,
                                         0x8000000000000000,
                                         0xffffffffffffffff};

class Forger {
 public:
  explicit Forger(std::uint64_t seed) : state_(seed) {}

  void edit(SnapshotParts& parts) {
    const std::uint64_t edits = below(3) == 0 ? 1 + below(5) : 1;
    for (std::uint64_t i = 0; i < edits; ++i) edit_once(parts);
  }
  // splitmix64
  std::uint64_t below(std::uint64_t limit) {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (z ^ (z >> 31)) % limit;
  }

 private:
  void edit_once(SnapshotParts& parts) {
    // often in one that has something in it
    SnapshotParts::Section* section = &parts.sections[below(parts.sections.size())];
    for (int i = 0; i < 5 && section->data.empty(); ++i) section = &parts.sections[below(parts.sections.size())];
    switch (below(20)) {
      case 0: return flip(section->data);
      case 1: return edit_head(parts);
      case 2: section->said_size = evil_counts[below(std::size(evil_counts))]; return;
      case 3: return resize(*section);
      case 4: return std::swap(*section, parts.sections[below(parts.sections.size())]);
      case 5: return copy_run(section->data);
      case 6: return put(section->data, evil_counts[below(std::size(evil_counts))]);
      case 7: return put(section->data, std::uint32_t(evil_counts[below(std::size(evil_counts))]));
      case 8: return put(section->data, std::uint32_t(below(300)));
      case 9: return swap_runs(section->data);
      case 10: return scale(section->data);
      default: return put_evil_number(section->data);
    }
  }

  void flip(Bytes& data) {
    if (!data.empty()) data[below(data.size())] ^= std::byte(1 << below(8));
  }
  template <class T>
  void put(Bytes& data, T value) {
    if (data.size() < sizeof value) return;
    const std::size_t at = below(data.size() / 4) * 4;
    std::memcpy(data.data() + std::min(at, data.size() - sizeof value), &value, sizeof value);
  }
  void put_evil_number(Bytes& data) {
    const double value = evil_numbers[below(std::size(evil_numbers))];
    if (below(2) == 0)
      put(data, value);
    else
      put(data, float(value));
  }
  // a number of the section times another one: small steps away from what is good
  void scale(Bytes& data) {
    constexpr double factors[] = {-1, 0.5, 2, 100, 1e6, 1e-3};
    const double factor = factors[below(std::size(factors))];
    if (data.size() < 8) return;
    const std::size_t at = below(data.size() / 8) * 8;
    if (below(2) == 0)
      scale_at<float>(data, at, factor);
    else
      scale_at<double>(data, at, factor);
  }
  template <class T>
  static void scale_at(Bytes& data, std::size_t at, double factor) {
    T x;
    std::memcpy(&x, data.data() + at, sizeof x);
    x = T(double(x) * factor);
    std::memcpy(data.data() + at, &x, sizeof x);
  }
  void copy_run(Bytes& data) {
    if (data.size() < 8) return;
    const std::size_t size = std::min<std::size_t>(data.size(), 4 + 4 * below(30));
    const std::size_t from = below((data.size() - size) / 4 + 1) * 4, to = below((data.size() - size) / 4 + 1) * 4;
    std::memmove(data.data() + to, data.data() + from, size);
  }
  void swap_runs(Bytes& data) {
    if (data.size() < 16) return;
    const std::size_t size = 4 + 4 * below(2);
    const std::size_t a = below(data.size() / 8) * 8, b = below(data.size() / 8) * 8;
    if (a + size <= data.size() && b + size <= data.size())
      std::swap_ranges(data.begin() + std::ptrdiff_t(a), data.begin() + std::ptrdiff_t(a + size),
                       data.begin() + std::ptrdiff_t(b));
  }
  // shorter or longer, by whole entries often enough
  void resize(SnapshotParts::Section& section) {
    constexpr std::size_t entries[] = {4, 8, 48, 96, 780, 1};
    const std::size_t entry = entries[below(std::size(entries))], count = 1 + below(3);
    Bytes& data = section.data;
    if (below(2) == 0)
      data.resize(data.size() - std::min(data.size(), count * entry));
    else
      for (std::size_t i = 0, size = data.size(); i < count * entry; ++i)
        data.push_back(size == 0 ? std::byte(below(256)) : data[i % size]);
    section.said_size = data.size();
  }
  void edit_head(SnapshotParts& parts) {
    const std::uint64_t count = evil_counts[below(std::size(evil_counts))];
    switch (below(6)) {
      case 0: parts.version = count; return;
      case 1: parts.said_text = count; return;
      case 2: parts.said_count = count; return;
      case 3: return flip(parts.text);
      case 4: parts.cut = below(2000); return;
      default: return flip(parts.sections[below(parts.sections.size())].name);
    }
  }

  std::uint64_t state_;
};

// the largest speed fits the velocities, or nearly all edits of them would be refused for that
template <class S>
void repair_speed(SnapshotParts& parts, std::size_t dimension) {
  const Bytes& rates = parts.find("velocities").data;
  Bytes& speed = parts.find("max_speed").data;
  const std::size_t entry = (dimension + dimension * dimension) * sizeof(S);
  double fastest = 0;
  for (std::size_t at = 0; at + entry <= rates.size(); at += entry)
    for (std::size_t d = 0; d < dimension; ++d) {
      S v;
      std::memcpy(&v, rates.data() + at + d * sizeof v, sizeof v);
      fastest = std::max(fastest, std::fabs(double(v)));
    }
  if (speed.size() == sizeof fastest) std::memcpy(speed.data(), &fastest, sizeof fastest);
}

Bytes forge(const Bytes& good, const Scene& scene, std::uint64_t seed) {
  Forger forger(seed);
  SnapshotParts parts(good);
  forger.edit(parts);
  if (forger.below(4) > 0) {
    if (scene.precision == Precision::float32)
      repair_speed<float>(parts, std::size_t(scene.dimension));
    else
      repair_speed<double>(parts, std::size_t(scene.dimension));
  }
  return parts.join();
}

// what should hold for every forged snapshot; empty if it does
std::string broken_promise(World& world, const Bytes& good, const Bytes& forged, ForgeReport& report) {
  const std::uint64_t before = world.state_hash();
  try {
    world.restore(forged);
  } catch (const Error& error) {
    ++report.refused;
    report.last = error.what();
    if (error.code() != ErrorCode::bad_file) return std::string("refused with another error: ") + error.what();
    return world.state_hash() == before ? "" : "refused, but the state has changed";
  }
  const std::uint64_t taken = world.state_hash();
  std::string broken;
  try {
    world.step();
    ++report.stepped;
    report.last = "taken";
  } catch (const Error& error) {
    ++report.failed;
    report.last = std::string("taken; its step ") + error.what();
    if (world.state_hash() != taken) broken = "a step that failed has changed the state";
  }
  world.restore(good);
  return world.state_hash() == before ? broken : "the good snapshot does not bring the state back";
}

}  // namespace

ForgeReport fuzz_snapshots(int first, int count) {
  std::vector<small::Named> worlds = snapshot_worlds();
  std::vector<Bytes> good;
  for (const small::Named& it : worlds) good.push_back(it.world.save());
  ForgeReport report;
  for (int seed = first; seed < first + count; ++seed) {
    const std::size_t w = std::size_t(seed) % worlds.size();
    const Bytes forged = forge(good[w], worlds[w].world.scene(), std::uint64_t(seed));
    const std::clock_t start = std::clock();
    const std::string broken = broken_promise(worlds[w].world, good[w], forged, report);
    const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
    if (seconds > report.slowest) report.slowest = seconds, report.slowest_seed = seed;
    if (!broken.empty())
      report.failures += "seed " + std::to_string(seed) + ", " + worlds[w].name + ": " + broken + "\n";
  }
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  report.memory = double(usage.ru_maxrss) / 1024;
  return report;
}

}  // namespace pliant

#include "falling_cube.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace pliant::bench {
namespace {

constexpr double cell = 0.01;         // m
constexpr double fall_speed = 2;      // m/s
constexpr double floor_height = 3.5;  // cells: between two nodes, so that round-off does not choose who is inside
constexpr Vec3 corner = {5, 5, 5};    // cells, lowest corner of the block
constexpr double courant = 0.2;       // of the wave speed

// splitmix64: random bits of a counter
std::uint64_t random_bits(std::uint64_t counter) {
  std::uint64_t z = (counter + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

double random_unit(std::uint64_t counter) { return double(random_bits(counter) >> 11) * 0x1p-53; }

using Cells = std::array<std::size_t, 3>;  // of a block, along each axis; in 2-D the last is 0

// one at a random place in each half of a cell along each axis
std::vector<Vec3> block_points(const Cells& cells) {
  const std::size_t axes = cells[2] > 0 ? 3 : 2, n[3] = {2 * cells[0], 2 * cells[1], axes == 3 ? 2 * cells[2] : 1};
  std::vector<Vec3> points(n[0] * n[1] * n[2], Vec3{});
  for (std::size_t p = 0; p < points.size(); ++p) {
    const std::size_t half[3] = {p / (n[1] * n[2]), p / n[2] % n[1], p % n[2]};
    for (std::size_t d = 0; d < axes; ++d)
      points[p][d] = ((double(half[d]) + random_unit(3 * p + d)) / 2 + corner[d]) * cell;
  }
  return points;
}

void shuffle(std::vector<Vec3>& points) {
  std::vector<std::uint64_t> key(points.size());
  for (std::size_t p = 0; p < key.size(); ++p) key[p] = random_bits(3 * key.size() + p);
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key[a] < key[b]; });
  std::vector<Vec3> shuffled(points.size());
  for (std::size_t i = 0; i < order.size(); ++i) shuffled[i] = points[order[i]];
  points.swap(shuffled);
}

double wave_speed(const Material& m) {
  const double modulus = m.E * (1 - m.nu) / ((1 + m.nu) * (1 - 2 * m.nu));  // lambda + 2 mu
  return std::sqrt(modulus / m.density);
}

Scene falling_block(Law law, Precision precision, const Cells& cells) {
  const std::size_t up = cells[2] > 0 ? 2 : 1;
  Material jelly;
  jelly.name = "jelly";
  jelly.law = law;
  jelly.density = 1000;
  jelly.E = 1e5;
  jelly.loss = 0;  // as the peer
  jelly.nu = 0.3;

  Matter block;
  block.name = "block";
  block.material = jelly.name;
  block.velocity[up] = -fall_speed;
  block.points = block_points(cells);
  block.point_volume = up == 2 ? cell * cell * cell / 8 : cell * cell / 4;
  shuffle(block.points);

  Boundary floor;
  floor.name = "floor";
  floor.normal = {};
  floor.normal[up] = 1;
  floor.center[up] = floor_height * cell;
  floor.at = Boundary::At::nodes;  // as the peer's

  Scene scene;
  scene.dimension = int(up) + 1;
  scene.precision = precision;
  scene.step.cell = cell;
  scene.step.gravity = {};
  scene.step.gravity[up] = -9.81;
  scene.step.substeps = substeps;
  scene.step.dt = substeps * courant * cell / wave_speed(jelly);
  scene.step.balance = false;  // the peer has none
  scene.materials = {jelly};
  scene.matter = {block};
  scene.boundaries = {floor};
  return scene;
}

}  // namespace

Scene falling_cube(const CubeChoice& choice) {
  const std::size_t side = std::size_t(choice.side);
  return falling_block(choice.law, choice.precision, {side, side, side});
}

Scene falling_rectangle(const RectangleChoice& choice) {
  return falling_block(choice.law, choice.precision, {std::size_t(choice.width), std::size_t(choice.height), 0});
}

}  // namespace pliant::bench

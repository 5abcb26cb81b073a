#include "falling_cube.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pliant::bench {
namespace {

constexpr double cell = 0.01;         // m
constexpr double fall_speed = 2;      // m/s
constexpr double floor_height = 3.5;  // cells: between two nodes, so that round-off does not choose who is inside
constexpr Vec3 corner = {5, 5, 5};    // cells, lowest corner of the cube
constexpr double courant = 0.2;       // of the wave speed

// splitmix64: random bits of a counter
std::uint64_t random_bits(std::uint64_t counter) {
  std::uint64_t z = (counter + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

double random_unit(std::uint64_t counter) { return double(random_bits(counter) >> 11) * 0x1p-53; }

std::vector<Vec3> cube_points(int side) {
  const std::size_t n = 2 * std::size_t(side), count = n * n * n;
  std::vector<Vec3> points(count);
  for (std::size_t p = 0; p < count; ++p) {
    const std::size_t eighth[3] = {p / (n * n), p / n % n, p % n};
    for (std::size_t d = 0; d < 3; ++d)
      points[p][d] = ((double(eighth[d]) + random_unit(3 * p + d)) / 2 + corner[d]) * cell;
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

}  // namespace

Scene falling_cube(const CubeChoice& choice) {
  Material jelly;
  jelly.name = "jelly";
  jelly.law = choice.law;
  jelly.density = 1000;
  jelly.E = 1e5;
  jelly.loss = 0;  // as the peer
  jelly.nu = 0.3;

  Matter cube;
  cube.name = "cube";
  cube.material = jelly.name;
  cube.velocity = {0, 0, -fall_speed};
  cube.points = cube_points(choice.side);
  cube.point_volume = cell * cell * cell / 8;
  shuffle(cube.points);

  Boundary floor;
  floor.name = "floor";
  floor.center = {0, 0, floor_height * cell};

  Scene scene;
  scene.precision = choice.precision;
  scene.step.cell = cell;
  scene.step.substeps = substeps;
  scene.step.dt = substeps * courant * cell / wave_speed(jelly);
  scene.step.balance = false;  // the peer has none
  scene.materials = {jelly};
  scene.matter = {cube};
  scene.boundaries = {floor};
  return scene;
}

}  // namespace pliant::bench

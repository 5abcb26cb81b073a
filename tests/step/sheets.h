// Scenes with sheets of cloth.
#pragma once

#include "step/support.h"

#include <cmath>

namespace pliant::test {

inline Material fabric(double E = 1e5, double nu = 0.3, double density = 1000) {
  Material m;
  m.name = "fabric", m.law = Law::cloth, m.E = E, m.nu = nu, m.density = density;
  return m;
}

// no gravity, as many substeps as needed
inline Scene cloth_scene(const Material& material, double cell = 1.0 / 64, double dt = 2e-3) {
  Scene scene = empty_scene(3, cell, dt);
  scene.step.substeps = 0;
  scene.materials = {material};
  return scene;
}

// spacing 0: the cell
inline Matter& add_sheet(Scene& scene, const std::string& name, double a, double b, Vec3 center, double spacing = 0) {
  Matter m;
  m.name = name, m.material = scene.materials[0].name;
  m.shape.kind = Shape::Kind::cloth;
  m.shape.size = {a, b, 1};
  m.shape.center = center;
  m.shape.spacing = spacing;
  scene.matter.push_back(m);
  return scene.matter.back();
}

// holds all vertices at x below `limit` (sign 1) or above it (sign -1), if they are much closer to the axis than 100 m
inline Pin half_space(const std::string& name, double limit, double sign, Vec3 at) {
  return {name, {limit - sign * 100, at[1], at[2]}, 100 + 1e-3};
}

inline Motion move_pin(const Matter& matter, const Pin& pin, Vec3 way, double duration) {
  Motion m;
  m.kind = Motion::Kind::pin;
  m.target = matter.name + "/" + pin.name;
  m.times = {0, duration};
  const Vec3& c = pin.center;
  m.values = {{c[0], c[1], c[2]}, {c[0] + way[0], c[1] + way[1], c[2] + way[2]}};
  return m;
}

// positions of the vertices, in their order
inline std::vector<Vec3> vertices(const World& world, const std::string& matter) {
  std::size_t count = 0;
  for (const auto& t : world.triangles(matter))
    for (const std::int32_t v : t) count = std::max(count, std::size_t(v) + 1);
  const std::vector<double> x = numbers(world, matter, Attribute::position);
  std::vector<Vec3> list(count);
  for (std::size_t v = 0; v < count; ++v) list[v] = {x[3 * v], x[3 * v + 1], x[3 * v + 2]};
  return list;
}

inline Vec3 mean_velocity(const World& world, const std::string& matter) {
  const std::vector<double> m = numbers(world, matter, Attribute::mass),
                            v = numbers(world, matter, Attribute::velocity);
  Vec3 sum = {0, 0, 0};
  double mass = 0;
  for (std::size_t p = 0; p < m.size(); ++p) {
    mass += m[p];
    for (std::size_t d = 0; d < 3; ++d) sum[d] += m[p] * v[3 * p + d];
  }
  for (double& x : sum) x /= mass;
  return sum;
}

inline double mass_of(const World& world, const std::string& matter) {
  const std::vector<double> m = numbers(world, matter, Attribute::mass);
  return std::accumulate(m.begin(), m.end(), 0.0);
}

}  // namespace pliant::test

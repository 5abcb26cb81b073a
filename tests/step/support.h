// What the tests of the step share: scenes made of points, particle numbers in the order of their ids, the twin of a
// world.
#pragma once

#include "pliant/error.h"
#include "pliant/world.h"
#include "twin/twin.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>

namespace pliant::test {

// a lattice of points that fills the box [low, high), each moved by up to jitter / 2 of the spacing
inline std::vector<Vec3> block(int dimension, Vec3 low, Vec3 high, double spacing, double jitter = 0.6) {
  std::mt19937_64 random(7);
  auto offset = [&] { return jitter * (double(random() >> 11) / double(1ull << 53) - 0.5); };
  std::array<int, 3> n = {1, 1, 1};
  for (int d = 0; d < dimension; ++d) n[d] = std::max(1, int(std::lround((high[d] - low[d]) / spacing)));
  std::vector<Vec3> points;
  for (int i = 0; i < n[0]; ++i)
    for (int j = 0; j < n[1]; ++j)
      for (int k = 0; k < n[2]; ++k) {
        const std::array<int, 3> index = {i, j, k};
        Vec3 x = {0, 0, 0};
        for (int d = 0; d < dimension; ++d) x[d] = low[d] + (index[d] + 0.5 + offset()) * spacing;
        points.push_back(x);
      }
  return points;
}

// the points of a block that lie in a ball
inline std::vector<Vec3> ball(int dimension, Vec3 center, double radius, double spacing, double jitter = 0.6) {
  Vec3 low = center, high = center;
  for (int d = 0; d < dimension; ++d) low[d] -= radius, high[d] += radius;
  std::vector<Vec3> inside;
  for (const Vec3& x : block(dimension, low, high, spacing, jitter)) {
    double square = 0;
    for (int d = 0; d < dimension; ++d) square += (x[d] - center[d]) * (x[d] - center[d]);
    if (square < radius * radius) inside.push_back(x);
  }
  return inside;
}

inline Material elastic(double E, double nu, double density = 1000, Law law = Law::neo_hookean) {
  Material material;
  material.name = "elastic";
  material.law = law, material.E = E, material.nu = nu, material.density = density;
  material.loss = 0;  // loss_test.cpp has what is lost by touching
  return material;
}

// an empty scene: no gravity, one substep
inline Scene empty_scene(int dimension, double cell, double dt, Precision precision = Precision::float64) {
  Scene scene;
  scene.dimension = dimension;
  scene.precision = precision;
  scene.step.cell = cell, scene.step.dt = dt, scene.step.substeps = 1;
  scene.step.gravity = {0, 0, 0};
  return scene;
}

// In 2-D the third numbers of a scene must be 0. Sets them so; scenes that are written for both dimensions end with
// this.
inline void flatten(Scene& scene) {
  if (scene.dimension == 3) return;
  scene.step.gravity[2] = 0;
  for (Matter& m : scene.matter) m.velocity[2] = m.angular_velocity[0] = m.angular_velocity[1] = 0;
  for (Boundary& b : scene.boundaries) {
    b.center[2] = b.velocity[2] = 0;
    if (b.kind == Boundary::Kind::plane) b.normal[2] = 0;
  }
}

// adds matter made of points; the first call for a material of that name adds the material
inline Matter& add(Scene& scene, const std::string& name, const Material& material, std::vector<Vec3> points,
                   double spacing) {
  bool known = false;
  for (const Material& m : scene.materials) known = known || m.name == material.name;
  if (!known) scene.materials.push_back(material);
  Matter matter;
  matter.name = name, matter.material = material.name;
  matter.points = std::move(points);
  matter.point_volume = std::pow(spacing, scene.dimension);
  scene.matter.push_back(matter);
  return scene.matter.back();
}

inline Boundary plane(Vec3 center, Vec3 normal, double friction = 0,
                      Boundary::Condition condition = Boundary::Condition::separate) {
  Boundary boundary;
  boundary.name = "plane";
  boundary.center = center, boundary.normal = normal, boundary.friction = friction, boundary.condition = condition;
  return boundary;
}

// a body of these parts, in MuJoCo's words
inline Body body_of(const std::string& parts, const std::string& name = "thing") {
  Body body;
  body.name = name;
  body.text = "<mujoco><worldbody>" + parts + "</worldbody></mujoco>";
  return body;
}

// a cube of 0.08 m, 8 x 8 x 8 points, and a floor whose surface the lowest of them touch
inline void add_cube(Scene& scene, const Material& material) {
  add(scene, "cube", material, block(3, {-.04, -.04, 0}, {.04, .04, .08}, .01, 0), .01);
}
inline constexpr const char* floor_text = R"(<geom name="floor" type="plane" size="1 1 .1" pos="0 0 .005"/>)";

// where each particle of a view stands, in the order of ids
inline std::vector<std::size_t> order_by_id(const World& world, const std::string& matter) {
  const View ids = world.view(matter, Attribute::id);
  std::vector<std::uint32_t> id(ids.count);
  for (std::size_t p = 0; p < ids.count; ++p)
    std::memcpy(&id[p], static_cast<const char*>(ids.data) + p * ids.stride, sizeof id[p]);
  std::vector<std::size_t> order(ids.count);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return id[a] < id[b]; });
  return order;
}

// the numbers of one attribute, particle after particle in the order of ids
inline std::vector<double> numbers(const World& world, const std::string& matter, Attribute attribute) {
  const View view = world.view(matter, attribute);
  std::size_t width = 1;
  for (std::size_t n : view.shape) width *= n;
  std::vector<double> result;
  for (std::size_t p : order_by_id(world, matter))
    for (std::size_t k = 0; k < width; ++k) {
      const char* at = static_cast<const char*>(view.data) + p * view.stride;
      if (view.precision == Precision::float64) {
        double number;
        std::memcpy(&number, at + k * sizeof number, sizeof number);
        result.push_back(number);
      } else {
        float number;
        std::memcpy(&number, at + k * sizeof number, sizeof number);
        result.push_back(number);
      }
    }
  return result;
}

// all particles of a world as the twin holds them; group is the index of their matter
template <int D>
std::vector<twin::Particle<D>> particles(const World& world) {
  std::vector<twin::Particle<D>> all;
  using RowMajor = Eigen::Matrix<double, D, D, Eigen::RowMajor>;
  for (std::size_t m = 0; m < world.scene().matter.size(); ++m) {
    const std::string& name = world.scene().matter[m].name;
    const auto x = numbers(world, name, Attribute::position), v = numbers(world, name, Attribute::velocity);
    const auto C = numbers(world, name, Attribute::affine), F = numbers(world, name, Attribute::deformation_gradient);
    const auto mass = numbers(world, name, Attribute::mass), volume = numbers(world, name, Attribute::volume);
    for (std::size_t p = 0; p < mass.size(); ++p) {
      twin::Particle<D> particle;
      particle.x = Eigen::Map<const twin::Vec<D>>(&x[p * D]), particle.v = Eigen::Map<const twin::Vec<D>>(&v[p * D]);
      particle.C = Eigen::Map<const RowMajor>(&C[p * D * D]), particle.F = Eigen::Map<const RowMajor>(&F[p * D * D]);
      particle.mass = mass[p], particle.volume = volume[p], particle.group = int(m);
      all.push_back(particle);
    }
  }
  return all;
}

template <int D>
twin::Vec<D> vector(const Vec3& v) {
  return Eigen::Map<const Eigen::Vector3d>(v.data()).template head<D>();
}

// the twin of a world of neo-Hookean matter and planes, at the world's present state
template <int D>
twin::Twin<D> twin_of(const World& world) {
  const Scene& scene = world.scene();
  twin::Twin<D> twin;
  twin.h = scene.step.cell, twin.dt = scene.step.dt / scene.step.substeps;
  twin.gravity = vector<D>(scene.step.gravity);
  twin.kernel = scene.step.kernel, twin.transfer = scene.step.transfer;
  for (const Boundary& b : scene.boundaries)
    twin.planes.push_back({vector<D>(b.center), vector<D>(b.normal), vector<D>(b.velocity), b.friction, b.condition});
  twin.particles = particles<D>(world);
  std::vector<Material> laws;
  for (const Matter& matter : scene.matter)
    for (const Material& material : scene.materials)
      if (material.name == matter.material) laws.push_back(material);
  twin.kirchhoff = [laws](const twin::Particle<D>& p) {
    return twin::neo_hookean<D>(p.F, laws[p.group].E, laws[p.group].nu);
  };
  return twin;
}

// largest difference of two sets of particles, each number on its own scale
struct Difference {
  double position = 0, velocity = 0, deformation = 0, affine = 0;
};
template <int D>
Difference difference(const std::vector<twin::Particle<D>>& a, const std::vector<twin::Particle<D>>& b) {
  EXPECT_EQ(a.size(), b.size());
  Difference worst;
  for (std::size_t p = 0; p < std::min(a.size(), b.size()); ++p) {
    worst.position = std::max(worst.position, (a[p].x - b[p].x).template lpNorm<Eigen::Infinity>());
    worst.velocity = std::max(worst.velocity, (a[p].v - b[p].v).template lpNorm<Eigen::Infinity>());
    worst.deformation = std::max(worst.deformation, (a[p].F - b[p].F).template lpNorm<Eigen::Infinity>());
    worst.affine = std::max(worst.affine, (a[p].C - b[p].C).template lpNorm<Eigen::Infinity>());
  }
  return worst;
}

// runs the call and gives the code of the Error that it throws
template <class Call>
std::string error_of(Call&& call, ErrorCode expected) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), expected) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error was raised, " << name(expected) << " was expected";
  return "";
}

}  // namespace pliant::test

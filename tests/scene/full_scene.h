// A scene in which everything is off its default, with numbers that need all their digits.
#pragma once

#include "geometry/meshes.h"
#include "pliant/scene.h"

#include <fmt/core.h>

#include <cmath>
#include <random>

namespace pliant {

using namespace geometry;

class Dice {
 public:
  double between(double low, double high) { return std::uniform_real_distribution<>(low, high)(engine_); }
  Vec3 vector(double low, double high) { return {between(low, high), between(low, high), between(low, high)}; }
  std::array<double, 4> rotation() {
    std::array<double, 4> q;
    double length = 0;
    for (double& x : q) {
      x = between(-1, 1);
      length += x * x;
    }
    for (double& x : q) x /= std::sqrt(length);
    return q;
  }

 private:
  std::mt19937_64 engine_{7};
};

inline std::vector<Material> all_materials(Dice& dice) {
  std::vector<Material> materials;
  for (const Law law : known_laws()) {
    Material m;
    m.law = law;
    m.name = name(m.law);
    m.density = dice.between(1, 3000);
    if (m.law == Law::liquid) {
      m.bulk_modulus = dice.between(1e4, 1e6);
      m.gamma = dice.between(1, 9);
      m.viscosity = dice.between(0, 1);
    } else {
      m.E = dice.between(1e3, 1e6);
      m.nu = dice.between(0, 0.49);
      m.friction = dice.between(0, 1);
    }
    if (m.law == Law::neo_hookean || m.law == Law::hencky) m.loss = dice.between(0, 1);
    if (m.law == Law::hencky || m.law == Law::linear_corotated) m.yield = dice.between(10, 1e4);
    if (m.law == Law::sand) {
      m.friction_angle = dice.between(1, 80);
      m.cohesion = dice.between(0, 1);
    }
    if (m.law == Law::snow) {
      m.hardening = dice.between(0, 100);
      m.critical_compression = dice.between(0, 0.5);
      m.critical_stretch = dice.between(0, 0.5);
    }
    if (m.law == Law::cloth) {
      m.bending = dice.between(0, 1);
      m.normal_stiffness = dice.between(1e3, 1e6);
      m.shear_stiffness = dice.between(1e3, 1e6);
    }
    materials.push_back(m);
  }
  return materials;
}

// a sheet of a size with pins, and one of a file
inline std::vector<Matter> all_cloth(Dice& dice, const std::string& mesh_file) {
  std::vector<Matter> list(2);
  for (Matter& m : list) {
    m.material = "cloth";
    m.shape.kind = Shape::Kind::cloth;
    m.shape.center = dice.vector(-9, 9);
    m.shape.rotation = dice.rotation();
    m.shape.thickness = dice.between(1e-4, 1e-2);
    m.sampling.method = Sampling::Method::lattice;
  }
  list[0].name = "sheet";
  list[0].shape.size = {dice.between(0.5, 2), dice.between(0.5, 2), 1};
  list[0].shape.spacing = dice.between(0.1, 0.2);
  list[0].pins = {{"left", dice.vector(-1, 1), dice.between(0.1, 1), dice.between(1, 2)},
                  {"right", dice.vector(-1, 1), dice.between(0.1, 1)}};
  list[1].name = "shirt";
  list[1].shape.mesh_file = mesh_file;
  list[1].shape.mesh_scale = dice.between(0.1, 1);
  return list;
}

inline std::vector<Matter> all_matter(Dice& dice, const std::string& mesh_file) {
  std::vector<Matter> list;
  for (int kind = 0; kind <= int(Shape::Kind::mesh) + 1; ++kind) {
    Matter m;
    m.name = fmt::format("piece {}: \"{}\" # é", kind, kind);
    m.material = "sand";
    m.velocity = dice.vector(-1, 1);
    m.angular_velocity = dice.vector(-1, 1);
    m.sampling = {Sampling::Method::lattice, dice.between(1, 9), 18446744073709551615u - std::uint64_t(kind),
                  dice.between(0, 1), SurfaceLayer::yes};
    if (kind > int(Shape::Kind::mesh)) {
      m.points = {dice.vector(-1, 1), {-0.0, 1e-300, 5e-324}, dice.vector(-1, 1)};
      m.point_volume = dice.between(1e-9, 1e-3);
    } else {
      m.shape.kind = Shape::Kind(kind);
      m.shape.center = dice.vector(-9, 9);
      m.shape.rotation = dice.rotation();
      if (m.shape.kind == Shape::Kind::box) m.shape.size = dice.vector(0.01, 0.1);
      if (kind >= 1 && kind <= 3) m.shape.radius = dice.between(0.01, 0.1);
      if (kind >= 2 && kind <= 3) m.shape.length = dice.between(0.01, 0.1);
    }
    if (m.shape.kind == Shape::Kind::mesh) {
      m.shape.mesh_file = mesh_file;
      m.shape.mesh_scale = dice.between(0.1, 1);
    }
    list.push_back(m);
  }
  for (const Matter& m : all_cloth(dice, mesh_file)) list.push_back(m);
  return list;
}

inline std::vector<Boundary> all_boundaries(Dice& dice) {
  std::vector<Boundary> list;
  for (int kind = 0; kind <= int(Boundary::Kind::cylinder); ++kind) {
    Boundary b;
    b.name = fmt::format("{}", kind);  // a name that looks like a number
    b.kind = Boundary::Kind(kind);
    b.condition = Boundary::Condition(kind % 3);
    if (kind == 0) b.at = Boundary::At::nodes;
    b.friction = dice.between(0, 1);
    b.center = dice.vector(-1, 1);
    b.velocity = dice.vector(-1, 1);
    b.inside_out = kind % 2 == 1;
    if (b.kind == Boundary::Kind::plane || b.kind == Boundary::Kind::cylinder) b.normal = dice.vector(-1, 1);
    if (b.kind == Boundary::Kind::box) {
      b.size = dice.vector(0.1, 1);
      b.rotation = dice.rotation();
    }
    if (kind >= 2) b.radius = dice.between(0.1, 1);
    if (b.kind == Boundary::Kind::cylinder) b.length = dice.between(0.1, 1);
    list.push_back(b);
  }
  return list;
}

inline std::vector<Motion> all_motion(Dice& dice) {
  std::vector<Motion> list;
  const char* targets[] = {"arm/joint1", "hand/target", "0", "arm/flange", "sheet/right", "pull"};
  for (int kind = 0; kind < 6; ++kind) {
    Motion m;
    m.kind = Motion::Kind(kind);
    m.target = targets[kind];
    m.path = Motion::Path(kind % 3);
    for (int i = 0; i < 4; ++i) {
      m.times.push_back(i + dice.between(0, 1));
      if (m.kind == Motion::Kind::actuator || m.kind == Motion::Kind::actuation) {
        m.values.push_back({dice.between(-1, 1)});
      } else {
        const Vec3 p = dice.vector(-1, 1);
        m.values.push_back({p[0], p[1], p[2]});
        // the third turns back to no rotation
        const auto q = i == 2 ? std::array<double, 4>{1, 0, 0, 0} : dice.rotation();
        if (m.kind == Motion::Kind::mocap || m.kind == Motion::Kind::gripper)
          m.values.back().insert(m.values.back().end(), q.begin(), q.end());
      }
    }
    if (m.kind == Motion::Kind::actuator) {
      m.until_force = {"arm/link7", dice.between(1, 2)};
      m.release = {false, true, false, true};
    }
    list.push_back(m);
  }
  return list;
}

// every field that its kind reads is off its default
inline Scene full_scene(const TemporaryFolder& folder) {
  Dice dice;
  Scene scene;
  scene.name = "all: of it, \"quoted\"\n\ttwo lines \x7f";
  scene.precision = Precision::float64;
  scene.duration = dice.between(1, 2);
  scene.max_particles = 12345678;
  scene.max_memory = 9876543210;
  scene.step = {dice.between(1e-3, 1e-2),
                dice.between(0.1, 0.2),
                dice.vector(-9, 9),
                dice.between(0.1, 1),
                4321,
                17,
                Kernel::compact,
                Transfer::apic,
                false,
                Method::one_way,
                dice.between(1e-10, 1),
                765,
                65432,
                7,
                false,
                PlasticFlow::implicit,
                dice.between(0, 1),
                dice.between(0, 1)};
  scene.materials = all_materials(dice);
  scene.matter = all_matter(dice, folder.file("tetrahedron.obj"));
  scene.actuators = {{"pull", scene.matter[0].name, dice.vector(-1, 1), dice.between(2, 3)},
                     {"press", scene.matter[1].name, {0, 0, 0}, dice.between(-3, -2)}};
  scene.boundaries = all_boundaries(dice);
  scene.bodies = {
      {"arm", folder.file("arm.xml"), "", dice.vector(-1, 1), dice.rotation(), ""},
      {"hand", "", "<mujoco>\n  <worldbody/>\n\n</mujoco>\n", dice.vector(-1, 1), dice.rotation(), "arm/flange"},
      {"odd", "", "  <mujoco>\t<worldbody/> \n\n</mujoco>\r\n\n", {0, 0, 0}, {1, 0, 0, 0}, ""}};
  scene.contact = {Contact::Law::sap,
                   Contact::Radius::lagged,
                   dice.between(0, 1),
                   dice.between(1e6, 1e9),
                   dice.between(0, 1),
                   dice.between(0, 1),
                   false,
                   dice.between(0, 1),
                   {}};
  scene.contact.pairs = {{scene.matter[0].name, "arm", dice.between(0, 1), dice.between(1e6, 1e9), dice.between(0, 1)},
                         {scene.matter[1].name, "", dice.between(0, 1), 0, -1},
                         {"", "arm/finger", ContactPair().friction, 0, 0}};
  scene.motion = all_motion(dice);
  scene.record = {dice.between(1, 99), true};
  scene.expect = {{"it stays", scene.matter[0].name, "inside", dice.vector(-1, 1), dice.vector(0.1, 1), 0.99, 1e300},
                  {"it is up", "arm/flange", "z", {0, 0, 0}, {0, 0, 0}, -1e300, dice.between(0, 1), dice.between(0, 9)},
                  {"all", "", "steps", {0, 0, 0}, {0, 0, 0}, 1, 2}};
  return scene;
}

}  // namespace pliant

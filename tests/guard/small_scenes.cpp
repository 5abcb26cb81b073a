// Small scenes made in code. Together: 2-D and 3-D, float and double, every law, kernel, transfer, contact law and
// method, boundaries and pins that move, bodies shared with a user, a force that stops an actuator, steps that fail
// and that are cut.
#include "cases.h"

#include <mujoco/mujoco.h>

#include <cmath>
#include <random>
#include <stdexcept>

namespace pliant::guard {
namespace {

Scene scene_of(int dimension, Precision precision, Kernel kernel, Transfer transfer) {
  Scene scene;
  scene.dimension = dimension;
  scene.precision = precision;
  scene.step.kernel = kernel, scene.step.transfer = transfer;
  scene.step.gravity = dimension == 2 ? Vec3{0.25, -8, 0} : Vec3{0.25, 0.5, -8};
  return scene;
}

Material material_of(Law law, double E = 2e4) {
  Material material;
  material.name = name(law), material.law = law, material.E = E;
  material.density = 800, material.yield = 200, material.bulk_modulus = 2e4, material.viscosity = 1;
  return material;
}

// a block of points, eight to a cell (four in 2-D), none at a regular place
Matter& add_block(Scene& scene, const Material& material, Vec3 low, Vec3 size) {
  const double spacing = scene.step.cell / 2;
  std::mt19937_64 random(7 + scene.matter.size());
  auto offset = [&] { return 0.5 + 0.6 * (double(random() >> 11) * 0x1p-53 - 0.5); };
  std::array<int, 3> n = {1, 1, 1};
  for (int d = 0; d < scene.dimension; ++d) n[d] = int(std::lround(size[d] / spacing));
  Matter matter;
  matter.name = matter.material = material.name;
  matter.point_volume = std::pow(spacing, scene.dimension);
  for (int i = 0; i < n[0]; ++i)
    for (int j = 0; j < n[1]; ++j)
      for (int k = 0; k < n[2]; ++k) {
        Vec3 x = {low[0] + (i + offset()) * spacing, low[1] + (j + offset()) * spacing, 0};
        if (scene.dimension == 3) x[2] = low[2] + (k + offset()) * spacing;
        matter.points.push_back(x);
      }
  scene.materials.push_back(material);
  scene.matter.push_back(matter);
  return scene.matter.back();
}

// every law of solids and liquids once, in blocks that fall on a floor and into each other
void add_laws(Scene& scene) {
  const double edge = 2 * scene.step.cell;
  const Law laws[] = {Law::linear, Law::linear_corotated, Law::fixed_corotated, Law::neo_hookean, Law::hencky,
                      Law::sand,   Law::liquid,           Law::eraser,          Law::snow};
  int n = 0;
  for (Law law : laws) {
    const double left = 1.08 * edge * (n % 3), low = 1.04 * edge * (n / 3);
    const bool flat = scene.dimension == 2;
    const Vec3 corner = flat ? Vec3{left, low, 0} : Vec3{left, 0.04 * edge * n, low};
    Matter& matter = add_block(scene, material_of(law), corner, {edge, edge, edge});
    matter.velocity = {0.2 * (n % 2) - 0.1, flat ? -1.0 : 0.1, flat ? 0.0 : -1.0};
    matter.angular_velocity = {0, 0, 0.5};
    ++n;
  }
}

Boundary boundary_of(const std::string& name, Boundary::Kind kind, Boundary::Condition condition, Vec3 center) {
  Boundary boundary;
  boundary.name = name, boundary.kind = kind, boundary.condition = condition, boundary.center = center;
  boundary.friction = 0.3;
  return boundary;
}

Boundary floor_of(const Scene& scene, double height) {
  const bool flat = scene.dimension == 2;
  Boundary floor = boundary_of("floor", Boundary::Kind::plane, Boundary::Condition::separate,
                               flat ? Vec3{0, height, 0} : Vec3{0, 0, height});
  floor.normal = flat ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
  return floor;
}

// a floor that scenes share with a ball, a cart on a servo and a hand that is moved
constexpr const char* things = R"(<mujoco><option integrator="implicitfast" timestep=".002"/><worldbody>
    <geom name="floor" type="plane" size="1 1 .1" pos="0 0 .003"/>
    <body name="ball" pos=".085 0 .04"><freejoint/><geom name="ball" type="sphere" size=".05" mass=".3"/></body>
    <body name="cart" pos="-.1 0 .04"><joint name="cart" type="slide" axis="1 0 0" damping="1"/>
      <geom name="cart" type="box" size=".055 .1 .03" mass=".1"/></body>
    <body name="hand" mocap="true" pos="0 .1 .04"><geom name="hand" type="capsule" size=".03 .05"/></body>
  </worldbody><actuator><position name="cart" joint="cart" kp="200" kv="2"/></actuator></mujoco>)";

Body body_of(const std::string& text) {
  Body body;
  body.name = "thing";
  body.text = text;
  return body;
}

Motion motion_of(Motion::Kind kind, const std::string& target, std::vector<double> from, std::vector<double> to,
                 double duration) {
  Motion motion;
  motion.kind = kind, motion.target = target;
  motion.times = {0, duration};
  motion.values = {from, to};
  return motion;
}

// a cube of 0.08 m among the things, and a plane that comes nearer
Scene cube_and_things(Precision precision, Kernel kernel, Transfer transfer) {
  Scene scene = scene_of(3, precision, kernel, transfer);
  scene.step.cell = 0.02, scene.step.dt = 0.002;
  add_block(scene, material_of(Law::linear_corotated, 1e5), {-.04, -.04, 0}, {.08, .08, .08});
  scene.matter[0].name = "cube";
  scene.bodies = {body_of(things)};
  Boundary wall = boundary_of("wall", Boundary::Kind::plane, Boundary::Condition::separate, {0, -.06, 0});
  wall.normal = {0, 1, 0};
  scene.boundaries = {wall};
  scene.motion = {motion_of(Motion::Kind::mocap, "thing/hand", {0, .1, .04, 1, 0, 0, 0}, {0, 0, .05, 1, 0, 0, 0}, 0.3),
                  motion_of(Motion::Kind::boundary, "wall", {0, -.06, 0}, {0, .04, 0}, 0.3)};
  return scene;
}

// -- without bodies --

Case flat_float_linear_pic() {
  Case one;
  one.name = "flat_float_linear_pic";
  one.make = [] {
    Scene scene = scene_of(2, Precision::float32, Kernel::linear, Transfer::pic);
    scene.step.cell = 0.125, scene.step.dt = 1.0 / 256;
    add_laws(scene);
    Boundary lid = boundary_of("lid", Boundary::Kind::box, Boundary::Condition::slip, {0.4, 0.95, 0});
    lid.size = {2, 0.2, 1}, lid.velocity = {0.3, -1.5, 0};
    Boundary pole = boundary_of("pole", Boundary::Kind::sphere, Boundary::Condition::stick, {0.41, -0.05, 0});
    pole.radius = 0.1;
    scene.boundaries = {floor_of(scene, -0.03), lid, pole};
    return World(scene, threads);
  };
  return one;
}

// a user moves a piston and stretches one of the blocks
Case flat_double_compact_apic() {
  Case one;
  one.name = "flat_double_compact_apic";
  one.make = [] {
    Scene scene = scene_of(2, Precision::float64, Kernel::compact, Transfer::apic);
    scene.step.cell = 0.125, scene.step.dt = 1.0 / 256;
    add_laws(scene);
    Boundary tank = boundary_of("tank", Boundary::Kind::box, Boundary::Condition::separate, {0.4, 0.6, 0});
    tank.size = {1.2, 1.3, 1}, tank.inside_out = true;
    Boundary piston = boundary_of("piston", Boundary::Kind::plane, Boundary::Condition::slip, {-0.12, 0, 0});
    piston.normal = {1, 0, 0};
    scene.boundaries = {floor_of(scene, -0.03), tank, piston};
    return World(scene, threads);
  };
  one.before = [](World& world, int n) {
    if (n == 5) world.set_actuation("neo_hookean", {800, 0, 0, 0, -300, 0, 0, 0, 0});
    if (n == 10) world.set_boundary_velocity("piston", {1, 0, 0});
    if (n == 25) world.set_boundary_velocity("piston", {-0.5, 0, 0});
  };
  return one;
}

// a floor that rams matter makes steps fail; then the world goes on
void ram(World& world, int n) {
  if (n == 20) world.set_boundary_velocity("floor", {0, 0, 1e5});
  if (n == 22) world.set_boundary_velocity("floor", {0, 0, 0.25});
}

Case laws_float_quadratic_mls_fails() {
  Case one;
  one.name = "laws_float_quadratic_mls_fails";
  one.make = [] {
    Scene scene = scene_of(3, Precision::float32, Kernel::quadratic, Transfer::mls);
    scene.step.cell = 0.125, scene.step.dt = 1.0 / 512, scene.step.substeps = 2;
    add_laws(scene);
    Boundary can = boundary_of("can", Boundary::Kind::cylinder, Boundary::Condition::separate, {0.4, 0.2, 0.4});
    can.radius = 0.6, can.length = 3, can.inside_out = true, can.velocity = {0.5, 0, 0};
    scene.boundaries = {floor_of(scene, -0.03), can};
    return World(scene, threads);
  };
  one.before = ram;
  return one;
}

// -- with bodies; the strong step is 3-D, with the quadratic kernel --

Case things_double_quadratic_apic_sap() {
  Case one;
  one.name = "things_double_quadratic_apic_sap";
  one.make = [] {
    Scene scene = cube_and_things(Precision::float64, Kernel::quadratic, Transfer::apic);
    scene.contact.law = Contact::Law::sap;
    scene.contact.relaxation = 1e-3;
    scene.step.tolerance = 1e-4;
    return World(scene, threads);
  };
  one.before = [](World& world, int n) { world.data()->ctrl[0] = 0.001 * n; };
  return one;
}

// a model and data that a user has made, with controls, forces and poses that he sets between steps
World shared_world(const Scene& scene) {
  char error[1000] = "";
  mjSpec* spec = mj_parseXMLString(things, nullptr, error, sizeof error);
  if (!spec) throw std::runtime_error(error);
  std::shared_ptr<mjModel> model(mj_compile(spec, nullptr), mj_deleteModel);
  mj_deleteSpec(spec);
  if (!model) throw std::runtime_error("guard: the things do not compile");
  std::shared_ptr<mjData> data(mj_makeData(model.get()), mj_deleteData);
  mj_forward(model.get(), data.get());
  return World(scene, SharedBodies{model, data, {}}, threads);
}

Case shared(Method method) {
  Case one;
  one.name = method == Method::strong ? "shared_float_apic_strong" : "shared_float_compact_mls";
  one.make = [method] {
    Scene scene = method == Method::strong ? cube_and_things(Precision::float32, Kernel::quadratic, Transfer::apic)
                                           : cube_and_things(Precision::float32, Kernel::compact, Transfer::mls);
    scene.bodies.clear();
    scene.motion.erase(scene.motion.begin());
    scene.step.method = method;
    scene.contact.memory = method == Method::strong;
    scene.contact.dissipation = 0.1;
    return shared_world(scene);
  };
  one.before = [](World& world, int n) {
    mjData* data = world.data();
    data->ctrl[0] = 0.001 * n;
    data->xfrc_applied[6] = n < 15 ? -2 : 1;
    data->mocap_pos[1] = 0.1 - 0.001 * n;
    if (n == 20) data->qvel[2] = 0.5;
  };
  return one;
}

// a plate on a servo comes down on a block until it feels a force
Case until_force(Method method) {
  constexpr const char* press = R"(<mujoco><option integrator="implicitfast"/><worldbody>
    <geom type="plane" size="1 1 .1"/>
    <body name="plate" pos="0 0 .12" gravcomp="1"><joint name="down" type="slide" axis="0 0 -1"/>
      <geom type="box" size=".1 .1 .01" pos="0 0 .01" mass=".5"/></body>
    </worldbody><actuator><position name="down" joint="down" kp="2000" kv="30"/></actuator></mujoco>)";
  Case one;
  one.name = method == Method::strong ? "until_force_strong" : "until_force_async";
  one.make = [method] {
    Scene scene = scene_of(3, Precision::float32, Kernel::quadratic, Transfer::mls);
    scene.step.cell = 0.025, scene.step.dt = 0.005, scene.step.method = method;
    Material jelly = material_of(Law::linear_corotated);
    jelly.yield = 0;
    add_block(scene, jelly, {-.05, -.05, 0.001}, {.1, .1, .1}).name = "block";
    scene.bodies = {body_of(press)};
    Motion motion;
    motion.target = "thing/down";
    motion.path = Motion::Path::linear;
    motion.times = {0, 0.12, 0.16, 0.2};
    motion.values = {{0}, {0.06}, {0.06}, {0}};
    motion.until_force = {"thing/plate", 6};
    motion.release = {false, false, false, true};
    scene.motion = {motion};
    return World(scene, threads);
  };
  return one;
}

// a strong step that is cut, and one that fails
Case strong_is_cut_and_fails() {
  Case one;
  one.name = "strong_is_cut_and_fails";
  one.make = [] {
    Scene scene = cube_and_things(Precision::float64, Kernel::quadratic, Transfer::mls);
    scene.step.method = Method::strong;
    scene.step.exact_rotation = true;
    scene.step.dt = 0.01;
    return World(scene, threads);
  };
  one.before = [](World& world, int n) {
    world.data()->ctrl[0] = 0.001 * n;
    if (n == 15) world.data()->qvel[0] = -40;
    if (n == 25) world.data()->xfrc_applied[6] = std::nan("");
    if (n == 26) world.data()->xfrc_applied[6] = 0;
  };
  return one;
}

Case laws_strong(Precision precision, Transfer transfer, const std::string& name) {
  Case one;
  one.name = name;
  one.make = [=] {
    Scene scene = scene_of(3, precision, Kernel::quadratic, transfer);
    scene.step.cell = 0.125, scene.step.dt = 1.0 / 256, scene.step.method = Method::strong;
    scene.step.mass_damping = 0.1, scene.step.stiffness_damping = 1e-4;
    add_laws(scene);
    Boundary floor = floor_of(scene, -0.03);
    floor.velocity = {0, 0, 0.1};
    scene.boundaries = {floor};
    scene.bodies = {body_of(things)};
    return World(scene, threads);
  };
  return one;
}

Case one_way_double_linear_mls() {
  Case one;
  one.name = "one_way_double_linear_mls";
  one.make = [] {
    Scene scene = cube_and_things(Precision::float64, Kernel::linear, Transfer::mls);
    scene.materials[0] = material_of(Law::sand, 1e5);
    scene.matter[0].material = scene.materials[0].name;
    scene.step.method = Method::one_way;
    return World(scene, threads);
  };
  one.before = [](World& world, int n) { world.data()->ctrl[0] = 0.004 * n; };
  return one;
}

// a sheet on a ball, held at a pin that moves and at one that lets go
Case cloth(Kernel kernel, const std::string& name) {
  Case one;
  one.name = name;
  one.make = [kernel] {
    Scene scene = scene_of(3, Precision::float32, kernel, Transfer::mls);
    scene.step.cell = 1.0 / 64, scene.step.dt = 0.002, scene.step.substeps = kernel == Kernel::quadratic ? 2 : 0;
    Material fabric = material_of(Law::cloth, 1e5);
    Matter sheet;
    sheet.name = "sheet", sheet.material = fabric.name;
    sheet.shape.kind = Shape::Kind::cloth;
    sheet.shape.size = {.25, .25, 1}, sheet.shape.center = {0, 0, 0.1};
    sheet.pins = {{"moves", {-.125, -.125, .1}, .03}, {"opens", {.125, .125, .1}, .03, .04}};
    scene.materials = {fabric};
    scene.matter = {sheet};
    scene.bodies = {body_of(things)};
    scene.boundaries = {floor_of(scene, 0.06)};
    scene.motion = {motion_of(Motion::Kind::pin, "sheet/moves", {-.125, -.125, .1}, {-.1, -.1, .13}, .08)};
    return World(scene, threads);
  };
  return one;
}

}  // namespace

std::vector<Case> small_cases() {
  return {flat_float_linear_pic(),
          flat_double_compact_apic(),
          laws_float_quadratic_mls_fails(),
          things_double_quadratic_apic_sap(),
          shared(Method::async),
          shared(Method::strong),
          until_force(Method::async),
          until_force(Method::strong),
          strong_is_cut_and_fails(),
          laws_strong(Precision::float64, Transfer::apic, "laws_double_apic_strong"),
          laws_strong(Precision::float32, Transfer::pic, "laws_float_pic_strong"),
          one_way_double_linear_mls(),
          cloth(Kernel::quadratic, "cloth_quadratic"),
          cloth(Kernel::compact, "cloth_compact")};
}

}  // namespace pliant::guard

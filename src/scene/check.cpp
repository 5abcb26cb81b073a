// Says what is wrong with a scene before anything is built from it.
#include "core/error.h"
#include "material/law_info.h"
#include "pliant/scene.h"
#include "scene/sampling.h"
#include "scene/sheet_mesh.h"
#include "scene/touching.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace pliant {

using namespace scene;

namespace {

// bytes per particle of states, workspace and grid together, the budget of the step
std::size_t bytes_per_particle(const Scene& scene) {
  const std::size_t single = scene.dimension == 3 ? 400 : 240;
  return scene.precision == Precision::float32 ? single : 2 * single;
}

// The part of the scene that numbers belong to, and what its dimension allows.
struct Part {
  std::string name;  // "matter 'dough'"
  int dimension;

  void finite(const char* what, double value, const char* unit) const {
    if (!std::isfinite(value))
      fail(ErrorCode::bad_input, "{}: {} is {} {}; give a finite number", name, what, value, unit);
  }

  void positive(const char* what, double value, const char* unit) const {
    if (!(value > 0) || !std::isfinite(value)) {
      fail(ErrorCode::bad_input, "{}: {} is {} {}; give a positive number", name, what, value, unit);
    }
  }

  void not_negative(const char* what, double value, const char* unit) const {
    if (!(value >= 0) || !std::isfinite(value)) {
      fail(ErrorCode::bad_input, "{}: {} is {} {}; give a number of 0 or more", name, what, value, unit);
    }
  }

  // below 0: not given
  void friction_if_given(double value) const {
    if (!(value < 0 && std::isfinite(value))) friction(value);
  }
  void friction(double value) const {
    if (!(value >= 0) || !std::isfinite(value))
      fail(ErrorCode::bad_input, "{}: friction is {}; give a coefficient of 0 or more", name, value);
  }

  void finite(const char* what, const Vec3& v, const char* unit) const {
    for (const double value : v) {
      if (std::isfinite(value)) continue;
      fail(ErrorCode::bad_input, "{}: {} is ({} {} {}) {}; give finite numbers", name, what, v[0], v[1], v[2], unit);
    }
  }

  // a vector that in 2-D lies in the plane
  void in_space(const char* what, const Vec3& v, const char* unit) const {
    finite(what, v, unit);
    if (dimension == 2 && v[2] != 0) {
      fail(ErrorCode::bad_input, "{}: {} has a third component of {} {} in 2-D; set it to 0", name, what, v[2], unit);
    }
  }

  // edge lengths; in 2-D the third is not used
  void edges(const Vec3& size) const {
    for (std::size_t i = 0; i < std::size_t(dimension); ++i) positive("a size", size[i], "m");
  }

  void rotation(const std::array<double, 4>& q) const {
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(std::fabs(length - 1) <= 1e-6)) {
      fail(ErrorCode::bad_input, "{}: rotation ({} {} {} {}) is a quaternion of length {}; divide it by its length",
           name, q[0], q[1], q[2], q[3], length);
    }
    if (dimension == 2 && (q[1] != 0 || q[2] != 0)) {
      fail(ErrorCode::bad_input, "{}: rotation ({} {} {} {}) leaves the plane in 2-D; set its x and y to 0", name, q[0],
           q[1], q[2], q[3]);
    }
  }

  // an enumerator that came from outside
  template <class Enum>
  void known(const char* what, Enum value, Enum last) const {
    if (int(value) < 0 || int(value) > int(last)) {
      fail(ErrorCode::bad_input, "{}: {} {} is unknown; use a number from 0 to {}", name, what, int(value), int(last));
    }
  }
};

template <class Thing>
void check_names(const std::vector<Thing>& things, const char* kind) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < things.size(); ++i) {
    const std::string& name = things[i].name;
    if (name.empty()) fail(ErrorCode::bad_input, "{} {}: name is empty; give each {} a name", kind, i + 1, kind);
    if (!seen.insert(name).second) {
      fail(ErrorCode::bad_input, "{} '{}': the name is used twice; rename one", kind, name);
    }
  }
}

void check_step(const StepOptions& step, int dimension) {
  const Part part{"step", dimension};
  part.positive("dt", step.dt, "s");
  part.positive("cell", step.cell, "m");
  part.in_space("gravity", step.gravity, "m/s^2");
  if (!(step.courant > 0 && step.courant <= 1)) {
    fail(ErrorCode::bad_input, "step: courant is {}; give a number above 0 and up to 1", step.courant);
  }
  if (step.max_substeps < 1) {
    fail(ErrorCode::bad_input, "step: max_substeps is {}; give 1 or more", step.max_substeps);
  }
  if (step.substeps < 0) {
    fail(ErrorCode::bad_input, "step: substeps is {}; give a positive number, or 0 for automatic", step.substeps);
  }
  if (step.substeps > step.max_substeps) {
    fail(ErrorCode::bad_input, "step: substeps is {}, above max_substeps {}; raise max_substeps or give fewer substeps",
         step.substeps, step.max_substeps);
  }
  part.known("kernel", step.kernel, Kernel::compact);
  part.known("transfer", step.transfer, Transfer::mls);
  part.known("method", step.method, Method::one_way);
  part.known("plastic_flow", step.plastic_flow, PlasticFlow::implicit);
  const bool by_method = step.tolerance == 0;
  if (!by_method && !(step.tolerance >= 1e-10 && step.tolerance <= 1)) {
    fail(ErrorCode::bad_input, "step: tolerance is {}; give a number from 1e-10 to 1, or 0 for that of the method",
         step.tolerance);
  }
  if (step.max_iterations < 1) {
    fail(ErrorCode::bad_input, "step: max_iterations is {}; give 1 or more", step.max_iterations);
  }
  if (step.budget < 1) {
    fail(ErrorCode::bad_input, "step: budget is {}; give 1 or more", step.budget);
  }
  if (step.max_cuts < 0 || step.max_cuts > 10) {
    fail(ErrorCode::bad_input, "step: max_cuts is {}; give 0 to 10", step.max_cuts);
  }
  if (!(step.mass_damping >= 0 && std::isfinite(step.mass_damping))) {
    fail(ErrorCode::bad_input, "step: mass_damping is {} 1/s; give a number that is not negative", step.mass_damping);
  }
  if (!(step.stiffness_damping >= 0 && std::isfinite(step.stiffness_damping))) {
    fail(ErrorCode::bad_input, "step: stiffness_damping is {} s; give a number that is not negative",
         step.stiffness_damping);
  }
}

void check_sheet(const Part& part, const Shape& shape) {
  part.positive("thickness", shape.thickness, "m");
  part.positive("mesh_scale", shape.mesh_scale, "(no unit)");
  part.not_negative("spacing", shape.spacing, "m");
  for (std::size_t i = 0; i < 2; ++i) part.positive("a size", shape.size[i], "m");
}

void check_shape(const Part& part, const Shape& shape) {
  using Kind = Shape::Kind;
  part.known("shape kind", shape.kind, Kind::cloth);
  if (part.dimension == 2 && shape.kind != Kind::box && shape.kind != Kind::sphere) {
    fail(ErrorCode::bad_input, "{}: its shape exists in 3-D only; in 2-D use box (a rectangle) or sphere (a disc)",
         part.name);
  }
  part.in_space("center", shape.center, "m");
  part.rotation(shape.rotation);
  if (shape.kind == Kind::cloth) return check_sheet(part, shape);
  if (shape.kind == Kind::box) part.edges(shape.size);
  if (shape.kind == Kind::sphere || shape.kind == Kind::cylinder || shape.kind == Kind::capsule) {
    part.positive("radius", shape.radius, "m");
  }
  if (shape.kind == Kind::cylinder || shape.kind == Kind::capsule) part.positive("length", shape.length, "m");
  if (shape.kind == Kind::mesh) {
    part.positive("mesh_scale", shape.mesh_scale, "(no unit)");
    if (shape.mesh_file.empty()) {
      fail(ErrorCode::bad_input, "{}: mesh_file is empty; give the path of an .stl or .obj file", part.name);
    }
  }
}

void check_sampling(const Part& part, const Sampling& sampling) {
  part.known("sampling method", sampling.method, Sampling::Method::poisson);
  part.known("surface layer", sampling.surface_layer, SurfaceLayer::no);
  part.positive("particles_per_cell", sampling.particles_per_cell, "(no unit)");
  if (!(sampling.jitter >= 0 && sampling.jitter <= 1)) {
    fail(ErrorCode::bad_input, "{}: jitter is {} spacings; give a number from 0 to 1", part.name, sampling.jitter);
  }
}

void check_points(const Part& part, const Matter& matter) {
  part.positive("point_volume", matter.point_volume, part.dimension == 3 ? "m^3" : "m^2");
  for (std::size_t i = 0; i < matter.points.size(); ++i) {
    const Vec3& p = matter.points[i];
    if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2])) {
      fail(ErrorCode::bad_input, "{}: point {} is ({} {} {}) m; give finite numbers", part.name, i, p[0], p[1], p[2]);
    }
    if (part.dimension == 2 && p[2] != 0) {
      fail(ErrorCode::bad_input, "{}: point {} has a third component of {} m in 2-D; set it to 0", part.name, i, p[2]);
    }
  }
}

void check_material_of(const Part& part, const Matter& matter, const std::vector<Material>& materials) {
  const auto is_named = [&](const Material& m) { return m.name == matter.material; };
  if (std::any_of(materials.begin(), materials.end(), is_named)) return;
  std::string known;
  for (const Material& m : materials) known += (known.empty() ? "'" : ", '") + m.name + "'";
  fail(ErrorCode::bad_input, "{}: material '{}' does not exist; the scene has {}", part.name, matter.material,
       known.empty() ? "no materials: add it" : known);
}

void check_matter(const Part& part, const Matter& matter, const std::vector<Material>& materials) {
  check_material_of(part, matter, materials);
  part.in_space("velocity", matter.velocity, "m/s");
  part.finite("angular_velocity", matter.angular_velocity, "rad/s");
  const Vec3& spin = matter.angular_velocity;
  if (part.dimension == 2 && (spin[0] != 0 || spin[1] != 0)) {
    fail(ErrorCode::bad_input, "{}: angular_velocity ({} {} {}) rad/s leaves the plane in 2-D; set its first two to 0",
         part.name, spin[0], spin[1], spin[2]);
  }
  if (!matter.points.empty()) return check_points(part, matter);
  if (matter.point_volume != 0) {
    fail(ErrorCode::bad_input, "{}: point_volume is {} {}, but there are no points; give points, or leave it 0",
         part.name, matter.point_volume, part.dimension == 3 ? "m^3" : "m^2");
  }
  check_shape(part, matter.shape);
  check_sampling(part, matter.sampling);
}

// cloth is a law and a shape, which go together; `strong` cannot take it
void check_cloth(const Part& part, const Matter& matter, const Scene& scene) {
  const bool sheet = matter.points.empty() && matter.shape.kind == Shape::Kind::cloth;
  const auto material = std::find_if(scene.materials.begin(), scene.materials.end(),
                                     [&](const Material& m) { return m.name == matter.material; });
  if (sheet != (info(material->law).sheet)) {
    fail(ErrorCode::bad_input, "{}: its {}, but its {}; law cloth and shape cloth go together", part.name,
         sheet ? "shape is cloth" : fmt::format("material '{}' has law cloth", matter.material),
         sheet ? fmt::format("material '{}' has law {}", matter.material, name(material->law)) : "shape is not");
  }
  if (sheet && scene.step.method == Method::strong)
    fail(ErrorCode::bad_input, "{}: step.method is strong, which does not take cloth; use 'method: async'", part.name);
  if (!sheet && !matter.pins.empty())
    fail(ErrorCode::bad_input, "{}: pin '{}' holds vertices of cloth, but it is not cloth; remove the pin", part.name,
         matter.pins[0].name);
  check_names(matter.pins, "pin");
  for (const Pin& pin : matter.pins) {
    const Part here{fmt::format("{}, pin '{}'", part.name, pin.name), part.dimension};
    here.finite("center", pin.center, "m");
    here.positive("radius", pin.radius, "m");
    here.finite("until", pin.until, "s");
  }
}

// how many particles a piece of matter will be, from its volume alone; errors of its mesh file get its name
std::size_t expected_particles(const Part& part, const Matter& matter, const Material& material, double cell) {
  if (!matter.points.empty()) return matter.points.size();
  try {
    if (matter.shape.kind == Shape::Kind::cloth) {
      const SheetMesh mesh = sheet_mesh(matter.shape, cell);
      return mesh.vertices.size() + mesh.triangles.size();
    }
    return estimate_count(matter.shape, sampling_of(matter, material, part.dimension), cell, part.dimension);
  } catch (const Error& error) {
    throw Error(error.code(), part.name + ": " + error.what());
  }
}

constexpr const char* fewer = "use a larger cell, fewer particles_per_cell or smaller shapes";

void check_amount(const Scene& scene, const Part& part, std::size_t count) {
  if (count > scene.max_particles) {
    fail(ErrorCode::too_large, "{}: it would be {:g} particles, the limit max_particles is {}; {}", part.name,
         double(count), scene.max_particles, fewer);
  }
  const std::size_t bytes = bytes_per_particle(scene);
  if (count > scene.max_memory / bytes) {
    fail(ErrorCode::too_large,
         "{}: {} particles of {} bytes would take {:.4g} GB, the limit max_memory is {:.4g} GB; {}", part.name, count,
         bytes, double(count) * double(bytes) * 1e-9, double(scene.max_memory) * 1e-9, fewer);
  }
}

void check_boundary(const Part& part, const Boundary& boundary, Method method) {
  using Kind = Boundary::Kind;
  part.known("boundary kind", boundary.kind, Kind::cylinder);
  part.known("condition", boundary.condition, Boundary::Condition::separate);
  part.known("place", boundary.at, Boundary::At::nodes);
  if (part.dimension == 2 && boundary.kind == Kind::cylinder) {
    fail(ErrorCode::bad_input, "{}: a cylinder exists in 3-D only; in 2-D use sphere (a disc)", part.name);
  }
  part.friction(boundary.friction);
  part.in_space("center", boundary.center, "m");
  part.in_space("velocity", boundary.velocity, "m/s");
  part.finite("angular_velocity", boundary.angular_velocity, "rad/s");
  const bool at_nodes = boundary.at == Boundary::At::nodes || part.dimension == 2 || method == Method::one_way;
  if (at_nodes && boundary.angular_velocity != Vec3{0, 0, 0})
    fail(
        ErrorCode::bad_input,
        "{}: it turns, but nodes of the grid feel it; use 'at: surfaces' in 3-D with the method async or strong, or an "
        "angular_velocity of 0",
        part.name);
  if (boundary.kind == Kind::plane || boundary.kind == Kind::cylinder) {
    const Vec3& n = boundary.normal;
    part.in_space("normal", n, "(no unit)");
    const double length = std::hypot(n[0], n[1], n[2]);
    if (!(length > 1e-9 && length < 1e9)) {
      fail(ErrorCode::bad_input, "{}: normal ({} {} {}) has length {}; give a direction, for example of length 1",
           part.name, n[0], n[1], n[2], length);
    }
  }
  if (boundary.kind == Kind::box) {
    part.edges(boundary.size);
    part.rotation(boundary.rotation);
  }
  if (boundary.kind == Kind::sphere || boundary.kind == Kind::cylinder) part.positive("radius", boundary.radius, "m");
  if (boundary.kind == Kind::cylinder) part.positive("length", boundary.length, "m");
}

void check_actuators(const Scene& scene) {
  check_names(scene.actuators, "actuator");
  for (const Actuator& a : scene.actuators) {
    const Part part{fmt::format("actuator '{}'", a.name), scene.dimension};
    const auto has_name = [&](const std::string& name) {
      return std::any_of(scene.matter.begin(), scene.matter.end(), [&](const Matter& m) { return m.name == name; });
    };
    if (!has_name(a.matter))
      fail(ErrorCode::bad_input, "{}: matter '{}' does not exist; name a piece of the scene", part.name, a.matter);
    if (has_name(a.name)) fail(ErrorCode::bad_input, "{}: a piece of matter has this name too; rename one", part.name);
    part.in_space("direction", a.direction, "(no unit)");
    part.finite("strength", a.strength, "Pa");
  }
}

void check_pair(const Part& part, const ContactPair& pair, const std::vector<Matter>& matter) {
  part.friction_if_given(pair.friction);
  part.not_negative("stiffness", pair.stiffness, "N/m^3");
  part.finite("dissipation", pair.dissipation, "s/m");
  const auto is_named = [&](const Matter& m) { return m.name == pair.matter; };
  const bool is_pattern = pair.matter.find('*') != std::string::npos;
  if (!pair.matter.empty() && !is_pattern && std::none_of(matter.begin(), matter.end(), is_named)) {
    fail(ErrorCode::bad_input, "{}: matter '{}' does not exist; name a piece of the scene, or none for all", part.name,
         pair.matter);
  }
}

void check_contact(const Contact& contact, const std::vector<Matter>& matter, int dimension) {
  const Part part{"contact", dimension};
  part.known("law", contact.law, Contact::Law::sap);
  part.known("radius", contact.radius, Contact::Radius::lagged);
  part.friction_if_given(contact.friction);
  part.not_negative("stiffness", contact.stiffness, "N/m^3");
  part.not_negative("dissipation", contact.dissipation, "s/m");
  part.not_negative("relaxation", contact.relaxation, "s");
  part.positive("stiction", contact.stiction, "m/s");
  for (const ContactPair& pair : contact.pairs) {
    const std::string name = fmt::format("contact of {} and {}", pair.matter.empty() ? "all" : "'" + pair.matter + "'",
                                         pair.partner.empty() ? "all" : "'" + pair.partner + "'");
    check_pair({name, dimension}, pair, matter);
  }
}

// what can be said before MuJoCo has read the files
void check_bodies(const Scene& scene) {
  const Part all{"scene", scene.dimension};
  all.positive("duration", scene.duration, "s");
  all.positive("record.rate", scene.record.rate, "1/s");
  check_contact(scene.contact, scene.matter, scene.dimension);
  check_names(scene.bodies, "body");
  if (!scene.bodies.empty() && scene.dimension != 3) {
    fail(ErrorCode::bad_input, "scene: dimension is {}, but bodies live in 3; leave out the bodies or use 3",
         scene.dimension);
  }
}

void check_expect(const Scene& scene) {
  for (const Expect& expect : scene.expect) {
    const std::string name = expect.name.empty() ? expect.quantity : expect.name;
    if (!(expect.min <= expect.max))
      fail(ErrorCode::bad_input, "expect '{}': min {} is above max {}; swap them", name, expect.min, expect.max);
  }
}

void check_particles(const Scene& scene) {
  std::size_t total = 0;
  for (const Matter& matter : scene.matter) {
    const Part part{fmt::format("matter '{}'", matter.name), scene.dimension};
    const auto material = std::find_if(scene.materials.begin(), scene.materials.end(),
                                       [&](const Material& m) { return m.name == matter.material; });
    const std::size_t count = expected_particles(part, matter, *material, scene.step.cell);
    check_amount(scene, part, count);
    total += count;
    check_amount(scene, {"all matter together", scene.dimension}, total);
  }
}

}  // namespace

void check(const Scene& scene, bool other_bodies) {
  if (scene.dimension != 2 && scene.dimension != 3) {
    fail(ErrorCode::bad_input, "scene: dimension is {}; use 2 or 3", scene.dimension);
  }
  Part{"scene", scene.dimension}.known("precision", scene.precision, Precision::float64);
  check_step(scene.step, scene.dimension);
  check_names(scene.materials, "material");
  for (const Material& material : scene.materials) check(material);
  check_names(scene.boundaries, "boundary");
  for (const Boundary& boundary : scene.boundaries) {
    check_boundary({fmt::format("boundary '{}'", boundary.name), scene.dimension}, boundary, scene.step.method);
  }
  check_bodies(scene);
  if (scene.matter.empty() && scene.bodies.empty() && !other_bodies) {
    fail(ErrorCode::bad_input, "scene: there is no matter; add a piece with a shape or points");
  }
  check_names(scene.matter, "matter");
  for (const Matter& matter : scene.matter) {
    const Part part{fmt::format("matter '{}'", matter.name), scene.dimension};
    check_matter(part, matter, scene.materials);
    check_cloth(part, matter, scene);
  }
  check_actuators(scene);
  check_particles(scene);
  check_expect(scene);
}

}  // namespace pliant

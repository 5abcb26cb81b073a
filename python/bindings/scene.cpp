// Material, Shape, Sampling, Matter, Boundary, StepOptions, Scene: the words of pliant/scene.h in Python.
#include "pliant/scene.h"

#include "arrays.h"
#include "bindings.h"
#include "lists.h"
#include "material/law_info.h"
#include "record.h"

namespace pliant::python {

using namespace material;

namespace {

// as the laws themselves say it: "Pa, Young's modulus; all laws but liquid"
std::string parameter_text(const ListedParameter& listed) {
  const Parameter& p = listed.parameter;
  std::string text = *p.unit ? std::string(p.unit) + ", " + p.what : p.what;
  if (p.also == Parameter::Also::negative) text += std::string("; below 0: ") + p.standard;
  return text + "; " + (listed.only_for.empty() ? "all laws" : listed.only_for);
}

void bind_material(nb::module_& module) {
  Record<Material> record(module, "Material",
                          "A law and its physical parameters. Each law reads those listed with it.");
  record.field("name", &Material::name, "by which matter refers to it");
  record.field("law", &Material::law, "how stress follows from strain");
  for (const ListedParameter& listed : all_parameters()) {
    const std::string name = listed.parameter.name;
    // `yield` is a word of the language
    record.field(name == "yield" ? "yield_stress" : listed.parameter.name, listed.parameter.member,
                 parameter_text(listed).c_str());
  }
  record.finish();
}

void bind_shape(nb::module_& module) {
  Record<Shape>(module, "Shape", "A solid to fill with particles. In 2-D box and sphere are rectangle and disc.")
      .field("kind", &Shape::kind, "box, sphere, cylinder, capsule, mesh or cloth")
      .field("center", &Shape::center, "m")
      .field("size", &Shape::size, "edge lengths, m; box, and the first two of cloth without a file")
      .field("radius", &Shape::radius, "m; sphere, cylinder, capsule")
      .field("length", &Shape::length, "m, along the axis z; of a capsule: of its cylindrical part")
      .field("rotation", &Shape::rotation, "unit quaternion w, x, y, z, about the centre")
      .field("mesh_file", &Shape::mesh_file, "closed triangle mesh, .stl or .obj; mesh; an open one; cloth")
      .field("mesh_scale", &Shape::mesh_scale, "factor on the coordinates of the mesh; mesh, cloth")
      .field("spacing", &Shape::spacing, "m, between the vertices of cloth without a file; 0: the cell")
      .field("thickness", &Shape::thickness, "m; cloth")
      .finish();
}

// True and False, or 'by_law'
Field<Sampling> surface_layer_field() {
  const auto get = [](const Sampling& sampling) -> nb::object {
    if (sampling.surface_layer == SurfaceLayer::by_law) return nb::str("by_law");
    return nb::bool_(sampling.surface_layer == SurfaceLayer::yes);
  };
  const auto set = [](Sampling& sampling, nb::handle value) {
    const std::string where = "Sampling.surface_layer", expected = "True, False or 'by_law'";
    if (nb::isinstance<nb::bool_>(value))
      sampling.surface_layer = nb::cast<bool>(value) ? SurfaceLayer::yes : SurfaceLayer::no;
    else if (!nb::isinstance<nb::str>(value))
      wrong_type(where, expected, value);
    else if (nb::cast<std::string>(value) == "by_law")
      sampling.surface_layer = SurfaceLayer::by_law;
    else
      throw Error(ErrorCode::bad_input, where + " is " + written(value) + "; give " + expected);
  };
  return {"surface_layer", "bool | str", get, set};
}

void bind_sampling(nb::module_& module) {
  Record<Sampling>(module, "Sampling", "How a shape is filled with particles.")
      .field("method", &Sampling::method, "lattice or poisson")
      .field("particles_per_cell", &Sampling::particles_per_cell, "8 is good in 3-D, 4 in 2-D")
      .field("seed", &Sampling::seed, "same seed, same particles")
      .field("jitter", &Sampling::jitter, "uniform offset as a part of the spacing, 0..1; lattice")
      .field(surface_layer_field(), "bool | str",
             "particles also on the surface: True, False, or 'by_law': for elastic matter that does not yield")
      .finish();
}

Field<Matter> points_field() {
  const auto get = [](const Matter& matter) {
    const nb::object array = nb::module_::import_("numpy").attr("empty")(nb::make_tuple(matter.points.size(), 3));
    auto out = nb::cast<nb::ndarray<double, nb::ndim<2>, nb::c_contig>>(array);
    if (!matter.points.empty()) std::copy_n(matter.points.data()->data(), 3 * matter.points.size(), out.data());
    array.attr("flags").attr("writeable") = false;
    return array;
  };
  const auto set = [](Matter& matter, nb::handle value) {
    const std::string expected = "Matter.points must be a table of numbers with 2 or 3 columns";
    if (PyObject_Length(value.ptr()) == 0) return matter.points.clear();
    PyErr_Clear();
    const Table table = table_of(value, expected);
    if (table.shape(1) != 2 && table.shape(1) != 3) throw nb::type_error(expected.c_str());
    matter.points.assign(table.shape(0), Vec3{0, 0, 0});
    for (std::size_t i = 0; i < table.shape(0); ++i) {
      for (std::size_t j = 0; j < table.shape(1); ++j) matter.points[i][j] = table(i, j);
    }
  };
  return {"points", "numpy.typing.ArrayLike", get, set};
}

// a tuple: what is appended to a copy would be lost
Field<Matter> pins_field() {
  const auto get = [](const Matter& matter) -> nb::object { return nb::tuple(list_of(matter.pins)); };
  const auto set = [](Matter& matter, nb::handle value) {
    matter.pins = items_of<Pin>(nb::list(value), "Matter.pins");
  };
  return {"pins", "collections.abc.Iterable[Pin]", get, set};
}

void bind_pin(nb::module_& module) {
  Record<Pin>(module, "Pin", "Holds the vertices of cloth that are in a ball at the start.")
      .field("name", &Pin::name, "a motion calls it 'matter/pin'")
      .field("center", &Pin::center, "m")
      .field("radius", &Pin::radius, "m")
      .field("until", &Pin::until, "s; then they are free")
      .finish();
}

void bind_matter(nb::module_& module) {
  Record<Matter>(module, "Matter", "A piece of matter: one material, one shape or a list of points.")
      .field("name", &Matter::name, "the key in World.matter")
      .field("material", &Matter::material, "name of a Material of the scene")
      .field("shape", &Matter::shape, "the solid to fill")
      .field("sampling", &Matter::sampling, "how to fill it")
      .field("velocity", &Matter::velocity, "m/s")
      .field("angular_velocity", &Matter::angular_velocity, "rad/s, about the centre of mass; in 2-D the third number")
      .field(points_field(), "numpy.typing.NDArray[numpy.float64]",
             "m; if given, these are the particles and the shape is not used. Read as a copy; assign to change.")
      .field("point_volume", &Matter::point_volume, "rest volume of each of `points`, m^3 (m^2 in 2-D)")
      .field(pins_field(), "tuple[Pin, ...]", "hold vertices of cloth; assign to change")
      .finish();
}

void bind_actuator(nb::module_& module) {
  Record<Actuator>(module, "Actuator",
                   "Pulls a piece of matter together, or pushes it apart: a stress in its material frame.")
      .field("name", &Actuator::name, "by which World.set_actuation refers to it")
      .field("matter", &Actuator::matter, "the piece that it acts in")
      .field("direction", &Actuator::direction,
             "along which it acts, as the piece lay at first; (0, 0, 0): along all alike, as pressure does")
      .field("strength", &Actuator::strength, "Pa that a value of 1 stands for; > 0 pulls together")
      .finish();
}

void bind_boundary(nb::module_& module) {
  Record<Boundary>(module, "Boundary", "A solid that matter cannot enter.")
      .field("name", &Boundary::name, "by which World.set_boundary_velocity refers to it")
      .field("kind", &Boundary::kind, "plane, box, sphere or cylinder")
      .field("condition", &Boundary::condition, "stick: v = 0; slip: v_n = 0; separate: v_n >= 0")
      .field("at", &Boundary::at, "surfaces: felt as bodies are; nodes: by the grid's nodes inside of it")
      .field("friction", &Boundary::friction, "Coulomb coefficient; slip, separate")
      .field("center", &Boundary::center, "m; a point of a plane")
      .field("normal", &Boundary::normal, "outward normal of a plane; axis of a cylinder")
      .field("size", &Boundary::size, "edge lengths, m; box")
      .field("radius", &Boundary::radius, "m; sphere, cylinder")
      .field("length", &Boundary::length, "m; cylinder")
      .field("rotation", &Boundary::rotation, "unit quaternion w, x, y, z; box")
      .field("inside_out", &Boundary::inside_out, "matter is kept inside instead of outside")
      .field("velocity", &Boundary::velocity, "m/s: the boundary moves")
      .field("angular_velocity", &Boundary::angular_velocity, "rad/s, about its centre; at surfaces")
      .finish();
}

void bind_options(nb::module_& module) {
  Record<StepOptions>(module, "StepOptions", "How a world advances.")
      .field("dt", &StepOptions::dt, "s, one call of World.step")
      .field("cell", &StepOptions::cell, "grid spacing, m")
      .field("gravity", &StepOptions::gravity, "m/s^2")
      .field("courant", &StepOptions::courant, "substep <= courant * cell / (wave speed + speed), 0..1")
      .field("max_substeps", &StepOptions::max_substeps, "more is an error that names the needed count")
      .field("substeps", &StepOptions::substeps, "0: automatic")
      .field("kernel", &StepOptions::kernel, "linear, quadratic or compact")
      .field("transfer", &StepOptions::transfer, "pic, apic or mls")
      .field("balance", &StepOptions::balance, "fill in the balance of the report")
      .field("method", &StepOptions::method,
             "async: explicit substeps; strong: one implicit solve; one_way: bodies do not feel matter")
      .field("tolerance", &StepOptions::tolerance,
             "of the contact solver, relative, 1e-10..1; 0: 1e-2, of method strong 1e-4")
      .field("max_iterations", &StepOptions::max_iterations, "of the contact solver; more is an error")
      .field("budget", &StepOptions::budget,
             "iterations of all solves of a step, linear ones and repeats included; more is an error")
      .field("max_cuts", &StepOptions::max_cuts, "strong: a step that fails is repeated in 2, 4, ... 2^max_cuts parts")
      .field("exact_rotation", &StepOptions::exact_rotation, "strong: tells stretch from turning within a step")
      .field("plastic_flow", &StepOptions::plastic_flow, "strong: by_law; lagged: after the solve; implicit: in it")
      .field("mass_damping", &StepOptions::mass_damping, "strong: Rayleigh's, 1/s")
      .field("stiffness_damping", &StepOptions::stiffness_damping, "strong: Rayleigh's, s")
      .derived("solver_tolerance", &solver_tolerance, "what `tolerance` stands for, also if it is 0")
      .finish();
}

Contact contact_of(const ContactRecord& record) {
  return {.law = record.law,
          .radius = record.radius,
          .friction = record.friction,
          .stiffness = record.stiffness,
          .dissipation = record.dissipation,
          .relaxation = record.relaxation,
          .memory = record.memory,
          .stiction = record.stiction,
          .pairs = items_of<ContactPair>(record.pairs, "Scene.contact.pairs")};
}

ContactRecord record_of(const Contact& contact) {
  return {.law = contact.law,
          .radius = contact.radius,
          .friction = contact.friction,
          .stiffness = contact.stiffness,
          .dissipation = contact.dissipation,
          .relaxation = contact.relaxation,
          .memory = contact.memory,
          .stiction = contact.stiction,
          .pairs = list_of(contact.pairs)};
}

}  // namespace

Scene scene_of(const SceneRecord& record) {
  Scene scene;
  scene.name = record.name;
  scene.dimension = record.dimension;
  scene.precision = record.precision;
  scene.step = record.step;
  scene.materials = items_of<Material>(record.materials, "Scene.materials");
  scene.matter = items_of<Matter>(record.matter, "Scene.matter");
  scene.actuators = items_of<Actuator>(record.actuators, "Scene.actuators");
  scene.boundaries = items_of<Boundary>(record.boundaries, "Scene.boundaries");
  scene.bodies = items_of<Body>(record.bodies, "Scene.bodies");
  scene.contact = contact_of(record.contact);
  scene.motion = items_of<Motion>(record.motion, "Scene.motion");
  scene.record = record.record;
  scene.expect = items_of<Expect>(record.expect, "Scene.expect");
  scene.duration = record.duration;
  scene.cache_folder = record.cache_folder;
  scene.max_particles = record.max_particles;
  scene.max_memory = record.max_memory;
  return scene;
}

SceneRecord record_of(const Scene& scene) {
  return {.name = scene.name,
          .dimension = scene.dimension,
          .precision = scene.precision,
          .step = scene.step,
          .materials = list_of(scene.materials),
          .matter = list_of(scene.matter),
          .actuators = list_of(scene.actuators),
          .boundaries = list_of(scene.boundaries),
          .bodies = list_of(scene.bodies),
          .contact = record_of(scene.contact),
          .motion = list_of(scene.motion),
          .record = scene.record,
          .expect = list_of(scene.expect),
          .duration = scene.duration,
          .cache_folder = scene.cache_folder,
          .max_particles = scene.max_particles,
          .max_memory = scene.max_memory};
}

void bind_laws(nb::module_& module) {
  module.def(
      "laws",
      [] {
        nb::dict laws;
        for (const Law law : known_laws()) laws[name(law)] = info(law).what;
        return laws;
      },
      nb::sig("def laws() -> dict[str, str]"), "The laws of matter that this build has, and what they are.");
}

void bind_scene(nb::module_& module) {
  bind_material(module);
  bind_shape(module);
  bind_sampling(module);
  bind_pin(module);
  bind_matter(module);
  bind_actuator(module);
  bind_boundary(module);
  bind_options(module);
  using S = SceneRecord;
  Record<S>(module, "Scene", "What to simulate, as plain objects. World checks it.")
      .field("name", &S::name, "of the scene")
      .field("dimension", &S::dimension, "2 or 3")
      .field("precision", &S::precision, "float32 or float64")
      .field("step", &S::step, "how the world advances")
      .field(list_field<Material>("Scene", "materials", &S::materials), "list[Material]", "the materials")
      .field(list_field<Matter>("Scene", "matter", &S::matter), "list[Matter]", "the pieces of matter")
      .field(list_field<Actuator>("Scene", "actuators", &S::actuators), "list[Actuator]", "what pulls matter together")
      .field(list_field<Boundary>("Scene", "boundaries", &S::boundaries), "list[Boundary]", "floors, walls, obstacles")
      .field(list_field<Body>("Scene", "bodies", &S::bodies), "list[Body]", "robots and things")
      .field("contact", &S::contact, "how matter and bodies touch")
      .field(list_field<Motion>("Scene", "motion", &S::motion), "list[Motion]", "what moves, and where to")
      .field("record", &S::record, "what a recording holds")
      .field(list_field<Expect>("Scene", "expect", &S::expect), "list[Expect]", "checks at the end of a run")
      .field("duration", &S::duration, "s, of a run")
      .field("cache_folder", &S::cache_folder,
             "for what takes long to make (distance fields of meshes); empty: nothing is kept")
      .field("max_particles", &S::max_particles, "more is an error")
      .field("max_memory", &S::max_memory, "bytes; more is an error")
      .finish();
}

}  // namespace pliant::python

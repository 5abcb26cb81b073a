#include "scene/scene_keys.h"

#include "core/error.h"
#include "material/law_info.h"
#include "pliant/scene_file.h"
#include "scene/scene_keys_motion.h"

#include <algorithm>

namespace pliant::scene {

namespace {

template <class Integer>
void count(Keys& keys, const Key& key, Integer& value, std::uint64_t from, std::uint64_t to) {
  auto number = std::uint64_t(value);
  keys.integer(key, number, from, to);
  value = Integer(number);
}

constexpr std::uint64_t most_cuts = 10, most_int = 2147483647, most_integer = 1'000'000'000'000'000'000;

// "hencky and sand"
std::string laws_that_flow_in_step() {
  Names names;
  for (const Law law : known_laws())
    if (info(law).flows_in_step) names.push_back(name(law));
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + names[i];
  return text;
}

void step_keys(Keys& keys, StepOptions& step) {
  keys.number({.name = "dt", .unit = "s", .what = "one step of the world"}, step.dt, positive);
  keys.number({.name = "cell", .unit = "m", .what = "grid spacing"}, step.cell, positive);
  keys.vector({.name = "gravity",
               .unit = "m/s^2",
               .what = "downwards",
               .always = true,
               .standard = "[0, 0, -9.81], in 2-D [0, -9.81]"},
              step.gravity, any_number);
  keys.number({.name = "courant", .what = "a substep is at most courant * cell / (wave speed + speed)"}, step.courant,
              {0, 1, true});
  count(keys, {.name = "max_substeps", .what = "more are an error"}, step.max_substeps, 1, most_int);
  count(keys, {.name = "substeps", .what = "per step; 0: as many as needed"}, step.substeps, 0, most_int);
  choose(keys, {.name = "kernel", .what = "how a particle is spread over the nodes around it"}, step.kernel,
         {"linear", "quadratic", "compact"});
  choose(keys, {.name = "transfer", .what = "what particles give to the nodes and take from them"}, step.transfer,
         {"pic", "apic", "mls"});
  keys.flag({.name = "balance", .what = "reports say mass, momentum, energy and volume"}, step.balance);
  choose(
      keys,
      {.name = "method",
       .what = "async: matter in explicit substeps, bodies feel their sum; strong: one implicit solve for matter and "
               "bodies; one_way: bodies move matter and do not feel it"},
      step.method, {"async", "strong", "one_way"});
  keys.number(
      {.name = "tolerance", .what = "of the contact solver, relative", .standard = "0.01, of method strong 1e-4"},
      step.tolerance, {1e-10, 1});
  count(keys, {.name = "max_iterations", .what = "of the contact solver; more are an error"}, step.max_iterations, 1,
        most_int);
  count(keys,
        {.name = "budget",
         .what = "iterations of all solves of a step, linear ones and repeats included; more are an error"},
        step.budget, 1, most_int);
  count(keys,
        {.name = "max_cuts",
         .what = "a step that fails is repeated in 2, 4, ... 2^max_cuts parts; 0: never; of method strong"},
        step.max_cuts, 0, most_cuts);
  keys.flag({.name = "exact_rotation", .what = "tells stretch from turning within a step; of method strong"},
            step.exact_rotation);
  const std::string flow = "lagged: after the solve (S1), implicit: in it, by_law: implicit for " +
                           laws_that_flow_in_step() + "; of method strong";
  choose(keys, {.name = "plastic_flow", .what = flow.c_str()}, step.plastic_flow, {"by_law", "lagged", "implicit"});
  keys.number({.name = "mass_damping", .unit = "1/s", .what = "Rayleigh's; of method strong"}, step.mass_damping,
              not_negative);
  keys.number({.name = "stiffness_damping", .unit = "s", .what = "Rayleigh's; of method strong"},
              step.stiffness_damping, not_negative);
}

void material_keys(Keys& keys, Material& m) {
  Names laws;
  for (const Law law : known_laws()) laws.push_back(name(law));
  int number = int(m.law.number);
  keys.choice({.name = "law", .what = "how stress follows from strain", .required = true}, number, laws);
  m.law = {unsigned(number)};
  for (const auto& [p, only_for] : all_parameters()) {
    double& value = m.*p.member;
    Range range = p.range;
    if (p.also == Parameter::Also::zero) range.from = 0;
    if (p.also == Parameter::Also::negative && value < 0) value = Material().*p.member;
    const Key key = {.name = p.name,
                     .unit = p.unit,
                     .what = p.what,
                     .standard = p.standard,
                     .applies = reads(m.law, p),
                     .only_for = only_for.c_str()};
    keys.number(key, value, range);
  }
}

const Key center_key = {.name = "center", .unit = "m", .what = "where it is"};
const Key size_key = {.name = "size", .unit = "m", .what = "edge lengths"};
const Key radius_key = {.name = "radius", .unit = "m", .what = ""};
const Key rotation_key = {.name = "rotation", .what = "unit quaternion w, x, y, z; or rpy"};

void cloth_shape_keys(Keys& keys, Shape& shape) {
  keys.file({.name = "file", .what = "open triangle mesh; its origin is put at the centre"}, shape.mesh_file,
            {".stl", ".obj"});
  keys.number({.name = "scale", .what = "m per unit of the file"}, shape.mesh_scale, positive);
  Pair size = {shape.size[0], shape.size[1]};
  keys.pair({.name = "size", .unit = "m", .what = "edge lengths of a rectangle, in place of a file"}, size, positive);
  if (keys.reads) shape.size = {size[0], size[1], shape.size[2]};
  keys.number({.name = "spacing", .unit = "m", .what = "between the vertices of the rectangle; 0: the cell"},
              shape.spacing, not_negative);
  keys.number({.name = "thickness", .unit = "m", .what = "of the cloth"}, shape.thickness, positive);
  keys.rotation(rotation_key, shape.rotation);
  keys.leave();
}

void shape_keys(Keys& keys, Shape& shape, bool is_used) {
  using Kind = Shape::Kind;
  const Kind given = shape.kind;
  const auto enter = [&](const char* name, const char* what, Kind kind) {
    const bool here = keys.enter_kind({.name = name, .what = what}, is_used && given == kind);
    if (here && keys.reads) shape.kind = kind;
    if (here) keys.vector(center_key, shape.center, any_number);
    return here;
  };
  const auto round = [&](bool has_length, const char* what) {
    keys.number(radius_key, shape.radius, positive);
    if (has_length) keys.number({.name = "length", .unit = "m", .what = what}, shape.length, positive);
    keys.rotation(rotation_key, shape.rotation);
    keys.leave();
  };
  if (enter("box", "in 2-D a rectangle", Kind::box)) {
    keys.vector(size_key, shape.size, positive);
    keys.rotation(rotation_key, shape.rotation);
    keys.leave();
  }
  if (enter("sphere", "in 2-D a disc", Kind::sphere)) round(false, "");
  if (enter("cylinder", "along the axis z", Kind::cylinder)) round(true, "along the axis");
  if (enter("capsule", "along the axis z", Kind::capsule)) round(true, "of its cylindrical part");
  if (enter("mesh", "closed triangle mesh", Kind::mesh)) {
    keys.file({.name = "file", .what = "the mesh; its origin is put at the centre", .required = true}, shape.mesh_file,
              {".stl", ".obj"});
    keys.number({.name = "scale", .what = "m per unit of the file"}, shape.mesh_scale, positive);
    keys.rotation(rotation_key, shape.rotation);
    keys.leave();
  }
  if (enter("cloth", "a sheet: a file, or a rectangle of a size", Kind::cloth)) cloth_shape_keys(keys, shape);
}

void pin_keys(Keys& keys, Pin& pin) {
  keys.vector({.name = "center", .unit = "m", .what = "of the ball that it holds", .required = true}, pin.center,
              any_number);
  keys.number({.name = "radius", .unit = "m", .what = "vertices inside at the start are held"}, pin.radius, positive);
  keys.number({.name = "until", .unit = "s", .what = "then they are free", .standard = "for ever"}, pin.until,
              any_number);
}

void matter_keys(Keys& keys, Matter& matter) {
  keys.name_of({.name = "material", .what = "what it is made of", .required = true}, matter.material, NameOf::material);
  shape_keys(keys, matter.shape, matter.points.empty());
  keys.points({.name = "points", .unit = "m", .what = "particles one by one, in place of a shape"}, matter.points);
  keys.end_kinds("shape", true);
  keys.number({.name = "point_volume", .unit = "m^3, in 2-D m^2", .what = "rest volume of each of `points`"},
              matter.point_volume, not_negative);
  Sampling& sampling = matter.sampling;
  if (keys.reads && keys.dimension == 2) sampling.particles_per_cell = 4;
  if (keys.enter({.name = "sampling", .what = "how the shape is filled with particles"})) {
    choose(keys, {.name = "method", .what = "even, or random at even distances; by_law: even for matter that flows"},
           sampling.method, {"by_law", "lattice", "poisson"});
    keys.number({.name = "particles_per_cell", .what = "on average", .always = true, .standard = "8, in 2-D 4"},
                sampling.particles_per_cell, positive);
    count(keys, {.name = "seed", .what = "same seed, same particles"}, sampling.seed, 0, UINT64_MAX);
    keys.number({.name = "jitter", .what = "lattice: random offset as a part of the spacing"}, sampling.jitter, {0, 1});
    choose(keys, {.name = "surface_layer", .what = "particles also on the surface; by_law: of what lasts"},
           sampling.surface_layer, {"by_law", "true", "false"});
    keys.leave();
  }
  keys.vector({.name = "velocity", .unit = "m/s", .what = "at the start"}, matter.velocity, any_number);
  keys.vector({.name = "angular_velocity",
               .unit = "rad/s",
               .what = "at the start, about the centre of mass; in 2-D the third number counts"},
              matter.angular_velocity, any_number);
  keys.named({.name = "pins", .what = "hold vertices of cloth"}, "pin", matter.pins, pin_keys);
}

void actuator_keys(Keys& keys, Actuator& actuator) {
  keys.name_of({.name = "matter", .what = "the piece that it acts in", .required = true}, actuator.matter,
               NameOf::matter);
  keys.vector({.name = "direction",
               .what = "along which it acts, as the piece lay at first",
               .standard = "none: along all alike, as pressure does"},
              actuator.direction, any_number);
  keys.number({.name = "strength", .unit = "Pa", .what = "of a value of 1; > 0 pulls together"}, actuator.strength,
              any_number);
}

void boundary_shape_keys(Keys& keys, Boundary& boundary) {
  using Kind = Boundary::Kind;
  const Kind given = boundary.kind;
  const auto enter = [&](const char* name, const char* what, Kind kind) {
    const bool here = keys.enter_kind({.name = name, .what = what}, given == kind);
    if (here && keys.reads) boundary.kind = kind;
    if (here) keys.vector(center_key, boundary.center, any_number);
    return here;
  };
  if (keys.reads && keys.dimension == 2) boundary.normal = {0, 1, 0};
  if (enter("plane", "all that lies below", Kind::plane)) {
    keys.vector({.name = "normal", .what = "out of the solid", .always = true, .standard = "[0, 0, 1], in 2-D [0, 1]"},
                boundary.normal, any_number);
    keys.leave();
  }
  if (enter("box", "in 2-D a rectangle", Kind::box)) {
    keys.vector(size_key, boundary.size, positive);
    keys.rotation(rotation_key, boundary.rotation);
    keys.leave();
  }
  if (enter("sphere", "in 2-D a disc", Kind::sphere)) {
    keys.number(radius_key, boundary.radius, positive);
    keys.leave();
  }
  if (enter("cylinder", "", Kind::cylinder)) {
    keys.vector({.name = "axis", .what = "its direction", .always = true}, boundary.normal, any_number);
    keys.number(radius_key, boundary.radius, positive);
    keys.number({.name = "length", .unit = "m", .what = "along the axis"}, boundary.length, positive);
    keys.leave();
  }
  keys.end_kinds("shape", true);
}

void boundary_keys(Keys& keys, Boundary& boundary) {
  boundary_shape_keys(keys, boundary);
  choose(keys, {.name = "condition", .what = "stick: v = 0; slip: v_n = 0; separate: v_n >= 0"}, boundary.condition,
         {"stick", "slip", "separate"});
  choose(keys, {.name = "at", .what = "surfaces: felt as bodies are; nodes: by the grid's nodes inside of it"},
         boundary.at, {"surfaces", "nodes"});
  keys.number({.name = "friction", .what = "Coulomb coefficient, for slip and separate"}, boundary.friction,
              not_negative);
  keys.flag({.name = "inside_out", .what = "matter is kept inside instead of outside"}, boundary.inside_out);
  keys.vector({.name = "velocity", .unit = "m/s", .what = "the boundary moves"}, boundary.velocity, any_number);
  keys.vector({.name = "angular_velocity", .unit = "rad/s", .what = "it turns about its centre; at surfaces"},
              boundary.angular_velocity, any_number);
}

void body_keys(Keys& keys, Body& body) {
  keys.file({.name = "file", .what = "MJCF or URDF"}, body.file, {".xml", ".urdf"});
  keys.word({.name = "text", .what = "MJCF itself, in place of a file"}, body.text);
  keys.vector({.name = "position", .unit = "m", .what = "where it stands, or its offset from `attach_to`"},
              body.position, any_number);
  keys.rotation(rotation_key, body.rotation);
  keys.name_of({.name = "attach_to", .what = "\"body/site\" that carries it; the body is named before"}, body.attach_to,
               NameOf::body_part);
}

void pair_keys(Keys& keys, ContactPair& pair) {
  const char* inherited = "as contact says";
  keys.name_of({.name = "matter", .what = "a piece of matter; a * stands for any letters; nothing: all"}, pair.matter,
               NameOf::matter);
  const char* what = "a boundary; a body with all that it carries; \"body/geom\"; a * for any letters; nothing: all";
  keys.name_of({.name = "with", .what = what}, pair.partner, NameOf::partner);
  std::string body;
  keys.name_of(
      {.name = "body", .what = "the same", .applies = pair.partner.empty(), .only_for = "pairs without 'with'"}, body,
      NameOf::partner);
  if (!body.empty()) pair.partner = body;
  if (pair.friction < 0) pair.friction = ContactPair().friction;
  keys.number({.name = "friction", .what = "Coulomb coefficient", .standard = "as without the pair"}, pair.friction,
              not_negative);
  keys.number({.name = "stiffness", .unit = "N/m^3", .what = "pressure per depth; 0: as contact says"}, pair.stiffness,
              not_negative);
  // every number below 0 means the same
  if (pair.dissipation < 0) pair.dissipation = ContactPair().dissipation;
  keys.number({.name = "dissipation", .unit = "s/m", .what = "of Hunt and Crossley", .standard = inherited},
              pair.dissipation, not_negative);
}

void contact_keys(Keys& keys, Contact& contact) {
  choose(keys, {.name = "law", .what = "how impulses follow from velocities"}, contact.law, {"lagged", "sap"});
  const char* radius = "friction goes by the normal impulse of this moment, or of the solve before; of law lagged";
  choose(keys, {.name = "radius", .what = radius}, contact.radius, {"following", "lagged"});
  if (contact.friction < 0) contact.friction = Contact().friction;
  keys.number({.name = "friction",
               .what = "Coulomb coefficient; not for liquids, which have none unless a pair says so",
               .standard = "the larger of the material's and the partner's"},
              contact.friction, not_negative);
  keys.number({.name = "stiffness", .unit = "N/m^3", .what = "pressure per depth; 0: from the material"},
              contact.stiffness, not_negative);
  keys.number({.name = "dissipation", .unit = "s/m", .what = "of Hunt and Crossley; of law lagged"},
              contact.dissipation, not_negative);
  keys.number({.name = "relaxation", .unit = "s", .what = "of the contact's spring; of law sap"}, contact.relaxation,
              not_negative);
  keys.flag({.name = "memory", .what = "friction holds a spring at an anchor and does not creep under load"},
            contact.memory);
  keys.number({.name = "stiction", .unit = "m/s", .what = "slip that friction without memory has at rest"},
              contact.stiction, positive);
  keys.listed({.name = "pairs", .what = "exceptions; of several that fit, the last counts"}, "contact pair",
              contact.pairs, pair_keys);
}

void record_keys(Keys& keys, Record& record) {
  keys.number({.name = "rate", .unit = "1/s", .what = "frames per second of simulated time"}, record.rate, positive);
  keys.flag({.name = "deformation", .what = "also the deformation and the plastic state of each particle"},
            record.deformation);
}

void expect_keys(Keys& keys, Expect& expect) {
  keys.word({.name = "name", .what = "what the report calls it", .required = true}, expect.name);
  keys.name_of({.name = "of", .what = "a piece of matter, \"body\", \"body/part\"; nothing: the whole run"}, expect.of,
               NameOf::measured);
  Names names;
  int number = -1;
  for (const Quantity& quantity : expect_quantities()) {
    // matter and bodies have a speed
    if (std::find(names.begin(), names.end(), quantity.name) != names.end()) continue;
    if (expect.quantity == quantity.name) number = int(names.size());
    names.push_back(quantity.name);
  }
  keys.choice({.name = "quantity", .what = "what is measured, see below", .required = true}, number, names);
  if (keys.reads && number >= 0) expect.quantity = names[std::size_t(number)];
  keys.number({.name = "at", .unit = "s", .what = "when it is measured", .standard = "the end"}, expect.at,
              not_negative);
  const bool has_box = expect.quantity == "inside" || expect.quantity == "least_inside";
  if (keys.enter({.name = "box",
                  .what = "where the matter should be",
                  .applies = has_box,
                  .only_for = "quantity inside, least_inside"})) {
    keys.vector(center_key, expect.box_center, any_number);
    keys.vector({.name = "size", .unit = "m", .what = "edge lengths", .required = true}, expect.box_size, positive);
    keys.leave();
  }
  keys.number({.name = "min", .what = "the least that is good, in the unit of the quantity", .standard = "none"},
              expect.min, any_number);
  keys.number({.name = "max", .what = "the most that is good, in the unit of the quantity", .standard = "none"},
              expect.max, any_number);
}

}  // namespace

void scene_keys(Keys& keys, Scene& scene) {
  keys.word({.name = "name", .what = "of the scene"}, scene.name);
  count(keys, {.name = "dimension", .what = "of space"}, scene.dimension, 2, 3);
  keys.dimension = scene.dimension;
  choose(keys, {.name = "precision", .what = "of the numbers of matter"}, scene.precision, {"float32", "float64"});
  keys.number({.name = "duration", .unit = "s", .what = "of a run"}, scene.duration, positive);
  count(keys, {.name = "max_particles", .what = "more are an error"}, scene.max_particles, 1, most_integer);
  count(keys, {.name = "max_memory", .unit = "bytes", .what = "more is an error"}, scene.max_memory, 1, most_integer);
  if (keys.reads && keys.dimension == 2) scene.step.gravity = {0, -9.81, 0};
  if (keys.enter({.name = "step", .what = "how the world advances"})) {
    step_keys(keys, scene.step);
    keys.leave();
  }
  keys.named({.name = "materials", .what = "laws and their parameters"}, "material", scene.materials, material_keys);
  keys.named({.name = "matter", .what = "pieces of matter"}, "matter", scene.matter, matter_keys);
  keys.named({.name = "actuators", .what = "what pulls pieces of matter together or pushes them apart"}, "actuator",
             scene.actuators, actuator_keys);
  keys.named({.name = "boundaries", .what = "solids that matter cannot enter"}, "boundary", scene.boundaries,
             boundary_keys);
  keys.named({.name = "bodies", .what = "robots and things"}, "body", scene.bodies, body_keys);
  if (keys.enter({.name = "contact", .what = "how matter and what it meets touch"})) {
    contact_keys(keys, scene.contact);
    keys.leave();
  }
  keys.listed({.name = "motion", .what = "what moves, and where to"}, "motion", scene.motion, motion_keys);
  if (keys.enter({.name = "record", .what = "what a recording holds"})) {
    record_keys(keys, scene.record);
    keys.leave();
  }
  keys.listed({.name = "expect", .what = "checks at the end of a run"}, "expect", scene.expect, expect_keys);
}

}  // namespace pliant::scene

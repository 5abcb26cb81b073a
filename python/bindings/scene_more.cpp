// Body, Contact, ContactPair, Motion, Record, Expect: the rest of pliant/scene.h in Python.
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "lists.h"
#include "pliant/scene.h"
#include "record.h"

namespace pliant::python {

namespace {

void bind_body(nb::module_& module) {
  Record<Body>(module, "Body", "A robot or a thing, in a file of MuJoCo's MJCF or of URDF.")
      .field("name", &Body::name, "its parts are called 'name/part'")
      .field("file", &Body::file, ".xml (MJCF) or .urdf")
      .field("text", &Body::text, "MJCF itself, instead of a file")
      .field("position", &Body::position, "m")
      .field("rotation", &Body::rotation, "unit quaternion w, x, y, z")
      .field("attach_to", &Body::attach_to, "'other/site': a site of a body named before; empty: the world")
      .finish();
}

void bind_contact(nb::module_& module) {
  Record<ContactPair>(module, "ContactPair",
                      "How one piece of matter and what it meets touch; of several that fit, the last counts. A * in a "
                      "name stands for any letters.")
      .field("matter", &ContactPair::matter, "name of a piece of matter; empty: all")
      .field("partner", &ContactPair::partner,
             "`with` in files: a boundary, 'name' or 'name/part': a body and all that it carries, or one geom; empty: "
             "all")
      .alias("body", "partner", &ContactPair::partner)
      .field("friction", &ContactPair::friction, "Coulomb coefficient; below 0: as without the pair")
      .field("stiffness", &ContactPair::stiffness, "N/m^3; 0: as Contact says")
      .field("dissipation", &ContactPair::dissipation, "s/m; below 0: as Contact says")
      .finish();
  Record<ContactRecord>(module, "Contact", "How matter and bodies touch.")
      .field("law", &ContactRecord::law, "lagged or sap")
      .field("radius", &ContactRecord::radius,
             "what friction goes by, following: the normal impulse of the same moment; lagged: of the solve before")
      .field("friction", &ContactRecord::friction,
             "Coulomb coefficient, where no pair says otherwise; below 0: the larger of the material's and the "
             "partner's own")
      .field("stiffness", &ContactRecord::stiffness, "N/m^3, pressure per depth; 0: from the material")
      .field("dissipation", &ContactRecord::dissipation, "s/m, of Hunt and Crossley; lagged")
      .field("relaxation", &ContactRecord::relaxation, "s, of the contact's spring; sap")
      .field("memory", &ContactRecord::memory, "friction holds a spring at an anchor and does not creep under load")
      .field("stiction", &ContactRecord::stiction, "m/s, slip that friction without memory has at rest")
      .field(list_field<ContactPair>("Contact", "pairs", &ContactRecord::pairs), "list[ContactPair]", "exceptions")
      .finish();
}

// numbers go out as tuples: what is appended to a copy would be lost
nb::object tuple_of(const std::vector<double>& numbers) { return nb::tuple(nb::cast(numbers)); }

Field<Motion> times_field() {
  const auto get = [](const Motion& motion) { return tuple_of(motion.times); };
  const auto set = [](Motion& motion, nb::handle value) {
    if (!nb::try_cast(value, motion.times)) wrong_type("Motion.times", "a list of numbers", value);
  };
  return {"times", "collections.abc.Sequence[float]", get, set};
}

Field<Motion> values_field() {
  const auto get = [](const Motion& motion) {
    nb::list rows;
    for (const std::vector<double>& row : motion.values) rows.append(tuple_of(row));
    return nb::tuple(rows);
  };
  const auto set = [](Motion& motion, nb::handle value) {
    if (!nb::try_cast(value, motion.values)) wrong_type("Motion.values", "a list of lists of numbers", value);
  };
  return {"values", "collections.abc.Sequence[collections.abc.Sequence[float]]", get, set};
}

Field<Motion> release_field() {
  const auto get = [](const Motion& motion) {
    nb::list flags;
    for (const bool flag : motion.release) flags.append(nb::bool_(flag));
    return nb::tuple(flags);
  };
  const auto set = [](Motion& motion, nb::handle value) {
    if (!nb::try_cast(value, motion.release)) wrong_type("Motion.release", "a list of true and false", value);
  };
  return {"release", "collections.abc.Sequence[bool]", get, set};
}

void bind_motion(nb::module_& module) {
  Record<UntilForce>(module, "UntilForce",
                     "Stops an actuator that moves, as a hand closes, once its body is pushed hard enough.")
      .field("body", &UntilForce::body, "'name/part': the body that feels the force; empty: no force stops the motion")
      .field("newton", &UntilForce::newton, "N, norm of the sum of its contact forces, of matter and of other bodies")
      .finish();
  Record<Motion>(module, "Motion",
                 "Where something should be at given times; at rest before the first and after the last.")
      .field("kind", &Motion::kind, "actuator, mocap, boundary, gripper, pin or actuation")
      .field("target", &Motion::target,
             "name of an actuator of a body, a mocap body, a boundary, a site that an arm carries, 'matter/pin', or an "
             "actuator of matter")
      .field("path", &Motion::path, "smooth: each stretch starts and ends at rest; linear; hold: jumps at the time")
      .field(times_field(), "tuple[float, ...]", "s, ascending")
      .field(values_field(), "tuple[tuple[float, ...], ...]",
             "per time: control or value (1 number), position and quaternion (7) of mocap and gripper, centre of a "
             "boundary or "
             "pin (3)")
      .field("until_force", &Motion::until_force, "actuator: its control stays as it is once a body is pushed so hard")
      .field(release_field(), "tuple[bool, ...]",
             "per time: on the way there the control lets go of where until_force holds it; empty: never")
      .finish();
}

void bind_record(nb::module_& module) {
  using Recorded = ::pliant::Record;
  Record<Recorded>(module, "Record", "What a recording holds.")
      .field("rate", &Recorded::rate, "frames per second of simulated time")
      .field("deformation", &Recorded::deformation, "also F and the plastic state of each particle")
      .finish();
}

void bind_expect(nb::module_& module) {
  Record<Expect>(module, "Expect", "A check at the end of a run: min <= value <= max.")
      .field("name", &Expect::name, "what the report calls it")
      .field("of", &Expect::of, "a piece of matter, a body, a joint or a sensor; empty: the whole run")
      .field("quantity", &Expect::quantity, "what is measured, see docs/expect.md")
      .field("at", &Expect::at, "s, when it is measured; below 0: at the end")
      .field("box_center", &Expect::box_center, "m; quantities inside and least_inside")
      .field("box_size", &Expect::box_size, "m, edge lengths; quantities inside and least_inside")
      .field("min", &Expect::min, "the least that is good, in the unit of the quantity")
      .field("max", &Expect::max, "the most that is good, in the unit of the quantity")
      .finish();
}

}  // namespace

void bind_scene_more(nb::module_& module) {
  bind_body(module);
  bind_contact(module);
  bind_motion(module);
  bind_record(module);
  bind_expect(module);
}

}  // namespace pliant::python

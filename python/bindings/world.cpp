// World in Python.
#include "pliant/world.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include "arrays.h"
#include "bindings.h"
#include "casters.h"
#include "contact.h"
#include "mujoco_objects.h"
#include "record.h"
#include "shared_world.h"
#include "surfaces.h"

namespace pliant::python {

namespace {

void make_world(SharedWorld* self, const Scene& scene, const MujocoObjects& objects, int threads) {
  const SharedBodies shared = shared_bodies(objects);
  without_gil([&] { new (self) SharedWorld(scene, shared, threads); });
  self->bodies = objects;
}

// a world around a user's own robots; fields are those of Scene
nb::object world_from_mujoco(nb::object model, nb::object data, int threads, const nb::kwargs& fields) {
  const MujocoObjects objects = given_objects(model, data);
  nb::object record = nb::type<SceneRecord>()(**fields);
  const nb::object options = model.attr("opt");
  if (!fields.contains("step")) {
    record.attr("step").attr("dt") = options.attr("timestep");
    record.attr("step").attr("gravity") = nb::tuple(options.attr("gravity"));
  }
  const Scene scene = scene_of(nb::cast<const SceneRecord&>(record));
  nb::object world = nb::inst_alloc(nb::type<SharedWorld>());
  make_world(nb::inst_ptr<SharedWorld>(world), scene, objects, threads);
  nb::inst_mark_ready(world);
  return world;
}

std::array<double, 9> stress_of(nb::handle value, int dimension) {
  const std::string size = dimension == 2 ? "2x2 or 3x3" : "3x3";
  const std::string expected = "stress must be a " + size + " matrix of numbers in Pa";
  const Table table = table_of(value, expected);
  const std::size_t n = table.shape(0);
  if (table.shape(1) != n || !(n == 3 || (n == 2 && dimension == 2))) throw nb::type_error(expected.c_str());
  std::array<double, 9> stress = {};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) stress[3 * i + j] = table(i, j);
  }
  return stress;
}

nb::bytes save(SharedWorld& self) {
  const std::vector<std::byte> bytes = alone(self, [](const World& world) { return world.save(); });
  return nb::bytes(bytes.data(), bytes.size());
}

void restore(SharedWorld& self, const nb::bytes& bytes) {
  const std::span<const std::byte> view(static_cast<const std::byte*>(bytes.data()), bytes.size());
  alone(self, [&](World& world) { world.restore(view); });
}

// of an actuator a number, of a piece of matter a stress
void set_actuation(SharedWorld& self, const std::string& name, nb::object value) {
  const std::vector<Actuator>& actuators = self.world.scene().actuators;
  if (std::any_of(actuators.begin(), actuators.end(), [&](const Actuator& a) { return a.name == name; })) {
    double number = 0;
    if (!nb::try_cast(value, number)) throw nb::type_error("the value of an actuator must be a number");
    alone(self, [&](World& world) { world.set_actuation(name, number); });
    return;
  }
  const std::string& matter = name;
  require_name(self.world.scene().matter, matter, "matter");
  const std::array<double, 9> numbers = stress_of(value, self.world.scene().dimension);
  alone(self, [&](World& world) { world.set_actuation(matter, numbers); });
}

void set_boundary_velocity(SharedWorld& self, const std::string& boundary, const Vec3& velocity) {
  require_name(self.world.scene().boundaries, boundary, "boundary");
  alone(self, [&](World& world) { world.set_boundary_velocity(boundary, velocity); });
}

// a second world of the same model, with a data of its own
nb::object clone(SharedWorld& self, int threads) {
  const MujocoObjects objects = second_data(self.bodies);
  const SharedBodies shared = shared_bodies(objects);
  nb::object world = nb::inst_alloc(nb::type<SharedWorld>());
  new (nb::inst_ptr<SharedWorld>(world))
      SharedWorld(objects, alone(self, [&](const World& w) { return w.clone(threads, shared.data); }));
  nb::inst_mark_ready(world);
  return world;
}

// None leaves numbers as they are
std::vector<double> numbers_of(nb::handle value, const char* name) {
  if (value.is_none()) return {};
  const Table table = table_of(nb::make_tuple(value), std::string(name) + " must be a list of numbers");
  return std::vector<double>(table.data(), table.data() + table.size());
}

void set_bodies(SharedWorld& self, nb::handle qpos, nb::handle qvel, nb::handle act) {
  const auto q = numbers_of(qpos, "qpos"), v = numbers_of(qvel, "qvel"), a = numbers_of(act, "act");
  alone(self, [&](World& w) { w.set_bodies(q, v, a); });
}

void bind_motion(nb::class_<SharedWorld>& world) {
  world
      .def(
          "step", [](SharedWorld& self) { return alone(self, [](World& w) { return StepReport(w.step()); }); },
          "Advances by scene.step.dt. On an Error or Ctrl-C nothing has changed. Other Python threads run meanwhile.")
      .def(
          "clone", &clone, nb::arg("threads") = 0, nb::sig("def clone(self, threads: int = 0) -> World"),
          "A second world in the same state: from there on both give the same bits. It shares all that is constant and "
          "may be stepped at the same time on another thread. threads 0: as many as this one has.")
      .def(
          "reset", [](SharedWorld& self) { alone(self, [](World& w) { w.reset(); }); },
          "Back to how the world was made; actuations, velocities of boundaries and bodies included.")
      .def("set_bodies", &set_bodies, nb::arg("qpos") = nb::none(), nb::arg("qvel") = nb::none(),
           nb::arg("act") = nb::none(),
           nb::sig("def set_bodies(self, qpos: numpy.typing.ArrayLike | None = None, qvel: numpy.typing.ArrayLike | "
                   "None = None, act: numpy.typing.ArrayLike | None = None) -> None"),
           "Joint positions, velocities and activations as in world.data, checked; places follow at once.")
      .def(
          "set_actuation", &set_actuation, nb::arg("name"), nb::arg("value"),
          nb::sig("def set_actuation(self, name: str, value: numpy.typing.ArrayLike) -> None"),
          "Value of an actuator of the scene; or of a piece of matter its actuation stress: symmetric, in its material "
          "frame, Pa. They add up.")
      .def("set_boundary_velocity", &set_boundary_velocity, nb::arg("boundary"), nb::arg("velocity"),
           "Velocity of a boundary, m/s.");
}

void bind_state(nb::class_<SharedWorld>& world) {
  world.def_prop_ro("matter", &matter_of, nb::sig("def matter(self) -> MatterStates"), "the pieces of matter, by name")
      .def_prop_ro(
          "model", [](SharedWorld& self) { return self.bodies.model; }, nb::sig("def model(self) -> typing.Any"),
          "the bodies' mujoco.MjModel, or None")
      .def_prop_ro(
          "data", [](SharedWorld& self) { return self.bodies.data; }, nb::sig("def data(self) -> typing.Any"),
          "the bodies' mujoco.MjData, or None: read it, and set controls between steps")
      .def_prop_ro(
          "boundary_centers",
          [](SharedWorld& self) {
            nb::list centers;
            for (const Vec3& c : alone(self, [](const World& w) { return w.boundary_centers(); }))
              centers.append(nb::make_tuple(c[0], c[1], c[2]));
            return centers;
          },
          nb::sig("def boundary_centers(self) -> list[tuple[float, float, float]]"),
          "m, where the boundaries are now, in the order of the scene")
      .def_prop_ro(
          "report", [](SharedWorld& self) { return alone(self, [](World& w) { return StepReport(w.report()); }); },
          "of the last step")
      .def_prop_ro(
          "time", [](SharedWorld& self) { return alone(self, [](World& w) { return w.time(); }); }, "s")
      .def_prop_ro(
          "scene", [](SharedWorld& self) { return record_of(self.world.scene()); },
          "a copy of the scene without its points; changes of it do not reach the world")
      .def_prop_ro(
          "threads", [](SharedWorld& self) { return self.world.threads(); }, "how many work on a step")
      .def_prop_ro("particle_count", [](SharedWorld& self) { return self.world.particle_count(); })
      .def_prop_ro(
          "memory", [](SharedWorld& self) { return alone(self, [](World& w) { return w.memory(); }); },
          "bytes held by states and workspace")
      .def(
          "balance", [](SharedWorld& self) { return alone(self, [](World& w) { return w.balance(); }); },
          "Sums over all matter now.")
      .def(
          "state_hash", [](SharedWorld& self) { return alone(self, [](World& w) { return w.state_hash(); }); },
          "Hash of the whole state. It is the same for any number of threads.")
      .def("save", &save, "The exact state as bytes, with version and checksum.")
      .def(
          "save",
          [](SharedWorld& self, const std::filesystem::path& path) {
            alone(self, [&](World& w) { save_file(w, path.string()); });
          },
          nb::arg("path"), nb::sig("def save(self, path: str | os.PathLike[str]) -> None"), "The same into a file.")
      .def("restore", &restore, nb::arg("bytes"),
           "Back to a saved state of the same scene. Bytes of another scene, truncated or altered are refused.")
      .def(
          "restore",
          [](SharedWorld& self, const std::filesystem::path& path) {
            alone(self, [&](World& w) { restore_file(w, path.string()); });
          },
          nb::arg("path"), nb::sig("def restore(self, path: str | os.PathLike[str]) -> None"), "The same from a file.")
      .def("__repr__", [](SharedWorld& self) {
        const double time = alone(self, [](World& w) { return w.time(); });
        return "World(" + std::to_string(self.world.particle_count()) + " particles, time=" + written(nb::cast(time)) +
               " s, threads=" + std::to_string(self.world.threads()) + ")";
      });
}

void bind_touch(nb::class_<SharedWorld>& world) {
  world
      .def_prop_ro("surfaces", &surfaces_of, nb::sig("def surfaces(self) -> Surfaces"),
                   "the surfaces with which matter touches, by name; of elastic matter that does not yield, in 3-D")
      .def_prop_ro(
          "contacts",
          [](SharedWorld& self) {
            return contacts_of(alone(self, [](const World& w) { return std::vector<Touch>(w.contacts()); }));
          },
          nb::sig("def contacts(self) -> Contacts"), "particles and geoms that touched in the last step")
      .def(
          "wrench",
          [](SharedWorld& self, const std::string& body) {
            return alone(self, [&](const World& w) { return w.wrench(body); });
          },
          nb::arg("body"),
          "What matter did to a body, by its name in world.model, or to a boundary of the scene, mean over the last "
          "step. Torques on boundaries are about their centres.")
      .def(
          "taxels",
          [](SharedWorld& self, const std::string& geom, int rows, int columns) {
            return taxels_of(alone(self, [&](const World& w) { return w.taxels(geom, rows, columns); }));
          },
          nb::arg("geom"), nb::arg("rows"), nb::arg("columns"),
          nb::sig("def taxels(self, geom: str, rows: int, columns: int) -> Taxels"),
          "The force of matter on a geom by place, mean over the last step. Columns and rows run along the two longer "
          "edges of a box, x and y of a plane or mesh, the angle about z and z of a round geom.");
}

}  // namespace

void bind_world(nb::module_& module) {
  bind_matter(module);
  bind_surfaces(module);
  nb::class_<SharedWorld> world(module, "World", nb::is_weak_referenceable(), "A scene in motion.");
  world.def(
      "__init__",
      [](SharedWorld* self, const SceneRecord& record, int threads) {
        const Scene scene = scene_of(record);
        check(scene);
        make_world(self, scene, assemble_objects(scene), threads);
      },
      nb::arg("scene"), nb::arg("threads") = 0,
      "Checks the scene and fills its shapes with particles. threads 0: all that the machine has.");
  world.def_static(
      "from_mujoco", &world_from_mujoco, nb::arg("model"), nb::arg("data"), nb::arg("threads") = 0, nb::arg(),
      nb::sig("def from_mujoco(model: typing.Any, data: typing.Any, threads: int = 0, **fields: typing.Any) -> World"),
      "A world around your own mujoco.MjModel and MjData, which are shared, not copied. The other arguments are those "
      "of "
      "Scene: matter, materials, boundaries, step and so on; without step, dt and gravity are the model's.");
  bind_motion(world);
  bind_state(world);
  bind_touch(world);
}

}  // namespace pliant::python

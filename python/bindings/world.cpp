// World, and its matter as numpy arrays that share the memory of the simulation.
#include "pliant/world.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include <mutex>

#include "arrays.h"
#include "bindings.h"
#include "casters.h"
#include "contact.h"
#include "material/von_mises.h"
#include "mujoco_objects.h"
#include "record.h"

namespace pliant::python {

namespace {

struct SharedWorld {
  MujocoObjects bodies = {{}, {}, {}};  // counted by Python: only touched under its lock
  World world;
  std::mutex busy;
  SharedWorld(const Scene& scene, const SharedBodies& shared, int threads) : world(scene, shared, threads) {}
};

void make_world(SharedWorld* self, const Scene& scene, const MujocoObjects& objects, int threads) {
  const SharedBodies shared = shared_bodies(objects);
  {
    nb::gil_scoped_release released;
    new (self) SharedWorld(scene, shared, threads);
  }
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

// Works on the world while other Python threads run; calls on one world from several threads wait for each other.
template <class Work>
auto alone(SharedWorld& self, Work&& work) {
  nb::gil_scoped_release released;
  std::lock_guard lock(self.busy);
  return work(self.world);
}

template <class T>
void require_name(const std::vector<T>& items, const std::string& name, const std::string& what) {
  std::string known;
  for (const T& item : items) {
    if (item.name == name) return;
    known += (known.empty() ? "'" : ", '") + item.name + "'";
  }
  const std::string cure = known.empty() ? "the scene has none" : "the scene has " + known;
  throw nb::key_error(("no " + what + " '" + name + "'; " + cure).c_str());
}

// one piece of matter of a world; holds the world alive
struct MatterState {
  nb::object owner;
  std::string name;
  SharedWorld& shared() const { return nb::cast<SharedWorld&>(owner); }
};

struct MatterStates {
  nb::object owner;
  const std::vector<Matter>& list() const { return nb::cast<SharedWorld&>(owner).world.scene().matter; }
};

using Array = nb::ndarray<nb::numpy, nb::ro>;

Array array_of(const MatterState& matter, Attribute attribute) {
  const View view = alone(matter.shared(), [&](const World& world) { return world.view(matter.name, attribute); });
  nb::dlpack::dtype type = view.precision == Precision::float64 ? nb::dtype<double>() : nb::dtype<float>();
  if (attribute == Attribute::id) type = nb::dtype<std::uint32_t>();
  const std::size_t number = type.bits / 8;

  // numbers of one particle follow each other, row by row
  std::vector<std::size_t> shape = {view.count};
  shape.insert(shape.end(), view.shape.begin(), view.shape.end());
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size() - 1; i > 1; --i) strides[i - 1] = strides[i] * std::int64_t(shape[i]);
  strides[0] = std::int64_t(view.stride / number);
  return Array(view.data, shape.size(), shape.data(), matter.owner, strides.data(), type);
}

void add_view(nb::class_<MatterState>& matter, const std::string& name, Attribute attribute, const char* doc) {
  const std::string number = attribute == Attribute::id ? "uint32" : "floating";
  const std::string signature = "def " + name + "(self) -> numpy.typing.NDArray[numpy." + number + "]";
  matter.def_prop_ro(
      name.c_str(), [attribute](const MatterState& self) { return array_of(self, attribute); },
      nb::rv_policy::automatic, doc, nb::sig(signature.c_str()));
}

nb::object array_of(const std::vector<double>& numbers) {
  const nb::object array = nb::module_::import_("numpy").attr("empty")(numbers.size());
  auto out = nb::cast<nb::ndarray<double, nb::ndim<1>, nb::c_contig>>(array);
  std::copy(numbers.begin(), numbers.end(), out.data());
  return array;
}

nb::object triangles_of(const MatterState& self) {
  const auto list = alone(self.shared(), [&](const World& world) { return world.triangles(self.name); });
  const nb::object array = nb::module_::import_("numpy").attr("empty")(nb::make_tuple(list.size(), 3), "int32");
  auto out = nb::cast<nb::ndarray<std::int32_t, nb::ndim<2>, nb::c_contig>>(array);
  if (!list.empty()) std::copy_n(list.data()->data(), 3 * list.size(), out.data());
  return array;
}

nb::object von_mises_of(const Material& material, nb::handle gradients, nb::handle plastic) {
  using Numbers = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
  const nb::module_ numpy = nb::module_::import_("numpy");
  const auto F = nb::cast<Numbers>(numpy.attr("ascontiguousarray")(gradients, "float64"));
  const auto memory = nb::cast<Numbers>(numpy.attr("ascontiguousarray")(plastic, "float64"));
  if (F.ndim() != 3 || F.shape(1) != F.shape(2)) throw nb::type_error("F must have the shape (n, 2, 2) or (n, 3, 3)");
  return array_of(von_mises(material, int(F.shape(1)), {F.data(), F.size()}, {memory.data(), memory.size()}));
}

void bind_matter_state(nb::module_& module) {
  nb::class_<MatterState> matter(
      module, "MatterState",
      "One piece of matter in motion. Its arrays are read-only views of the simulation's memory: no "
      "copy is made. A view shows the present until the next step or restore; after that its numbers "
      "are of no particular moment, so take it anew, or keep a copy(). It keeps the world's memory "
      "alive. The order of particles changes when they are sorted; `ids` tells who is who.");
  matter.def_ro("name", &MatterState::name, "its name in the scene")
      .def("__len__", [](const MatterState& self) { return array_of(self, Attribute::id).shape(0); })
      .def("__repr__", [](const MatterState& self) {
        return "MatterState('" + self.name + "', " + std::to_string(array_of(self, Attribute::id).shape(0)) +
               " particles)";
      });
  add_view(matter, "positions", Attribute::position, "m, (particles, dimension)");
  add_view(matter, "velocities", Attribute::velocity, "m/s, (particles, dimension)");
  add_view(matter, "affine", Attribute::affine, "1/s, affine velocity matrix C, (particles, dimension, dimension)");
  add_view(matter, "deformation_gradients", Attribute::deformation_gradient,
           "elastic F, (particles, dimension, dimension)");
  add_view(matter, "plastic", Attribute::plastic, "the number that the law remembers, (particles,)");
  add_view(matter, "masses", Attribute::mass, "kg, (particles,)");
  add_view(matter, "volumes", Attribute::volume, "rest volume, m^3 (m^2 in 2-D), (particles,)");
  add_view(matter, "ids", Attribute::id, "number of each particle, the same for ever, (particles,)");
  matter.def_prop_ro(
      "triangles", &triangles_of, nb::sig("def triangles(self) -> numpy.typing.NDArray[numpy.int32]"),
      "(triangles, 3): corners of the triangles of cloth, as rows of positions[numpy.argsort(ids)]; the vertices come "
      "first there, then the centroids in the order of the triangles. Empty for other matter.");
  matter.def_prop_ro(
      "von_mises",
      [](const MatterState& self) {
        return array_of(alone(self.shared(), [&](const World& world) { return world.von_mises(self.name); }));
      },
      nb::sig("def von_mises(self) -> numpy.typing.NDArray[numpy.float64]"),
      "von Mises stress, Pa (Cauchy, of the law alone), (particles,); computed when asked for");
  module.def("von_mises", &von_mises_of, nb::arg("material"), nb::arg("deformation_gradients"), nb::arg("plastic"),
             nb::sig("def von_mises(material: Material, deformation_gradients: numpy.typing.ArrayLike, plastic: "
                     "numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]"),
             "Von Mises stress, Pa, that a material has at given elastic F and plastic numbers.");
}

void bind_matter_states(nb::module_& module) {
  nb::class_<MatterStates>(module, "MatterStates", "The pieces of matter of a world, by name.")
      .def("__getitem__",
           [](const MatterStates& self, const std::string& name) {
             require_name(self.list(), name, "matter");
             return MatterState{self.owner, name};
           })
      .def("__contains__",
           [](const MatterStates& self, const std::string& name) {
             for (const Matter& matter : self.list()) {
               if (matter.name == name) return true;
             }
             return false;
           })
      .def("__len__", [](const MatterStates& self) { return self.list().size(); })
      .def(
          "keys",
          [](const MatterStates& self) {
            nb::list names;
            for (const Matter& matter : self.list()) names.append(matter.name);
            return names;
          },
          nb::sig("def keys(self) -> list[str]"), "names, in the order of the scene")
      .def(
          "__iter__", [](nb::handle self) { return nb::iter(self.attr("keys")()); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[str]"))
      .def("__repr__", [](nb::handle self) {
        return "MatterStates(" + nb::cast<std::string>(nb::repr(self.attr("keys")())) + ")";
      });
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

void set_actuation(SharedWorld& self, const std::string& matter, nb::object stress) {
  require_name(self.world.scene().matter, matter, "matter");
  const std::array<double, 9> numbers = stress_of(stress, self.world.scene().dimension);
  alone(self, [&](World& world) { world.set_actuation(matter, numbers); });
}

void set_boundary_velocity(SharedWorld& self, const std::string& boundary, const Vec3& velocity) {
  require_name(self.world.scene().boundaries, boundary, "boundary");
  alone(self, [&](World& world) { world.set_boundary_velocity(boundary, velocity); });
}

void bind_motion(nb::class_<SharedWorld>& world) {
  world
      .def(
          "step", [](SharedWorld& self) { return alone(self, [](World& w) { return StepReport(w.step()); }); },
          "Advances by scene.step.dt. On an Error nothing has changed. Other Python threads run meanwhile.")
      .def("set_actuation", &set_actuation, nb::arg("matter"), nb::arg("stress"),
           nb::sig("def set_actuation(self, matter: str, stress: numpy.typing.ArrayLike) -> None"),
           "Actuation stress of one piece of matter: symmetric, in its material frame, Pa.")
      .def("set_boundary_velocity", &set_boundary_velocity, nb::arg("boundary"), nb::arg("velocity"),
           "Velocity of a boundary, m/s.");
}

void bind_state(nb::class_<SharedWorld>& world) {
  world
      .def_prop_ro(
          "matter", [](nb::object self) { return MatterStates{self}; }, nb::sig("def matter(self) -> MatterStates"),
          "the pieces of matter, by name")
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
          nb::arg("body"), "What matter did to a body, by its name in world.model, mean over the last step.")
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
  bind_matter_state(module);
  bind_matter_states(module);
  nb::class_<SharedWorld> world(module, "World", "A scene in motion.");
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

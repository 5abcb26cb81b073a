// The matter of a world as numpy arrays that share the memory of the simulation.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstring>

#include "arrays.h"
#include "casters.h"
#include "material/von_mises.h"
#include "record.h"
#include "shared_world.h"

namespace pliant::python {

using namespace material;

namespace {

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

// what can be read by name
struct NamedView {
  const char* name;
  Attribute attribute;
  const char* doc;
};
constexpr NamedView views[] = {
    {"positions", Attribute::position, "m, (particles, dimension)"},
    {"velocities", Attribute::velocity, "m/s, (particles, dimension)"},
    {"affine", Attribute::affine, "1/s, affine velocity matrix C, (particles, dimension, dimension)"},
    {"deformation_gradients", Attribute::deformation_gradient, "elastic F, (particles, dimension, dimension)"},
    {"plastic", Attribute::plastic, "the number that the law remembers, (particles,)"},
    {"masses", Attribute::mass, "kg, (particles,)"},
    {"volumes", Attribute::volume, "rest volume, m^3 (m^2 in 2-D), (particles,)"},
    {"ids", Attribute::id, "number of each particle, the same for ever, (particles,)"}};

const NamedView& view_named(const std::string& name) {
  std::string known;
  for (const NamedView& view : views) {
    if (name == view.name) return view;
    known += (known.empty() ? "'" : ", '") + std::string(view.name) + "'";
  }
  throw nb::key_error(("no attribute '" + name + "'; there are " + known).c_str());
}

// a copy in the order of the ids
nb::object by_id(const MatterState& self, const std::string& name) {
  const nb::object ids = nb::cast(array_of(self, Attribute::id));
  const nb::object order = nb::module_::import_("numpy").attr("argsort")(ids);
  return nb::cast(array_of(self, view_named(name).attribute))[order];
}

template <class S>
std::vector<double> mean_of_rows(const View& view) {
  std::vector<double> sum(view.shape[0], 0.0);
  for (std::size_t p = 0; p < view.count; ++p) {
    const S* row = reinterpret_cast<const S*>(static_cast<const char*>(view.data) + p * view.stride);
    for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += double(row[d]);
  }
  for (double& s : sum) s /= double(view.count);
  return sum;
}

using Numbers = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

nb::object array_of(const std::vector<double>& numbers) {
  const nb::object array = nb::module_::import_("numpy").attr("empty")(numbers.size());
  auto out = nb::cast<nb::ndarray<double, nb::ndim<1>, nb::c_contig>>(array);
  std::copy(numbers.begin(), numbers.end(), out.data());
  return array;
}

// over the particles
nb::object mean_of(const MatterState& self, Attribute attribute) {
  return array_of(alone(self.shared(), [&](const World& world) {
    const View view = world.view(self.name, attribute);
    return view.precision == Precision::float64 ? mean_of_rows<double>(view) : mean_of_rows<float>(view);
  }));
}

// column 0 is E, 1 is nu
nb::object elasticity_of(const MatterState& self, std::size_t column) {
  std::vector<double> numbers;
  for (const auto& row : alone(self.shared(), [&](const World& world) { return world.elasticity(self.name); }))
    numbers.push_back(row[column]);
  return array_of(numbers);
}

// one number for all, or one each by id
void set_elasticity(const MatterState& self, nb::handle E, nb::handle nu) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  const auto column = [&](nb::handle given, const char* name) {
    const std::size_t count = array_of(self, Attribute::id).shape(0);
    const nb::object array = numpy.attr("asarray")(given, "float64");
    if (nb::cast<std::size_t>(array.attr("ndim")) != 0 && !array.attr("shape").equal(nb::make_tuple(count)))
      throw nb::value_error((std::string(name) + " of '" + self.name + "' has the shape " +
                             nb::cast<std::string>(array.attr("shape").attr("__str__")()) + "; give one number, or (" +
                             std::to_string(count) + ",) by id")
                                .c_str());
    return nb::cast<Numbers>(numpy.attr("ascontiguousarray")(numpy.attr("broadcast_to")(array, nb::make_tuple(count))));
  };
  const nb::object none = numpy.attr("empty")(0);
  const Numbers all_E = E.is_valid() ? column(E, "E") : nb::cast<Numbers>(none);
  const Numbers all_nu = nu.is_valid() ? column(nu, "nu") : nb::cast<Numbers>(none);
  alone(self.shared(), [&](World& world) {
    world.set_elasticity(self.name, {all_E.data(), all_E.size()}, {all_nu.data(), all_nu.size()});
  });
}

// values by id
void set(const MatterState& self, const nb::kwargs& values) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  nb::handle E, nu;
  for (const auto& [key, value] : values) {
    const std::string name = nb::cast<std::string>(key);
    if (name == "E" || name == "nu") {
      (name == "E" ? E : nu) = value;
      continue;
    }
    const NamedView& view = view_named(name);
    const nb::object wanted = nb::cast(array_of(self, view.attribute)).attr("shape");
    const nb::object array = numpy.attr("ascontiguousarray")(value, "float64");
    if (!array.attr("shape").equal(wanted))
      throw nb::value_error((name + " of '" + self.name + "' have the shape " +
                             nb::cast<std::string>(array.attr("shape").attr("__str__")()) + "; give " +
                             nb::cast<std::string>(wanted.attr("__str__")()) + ", by id")
                                .c_str());
    const auto numbers = nb::cast<Numbers>(array);
    alone(self.shared(), [&](World& world) { world.set(self.name, view.attribute, {numbers.data(), numbers.size()}); });
  }
  if (E.is_valid() || nu.is_valid()) set_elasticity(self, E, nu);
}

nb::object triangles_of(const MatterState& self) {
  const auto list = alone(self.shared(), [&](const World& world) { return world.triangles(self.name); });
  const nb::object array = nb::module_::import_("numpy").attr("empty")(nb::make_tuple(list.size(), 3), "int32");
  auto out = nb::cast<nb::ndarray<std::int32_t, nb::ndim<2>, nb::c_contig>>(array);
  if (!list.empty()) std::copy_n(list.data()->data(), 3 * list.size(), out.data());
  return array;
}

nb::object von_mises_of(const Material& material, nb::handle gradients, nb::handle plastic) {
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
  for (const NamedView& view : views) add_view(matter, view.name, view.attribute, view.doc);
  matter
      .def_prop_ro(
          "mean_position", [](const MatterState& self) { return mean_of(self, Attribute::position); },
          nb::sig("def mean_position(self) -> numpy.typing.NDArray[numpy.float64]"), "m, over the particles: a copy")
      .def_prop_ro(
          "mean_velocity", [](const MatterState& self) { return mean_of(self, Attribute::velocity); },
          nb::sig("def mean_velocity(self) -> numpy.typing.NDArray[numpy.float64]"), "m/s, over the particles: a copy");
  matter.def("by_id", &by_id, nb::arg("name"),
             nb::sig("def by_id(self, name: str) -> numpy.typing.NDArray[numpy.generic]"),
             "A copy of one of the arrays, 'positions' or another, in the order of the ids, which never changes.");
  matter.def(
      "set", &set,
      nb::sig("def set(self, *, positions: numpy.typing.ArrayLike = ..., velocities: numpy.typing.ArrayLike = "
              "..., deformation_gradients: numpy.typing.ArrayLike = ..., affine: numpy.typing.ArrayLike = ..., "
              "plastic: numpy.typing.ArrayLike = ..., E: numpy.typing.ArrayLike = ..., nu: "
              "numpy.typing.ArrayLike = ...) -> None"),
      "Writes arrays whose rows are in the order of the ids, as by_id gives them. Numbers that are not finite, "
      "positions out of the grid's range and gradients of no positive determinant are refused. E (Pa) and nu, of "
      "each particle or one for all, are in place of those of the material: stress goes by them, contact and loss "
      "by the material. They are for laws without memory (linear, fixed_corotated, neo_hookean) and explicit "
      "steps.");
  matter.def_prop_ro(
      "E", [](const MatterState& self) { return elasticity_of(self, 0); },
      nb::sig("def E(self) -> numpy.typing.NDArray[numpy.float64]"),
      "Young's modulus of each particle, Pa, in the order of the ids: a copy");
  matter.def_prop_ro(
      "nu", [](const MatterState& self) { return elasticity_of(self, 1); },
      nb::sig("def nu(self) -> numpy.typing.NDArray[numpy.float64]"),
      "Poisson's ratio of each particle, in the order of the ids: a copy");
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

}  // namespace

void bind_matter(nb::module_& module) {
  bind_matter_state(module);
  bind_matter_states(module);
}

nb::object matter_of(nb::object world) { return nb::cast(MatterStates{world}); }

}  // namespace pliant::python

// The surfaces of matter as numpy arrays.
#include "surfaces.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>

#include "casters.h"
#include "record.h"
#include "shared_world.h"

namespace pliant::python {

namespace {

struct Surfaces {
  nb::object owner;
  SharedWorld& shared() const { return nb::cast<SharedWorld&>(owner); }
};

struct SurfaceArrays {
  std::string name;
  nb::object vertices, triangles, area, pressure, traction;
};

// of `columns` numbers a row; 0: one number each
template <class T, class Row>
nb::object table(const std::vector<Row>& rows, std::size_t columns, const char* type) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object array = columns > 0 ? numpy.attr("empty")(nb::make_tuple(rows.size(), columns), type)
                                       : numpy.attr("empty")(rows.size(), type);
  T* out = nb::cast<nb::ndarray<T, nb::c_contig, nb::device::cpu>>(array).data();
  if (!rows.empty()) std::memcpy(out, rows.data(), rows.size() * sizeof(Row));
  return array;
}

std::vector<std::string> names_of(const Surfaces& self) {
  return alone(self.shared(), [](const World& world) { return world.surface_names(); });
}

bool contains(const Surfaces& self, const std::string& name) {
  const std::vector<std::string> names = names_of(self);
  return std::find(names.begin(), names.end(), name) != names.end();
}

SurfaceArrays surface_named(const Surfaces& self, const std::string& name) {
  if (!contains(self, name)) {
    std::string known;
    for (const std::string& n : names_of(self)) known += (known.empty() ? "'" : ", '") + n + "'";
    throw nb::key_error(("no surface '" + name + "'; there are " + (known.empty() ? "none" : known)).c_str());
  }
  const Surface s = alone(self.shared(), [&](const World& world) { return world.surface(name); });
  return {name,
          table<double>(s.vertices, 3, "float64"),
          table<std::int32_t>(s.triangles, 3, "int32"),
          table<double>(s.area, 0, "float64"),
          table<double>(s.pressure, 0, "float64"),
          table<double>(s.traction, 3, "float64")};
}

nb::list keys(const Surfaces& self) {
  nb::list names;
  for (const std::string& name : names_of(self)) names.append(name);
  return names;
}

void add_array(nb::class_<SurfaceArrays>& surface, const std::string& name, nb::object SurfaceArrays::*member,
               const std::string& type, const char* doc) {
  const std::string signature = "def " + name + "(self) -> numpy.typing.NDArray[numpy." + type + "]";
  surface.def_prop_ro(
      name.c_str(), [member](const SurfaceArrays& self) { return self.*member; }, doc, nb::sig(signature.c_str()));
}

}  // namespace

void bind_surfaces(nb::module_& module) {
  nb::class_<SurfaceArrays> surface(module, "Surface",
                                    "The surface of a piece of matter at one moment. Its arrays are copies; rows are "
                                    "vertices, which are the particles of smallest id of the piece.");
  surface.def_ro("name", &SurfaceArrays::name, "of the piece of matter");
  add_array(surface, "vertices", &SurfaceArrays::vertices, "float64", "m, (vertices, 3)");
  add_array(surface, "triangles", &SurfaceArrays::triangles, "int32",
            "(triangles, 3): rows of vertices, counter-clockwise seen from outside; the same for ever");
  add_array(surface, "area", &SurfaceArrays::area, "float64", "m^2, at rest, that each vertex stands for, (vertices,)");
  add_array(surface, "pressure", &SurfaceArrays::pressure, "float64",
            "Pa, of contact, mean over the last step, (vertices,)");
  add_array(surface, "traction", &SurfaceArrays::traction, "float64",
            "Pa, force of contact on the matter over area, mean over the last step, (vertices, 3)");
  surface.def("__repr__", [](const SurfaceArrays& self) {
    return "Surface('" + self.name + "', " + std::to_string(nb::len(self.vertices)) + " vertices, " +
           std::to_string(nb::len(self.triangles)) + " triangles)";
  });

  nb::class_<Surfaces>(module, "Surfaces", "The surfaces of the pieces of matter that have one, by name.")
      .def("__getitem__", &surface_named)
      .def("__contains__", &contains)
      .def("__len__", [](const Surfaces& self) { return names_of(self).size(); })
      .def("keys", &keys, nb::sig("def keys(self) -> list[str]"), "names, in the order of the scene")
      .def(
          "__iter__", [](const Surfaces& self) { return nb::iter(keys(self)); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[str]"))
      .def("__repr__",
           [](const Surfaces& self) { return "Surfaces(" + nb::cast<std::string>(nb::repr(keys(self))) + ")"; });
}

nb::object surfaces_of(nb::object world) { return nb::cast(Surfaces{world}); }

}  // namespace pliant::python

// Contacts, Wrench, Taxels.
#include "contact.h"

#include <fmt/core.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>

#include "bindings.h"
#include "casters.h"

namespace pliant::python {

namespace {

// one row per contact
struct Contacts {
  std::size_t count = 0;
  nb::object position, normal, impulse, particle, body, geom, boundary, gap, slides;
};

// (rows, columns, 3)
struct TaxelTable {
  nb::object forces;
  std::array<double, 2> low, high;
};

nb::object empty_array(const nb::tuple& shape, const char* type) {
  return nb::module_::import_("numpy").attr("empty")(shape, type);
}

template <class T>
T* memory_of(const nb::object& array) {
  return nb::cast<nb::ndarray<T, nb::c_contig, nb::device::cpu>>(array).data();
}

nb::object vectors(const std::vector<Touch>& touches, Vec3 Touch::*member) {
  const nb::object array = empty_array(nb::make_tuple(touches.size(), 3), "float64");
  double* out = memory_of<double>(array);
  for (const Touch& touch : touches) out = std::copy_n((touch.*member).data(), 3, out);
  return array;
}

template <class T>
nb::object numbers(const std::vector<Touch>& touches, T Touch::*member, const char* type) {
  const nb::object array = empty_array(nb::make_tuple(touches.size()), type);
  T* out = memory_of<T>(array);
  for (const Touch& touch : touches) *out++ = touch.*member;
  return array;
}

void add_column(nb::class_<Contacts>& contacts, const std::string& name, nb::object Contacts::*member,
                const std::string& type, const char* doc) {
  const std::string signature = "def " + name + "(self) -> numpy.typing.NDArray[numpy." + type + "]";
  contacts.def_prop_ro(
      name.c_str(), [member](const Contacts& self) { return self.*member; }, doc, nb::sig(signature.c_str()));
}

void bind_table(nb::module_& module) {
  nb::class_<Contacts> contacts(
      module, "Contacts",
      "Particles and geoms or boundaries that touched in the last step, one row each. World axes; impulses are on the "
      "body.");
  contacts.def("__len__", [](const Contacts& self) { return self.count; });
  contacts.def("__repr__", [](const Contacts& self) { return fmt::format("Contacts({})", self.count); });
  add_column(contacts, "position", &Contacts::position, "float64", "m, mean over the step, weighed by impulse, (n, 3)");
  add_column(contacts, "normal", &Contacts::normal, "float64", "unit, from the body to the matter, (n, 3)");
  add_column(contacts, "impulse", &Contacts::impulse, "float64", "N s, sum over the step, (n, 3)");
  add_column(contacts, "particle", &Contacts::particle, "uint32", "its id, (n,)");
  add_column(contacts, "body", &Contacts::body, "int32", "its number in world.model; -1 with a boundary, (n,)");
  add_column(contacts, "geom", &Contacts::geom, "int32", "its number in world.model; -1 with a boundary, (n,)");
  add_column(contacts, "boundary", &Contacts::boundary, "int32", "its number in the scene; -1 with a geom, (n,)");
  add_column(contacts, "gap", &Contacts::gap, "float64", "m, at the end; below 0: overlap, (n,)");
  add_column(contacts, "slides", &Contacts::slides, "bool_", "whether it slid at the end, (n,)");
}

}  // namespace

nb::object contacts_of(const std::vector<Touch>& touches) {
  return nb::cast(Contacts{.count = touches.size(),
                           .position = vectors(touches, &Touch::position),
                           .normal = vectors(touches, &Touch::normal),
                           .impulse = vectors(touches, &Touch::impulse),
                           .particle = numbers(touches, &Touch::particle, "uint32"),
                           .body = numbers(touches, &Touch::body, "int32"),
                           .geom = numbers(touches, &Touch::geom, "int32"),
                           .boundary = numbers(touches, &Touch::boundary, "int32"),
                           .gap = numbers(touches, &Touch::gap, "float64"),
                           .slides = numbers(touches, &Touch::slides, "bool")});
}

nb::object taxels_of(const Taxels& taxels) {
  const nb::object forces = empty_array(nb::make_tuple(taxels.rows, taxels.columns, 3), "float64");
  double* out = memory_of<double>(forces);
  for (const Vec3& force : taxels.forces) out = std::copy_n(force.data(), 3, out);
  return nb::cast(TaxelTable{forces, {taxels.low[0], taxels.low[1]}, {taxels.high[0], taxels.high[1]}});
}

void bind_contacts(nb::module_& module) {
  bind_table(module);
  nb::class_<Wrench>(module, "Wrench", "What matter did to a body, mean over the last step, world axes.")
      .def_ro("force", &Wrench::force, "N")
      .def_ro("torque", &Wrench::torque, "N m, about the body's centre of mass at the start of the step")
      .def("__repr__", [](const Wrench& w) {
        return fmt::format("Wrench(force=({:.6g}, {:.6g}, {:.6g}) N, torque=({:.6g}, {:.6g}, {:.6g}) N m)", w.force[0],
                           w.force[1], w.force[2], w.torque[0], w.torque[1], w.torque[2]);
      });
  nb::class_<TaxelTable>(module, "Taxels",
                         "The force of matter on a geom by place, as a skin of sensors would feel it.")
      .def_prop_ro(
          "forces", [](const TaxelTable& self) { return self.forces; },
          nb::sig("def forces(self) -> numpy.typing.NDArray[numpy.float64]"), "N, (rows, columns, 3), world axes")
      .def_prop_ro(
          "low", [](const TaxelTable& self) { return nb::make_tuple(self.low[0], self.low[1]); },
          nb::sig("def low(self) -> tuple[float, float]"), "where columns and rows begin, m or rad")
      .def_prop_ro(
          "high", [](const TaxelTable& self) { return nb::make_tuple(self.high[0], self.high[1]); },
          nb::sig("def high(self) -> tuple[float, float]"), "where columns and rows end, m or rad");
}

}  // namespace pliant::python

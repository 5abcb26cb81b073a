// What pictures show of matter that flows.
#include "geometry/skin.h"

#include <nanobind/ndarray.h>

#include <cstring>

#include "arrays.h"
#include "bindings.h"
#include "geometry/means_near.h"
#include "material/law_info.h"
#include "without_gil.h"

namespace pliant::python {

namespace {

using geometry::Point;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<Point> points_of(nb::handle value) {
  const Table table = table_of(value, "positions must have the shape (n, 3)");
  if (table.shape(1) != 3) throw nb::type_error("positions must have the shape (n, 3)");
  std::vector<Point> points(table.shape(0));
  if (!points.empty()) std::memcpy(points.data(), table.data(), points.size() * sizeof(Point));
  return points;
}

std::vector<double> numbers_of(nb::handle value, std::size_t count) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  const auto numbers = nb::cast<Numbers>(numpy.attr("ascontiguousarray")(value, "float64"));
  if (numbers.size() != count) throw nb::value_error("give one number for each position");
  return {numbers.data(), numbers.data() + numbers.size()};
}

template <class T, class Row>
nb::object rows_of(const std::vector<Row>& rows, const char* type) {
  const nb::object array = nb::module_::import_("numpy").attr("empty")(nb::make_tuple(rows.size(), 3), type);
  T* out = nb::cast<nb::ndarray<T, nb::c_contig, nb::device::cpu>>(array).data();
  if (!rows.empty()) std::memcpy(out, rows.data(), rows.size() * sizeof(Row));
  return array;
}

nb::tuple skin(nb::handle positions, nb::handle volumes, double fineness) {
  const std::vector<Point> points = points_of(positions);
  const std::vector<double> sizes = numbers_of(volumes, points.size());
  const geometry::Skin made = without_gil([&] { return geometry::skin_of(points, sizes, fineness); });
  return nb::make_tuple(rows_of<double>(made.vertices, "float64"), rows_of<double>(made.normals, "float64"),
                        rows_of<std::uint32_t>(made.triangles, "uint32"));
}

nb::object means_near(nb::handle positions, nb::handle values, nb::handle places, double distance) {
  const std::vector<Point> points = points_of(positions), wanted = points_of(places);
  const std::vector<double> numbers = numbers_of(values, points.size());
  const std::vector<double> means =
      without_gil([&] { return geometry::means_near(points, numbers, wanted, distance); });
  const nb::object array = nb::module_::import_("numpy").attr("empty")(means.size());
  auto out = nb::cast<nb::ndarray<double, nb::ndim<1>, nb::c_contig>>(array);
  std::copy(means.begin(), means.end(), out.data());
  return array;
}

}  // namespace

void bind_skin(nb::module_& module) {
  module.def(
      "skin", &skin, nb::arg("positions"), nb::arg("volumes"), nb::arg("fineness") = 2.0,
      nb::sig("def skin(positions: numpy.typing.ArrayLike, volumes: numpy.typing.ArrayLike, fineness: float = 2.0) -> "
              "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], "
              "numpy.typing.NDArray[numpy.uint32]]"),
      "Vertices, normals and triangles of a smooth closed surface around particles, (n, 3) each: where their "
      "density is half of that inside. `fineness`: nodes per spacing of particles, 1 to 4.");
  module.def("means_near", &means_near, nb::arg("positions"), nb::arg("values"), nb::arg("places"), nb::arg("distance"),
             nb::sig("def means_near(positions: numpy.typing.ArrayLike, values: numpy.typing.ArrayLike, places: "
                     "numpy.typing.ArrayLike, distance: float) -> numpy.typing.NDArray[numpy.float64]"),
             "Numbers of particles as numbers of places: means of those within a distance, nearer ones counting more.");
  module.def(
      "lasts", [](const Material& m) { return material::info(m.law).lasts(m); }, nb::arg("material"),
      "Whether matter of it keeps its neighbours for ever, and so may have a surface of triangles.");
}

}  // namespace pliant::python

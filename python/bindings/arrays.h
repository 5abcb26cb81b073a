// Numbers to and from numpy, by way of numpy itself: whatever numpy.asarray takes is welcome.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>
#include <vector>

namespace pliant::python {

namespace nb = nanobind;

using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// a table of numbers; TypeError with `expected` if it is not one
inline Table table_of(nb::handle value, const std::string& expected) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  try {
    return nb::cast<Table>(numpy.attr("ascontiguousarray")(value, "float64"));
  } catch (const nb::python_error&) {
  } catch (const nb::cast_error&) {
  }
  throw nb::type_error(expected.c_str());
}

}  // namespace pliant::python

// How fixed lists of numbers cross the border: any sequence comes in, a tuple goes out.
#pragma once

#include <nanobind/nanobind.h>

#include <array>

namespace nanobind::detail {

// of three numbers the third may be left out: 2-D scenes write (x, y)
template <std::size_t N>
struct type_caster<std::array<double, N>> {
  using Numbers = std::array<double, N>;
  NB_TYPE_CASTER(Numbers, io_name("collections.abc.Sequence[float]", "tuple[float, ...]"))

  bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {
    object items = steal(PySequence_Fast(source.ptr(), ""));
    if (!items.is_valid() || isinstance<str>(source)) return refuse();
    const std::size_t count = std::size_t(PySequence_Fast_GET_SIZE(items.ptr()));
    if (count != N && !(N == 3 && count == 2)) return refuse();
    value.fill(0);
    for (std::size_t i = 0; i < count; ++i) {
      value[i] = PyFloat_AsDouble(PySequence_Fast_GET_ITEM(items.ptr(), Py_ssize_t(i)));
      if (PyErr_Occurred()) return refuse();
    }
    return true;
  }

  static handle from_cpp(const Numbers& numbers, rv_policy, cleanup_list*) noexcept {
    object items = steal(PyTuple_New(Py_ssize_t(N)));
    if (!items.is_valid()) return {};
    for (std::size_t i = 0; i < N; ++i) PyTuple_SET_ITEM(items.ptr(), Py_ssize_t(i), PyFloat_FromDouble(numbers[i]));
    return items.release();
  }

 private:
  static bool refuse() noexcept {
    PyErr_Clear();
    return false;
  }
};

}  // namespace nanobind::detail

// Lists of records: vectors in C++, Python lists in Python.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "record.h"

namespace pliant::python {

template <class T>
std::vector<T> items_of(const nb::list& list, const std::string& where) {
  std::vector<T> items;
  for (std::size_t i = 0; i < list.size(); ++i) {
    items.push_back(read<T>(list[i], where + "[" + std::to_string(i) + "]"));
  }
  return items;
}

template <class T>
nb::list list_of(const std::vector<T>& items) {
  nb::list list;
  for (const T& item : items) list.append(nb::cast(item, nb::rv_policy::copy));
  return list;
}

// such a list is the very list that Python holds
template <class T, class Owner>
Field<Owner> list_field(const std::string& owner, const char* name, nb::list Owner::*member) {
  const std::string where = owner + "." + name;
  const auto get = [member](const Owner& self) -> nb::object { return self.*member; };
  const auto set = [member, where](Owner& self, nb::handle value) {
    nb::list list;
    try {
      list = nb::list(value);
    } catch (const nb::python_error&) {
      wrong_type(where, "a list of " + type_text<T>(), value);
    }
    items_of<T>(list, where);
    self.*member = list;
  };
  return {name, "collections.abc.Iterable[" + type_text<T>() + "]", get, set};
}

}  // namespace pliant::python

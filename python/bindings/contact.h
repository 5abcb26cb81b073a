// What matter does to bodies, as numpy columns.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "pliant/contact.h"

namespace pliant::python {

namespace nb = nanobind;

nb::object contacts_of(const std::vector<Touch>& touches);
nb::object taxels_of(const Taxels& taxels);

}  // namespace pliant::python

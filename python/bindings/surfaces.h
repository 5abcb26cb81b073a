// Surfaces of matter.
#pragma once

#include <nanobind/nanobind.h>

namespace pliant::python {

void bind_surfaces(nanobind::module_& module);

// World.surfaces
nanobind::object surfaces_of(nanobind::object world);

}  // namespace pliant::python

#include "bindings.h"

NB_MODULE(_core, module) {
  module.doc() = "Pliant's C++ core. Use it through the package pliant.";
  module.attr("version") = PLIANT_VERSION;
  pliant::python::bind_laws(module);
  pliant::python::bind_errors(module);
  pliant::python::bind_signals(module);
  pliant::python::bind_scene_more(module);
  pliant::python::bind_scene(module);
  pliant::python::bind_scene_file(module);
  pliant::python::bind_report(module);
  pliant::python::bind_contacts(module);
  pliant::python::bind_world(module);
  pliant::python::bind_tape(module);
  pliant::python::bind_skin(module);
}

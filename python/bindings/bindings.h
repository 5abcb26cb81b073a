// The parts of the extension module pliant._core.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "pliant/scene.h"

namespace pliant::python {

namespace nb = nanobind;

// A contact with a Python list of pairs.
struct ContactRecord {
  Contact::Law law = Contact{}.law;
  Contact::Radius radius = Contact{}.radius;
  double friction = Contact{}.friction;
  double stiffness = Contact{}.stiffness;
  double dissipation = Contact{}.dissipation;
  double relaxation = Contact{}.relaxation;
  bool memory = Contact{}.memory;
  double stiction = Contact{}.stiction;
  nb::list pairs;
};

// A scene as Python holds it: its lists are Python lists, so that append and changes of an element are seen.
struct SceneRecord {
  std::string name;
  int dimension = Scene{}.dimension;
  Precision precision = Scene{}.precision;
  StepOptions step;
  nb::list materials, matter, actuators, boundaries, bodies;
  ContactRecord contact;
  nb::list motion;
  ::pliant::Record record;
  nb::list expect;
  double duration = Scene{}.duration;
  std::string cache_folder;
  std::size_t max_particles = Scene{}.max_particles;
  std::size_t max_memory = Scene{}.max_memory;
};

// throws TypeError that names the element of a wrong type
Scene scene_of(const SceneRecord& record);
SceneRecord record_of(const Scene& scene);

void bind_laws(nb::module_& module);  // before all: pliant/enums.py asks for it
void bind_errors(nb::module_& module);
void bind_signals(nb::module_& module);
void bind_scene(nb::module_& module);
void bind_scene_more(nb::module_& module);  // before bind_scene
void bind_scene_file(nb::module_& module);  // after bind_scene
void bind_report(nb::module_& module);
void bind_contacts(nb::module_& module);  // before bind_world
void bind_world(nb::module_& module);
void bind_tape(nb::module_& module);  // after bind_world
void bind_skin(nb::module_& module);  // after bind_scene

}  // namespace pliant::python

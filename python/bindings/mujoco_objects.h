// Models and data of the Python package mujoco, shared with the simulation, never copied.
#pragma once

#include <string>
#include <vector>

#include "bindings.h"
#include "pliant/world.h"

namespace pliant::python {

// mujoco.MjModel and mujoco.MjData; None where a world has no bodies
struct MujocoObjects {
  nb::object model = nb::none(), data = nb::none();
  std::vector<std::string> warnings;  // from making them
};

// the bodies of the scene, at home
MujocoObjects assemble_objects(const Scene& scene);

// throws TypeError if they are not what the names say
MujocoObjects given_objects(nb::object model, nb::object data);

// the same model with a new data
MujocoObjects second_data(const MujocoObjects& objects);

// empty without bodies; what it holds keeps the Python objects alive
SharedBodies shared_bodies(const MujocoObjects& objects);

}  // namespace pliant::python

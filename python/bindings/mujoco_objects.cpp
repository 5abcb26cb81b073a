#include "mujoco_objects.h"

#include <mujoco/mujoco.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string>

#include "bodies/assemble.h"
#include "bodies/bodies.h"

namespace pliant::python {

using namespace bodies;

namespace {

nb::object mujoco() {
  nb::object module = nb::module_::import_("mujoco");
  const int found = nb::cast<int>(module.attr("mj_version")());
  if (found != mjVERSION_HEADER) {
    const std::string text = "the package mujoco is version " + std::to_string(found) + ", but pliant was built for " +
                             std::to_string(mjVERSION_HEADER) + "; install the mujoco-core that pliant asks for";
    throw nb::import_error(text.c_str());
  }
  return module;
}

// MuJoCo's Python package makes a model only from files and bytes
nb::object model_from_bytes(const mjModel* model) {
  std::string bytes(std::size_t(mj_sizeModel(model)), '\0');
  mj_saveModel(model, nullptr, bytes.data(), int(bytes.size()));
  const char* name = "scene.mjb";
  nb::dict assets;
  assets[name] = nb::bytes(bytes.data(), bytes.size());
  return mujoco().attr("MjModel").attr("from_binary_path")(name, assets);
}

template <class T>
std::shared_ptr<T> shared(const nb::object& object) {
  auto* address = reinterpret_cast<T*>(nb::cast<std::uintptr_t>(object.attr("_address")));
  PyObject* kept = object.ptr();
  Py_INCREF(kept);
  return std::shared_ptr<T>(address, [kept](T*) {
    nb::gil_scoped_acquire acquired;
    Py_DECREF(kept);
  });
}

void require(const nb::object& object, const char* type) {
  if (!nb::isinstance(object, mujoco().attr(type))) {
    const std::string text = std::string("give a mujoco.") + type + ", not " +
                             nb::cast<std::string>(nb::handle(object.type()).attr("__name__"));
    throw nb::type_error(text.c_str());
  }
}

}  // namespace

MujocoObjects assemble_objects(const Scene& scene) {
  MujocoObjects objects;
  if (scene.bodies.empty()) return objects;
  const Assembly assembly = assemble(scene);
  objects.model = model_from_bytes(assembly.model.get());
  objects.data = mujoco().attr("MjData")(objects.model);
  objects.warnings = assembly.warnings;
  const SharedBodies both = shared_bodies(objects);
  Bodies(both.model, both.data).set_home();
  return objects;
}

MujocoObjects given_objects(nb::object model, nb::object data) {
  require(model, "MjModel");
  require(data, "MjData");
  return {model, data, {}};
}

MujocoObjects second_data(const MujocoObjects& objects) {
  if (objects.model.is_none()) return {};
  return {objects.model, mujoco().attr("MjData")(objects.model), {}};
}

SharedBodies shared_bodies(const MujocoObjects& objects) {
  if (objects.model.is_none()) return {};
  return {shared<mjModel>(objects.model), shared<mjData>(objects.data), objects.warnings};
}

}  // namespace pliant::python

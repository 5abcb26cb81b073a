// A world as Python holds it, and how its calls take turns.
#pragma once

#include "core/stop.h"
#include "pliant/world.h"

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "bindings.h"
#include "mujoco_objects.h"
#include "without_gil.h"

namespace pliant::python {

struct SharedWorld {
  MujocoObjects bodies = {{}, {}, {}};  // counted by Python: only touched under its lock
  World world;
  std::timed_mutex busy;
  SharedWorld(const Scene& scene, const SharedBodies& shared, int threads) : world(scene, shared, threads) {}
  SharedWorld(const MujocoObjects& objects, World&& other) : bodies(objects), world(std::move(other)) {}
};

// the world on which this thread works, and which what is called from there cannot have
inline thread_local const SharedWorld* at_work = nullptr;

// Works on the world while other Python threads run; calls on one world from several threads wait for each other. Ctrl-C
// ends the work and the waiting.
template <class Work>
auto alone(SharedWorld& self, Work&& work) {
  if (at_work == &self)
    throw Error(ErrorCode::bad_input, "the world is at work, and called this; note before what is needed of it");
  return without_gil([&] {
    std::unique_lock lock(self.busy, std::defer_lock);
    while (!lock.try_lock_for(std::chrono::milliseconds(50))) check_stop();
    struct Mark {
      const SharedWorld* before = at_work;
      ~Mark() { at_work = before; }
    } mark;
    at_work = &self;
    return work(self.world);
  });
}

template <class T>
void require_name(const std::vector<T>& items, const std::string& name, const std::string& what) {
  std::string known;
  for (const T& item : items) {
    if (item.name == name) return;
    known += (known.empty() ? "'" : ", '") + item.name + "'";
  }
  const std::string cure = known.empty() ? "the scene has none" : "the scene has " + known;
  throw nb::key_error(("no " + what + " '" + name + "'; " + cure).c_str());
}

// MatterState and MatterStates: `world.matter`
void bind_matter(nb::module_& module);
nb::object matter_of(nb::object world);

}  // namespace pliant::python

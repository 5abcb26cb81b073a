// All that a step changes and the next one starts from: what is saved, hashed, compared and copied.
#pragma once

#include "bodies/bodies.h"
#include "bodies/motion.h"
#include "contact/memory.h"
#include "grid/boundary.h"
#include "grid/particles.h"
#include "step/namespace.h"
#include "step/warm_start.h"

#include <cstdint>
#include <vector>

namespace pliant::step {

template <int D, class S>
struct State {
  double time = 0;
  std::uint64_t steps = 0;
  double max_speed = 0;  // m/s, largest velocity component; sets the next substep count
  std::vector<BoundaryMotion> boundaries;
  Particles<D, S> particles;
  std::vector<ContactMemory> contacts;
  std::vector<WarmSlot> warm;        // of the strong step
  std::vector<BoundaryMemory> held;  // of the strong step
  std::vector<MotionHold> holds;     // controls that a force has stopped, by motion with until_force
  BodiesState bodies;
};

}  // namespace pliant::step

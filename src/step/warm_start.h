// What the last solve changed of the nodes' velocities, by the place of the nodes in space: the next solve starts
// there. Particles lose part of it, and every solve would find it anew. Part of the state.
#pragma once

#include "grid/layout.h"
#include "step/namespace.h"

#include <cstdint>

namespace pliant::step {

struct WarmSlot {
  std::int32_t coord[3];            // of the slot
  float change[block_nodes<3>][3];  // m/s
};

}  // namespace pliant::step

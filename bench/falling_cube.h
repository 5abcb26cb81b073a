// The falling cube of S5, Table II: the scene that we and the peer both step. peer_taichi.py builds the same one,
// number by number: change both. The falling rectangle is its like in 2-D; it has no peer.
#pragma once

#include "pliant/scene.h"

namespace pliant::bench {

struct CubeChoice {
  Law law = Law::neo_hookean;
  Precision precision = Precision::float32;
  int side = 20;  // cells; 8 particles each
};

struct RectangleChoice {
  Law law = Law::neo_hookean;
  Precision precision = Precision::float32;
  int width = 160, height = 100;  // cells; 4 particles each
};

// substeps of one World::step, so that ordering particles is paid for as a user pays for it
constexpr int substeps = 16;

inline int particle_count(const CubeChoice& c) { return 8 * c.side * c.side * c.side; }
inline int particle_count(const RectangleChoice& c) { return 4 * c.width * c.height; }

// A cube that meets a smooth floor at 2 m/s: one particle at a random place in each eighth of a cell, in random order.
Scene falling_cube(const CubeChoice& choice);
// the same with quarters of a cell
Scene falling_rectangle(const RectangleChoice& choice);

}  // namespace pliant::bench

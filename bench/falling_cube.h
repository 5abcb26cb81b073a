// The falling cube of S5, Table II: the scene that we and the peer both step. peer_taichi.py builds the same one,
// number by number: change both.
#pragma once

#include "pliant/scene.h"

namespace pliant::bench {

struct CubeChoice {
  Law law = Law::neo_hookean;
  Precision precision = Precision::float32;
  int side = 20;  // cells; 8 particles each
};

// substeps of one World::step, so that ordering particles is paid for as a user pays for it
constexpr int substeps = 16;

inline int particle_count(int side) { return 8 * side * side * side; }

// A cube that meets a smooth floor at 2 m/s: one particle at a random place in each eighth of a cell, in random order.
Scene falling_cube(const CubeChoice& choice);

}  // namespace pliant::bench

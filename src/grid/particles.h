// Particles as records: what every substep reads and writes is in Point, one cache line in 3-D float; what only the
// ends of a step need is in ParticleVelocity.
#pragma once

#include "core/buffer.h"
#include "core/pack.h"
#include "grid/namespace.h"

#include <cstdint>
#include <vector>

namespace pliant::grid {

template <class S>
using IdOf = std::make_unsigned_t<IntOf<S>>;

template <int D, class S>
struct Point {
  S x[D];      // position, m
  S F[D * D];  // elastic deformation gradient, row-major
  S plastic;   // the law's own number, see src/material/README.md
  S mass;      // kg
  S volume;    // rest volume, m^D
  IdOf<S> id;  // its place when the world was made
};

template <int D, class S>
struct ParticleVelocity {
  S v[D];      // velocity, m/s
  S C[D * D];  // affine velocity field, 1/s
};

// The particles of one piece of matter are neighbours in the arrays: [begin, end).
struct Group {
  std::size_t begin = 0, end = 0;
};

template <int D, class S>
struct Particles {
  Buffer<Point<D, S>> points;
  Buffer<ParticleVelocity<D, S>> velocities;

  // room for n; what is there is lost if there were others
  void fit(std::size_t n) {
    if (size() == n) return;
    points.allocate(n);
    velocities.allocate(n);
  }
  std::size_t size() const { return points.size(); }
  std::size_t bytes() const { return points.bytes() + velocities.bytes(); }
};

}  // namespace pliant::grid

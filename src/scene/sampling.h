// From shapes to particles.
//
// A shape is filled in its own frame, then turned and moved into place:
//   lattice   one point per spacing^D, spacing = cell / particles_per_cell^(1/D), centred in the shape. A box is filled
//             wall to wall, with the nearest spacing that fits; so is the length of a cylinder. Optional jitter.
//   poisson   random points at the same mean density that keep a least distance (at least 0.8 spacings in 3-D, 0.75 in
//             2-D). The pattern repeats after some 24 spacings in 3-D and 64 in 2-D. The same seed gives the same
//             points on every platform, up to round-off.
// With a surface layer, points a spacing apart cover the surface and the inside is filled from half a spacing below it.
// All particles have the same volume, those on the surface about half of it: so much that the particles have the second
// moment of the shape (a mesh: half). Volumes sum to that of the shape, exactly.
#pragma once

#include "pliant/scene.h"
#include "scene/namespace.h"

#include <cstddef>
#include <vector>

namespace pliant::scene {

struct Samples {
  std::vector<Vec3> positions;  // m
  std::vector<double> volumes;  // m^3, in 2-D m^2
};

// Throws Error(too_large) before it fills anything if more than `limit` particles are to be expected.
Samples sample(const Shape& shape, const Sampling& sampling, double cell, int dimension,
               std::size_t limit = 20'000'000);

// about how many particles `sample` will give, without filling anything
std::size_t estimate_count(const Shape& shape, const Sampling& sampling, double cell, int dimension);

// m^3, in 2-D m^2
double volume(const Shape& shape, int dimension);

}  // namespace pliant::scene

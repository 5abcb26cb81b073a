// From shapes to particles.
//
// A shape is filled in its own frame, then turned and moved into place:
//   lattice   one point per spacing^D, spacing = cell / particles_per_cell^(1/D), centred in the shape. A box is filled
//             wall to wall, with the nearest spacing that fits; so is the length of a cylinder. Optional jitter.
//   poisson   random points at the same mean density that keep a least distance (at least 0.8 spacings in 3-D, 0.75 in
//             2-D). The pattern repeats after some 24 spacings in 3-D and 64 in 2-D. The same seed gives the same
//             points on every platform, up to round-off.
// All particles have the same volume; volumes sum to that of the shape, exactly.
//
// With a surface layer the vertices of a triangle surface (geometry/triangle_surface.h), a third of a cell apart, are the
// first particles, and the inside is filled from half a spacing below. Volumes differ a little, so that volume, centre
// and second moments of the particles are those of the shape (fit_volumes.h). In 2-D points a spacing apart cover the
// surface, and have about half the volume of those inside.
#pragma once

#include "pliant/scene.h"
#include "scene/namespace.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pliant::scene {

struct Samples {
  std::vector<Vec3> positions;      // m
  std::vector<double> volumes;      // m^3, in 2-D m^2
  std::vector<double> masses = {};  // m^3, that count as mass (masses_on_grid in fit_volumes.h); empty: the volumes
  // with a surface layer in 3-D: of its vertices, which are the first particles
  std::vector<double> areas = {};                            // m^2, what each stands for; they sum to that of the shape
  std::vector<Vec3> facing = {};                             // m^2, the same along the outward normal
  std::vector<std::array<std::uint32_t, 3>> triangles = {};  // none: of a mesh that could not be remeshed
  // of particles that touch as balls
  std::vector<double> radii = {};  // m, 1/2 V^(1/3), or less where the ball would stick out of the shape
};

// balls: the particles touch as balls, whose radii are wanted. smear: m^2, of mass by the grid's kernel (kernel_smear).
// Throws Error(too_large) before it fills anything if more than `limit` particles are to be expected.
Samples sample(const Shape& shape, const Sampling& sampling, double cell, int dimension, std::size_t limit = 20'000'000,
               bool balls = false, double smear = 0);

// mean square of the way along an axis from a particle to the nodes over which the kernel spreads it, m^2
double kernel_smear(Kernel kernel, double cell);

// about how many particles `sample` will give, without filling anything
std::size_t estimate_count(const Shape& shape, const Sampling& sampling, double cell, int dimension);

// m^3, in 2-D m^2
double volume(const Shape& shape, int dimension);

}  // namespace pliant::scene

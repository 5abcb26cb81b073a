// Ways to fill a region of a solid, or to cover its outline, with points in the solid's own frame.
#pragma once

#include "core/random.h"
#include "geometry/solid.h"
#include "scene/namespace.h"

namespace pliant::scene {

// A regular lattice, centred. Along the axes of a box and of a cylinder the spacing is the nearest that fits.
// Jitter moves each point by up to half of that part of the spacing along each axis.
std::vector<Point> fill_lattice(const Region& region, double spacing, double jitter, Random& random);

// Random points, one per spacing^D, that keep a distance: see poisson.cpp.
std::vector<Point> fill_poisson(const Region& region, double spacing, Random& random);

// Points on the outline of a rectangle or disc, about a spacing apart.
std::vector<Point> cover_outline(const Solid& solid, double spacing);

}  // namespace pliant::scene

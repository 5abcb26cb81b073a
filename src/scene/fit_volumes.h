// Volumes of particles that have the moments of their solid.
#pragma once

#include "geometry/moments.h"
#include "scene/namespace.h"

#include <vector>

namespace pliant::scene {

// Changes the volumes as little as possible (in the least squares of the changes over the volumes) so that volume, centre
// and all second moments of the points are those given. Where that would take a volume beyond a third or three times
// what it was, or cannot be, only volume and centre are met, or only the volume. Returns how many of the ten moments are.
int fit_volumes(const geometry::Moments& wanted, const std::vector<geometry::Point>& points,
                std::vector<double>& volumes);

// What counts as mass of each of these volumes, m^3, so that on a grid the piece turns as its solid does. Particles are smeared
// over nodes, by `smear` (m^2, the mean square of the way along each axis), and a grid turns with M smear more about each axis
// than they do as points: 1.5 % of a ball of nine cells' radius. So mass goes inwards, by a factor that is an exponential of a
// quadratic, and volume and centre stay. Of thin pieces no second moment is lowered by more than 0.3 of the smallest.
std::vector<double> masses_on_grid(const std::vector<geometry::Point>& points, const std::vector<double>& volumes,
                                   double smear);

}  // namespace pliant::scene

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

}  // namespace pliant::scene

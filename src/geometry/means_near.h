// Numbers of particles as numbers of other places: colours of the vertices of a skin.
#pragma once

#include "geometry/namespace.h"
#include "geometry/point.h"

#include <span>
#include <vector>

namespace pliant::geometry {

// means of values of points near each place, nearer ones counting more; 0 where none is within the distance
std::vector<double> means_near(std::span<const Point> points, std::span<const double> values,
                               std::span<const Point> places, double distance);

}  // namespace pliant::geometry

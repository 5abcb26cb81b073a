// A moving thing of any shape that matter cannot enter, felt by the grid nodes inside it.
#pragma once

#include "grid/boundary.h"
#include "grid/namespace.h"

namespace pliant::grid {

// what an obstacle is at a point
struct ObstacleAt {
  double phi;    // m, < 0: inside
  Vec normal;    // away from the obstacle, unit
  Vec velocity;  // m/s, of the obstacle's own material there
};

class Obstacle {
 public:
  virtual ~Obstacle() = default;
  // false: surely nothing of the obstacle is in this ball
  virtual bool is_near(const Vec& center, double radius) const = 0;
  virtual ObstacleAt at(const Vec& x) const = 0;
  virtual double friction() const = 0;  // Coulomb coefficient
};

}  // namespace pliant::grid

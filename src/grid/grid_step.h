// What the grid does in a step between scatter and gather.
#pragma once

#include "grid/namespace.h"
#include "grid/obstacle.h"

#include <span>
#include <vector>

namespace pliant::grid {

template <int D, class S>
struct GridStep {
  S dt;
  double h;  // m, cell: in double as the scene has it, so that walls through nodes go through nodes
  Vector<S, D> gravity;
  const std::vector<BoundaryShape>* shapes;
  const std::vector<BoundaryMotion>* motions;
  std::span<const Obstacle* const> obstacles;
  // only boundaries that stick act here; the others are contacts of a solve over the grid
  bool solved = false;
  bool adds = false;  // what is in the arenas adds to the momenta that the nodes have
};

}  // namespace pliant::grid

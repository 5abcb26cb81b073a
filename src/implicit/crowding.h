// Particles of a liquid may come closer together than their volume ratios say: what flows between them without a
// divergence at any of them goes unseen. Where the grid's mass shows it, their pressure is raised. Equations:
// README.md.
#pragma once

#include "grid/grid.h"
#include "implicit/namespace.h"
#include "pliant/material.h"

#include <span>

namespace pliant::implicit {

struct CrowdingStep {
  std::span<const Material> materials;  // by group
  double dt, h;
};

// The grid has the masses of these particles. Volume ratios of liquids go down towards those of the mass around them.
template <class S>
void relieve_crowding(const CrowdingStep& step, const Layout<3, S>& layout, Grid<3, S>& grid,
                      Buffer<Point<3, S>>& points, Workers& workers);

}  // namespace pliant::implicit

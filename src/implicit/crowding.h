// Particles of a liquid may come closer together than their volume ratios say: what flows between them without a
// divergence at any of them goes unseen. Where the grid's mass shows it, their pressure is raised. Equations:
// README.md.
#pragma once

#include "grid/grid.h"
#include "implicit/namespace.h"
#include "pliant/material.h"

#include <span>

namespace pliant::implicit {

// a wall without end beside a particle
struct Wall {
  Vector<double, 3> normal;  // unit, out of it
  double distance;           // cells
  static constexpr int most = 6;
};

// numbers of the solids near some particles; more are left out
struct NearSolids {
  static constexpr int most = 64;
  int numbers[most], count = 0;
};

// where walls are
class WallsNear {
 public:
  virtual ~WallsNear() = default;
  virtual void choose(const Vector<double, 3>& center, double radius, NearSolids& near) const = 0;  // m
  // how many there are beside x, at most Wall::most
  virtual int find(const NearSolids& near, const Vector<double, 3>& x, Wall* walls) const = 0;
};

struct CrowdingStep {
  std::span<const Material> materials;  // by group
  double dt, h;
  const WallsNear* walls;  // nullptr: there are none
};

// The grid has the masses of these particles. Volume ratios of liquids go towards those of the mass around them.
template <class S>
void relieve_crowding(const CrowdingStep& step, const Layout<3, S>& layout, Grid<3, S>& grid,
                      Buffer<Point<3, S>>& points, Workers& workers);

}  // namespace pliant::implicit

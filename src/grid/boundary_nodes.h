// The nodes of the grid inside boundaries and obstacles: one rule that says which they are, for all who act on them.
#pragma once

#include "grid/grid_step.h"
#include "grid/layout.h"
#include "grid/namespace.h"
#include "grid/node.h"

#include <cmath>

namespace pliant::grid {

// A node this close to a boundary, in cells, belongs to it: a wall through nodes has them, whatever the rounding.
constexpr double boundary_skin = 1e-3;

struct BoundaryNode {
  std::uint32_t number;  // of the grid's node
  std::uint32_t solid;   // boundaries, then obstacles
  Boundary::Condition condition;
  double friction;
  Vec normal, velocity;  // of the solid there; normal away from it, unit

  bool sticks() const { return condition == Boundary::Condition::stick; }
  // the velocity that the solid leaves the node
  Vec hold(const Vec& v) const { return project(condition, friction, normal, v - velocity) + velocity; }
};

// where the nodes of a slot are, and a ball around them
template <int D>
struct SlotPlace {
  Vec origin = Vec::zero(), center = Vec::zero();
  double h, radius;

  SlotPlace(const Slot<D>& slot, int grid, double cell) : h(cell) {
    for (int d = 0; d < D; ++d) {
      origin[d] = (double(slot.coord[d]) * block_side + 0.5 * grid) * h;
      center[d] = origin[d] + 0.5 * (block_side - 1) * h;
    }
    radius = 0.5 * (block_side - 1) * h * std::sqrt(double(D)) + 1e-9 * h;
  }
  Vec node(int n) const {
    Vec x = origin;
    for (int d = D - 1; d >= 0; --d, n /= block_side) x[d] += (n % block_side) * h;
    return x;
  }
};

template <int D, class S>
std::size_t solid_count(const GridStep<D, S>& step) {
  return step.shapes->size() + step.obstacles.size();
}

// false: no node of the slot is inside the solid
template <int D, class S>
bool may_hold(const GridStep<D, S>& step, std::size_t solid, const SlotPlace<D>& place) {
  const std::size_t boundaries = step.shapes->size();
  if (solid >= boundaries) return step.obstacles[solid - boundaries]->is_near(place.center, place.radius);
  return (*step.shapes)[solid].at_nodes &&
         distance((*step.shapes)[solid], (*step.motions)[solid].center, place.center).phi <=
             place.radius + boundary_skin * step.h;
}

// Is a node at x inside the solid? Then `node` has all but its number.
template <int D, class S>
bool is_inside(const GridStep<D, S>& step, std::size_t solid, const Vec& x, BoundaryNode& node) {
  const std::size_t boundaries = step.shapes->size();
  if (solid < boundaries) {
    const BoundaryShape& shape = (*step.shapes)[solid];
    if (!shape.at_nodes) return false;
    const BoundaryMotion& motion = (*step.motions)[solid];
    const ShapeDistance near = distance(shape, motion.center, x);
    if (near.phi >= boundary_skin * step.h) return false;
    node = {0, std::uint32_t(solid), shape.condition, shape.friction, near.normal, motion.velocity};
    return true;
  }
  const Obstacle& obstacle = *step.obstacles[solid - boundaries];
  const ObstacleAt near = obstacle.at(x);
  if (near.phi >= 0) return false;
  node = {0, std::uint32_t(solid), Boundary::Condition::separate, obstacle.friction(), near.normal, near.velocity};
  return true;
}

// f(BoundaryNode) for the nodes with mass of a slot, solid by solid; `first`: number of the first of `nodes`
template <int D, class S, class F>
void for_boundary_nodes(const GridStep<D, S>& step, const SlotPlace<D>& place, const Node<S>* nodes, std::size_t first,
                        const F& f) {
  for (std::size_t solid = 0; solid < solid_count(step); ++solid) {
    if (!may_hold(step, solid, place)) continue;
    for (int n = 0; n < block_nodes<D>; ++n) {
      BoundaryNode node;
      if (!(nodes[n].a[node_mass] > 0) || !is_inside(step, solid, place.node(n), node)) continue;
      node.number = std::uint32_t(first + std::size_t(n));
      f(node);
    }
  }
}

}  // namespace pliant::grid

// The kernels: which nodes a particle touches along one axis, with weights and their derivatives. Lengths in cells.
#pragma once

#include "grid/namespace.h"
#include "pliant/scene.h"

#include <cmath>
#include <numbers>

namespace pliant::grid {

// linear and compact touch 2 nodes per axis, quadratic 3; compact lives on two grids, the second shifted by half a cell
template <Kernel K>
inline constexpr int stencil_width = K == Kernel::quadratic ? 3 : 2;
template <Kernel K>
inline constexpr int grid_count = K == Kernel::compact ? 2 : 1;

template <class S>
struct AxisStencil {
  int base;  // first node
  S f;       // position from that node
  S w[3];    // weights; of compact without the half that each of its grids has
  S dw[3];   // their derivatives by position
};

// u - sin(2 pi u) / (2 pi), by its series where the two cancel
template <class S>
inline S compact_tail(S u) {
  const S turn = 2 * std::numbers::pi_v<S>;
  if (u > S(0.1)) return u - std::sin(turn * u) / turn;
  const S z = turn * turn * u * u;
  return z * u / 6 * (1 - z / 20 * (1 - z / 42 * (1 - z / 72 * (1 - z / 110 * (1 - z / 156)))));
}

// y: position in cells, node i of the first grid at y = i
template <Kernel K, class S>
inline AxisStencil<S> axis_stencil(S y, int grid) {
  AxisStencil<S> s;
  if constexpr (K == Kernel::quadratic) {
    const S base = std::floor(y - S(0.5));
    const S f = y - base;
    s = {int(base),
         f,
         {S(0.5) * (S(1.5) - f) * (S(1.5) - f), S(0.75) - (f - 1) * (f - 1), S(0.5) * (f - S(0.5)) * (f - S(0.5))},
         {f - S(1.5), -2 * (f - 1), f - S(0.5)}};
  } else {
    y -= S(0.5) * S(grid);
    const S base = std::floor(y);
    const S f = y - base;
    if constexpr (K == Kernel::linear) {
      s = {int(base), f, {1 - f, f, 0}, {-1, 1, 0}};
    } else {
      const S sine = std::sin(std::numbers::pi_v<S> * f);
      const S slope = 2 * sine * sine;
      s = {int(base), f, {compact_tail(1 - f), compact_tail(f), 0}, {-slope, slope, 0}};
    }
  }
  return s;
}

}  // namespace pliant::grid

// One particle of a sheet and the frozen grid: nine rows of three nodes along z, weights as products over the axes.
#pragma once

#include "cloth/namespace.h"
#include "core/pack.h"
#include "grid/node.h"
#include "grid/stencil.h"

#include <cstdint>

namespace pliant::cloth {

template <class S>
struct CloseStencil {
  std::uint32_t row[9];  // first node of each row, x slowest
  S w[3][3];             // weights by axis
  S g[3][3];             // what stands for their derivatives, 1/m: the gradient of a velocity is sum v_i (g w w, ...)^T
};

// y: position in cells from the node `base`; the same numbers as in grid/point_transfer.h
template <class S>
inline void weigh_axis(Kernel kernel, Transfer transfer, S y, S inv_h, S* w, S* g) {
  const AxisStencil<S> s =
      kernel == Kernel::linear ? axis_stencil<Kernel::linear, S>(y, 0) : axis_stencil<Kernel::quadratic, S>(y, 0);
  const bool moments = kernel == Kernel::quadratic && transfer == Transfer::mls;
  for (int k = 0; k < 3; ++k) {
    w[k] = s.w[k];
    g[k] = inv_h * (moments ? 4 * s.w[k] * (S(k) - s.f) : s.dw[k]);
  }
}

// sums over the nine rows, one number per node along z and component
template <class S>
struct RowSum {
  using Quad = Pack<S, 4>;
  using Pair = Pack<S, 8>;
  Pair low = 0;  // of the first two nodes
  Quad top = 0;

  void add(S weight, const Node<S>* nodes) {
    low += Pair(weight) * Pair::load(nodes[0].a);
    top += Quad(weight) * Quad::load(nodes[2].a);
  }
  // over the nodes, by weight
  Quad sum(S w0, S w1, S w2) const {
    const Quad first = __builtin_shufflevector(low.v, low.v, 0, 1, 2, 3);
    const Quad second = __builtin_shufflevector(low.v, low.v, 4, 5, 6, 7);
    return w0 * first + w1 * second + w2 * top;
  }
};

// a vector times a weight for each of three nodes along z
template <class S>
struct RowLoad {
  using Quad = Pack<S, 4>;
  using Pair = Pack<S, 8>;
  Pair low;
  Quad top;

  RowLoad(Quad v, S w0, S w1, S w2) : top(w2 * v) {
    const Quad a = w0 * v, b = w1 * v;
    low = __builtin_shufflevector(a.v, b.v, 0, 1, 2, 3, 4, 5, 6, 7);
  }
};

template <class S>
inline Pack<S, 4> velocity_at(const Node<S>* nodes, const CloseStencil<S>& s) {
  using Quad = Pack<S, 4>;
  const Quad wy = Quad::load(s.w[1]);
  RowSum<S> sum;
#pragma GCC unroll 3
  for (int x = 0; x < 3; ++x) {
    const Quad w = s.w[0][x] * wy;
#pragma GCC unroll 3
    for (int y = 0; y < 3; ++y) sum.add(w[y], nodes + s.row[3 * x + y]);
  }
  return sum.sum(s.w[2][0], s.w[2][1], s.w[2][2]);
}

// grad v d
template <class S>
inline Pack<S, 4> rate_of(const Node<S>* nodes, const CloseStencil<S>& s, const S* d) {
  using Quad = Pack<S, 4>;
  const Quad wy = Quad::load(s.w[1]), gy = d[1] * Quad::load(s.g[1]);
  RowSum<S> sum, slope;
#pragma GCC unroll 3
  for (int x = 0; x < 3; ++x) {
    const Quad w = s.w[0][x] * wy, g = (d[0] * s.g[0][x]) * wy + s.w[0][x] * gy;
#pragma GCC unroll 3
    for (int y = 0; y < 3; ++y) {
      const Node<S>* row = nodes + s.row[3 * x + y];
      sum.add(w[y], row);
      slope.add(g[y], row);
    }
  }
  return slope.sum(s.w[2][0], s.w[2][1], s.w[2][2]) + sum.sum(d[2] * s.g[2][0], d[2] * s.g[2][1], d[2] * s.g[2][2]);
}

// nodes += w f
template <class S>
inline void add_force(Node<S>* nodes, const CloseStencil<S>& s, Pack<S, 4> f) {
  using Quad = Pack<S, 4>;
  using Pair = Pack<S, 8>;
  const Quad wy = Quad::load(s.w[1]);
  const RowLoad<S> load(f, s.w[2][0], s.w[2][1], s.w[2][2]);
#pragma GCC unroll 3
  for (int x = 0; x < 3; ++x) {
    const Quad w = s.w[0][x] * wy;
#pragma GCC unroll 3
    for (int y = 0; y < 3; ++y) {
      Node<S>* row = nodes + s.row[3 * x + y];
      (Pair::load(row[0].a) + Pair(w[y]) * load.low).store(row[0].a);
      (Quad::load(row[2].a) + Quad(w[y]) * load.top).store(row[2].a);
    }
  }
}

// nodes -= t (d . grad w)
template <class S>
inline void add_thrust(Node<S>* nodes, const CloseStencil<S>& s, Pack<S, 4> t, const S* d) {
  using Quad = Pack<S, 4>;
  using Pair = Pack<S, 8>;
  const Quad wy = Quad::load(s.w[1]), gy = d[1] * Quad::load(s.g[1]);
  const RowLoad<S> level(t, s.w[2][0], s.w[2][1], s.w[2][2]);
  const RowLoad<S> steep(t, d[2] * s.g[2][0], d[2] * s.g[2][1], d[2] * s.g[2][2]);
#pragma GCC unroll 3
  for (int x = 0; x < 3; ++x) {
    const Quad w = s.w[0][x] * wy, g = (d[0] * s.g[0][x]) * wy + s.w[0][x] * gy;
#pragma GCC unroll 3
    for (int y = 0; y < 3; ++y) {
      Node<S>* row = nodes + s.row[3 * x + y];
      (Pair::load(row[0].a) - Pair(g[y]) * level.low - Pair(w[y]) * steep.low).store(row[0].a);
      (Quad::load(row[2].a) - Quad(g[y]) * level.top - Quad(w[y]) * steep.top).store(row[2].a);
    }
  }
}

}  // namespace pliant::cloth

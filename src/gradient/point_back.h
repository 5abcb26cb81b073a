// One particle and the grid, backwards, for every kernel and transfer: the adjoints of gather_point and scatter_point of
// grid/point_transfer.h, with its names. Plain loops.
//
// With u_i the velocities of the nodes, d = node - particle in cells, w the weights and y the place in cells:
//   gather    v = sum w u, B = sum w u d^T, G = sum u (dw)^T / h, C = B M^-1 / h
//   scatter   q_i = w (p + A d) - T dw, mass w m;   A = h m C, less T M^-1 where the stress acts through M
// Weights move with the particle: d(d)/dy = -1, and dw has the second derivatives ddw.
#pragma once

#include "gradient/namespace.h"
#include "grid/point_transfer.h"

namespace pliant::gradient {

// second derivatives of the weights along an axis
template <Kernel K, class S>
inline void second_slopes(S f, S* ddw) {
  if constexpr (K == Kernel::quadratic) {
    ddw[0] = 1, ddw[1] = -2, ddw[2] = 1;
  } else if constexpr (K == Kernel::linear) {
    ddw[0] = ddw[1] = 0;
  } else {
    const S turn = 2 * std::numbers::pi_v<S>;
    ddw[1] = turn * std::sin(turn * f);
    ddw[0] = -ddw[1];
  }
}

template <int D, class S>
struct NodeOfPoint {
  int place;  // in the arena
  S w;
  Vector<S, D> d, dw;
  Matrix<S, D> ddw;  // only where it is asked for
};

// f(NodeOfPoint) for all nodes of a particle at y, as for_each_node
template <Kernel K, bool twice, int D, class S, class F>
inline void for_nodes_back(const S* y, const F& f) {
  constexpr int width = stencil_width<K>, count = D == 2 ? width * width : width * width * width;
  constexpr S share = S(1) / grid_count<K>;
  for (int grid = 0; grid < grid_count<K>; ++grid) {
    AxisStencil<S> axis[D];
    S ddw[D][3];
    int first = 0;
    for (int k = 0; k < D; ++k) {
      axis[k] = axis_stencil<K, S>(y[k], grid);
      if constexpr (twice) second_slopes<K>(axis[k].f, ddw[k]);
      first = first * arena_side + axis[k].base;
    }
    for (int n = 0; n < count; ++n) {
      NodeOfPoint<D, S> node;
      int digit[D], offset = 0;
      for (int k = D - 1, rest = n; k >= 0; --k, rest /= width) digit[k] = rest % width;
      node.w = share;
      for (int k = 0; k < D; ++k) {
        offset = offset * arena_side + digit[k];
        node.w *= axis[k].w[digit[k]];
        node.d[k] = S(digit[k]) - axis[k].f;
        node.dw[k] = share;
        for (int l = 0; l < D; ++l) node.dw[k] *= l == k ? axis[l].dw[digit[l]] : axis[l].w[digit[l]];
        if constexpr (twice)
          for (int m = 0; m < D; ++m) {
            node.ddw(k, m) = share;
            for (int l = 0; l < D; ++l)
              node.ddw(k, m) *= l == k && l == m ? ddw[l][digit[l]]
                                : l == k || l == m ? axis[l].dw[digit[l]]
                                                   : axis[l].w[digit[l]];
          }
      }
      node.place = grid * arena_nodes<D> + first + offset;
      f(node);
    }
  }
}

// what a particle's place has to do with M^-1: from the derivative by M^-1 to that by y
template <Kernel K, int D, class S>
inline Vector<S, D> moments_back(const S* y, const Matrix<S, D>& inverse, const Matrix<S, D>& inverse_bar) {
  Vector<S, D> y_bar = Vector<S, D>::zero();
  if constexpr (K == Kernel::compact) {
    const Matrix<S, D> M_bar = S(-1) * (inverse * inverse_bar * inverse);
    const Matrix<S, D> both = M_bar + transpose(M_bar);
    for_nodes_back<K, false, D>(y, [&](const NodeOfPoint<D, S>& n) {
      y_bar += dot(n.d, M_bar * n.d) * n.dw - n.w * (both * n.d);
    });
  }
  return y_bar;
}

template <int D, class S>
inline Vector<S, D> velocity_in(const Node<S>& node) {
  Vector<S, D> u;
  for (int k = 0; k < D; ++k) u[k] = node.a[k];
  return u;
}

// From derivatives by v, C and grad v: adds those by the velocities of the nodes to `bars`, and gives that by y.
template <Kernel K, Transfer X, int D, class S>
inline Vector<S, D> gather_point_back(const Node<S>* arena, Node<S>* bars, const S* y, S inv_h,
                                      const PointVelocity<D, S>& bar) {
  constexpr bool plain = X == Transfer::pic || K == Kernel::linear;  // C is grad v by the slopes
  constexpr bool slopes = by_gradient<K, X>;
  Matrix<S, D> G_bar = Matrix<S, D>::zero(), C_bar = bar.affine;
  if constexpr (plain)
    G_bar = inv_h * (bar.affine + bar.gradient);
  else if constexpr (X == Transfer::apic)
    G_bar = inv_h * bar.gradient;
  else
    C_bar += bar.gradient;
  Matrix<S, D> inverse = Matrix<S, D>::zero(), B_bar = Matrix<S, D>::zero(), B = Matrix<S, D>::zero();
  if constexpr (!plain) {
    inverse = inverse_moments<K, D>(y);
    B_bar = inv_h * (C_bar * inverse);
  }
  Vector<S, D> y_bar = Vector<S, D>::zero(), v = Vector<S, D>::zero();
  for_nodes_back<K, slopes, D>(y, [&](const NodeOfPoint<D, S>& n) {
    const Vector<S, D> u = velocity_in<D>(arena[n.place]), q = bar.v + B_bar * n.d;
    Vector<S, D> u_bar = n.w * q;
    y_bar += dot(u, q) * n.dw;
    v += n.w * u;
    if constexpr (K == Kernel::compact && !plain) B += n.w * outer(u, n.d);
    if constexpr (slopes) {
      u_bar += G_bar * n.dw;
      y_bar += n.ddw * (transpose(G_bar) * u);
    }
    for (int k = 0; k < D; ++k) bars[n.place].a[k] += u_bar[k];
  });
  y_bar -= transpose(B_bar) * v;
  if constexpr (!plain) y_bar += moments_back<K, D>(y, inverse, inv_h * (transpose(B) * C_bar));
  return y_bar;
}

template <int D, class S>
struct MomentumBar {
  PointMomentum<D, S> by;  // mass, momentum, affine, impulse
  Vector<S, D> y;
};

// From derivatives by momenta and masses of the nodes to those by what the particle gave them.
template <Kernel K, Transfer X, int D, class S>
inline MomentumBar<D, S> scatter_point_back(const Node<S>* bars, const S* y, S h, const PointMomentum<D, S>& p) {
  constexpr bool slopes = by_gradient<K, X>;
  Matrix<S, D> A = X == Transfer::pic ? Matrix<S, D>::zero() : h * p.affine, inverse = Matrix<S, D>::zero();
  const Matrix<S, D> T = (1 / h) * p.impulse;
  if constexpr (!slopes) {
    inverse = inverse_moments<K, D>(y);
    A -= T * inverse;
  }
  MomentumBar<D, S> r = {{S(0), Vector<S, D>::zero(), Matrix<S, D>::zero(), Matrix<S, D>::zero()},
                         Vector<S, D>::zero()};
  Matrix<S, D> A_bar = Matrix<S, D>::zero(), T_bar = Matrix<S, D>::zero();
  for_nodes_back<K, slopes, D>(y, [&](const NodeOfPoint<D, S>& n) {
    const Vector<S, D> q_bar = velocity_in<D>(bars[n.place]);
    const S m_bar = bars[n.place].a[node_mass];
    r.by.momentum += n.w * q_bar;
    r.by.mass += n.w * m_bar;
    A_bar += n.w * outer(q_bar, n.d);
    r.y += (dot(q_bar, p.momentum + A * n.d) + m_bar * p.mass) * n.dw;
    if constexpr (slopes) {
      T_bar -= outer(q_bar, n.dw);
      r.y -= n.ddw * (transpose(T) * q_bar);
    }
  });
  r.y -= transpose(A) * r.by.momentum;
  if constexpr (!slopes) {
    T_bar -= A_bar * inverse;
    r.y += moments_back<K, D>(y, inverse, S(-1) * (transpose(T) * A_bar));
  }
  if constexpr (X != Transfer::pic) r.by.affine = h * A_bar;
  r.by.impulse = (1 / h) * T_bar;
  return r;
}

}  // namespace pliant::gradient

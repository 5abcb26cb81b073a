// One particle and the grid, for every kernel and transfer: plain loops. The fast path of pack_rows.h takes over for
// quadratic MLS and APIC.
//
//   PIC   momentum m v,               grad v = sum v_i (grad w)^T
//   APIC  momentum m (v + C (xi-xp)), grad v as PIC; C = sum w v_i (xi-xp)^T M^-1
//   MLS   momentum as APIC,           grad v = C
// with M = sum w (xi-xp)(xi-xp)^T, which is h^2/4 for the quadratic kernel. For the linear kernel w M^-1 (xi-xp) = grad
// w, so C is the plain gradient. The stress tau enters as the impulse -dt V tau grad w (PIC, APIC) or -dt V tau M^-1
// (xi-xp) w (MLS).
#pragma once

#include "core/small.h"
#include "grid/layout.h"
#include "grid/namespace.h"
#include "grid/node.h"
#include "grid/stencil.h"

namespace pliant::grid {

template <int D, class S>
struct PointVelocity {
  Vector<S, D> v;
  Matrix<S, D> affine;    // C
  Matrix<S, D> gradient;  // what moves F
};

template <int D, class S>
struct PointMomentum {
  S mass;
  Vector<S, D> momentum;  // m v
  Matrix<S, D> affine;    // m C
  Matrix<S, D> impulse;   // dt V tau
};

// f(node, w, d, dw) for all nodes of a particle at y (in cells, from the arena's first node); d = node - particle, in
// cells
template <Kernel K, int D, class S, class NodePointer, class F>
inline void for_each_node(NodePointer arena, const S* y, const F& f) {
  constexpr int width = stencil_width<K>;
  for (int grid = 0; grid < grid_count<K>; ++grid) {
    AxisStencil<S> axis[D];
    int first = 0;
    for (int k = 0; k < D; ++k) {
      axis[k] = axis_stencil<K, S>(y[k], grid);
      first = first * arena_side + axis[k].base;
    }
    constexpr S share = S(1) / grid_count<K>;
    constexpr int count = D == 2 ? width * width : width * width * width;
    for (int n = 0; n < count; ++n) {
      int digit[D], offset = 0;
      for (int k = D - 1, rest = n; k >= 0; --k, rest /= width) digit[k] = rest % width;
      S w = share;
      Vector<S, D> d, dw;
      for (int k = 0; k < D; ++k) {
        offset = offset * arena_side + digit[k];
        w *= axis[k].w[digit[k]];
        d[k] = S(digit[k]) - axis[k].f;
        dw[k] = share;
        for (int l = 0; l < D; ++l) dw[k] *= l == k ? axis[l].dw[digit[l]] : axis[l].w[digit[l]];
      }
      f(arena[grid * arena_nodes<D> + first + offset], w, d, dw);
    }
  }
}

// inverse of M / h^2 for the particle at y
template <Kernel K, int D, class S>
inline Matrix<S, D> inverse_moments(const S* y) {
  if constexpr (K == Kernel::quadratic) return S(4) * Matrix<S, D>::identity();
  static const Node<S> nothing[2 * arena_nodes<D>] = {};
  auto M = Matrix<S, D>::zero();
  for_each_node<K, D>(nothing, y,
                      [&](const Node<S>&, S w, const Vector<S, D>& d, const Vector<S, D>&) { M += w * outer(d, d); });
  return inverse(M);
}

// the stress acts through grad w, not through M
template <Kernel K, Transfer X>
inline constexpr bool by_gradient = X != Transfer::mls || K == Kernel::linear;

template <Kernel K, Transfer X, int D, class S>
inline PointVelocity<D, S> gather_point(const Node<S>* arena, const S* y, S inv_h) {
  auto v = Vector<S, D>::zero();
  auto B = Matrix<S, D>::zero(), G = Matrix<S, D>::zero();
  for_each_node<K, D>(arena, y, [&](const Node<S>& node, S w, const Vector<S, D>& d, const Vector<S, D>& dw) {
    Vector<S, D> u;
    for (int k = 0; k < D; ++k) u[k] = node.a[k];
    v += w * u;
    B += w * outer(u, d);
    if constexpr (by_gradient<K, X>) G += outer(u, dw);
  });
  G = inv_h * G;
  if constexpr (X == Transfer::pic || K == Kernel::linear) return {v, G, G};
  const Matrix<S, D> C = inv_h * (B * inverse_moments<K, D>(y));
  if constexpr (X == Transfer::apic) return {v, C, G};
  return {v, C, C};
}

template <Kernel K, Transfer X, int D, class S>
inline void scatter_point(Node<S>* arena, const S* y, S h, const PointMomentum<D, S>& p) {
  auto A = X == Transfer::pic ? Matrix<S, D>::zero() : h * p.affine;
  const Matrix<S, D> T = (1 / h) * p.impulse;
  if constexpr (!by_gradient<K, X>) A -= T * inverse_moments<K, D>(y);
  for_each_node<K, D>(arena, y, [&](Node<S>& node, S w, const Vector<S, D>& d, const Vector<S, D>& dw) {
    Vector<S, D> q = w * (p.momentum + A * d);
    if constexpr (by_gradient<K, X>) q -= T * dw;
    for (int k = 0; k < D; ++k) node.a[k] += q[k];
    node.a[node_mass] += w * p.mass;
  });
}

}  // namespace pliant::grid

// What slope_packs.h has, in 2-D.
#pragma once

#include "gradient/slope_packs.h"
#include "grid/transfer_packs_2d.h"

namespace pliant::gradient {

template <bool with_mass, class S>
inline void slope_pack(const Node<S>* node, const PackRows<2, S>& rows, const std::type_identity_t<S>* mass,
                       SlopeRows<2, S>& r, int i) {
  using P = Wide<S>;
  const AxisSlopes<P> x(P::load(rows.f[0] + i)), y(P::load(rows.f[1] + i));
  P X = 0, Y = 0;
  P start[2] = {P::load(r.q[0] + i), P::load(r.q[1] + i)};
  const P m = with_mass ? P::load(mass + i) : P(0);
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a) {
    const Node<S>* n = node + a * arena_side;
    P q[2] = {start[0], start[1]}, all, by_y;
#pragma GCC unroll 3
    for (int b = 0; b < 3; ++b) {
      P s = P(n[b].a[0]) * q[0] + P(n[b].a[1]) * q[1];
      if constexpr (with_mass) s = P(n[b].a[node_mass]) * m + s;
      s = kept(s);
      all = b == 0 ? s * y.w[0] : all + s * y.w[b];
      by_y = b == 0 ? s * y.dw[0] : by_y + s * y.dw[b];
      if (b < 2)
#pragma GCC unroll 2
        for (int k = 0; k < 2; ++k) q[k] = q[k] + P::load(r.M[2 * k + 1] + i);
    }
    X = X + all * x.dw[a];
    Y = Y + by_y * x.w[a];
    if (a < 2)
#pragma GCC unroll 2
      for (int k = 0; k < 2; ++k) start[k] = start[k] + P::load(r.M[2 * k] + i);
  }
  X.store(r.slope[0] + i);
  Y.store(r.slope[1] + i);
}

template <bool with_mass, class S>
inline void slope_stray(const Node<S>* arena, const PackRows<2, S>& rows, const std::type_identity_t<S>* mass,
                        SlopeRows<2, S>& r, int i) {
  using One = OneNode<S>;
  const AxisSlopes<S> x(rows.f[0][i]), y(rows.f[1][i]);
  const StraySlopes<2, S> q(r, with_mass ? mass[i] : S(0), i);
  const Node<S>* n = arena + int(rows.index[i]);
  One X = 0, Y = 0, start = q.start;
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a, start += q.step[0], n += arena_side) {
    const One s0 = One::load(n[0].a) * start, s1 = One::load(n[1].a) * (start + q.step[1]),
              s2 = One::load(n[2].a) * (start + S(2) * q.step[1]);
    X += (s0 * y.w[0] + s1 * y.w[1] + s2 * y.w[2]) * x.dw[a];
    Y += (s0 * y.dw[0] + s1 * y.dw[1] + s2 * y.dw[2]) * x.w[a];
  }
  r.slope[0][i] = q.total(X);
  r.slope[1][i] = q.total(Y);
}

template <class S>
inline void gather_mass_pack(const Node<S>* node, const PackRows<2, S>& rows, S* mass, int i) {
  using P = Wide<S>;
  const P wx0 = P::load(rows.wx[0] + i), wx1 = P::load(rows.wx[1] + i), wx2 = P::load(rows.wx[2] + i);
  P sum = 0;
#pragma GCC unroll 3
  for (int y = 0; y < 3; ++y) {
    const Node<S>* n = node + y;
    const P line =
        P(n[0].a[node_mass]) * wx0 + P(n[arena_side].a[node_mass]) * wx1 + P(n[2 * arena_side].a[node_mass]) * wx2;
    sum = sum + line * P::load(rows.wyz[y] + i);
  }
  sum.store(mass + i);
}
template <class S>
inline void gather_mass_stray(const Node<S>* arena, const PackRows<2, S>& rows, S* mass, int i) {
  const Node<S>* n = arena + int(rows.index[i]);
  S sum = 0;
  for (int x = 0; x < 3; ++x)
    for (int y = 0; y < 3; ++y) sum += rows.wx[x][i] * rows.wyz[y][i] * n[x * arena_side + y].a[node_mass];
  mass[i] = sum;
}

}  // namespace pliant::gradient

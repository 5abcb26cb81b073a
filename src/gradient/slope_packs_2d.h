// What slope_packs.h has, in 2-D.
#pragma once

#include "gradient/slope_packs.h"
#include "grid/transfer_packs_2d.h"

namespace pliant::gradient {

template <bool with_mass, class S>
inline void slope_pack(const Node<S>* node, const PackRows<2, S>& rows, SlopeRows<2, S>& r, int i) {
  using P = Wide<S>;
  const AxisSlopes<P> x(P::load(rows.f[0] + i)), y(P::load(rows.f[1] + i));
  P start[2] = {P::load(r.q[0] + i), P::load(r.q[1] + i)};
  P all[3], by_y[3];
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a) {
    const Node<S>* n = node + a * arena_side;
    P q[2] = {start[0], start[1]}, s[3];
#pragma GCC unroll 3
    for (int b = 0; b < 3; ++b) {
      s[b] = P(n[b].a[0]) * q[0] + P(n[b].a[1]) * q[1];
      if (b < 2)
#pragma GCC unroll 2
        for (int k = 0; k < 2; ++k) q[k] = q[k] + P::load(r.M[2 * k + 1] + i);
    }
    all[a] = y.sum(s);
    by_y[a] = y.slope(s);
    if (a < 2)
#pragma GCC unroll 2
      for (int k = 0; k < 2; ++k) start[k] = start[k] + P::load(r.M[2 * k] + i);
  }
  const P by[2] = {x.slope(all), x.sum(by_y)};
#pragma GCC unroll 2
  for (int d = 0; d < 2; ++d) (with_mass ? P::load(r.slope[d] + i) + by[d] : by[d]).store(r.slope[d] + i);
}

template <class S>
inline void mass_pack(const Node<S>* node, const PackRows<2, S>& rows, const std::type_identity_t<S>* mass,
                      SlopeRows<2, S>& r, int i) {
  using P = Wide<S>;
  const AxisSlopes<P> x(P::load(rows.f[0] + i)), y(P::load(rows.f[1] + i));
  P all[3], by_y[3];
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a) {
    const Node<S>* n = node + a * arena_side;
    const P s[3] = {n[0].a[node_mass], n[1].a[node_mass], n[2].a[node_mass]};
    all[a] = y.sum(s);
    by_y[a] = y.slope(s);
  }
  const P m = P::load(mass + i);
  x.sum(all).store(r.mass + i);
  (m * x.slope(all)).store(r.slope[0] + i);
  (m * x.sum(by_y)).store(r.slope[1] + i);
}

template <class S>
inline void slope_stray(const Node<S>* arena, const PackRows<2, S>& rows, std::type_identity_t<S> mass,
                        SlopeRows<2, S>& r, int i) {
  using One = OneNode<S>;
  const AxisSlopes<S> x(rows.f[0][i]), y(rows.f[1][i]);
  const StraySlopes<2, S> q(r, mass, i);
  const Node<S>* n = arena + int(rows.index[i]);
  One all[3], by_y[3];
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a, n += arena_side) {
    const One start = q.start + S(a) * q.step[0],
              s[3] = {One::load(n[0].a) * start, One::load(n[1].a) * (start + q.step[1]),
                      One::load(n[2].a) * (start + S(2) * q.step[1])};
    all[a] = y.sum(s);
    by_y[a] = y.slope(s);
  }
  r.slope[0][i] = q.total(x.slope(all));
  r.slope[1][i] = q.total(x.sum(by_y));
}

}  // namespace pliant::gradient

// What moving a particle does to the sums that it takes part in, for quadratic kernels: derivatives by its place y, in
// cells, of sum_i w_i s_i with s_i = n_i.(q + M k) + m n_m fixed; n_i the numbers of node i, k = 0, 1, 2 along each axis.
// One lane per particle; those out of their cell one by one, one lane per number of a node. Here in 3-D, and what both
// share; slope_packs_2d.h in 2-D.
#pragma once

#include "gradient/namespace.h"
#include "grid/transfer_packs.h"

namespace pliant::gradient {

// Where nodes were filled in: a place that was taken again may be off by the last bit and fall into the next cell, with
// weights that are nothing there.
template <int D, class S>
struct PackBounds {
  S low[D], high[D];  // of a first node

  explicit PackBounds(unsigned overhang) {
    for (int d = 0; d < D; ++d) {
      low[d] = overhang >> (2 * d) & 1u ? S(0) : S(arena_margin);
      high[d] = overhang >> (2 * d) & 2u ? S(arena_side - 3) : S(arena_margin + block_side - 1);
    }
  }
};

// weights of a pack of particles at x
template <int D, class S>
inline void locate_pack(const Wide<S>* x, const PackStep<D, S>& step, const PackBounds<D, S>& bounds,
                        PackRows<D, S>& rows, int i, std::type_identity_t<PackReach<D, S>>* reach) {
  using P = Wide<S>;
  P index = 0, w[3 * D];
#pragma GCC unroll 3
  for (int d = 0; d < D; ++d) {
    const P y = x[d] * step.inv_h - P(step.origin[d]);
    const P base = max(min(floor(y - P(S(0.5))), P(bounds.high[d])), P(bounds.low[d])), f = y - base;
    f.store(rows.f[d] + i);
    index = index * S(arena_side) + base;
    quadratic_weights<S>(f, w + 3 * d);
    if (reach) {
      reach->low[d] = min(reach->low[d], base);
      reach->high[d] = max(reach->high[d], base);
    }
  }
  index.store(rows.index + i);
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) w[k].store(rows.wx[k] + i);
#pragma GCC unroll 9
  for (int k = 0; k < rows.others; ++k) {
    if constexpr (D == 2)
      w[3 + k].store(rows.wyz[k] + i);
    else
      (w[3 + k / 3] * w[6 + k % 3]).store(rows.wyz[k] + i);
  }
}

template <int D, class S>
struct SlopeRows {
  static constexpr int stride = Batch<D, S>::stride;
  alignas(64) S q[D][stride];
  alignas(64) S M[D * D][stride];  // row c, column d: change of q_c per node along d
  alignas(64) S slope[D][stride];  // the answer
  alignas(64) S mass[stride];      // sum_i w_i n_m
};

// The weights of the three nodes along an axis, and their slopes, from the place in the cell. Each sums up to one: a sum
// over the nodes is made of the middle one and of differences, with fewer products and less round-off.
template <class T>
struct AxisSlopes {
  T low, high, turn;  // weights of the outer nodes; slope of the last

  explicit AxisSlopes(T f) {
    using S = Scalar<T>;
    const T a = T(S(1.5)) - f;
    turn = f - T(S(0.5));
    low = T(S(0.5)) * a * a;
    high = T(S(0.5)) * turn * turn;
  }
  template <class V>
  V sum(const V* x) const {
    return (x[1] + (x[2] - x[1]) * high) - (x[1] - x[0]) * low;
  }
  template <class V>
  V slope(const V* x) const {
    const V first = x[1] - x[0];
    return first + ((x[2] - x[1]) - first) * turn;
  }
};

// Up to one pack of particles from row i, all in the cell whose first node is at `node`. with_mass: mass_pack came just
// before.
template <bool with_mass, class S>
inline void slope_pack(const Node<S>* node, const PackRows<3, S>& rows, SlopeRows<3, S>& r, int i) {
  using P = Wide<S>;
  const AxisSlopes<P> x(P::load(rows.f[0] + i)), y(P::load(rows.f[1] + i)), z(P::load(rows.f[2] + i));
  P start[3] = {P::load(r.q[0] + i), P::load(r.q[1] + i), P::load(r.q[2] + i)};
  P all[3], by_y[3], by_z[3];
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a) {
    P row[3] = {start[0], start[1], start[2]}, sum[3], slope[3];
#pragma GCC unroll 3
    for (int b = 0; b < 3; ++b) {
      const Node<S>* n = node + a * slice + b * arena_side;
      P q[3] = {row[0], row[1], row[2]}, s[3];
#pragma GCC unroll 3
      for (int c = 0; c < 3; ++c) {
        s[c] = P(n[c].a[0]) * q[0] + P(n[c].a[1]) * q[1];
        s[c] = P(n[c].a[2]) * q[2] + s[c];
        if (c < 2)
#pragma GCC unroll 3
          for (int k = 0; k < 3; ++k) q[k] = q[k] + P::load(r.M[3 * k + 2] + i);
      }
      sum[b] = z.sum(s);
      slope[b] = z.slope(s);
      if (b < 2)
#pragma GCC unroll 3
        for (int k = 0; k < 3; ++k) row[k] = row[k] + P::load(r.M[3 * k + 1] + i);
    }
    all[a] = y.sum(sum);
    by_y[a] = y.slope(sum);
    by_z[a] = y.sum(slope);
    if (a < 2)
#pragma GCC unroll 3
      for (int k = 0; k < 3; ++k) start[k] = start[k] + P::load(r.M[3 * k] + i);
  }
  const P by[3] = {x.slope(all), x.sum(by_y), x.sum(by_z)};
#pragma GCC unroll 3
  for (int d = 0; d < 3; ++d) (with_mass ? P::load(r.slope[d] + i) + by[d] : by[d]).store(r.slope[d] + i);
}

// the mass of the nodes: what each particle takes of it, and its slopes times `mass`
template <class S>
inline void mass_pack(const Node<S>* node, const PackRows<3, S>& rows, const std::type_identity_t<S>* mass,
                      SlopeRows<3, S>& r, int i) {
  using P = Wide<S>;
  const AxisSlopes<P> x(P::load(rows.f[0] + i)), y(P::load(rows.f[1] + i)), z(P::load(rows.f[2] + i));
  P all[3], by_y[3], by_z[3];
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a) {
    P sum[3], slope[3];
#pragma GCC unroll 3
    for (int b = 0; b < 3; ++b) {
      const Node<S>* n = node + a * slice + b * arena_side;
      const P s[3] = {n[0].a[node_mass], n[1].a[node_mass], n[2].a[node_mass]};
      sum[b] = z.sum(s);
      slope[b] = z.slope(s);
    }
    all[a] = y.sum(sum);
    by_y[a] = y.slope(sum);
    by_z[a] = y.sum(slope);
  }
  const P m = P::load(mass + i);
  x.sum(all).store(r.mass + i);
  (m * x.slope(all)).store(r.slope[0] + i);
  (m * x.sum(by_y)).store(r.slope[1] + i);
  (m * x.sum(by_z)).store(r.slope[2] + i);
}

// one particle: its q in the lanes of a node, and the change of that along each axis
template <int D, class S>
struct StraySlopes {
  OneNode<S> start, step[D];

  StraySlopes(const SlopeRows<D, S>& r, S mass, int i) {
    using V = typename OneNode<S>::Vector;
    start = V{r.q[0][i], r.q[1][i], D == 2 ? S(0) : r.q[D - 1][i], mass};
#pragma GCC unroll 3
    for (int d = 0; d < D; ++d) step[d] = V{r.M[d][i], r.M[D + d][i], D == 2 ? S(0) : r.M[(D - 1) * D + d][i], S(0)};
  }
  static S total(OneNode<S> v) { return (v[0] + v[1]) + (v[2] + v[3]); }
};

template <class S>
inline void slope_stray(const Node<S>* arena, const PackRows<3, S>& rows, std::type_identity_t<S> mass,
                        SlopeRows<3, S>& r, int i) {
  using One = OneNode<S>;
  using Two = TwoNodes<S>;
  const AxisSlopes<S> x(rows.f[0][i]), y(rows.f[1][i]), z(rows.f[2][i]);
  const StraySlopes<3, S> q(r, mass, i);
  const Two low = join<S>(q.start, q.start + q.step[2]), step_x = join<S>(q.step[0], q.step[0]),
            step_y = join<S>(q.step[1], q.step[1]);
  const One high = q.start + S(2) * q.step[2];
  const Node<S>* node = arena + int(rows.index[i]);
  Two all[3], by_y[3];
  One high_all[3], high_by_y[3];
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a) {
    Two s[3];
    One high_s[3];
#pragma GCC unroll 3
    for (int b = 0; b < 3; ++b) {
      const Node<S>* n = node + a * slice + b * arena_side;
      s[b] = Two::load(n[0].a) * (low + S(a) * step_x + S(b) * step_y);
      high_s[b] = One::load(n[2].a) * (high + S(a) * q.step[0] + S(b) * q.step[1]);
    }
    all[a] = y.sum(s);
    by_y[a] = y.slope(s);
    high_all[a] = y.sum(high_s);
    high_by_y[a] = y.slope(high_s);
  }
  const auto line = [](Two low, One high, One* out) { out[0] = first_of(low), out[1] = second_of(low), out[2] = high; };
  One X[3], Y[3], Z[3];
  line(x.slope(all), x.slope(high_all), X);
  line(x.sum(by_y), x.sum(high_by_y), Y);
  line(x.sum(all), x.sum(high_all), Z);
  r.slope[0][i] = q.total(z.sum(X));
  r.slope[1][i] = q.total(z.sum(Y));
  r.slope[2][i] = q.total(z.slope(Z));
}

}  // namespace pliant::gradient

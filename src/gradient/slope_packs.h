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
};

// weights along an axis and their derivatives, from the place in the cell
template <class T>
struct AxisSlopes {
  T w[3], dw[3];

  explicit AxisSlopes(T f) {
    using S = Scalar<T>;
    const T a = T(S(1.5)) - f, b = f - T(1), c = f - T(S(0.5));
    w[0] = T(S(0.5)) * a * a;
    w[1] = T(S(0.75)) - b * b;
    w[2] = T(S(0.5)) * c * c;
    dw[0] = -a;
    dw[1] = T(-2) * b;
    dw[2] = c;
  }
};

// up to one pack of particles from row i, all in the cell whose first node is at `node`; mass: by which node masses count
template <bool with_mass, class S>
inline void slope_pack(const Node<S>* node, const PackRows<3, S>& rows, const std::type_identity_t<S>* mass,
                       SlopeRows<3, S>& r, int i) {
  using P = Wide<S>;
  const AxisSlopes<P> x(P::load(rows.f[0] + i)), y(P::load(rows.f[1] + i)), z(P::load(rows.f[2] + i));
  P X = 0, Y = 0, Z = 0;
  P start[3] = {P::load(r.q[0] + i), P::load(r.q[1] + i), P::load(r.q[2] + i)};
  const P m = with_mass ? P::load(mass + i) : P(0);
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a) {
    P all = 0, by_y = 0, by_z = 0;
    P row[3] = {start[0], start[1], start[2]};
#pragma GCC unroll 3
    for (int b = 0; b < 3; ++b) {
      const Node<S>* n = node + a * slice + b * arena_side;
      P q[3] = {row[0], row[1], row[2]}, sum, slope;
#pragma GCC unroll 3
      for (int c = 0; c < 3; ++c) {
        P s = P(n[c].a[0]) * q[0] + P(n[c].a[1]) * q[1];
        s = P(n[c].a[2]) * q[2] + s;
        if constexpr (with_mass) s = P(n[c].a[3]) * m + s;
        s = kept(s);
        sum = c == 0 ? s * z.w[0] : sum + s * z.w[c];
        slope = c == 0 ? s * z.dw[0] : slope + s * z.dw[c];
        if (c < 2)
#pragma GCC unroll 3
          for (int k = 0; k < 3; ++k) q[k] = q[k] + P::load(r.M[3 * k + 2] + i);
      }
      all = all + sum * y.w[b];
      by_y = by_y + sum * y.dw[b];
      by_z = by_z + slope * y.w[b];
      if (b < 2)
#pragma GCC unroll 3
        for (int k = 0; k < 3; ++k) row[k] = row[k] + P::load(r.M[3 * k + 1] + i);
    }
    X = X + all * x.dw[a];
    Y = Y + by_y * x.w[a];
    Z = Z + by_z * x.w[a];
    if (a < 2)
#pragma GCC unroll 3
      for (int k = 0; k < 3; ++k) start[k] = start[k] + P::load(r.M[3 * k] + i);
  }
  X.store(r.slope[0] + i);
  Y.store(r.slope[1] + i);
  Z.store(r.slope[2] + i);
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

template <bool with_mass, class S>
inline void slope_stray(const Node<S>* arena, const PackRows<3, S>& rows, const std::type_identity_t<S>* mass,
                        SlopeRows<3, S>& r, int i) {
  using One = OneNode<S>;
  using Two = TwoNodes<S>;
  const AxisSlopes<S> x(rows.f[0][i]), y(rows.f[1][i]), z(rows.f[2][i]);
  const StraySlopes<3, S> q(r, with_mass ? mass[i] : S(0), i);
  const Two z_w = join<S>(z.w[0], z.w[1]), z_dw = join<S>(z.dw[0], z.dw[1]);
  Two low = join<S>(q.start, q.start + q.step[2]);
  One high = q.start + S(2) * q.step[2];
  const Two step_x = join<S>(q.step[0], q.step[0]), step_y = join<S>(q.step[1], q.step[1]);
  const Node<S>* node = arena + int(rows.index[i]);
  Two X = 0, Y = 0, Z = 0;
  One high_X = 0, high_Y = 0, high_Z = 0;
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a, low += step_x, high += q.step[0]) {
    Two all = 0, by_y = 0, row = low;
    One high_all = 0, high_by_y = 0, high_row = high;
#pragma GCC unroll 3
    for (int b = 0; b < 3; ++b, row += step_y, high_row += q.step[1]) {
      const Node<S>* n = node + a * slice + b * arena_side;
      const Two s = Two::load(n[0].a) * row;
      const One high_s = One::load(n[2].a) * high_row;
      all += s * y.w[b];
      by_y += s * y.dw[b];
      high_all += high_s * y.w[b];
      high_by_y += high_s * y.dw[b];
    }
    X += all * x.dw[a];
    Y += by_y * x.w[a];
    Z += all * x.w[a];
    high_X += high_all * x.dw[a];
    high_Y += high_by_y * x.w[a];
    high_Z += high_all * x.w[a];
  }
  const auto total = [&](Two v, One last, Two w, S last_w) {
    const Two weighted = v * w;
    return q.total(first_of(weighted) + second_of(weighted) + last * last_w);
  };
  r.slope[0][i] = total(X, high_X, z_w, z.w[2]);
  r.slope[1][i] = total(Y, high_Y, z_w, z.w[2]);
  r.slope[2][i] = total(Z, high_Z, z_dw, z.dw[2]);
}

// sum_i w_i n_m: the mass of the nodes
template <class S>
inline void gather_mass_pack(const Node<S>* node, const PackRows<3, S>& rows, S* mass, int i) {
  using P = Wide<S>;
  const P wx0 = P::load(rows.wx[0] + i), wx1 = P::load(rows.wx[1] + i), wx2 = P::load(rows.wx[2] + i);
  P sum = 0;
#pragma GCC unroll 3
  for (int y = 0; y < 3; ++y)
#pragma GCC unroll 3
    for (int z = 0; z < 3; ++z) {
      const Node<S>* n = node + y * arena_side + z;
      const P line = P(n[0].a[3]) * wx0 + P(n[slice].a[3]) * wx1 + P(n[2 * slice].a[3]) * wx2;
      sum = sum + line * P::load(rows.wyz[3 * y + z] + i);
    }
  sum.store(mass + i);
}
template <class S>
inline void gather_mass_stray(const Node<S>* arena, const PackRows<3, S>& rows, S* mass, int i) {
  const Node<S>* n = arena + int(rows.index[i]);
  S sum = 0;
  for (int k = 0; k < 9; ++k, n += k % 3 == 0 ? arena_side - 2 : 1)
    sum += rows.wyz[k][i] *
           (rows.wx[0][i] * n[0].a[3] + rows.wx[1][i] * n[slice].a[3] + rows.wx[2][i] * n[2 * slice].a[3]);
  mass[i] = sum;
}

}  // namespace pliant::gradient

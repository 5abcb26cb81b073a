// What moving a particle does to the sums that it takes part in, for 3-D quadratic kernels: derivatives by its place y, in
// cells, of sum_i w_i s_i with s_i = n_i.(q + k M) + m n_m fixed; n_i the numbers of node i, k = 0, 1, 2 along each axis.
// One lane per particle; those out of their cell one by one, one lane per number of a node.
#pragma once

#include "gradient/namespace.h"
#include "grid/transfer_packs.h"

namespace pliant::gradient {

// Where a batch is, with weights. Places that were taken again may be off by the last bit: nobody leaves the arena for it.
template <class S>
inline void locate_all(Batch<3, S>& batch, PackRows<3, S>& rows, const PackStep<3, S>& step,
                       std::type_identity_t<PackReach<3, S>>* reach) {
  using P = Wide<S>;
  for (int i = 0; i < batch.count; i += P::lanes) {
    P index = 0, w[9];
#pragma GCC unroll 3
    for (int d = 0; d < 3; ++d) {
      const P y = P::load(batch.x(d) + i) * step.inv_h - P(step.origin[d]);
      const P base = max(min(floor(y - P(S(0.5))), P(S(arena_side - 3))), P(0)), f = y - base;
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
    for (int x = 0; x < 3; ++x) w[x].store(rows.wx[x] + i);
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) (w[3 + k / 3] * w[6 + k % 3]).store(rows.wyz[k] + i);
  }
}

template <class S>
struct SlopeRows {
  static constexpr int stride = Batch<3, S>::stride;
  alignas(64) S q[3][stride];
  alignas(64) S M[9][stride];      // row c, column d: change of q_c per node along d
  alignas(64) S slope[3][stride];  // the answer
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
                       SlopeRows<S>& r, int i) {
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

template <bool with_mass, class S>
inline void slope_stray(const Node<S>* arena, const PackRows<3, S>& rows, const std::type_identity_t<S>* mass,
                        SlopeRows<S>& r, int i) {
  using Quad = Pack<S, 4>;
  const AxisSlopes<S> x(rows.f[0][i]), y(rows.f[1][i]), z(rows.f[2][i]);
  Quad start = 0, step[3] = {0, 0, 0};
  for (int k = 0; k < 3; ++k) {
    start.set(k, r.q[k][i]);
    for (int d = 0; d < 3; ++d) step[d].set(k, r.M[3 * k + d][i]);
  }
  start.set(3, with_mass ? mass[i] : S(0));
  const Node<S>* node = arena + int(rows.index[i]);
  Quad X = 0, Y = 0, Z = 0;
  for (int a = 0; a < 3; ++a, start += step[0]) {
    Quad all = 0, by_y = 0, by_z = 0, row = start;
    for (int b = 0; b < 3; ++b, row += step[1]) {
      const Node<S>* n = node + a * slice + b * arena_side;
      const Quad s0 = Quad::load(n[0].a) * row, s1 = Quad::load(n[1].a) * (row + step[2]),
                 s2 = Quad::load(n[2].a) * (row + S(2) * step[2]);
      const Quad sum = s0 * z.w[0] + s1 * z.w[1] + s2 * z.w[2], slope = s0 * z.dw[0] + s1 * z.dw[1] + s2 * z.dw[2];
      all += sum * y.w[b];
      by_y += sum * y.dw[b];
      by_z += slope * y.w[b];
    }
    X += all * x.dw[a];
    Y += by_y * x.w[a];
    Z += by_z * x.w[a];
  }
  const auto total = [](Quad v) { return (v[0] + v[1]) + (v[2] + v[3]); };
  r.slope[0][i] = total(X);
  r.slope[1][i] = total(Y);
  r.slope[2][i] = total(Z);
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
  for (int x = 0; x < 3; ++x)
    for (int k = 0; k < 9; ++k) sum += rows.wx[x][i] * rows.wyz[k][i] * n[x * slice + k / 3 * arena_side + k % 3].a[3];
  mass[i] = sum;
}

}  // namespace pliant::gradient

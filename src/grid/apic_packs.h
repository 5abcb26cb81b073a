// The fast path of quadratic APIC, in 2-D and 3-D. What it shares with MLS, and how packs go: pack_rows.h.
//
// Along one axis a particle sees three nodes u0, u1, u2, at f from the first. With the differences d1 = u1 - u0, d2 = u2 - u1
// all that it wants of them are
//   sum w u         = u1 - w0 d1 + w2 d2
//   sum w (k - f) u = f w0 d1 + (2 - f) w2 d2         their moment, of C
//   sum w' u        = (3/2 - f) d1 + (f - 1/2) d2     their slope, of grad v
// so a gather needs, for each axis, three sums over the nodes across it. The scatter is its transpose: of momentum, mass and the
// columns A of h m C and T of dt V tau / h each node gets, with D1 = f w0 A - (3/2 - f) T and D2 = (2 - f) w2 A - (f - 1/2) T
// along each axis,
//   w (m v, m) + the product of the other weights times -D1, D1 - D2, D2.
#pragma once

#include "grid/pack_rows.h"
#include "grid/stencil.h"
#include "grid/transfer_packs.h"

#include <algorithm>

namespace pliant::grid {

// what turns the differences along one axis into a moment and a slope
template <class V>
struct AxisFactors {
  V moment[2], slope[2];

  template <class S>
  static AxisFactors make(V f, V w0, V w2) {
    return {{f * w0, (V(S(2)) - f) * w2}, {V(S(1.5)) - f, f - V(S(0.5))}};
  }
};

// for each axis, sums over the nodes across it: a gather's whole work on nodes. V holds one number of each particle, or all
// of one particle's; node(x, y, z) is the node's value and w[3 d + k] the weight of node k along axis d.
template <int D, class V, class W, class N>
inline void sum_across(const N& node, const W* w, V (*sum)[3]) {
  constexpr int last = D == 3 ? 3 : 1;
#pragma GCC unroll 3
  for (int y = 0; y < 3; ++y) {
    V row;  // the sum over x and z
#pragma GCC unroll 3
    for (int z = 0; z < last; ++z) {
      const V n0 = node(0, y, z), n1 = node(1, y, z), n2 = node(2, y, z);
      W across = w[3 + y];
      if constexpr (D == 3) across = across * w[6 + z];
      const bool first = y + z == 0;
      sum[0][0] = first ? across * n0 : sum[0][0] + across * n0;
      sum[0][1] = first ? across * n1 : sum[0][1] + across * n1;
      sum[0][2] = first ? across * n2 : sum[0][2] + across * n2;
      const V all = w[0] * n0 + w[1] * n1 + w[2] * n2;
      if constexpr (D == 3) {
        row = z == 0 ? w[6 + z] * all : row + w[6 + z] * all;
        sum[D - 1][z] = y == 0 ? w[3 + y] * all : sum[D - 1][z] + w[3 + y] * all;
      } else {
        row = all;
      }
    }
    sum[1][y] = row;
  }
}

struct ApicPacks {
  static constexpr Transfer transfer = Transfer::apic;

  // velocity, C and its gradient of up to one pack of particles from row i, all in the cell whose first node is at `node`
  template <int D, class S>
  static void gather_pack(const Node<S>* node, Batch<D, S>& batch, PackRows<D, S>& rows, const PackStep<D, S>& step,
                          int i) {
    using P = Wide<S>;
    P w[3 * D];
    AxisFactors<P> factors[D];
#pragma GCC unroll 3
    for (int d = 0; d < D; ++d) {
      const P f = P::load(rows.f[d] + i);
      quadratic_weights<S>(f, w + 3 * d);
      factors[d] = AxisFactors<P>::template make<S>(f, w[3 * d], w[3 * d + 2]);
    }
#pragma GCC unroll 1
    for (int c = 0; c < D; ++c) {
      const auto value = [&](int x, int y, int z) { return P(node[place<D>(x, y, z)].a[c]); };
      P sum[D][3];
      sum_across<D, P>(value, w, sum);
      (w[0] * sum[0][0] + w[1] * sum[0][1] + w[2] * sum[0][2]).store(batch.v[c] + i);
#pragma GCC unroll 3
      for (int d = 0; d < D; ++d) {
        const P d1 = sum[d][1] - sum[d][0], d2 = sum[d][2] - sum[d][1];
        const auto& [moment, slope] = factors[d];
        (P(4 * step.inv_h) * (moment[0] * d1 + moment[1] * d2)).store(batch.affine[D * c + d] + i);
        (P(step.inv_h) * (slope[0] * d1 + slope[1] * d2)).store(batch.gradient[D * c + d] + i);
      }
    }
  }

  // one particle that has left its cell
  template <int D, class S>
  static void gather_stray(const Node<S>* arena, Batch<D, S>& batch, PackRows<D, S>& rows, const PackStep<D, S>& step,
                           int i) {
    using One = OneNode<S>;
    const Node<S>* node = arena + int(rows.index[i]);
    S w[3 * D];
    for (int d = 0; d < D; ++d) std::copy_n(axis_stencil<Kernel::quadratic, S>(rows.f[d][i], 0).w, 3, w + 3 * d);
    const auto value = [&](int x, int y, int z) { return One::load(node[place<D>(x, y, z)].a); };
    One sum[D][3];
    sum_across<D, One>(value, w, sum);
    const One v = w[0] * sum[0][0] + w[1] * sum[0][1] + w[2] * sum[0][2];
    for (int c = 0; c < D; ++c) batch.v[c][i] = v[c];
    for (int d = 0; d < D; ++d) {
      const One d1 = sum[d][1] - sum[d][0], d2 = sum[d][2] - sum[d][1];
      const auto [moment, slope] = AxisFactors<S>::template make<S>(rows.f[d][i], w[3 * d], w[3 * d + 2]);
      const One C = (4 * step.inv_h) * (moment[0] * d1 + moment[1] * d2);
      const One G = step.inv_h * (slope[0] * d1 + slope[1] * d2);
      for (int c = 0; c < D; ++c) {
        batch.affine[D * c + d][i] = C[c];
        batch.gradient[D * c + d][i] = G[c];
      }
    }
  }

  // what has to be done when all particles have gathered
  template <int D, class S>
  static void end_gather(Batch<D, S>&, const PackRows<D, S>&, const PackStep<D, S>&) {}

  // momentum and mass, then D1 and D2 of each axis, of the pack at row i
  template <int D, class S>
  static void fill_rows(Batch<D, S>& batch, PackRows<D, S>& rows, const PackStep<D, S>& step,
                        const PackPlace<D, S>& place, int i) {
    using P = Wide<S>;
    const P m = step.stress_alone ? P(0) : P::load(batch.mass() + i);
    P p[D];
    for (int c = 0; c < D; ++c) p[c] = m * P::load(batch.v[c] + i);
    zip<S>(p[0], p[1], D == 2 ? P(0) : p[D - 1], m, rows.q[0] + i);
#pragma GCC unroll 3
    for (int d = 0; d < D; ++d) {
      P w[3], D1[3] = {0, 0, 0}, D2[3] = {0, 0, 0};
      quadratic_weights<S>(place.f[d], w);
      const auto [moment, slope] = AxisFactors<P>::template make<S>(place.f[d], w[0], w[2]);
      if constexpr (D == 3)
        if (d > 0)
          for (int k = 0; k < 3; ++k) w[k].store(rows.along[3 * (d - 1) + k] + i);
#pragma GCC unroll 3
      for (int c = 0; c < D; ++c) {
        const P A = (m * step.h) * P::load(batch.affine[D * c + d] + i);
        const P T = P(step.inv_h) * P::load(batch.impulse[D * c + d] + i);
        D1[c] = moment[0] * A - slope[0] * T;
        D2[c] = moment[1] * A - slope[1] * T;
      }
      zip<S>(D1[0], D1[1], D1[2], P(0), rows.q[1 + 2 * d] + i);
      zip<S>(D2[0], D2[1], D2[2], P(0), rows.q[2 + 2 * d] + i);
    }
  }

  // one particle that has left its cell; takes it out of the packs
  template <int D, class S>
  static void scatter_stray(Node<S>* arena, PackRows<D, S>& rows, int i) {
    using One = OneNode<S>;
    constexpr int last = D == 3 ? 3 : 1;
    S w[3 * D];
    for (int k = 0; k < 3 * D; ++k) w[k] = k < 3 ? rows.wx[k][i] : (D == 2 ? rows.wyz : rows.along)[k - 3][i];
    const One q = One::load(rows.q[0][i]);
    One e[D][3];
    for (int d = 0; d < D; ++d) differences<S>(One::load(rows.q[1 + 2 * d][i]), One::load(rows.q[2 + 2 * d][i]), e[d]);
    Node<S>* node = arena + int(rows.index[i]);
#pragma GCC unroll 3
    for (int y = 0; y < 3; ++y)
#pragma GCC unroll 3
      for (int z = 0; z < last; ++z) {
        S across = w[3 + y];
        One all = across * q + e[1][y];
        if constexpr (D == 3) {
          all = w[6 + z] * all + across * e[D - 1][z];
          across *= w[6 + z];
        }
#pragma GCC unroll 3
        for (int x = 0; x < 3; ++x) {
          S* a = node[place<D>(x, y, z)].a;
          (One::load(a) + w[x] * all + across * e[0][x]).store(a);
        }
      }
    take_out(rows, i);
  }

  // Particles [first, last) of the batch, all in the cell whose first node is at `node`. With an odd number of particles
  // the last register holds one too many, which is taken out: cells of a batch scatter from the last to the first.
  template <class S>
  static void scatter_cell(Node<S>* node, PackRows<3, S>& rows, WideWeights<S>& wide, int first, int last) {
    using P = Wide<S>;
    constexpr int per = P::lanes / 4;  // particles per register
    take_out(rows, last);
    int count = 0;
    for (int p = first; p < last; p += per, ++count) {
      const P q = P::load(rows.q[0][p]);
      P ey[3], ez[3], wy[3], wz[3];
      differences<S>(P::load(rows.q[3][p]), P::load(rows.q[4][p]), ey);
      differences<S>(P::load(rows.q[5][p]), P::load(rows.q[6][p]), ez);
#pragma GCC unroll 3
      for (int k = 0; k < 3; ++k) {
        wy[k] = spread(rows.along[k] + p);
        wz[k] = spread(rows.along[3 + k] + p);
      }
#pragma GCC unroll 3
      for (int y = 0; y < 3; ++y) {
        const P part = kept(wy[y] * q + ey[y]);
#pragma GCC unroll 3
        for (int z = 0; z < 3; ++z) {
          wide.w[count][3 * y + z] = wy[y] * wz[z];
          wide.all[count][3 * y + z] = wz[z] * part + wy[y] * ez[z];
        }
      }
    }
#pragma GCC unroll 3
    for (int x = 0; x < 3; ++x) {
      P a[9];
      for (int k = 0; k < 9; ++k) a[k] = 0;
      for (int r = 0, p = first; r < count; ++r, p += per) {
        P e[3];
        differences<S>(P::load(rows.q[1][p]), P::load(rows.q[2][p]), e);
        const P wx = spread(rows.wx[x] + p);
#pragma GCC unroll 9
        for (int k = 0; k < 9; ++k) a[k] = a[k] + wx * wide.all[r][k] + e[x] * wide.w[r][k];
      }
#pragma GCC unroll 3
      for (int y = 0; y < 3; ++y) add_nodes<S>(node + x * slice + y * arena_side, a[3 * y], a[3 * y + 1], a[3 * y + 2]);
    }
  }

  template <class S>
  static void scatter_cell(Node<S>* node, PackRows<2, S>& rows, WideWeights<S>&, int first, int last) {
    using P = Wide<S>;
    constexpr int per = P::lanes / 4;
    take_out(rows, last);
    P a[9];
    for (int k = 0; k < 9; ++k) a[k] = 0;
    for (int p = first; p < last; p += per) {
      const P q = P::load(rows.q[0][p]);
      P ex[3], ey[3];
      differences<S>(P::load(rows.q[1][p]), P::load(rows.q[2][p]), ex);
      differences<S>(P::load(rows.q[3][p]), P::load(rows.q[4][p]), ey);
#pragma GCC unroll 3
      for (int y = 0; y < 3; ++y) {
        const P wy = spread(rows.wyz[y] + p), all = kept(wy * q + ey[y]);
#pragma GCC unroll 3
        for (int x = 0; x < 3; ++x) a[3 * x + y] = a[3 * x + y] + spread(rows.wx[x] + p) * all + ex[x] * wy;
      }
    }
#pragma GCC unroll 3
    for (int x = 0; x < 3; ++x) add_nodes<S>(node + x * arena_side, a[3 * x], a[3 * x + 1], a[3 * x + 2]);
  }

 private:
  template <int D>
  static constexpr int place(int x, int y, int z) {
    return D == 3 ? x * slice + y * arena_side + z : x * arena_side + y;
  }

  // what the three nodes of an axis get
  template <class S, class V>
  static void differences(V D1, V D2, V* e) {
    e[0] = -D1;
    e[1] = D1 - D2;
    e[2] = D2;
  }

  // the particle in row i gives nothing any more
  template <int D, class S>
  static void take_out(PackRows<D, S>& rows, int i) {
    for (int x = 0; x < 3; ++x) rows.wx[x][i] = 0;
    for (int k = 1; k < 3; ++k) OneNode<S>(S(0)).store(rows.q[k][i]);
  }
};

}  // namespace pliant::grid

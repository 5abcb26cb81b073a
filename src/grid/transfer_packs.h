// The fast path in 3-D: a cell and its nodes. How it goes: pack_rows.h. In the scatter the nodes of a slice of the same
// x stay in registers while all particles of the cell add to them.
#pragma once

#include "grid/pack_rows.h"

namespace pliant::grid {

constexpr int slice = arena_side * arena_side;  // nodes of an arena with the same x

// the products wyz of the particles of one register, each as often as a node has components
template <class S>
struct WideWeights {
  static constexpr int most = Batch<3, S>::stride;
  alignas(64) Wide<S> w[most][9];
  alignas(64) Wide<S> all[most][9];  // APIC: what they give apart from differences along x
};

// velocity and moments of up to one pack of particles from row i, all in the cell whose first node is at `node`
template <class S>
inline void gather_pack(const Node<S>* node, Batch<3, S>& batch, PackRows<3, S>& rows, int i) {
  using P = Wide<S>;
  const P wx0 = P::load(rows.wx[0] + i), wx1 = P::load(rows.wx[1] + i), wx2 = P::load(rows.wx[2] + i);
#pragma GCC unroll 1
  for (int c = 0; c < 3; ++c) {
    P v, bx, by, bz;
#pragma GCC unroll 3
    for (int y = 0; y < 3; ++y) {
      P row;  // sum over x and z
#pragma GCC unroll 3
      for (int z = 0; z < 3; ++z) {
        const Node<S>* n = node + y * arena_side + z;
        const P last = kept(P(n[2 * slice].a[c]) * wx2);
        const P upper = P(n[slice].a[c]) * wx1 + last;
        const P all = P(n[0].a[c]) * wx0 + upper;
        const P w = kept(P::load(rows.wyz[3 * y + z] + i));
        const P part = kept(all * w);
        row = z == 0 ? part : row + part;
        bx = y + z == 0 ? (upper + last) * w : bx + (upper + last) * w;
        if (z > 0) bz = y == 0 && z == 1 ? part : bz + (z == 1 ? part : part + part);
      }
      v = y == 0 ? row : v + row;
      if (y > 0) by = y == 1 ? row : by + (row + row);
    }
    v.store(batch.v[c] + i);
    bx.store(rows.moment[3 * c] + i);
    by.store(rows.moment[3 * c + 1] + i);
    bz.store(rows.moment[3 * c + 2] + i);
  }
}

// One particle that has left its cell: one lane per component of one node or of two, neighbours along z.
template <class S>
inline TwoNodes<S> join(OneNode<S> a, OneNode<S> b) {
  return __builtin_shufflevector(a.v, b.v, 0, 1, 2, 3, 4, 5, 6, 7);
}
template <class S>
inline OneNode<S> first_of(TwoNodes<S> x) {
  return __builtin_shufflevector(x.v, x.v, 0, 1, 2, 3);
}
template <class S>
inline OneNode<S> second_of(TwoNodes<S> x) {
  return __builtin_shufflevector(x.v, x.v, 4, 5, 6, 7);
}

// weights along y and z of the particle in row i
template <class S>
struct StrayWeights {
  TwoNodes<S> low[3];  // by y: z = 0, 1
  OneNode<S> high[3];  // z = 2

  StrayWeights(const PackRows<3, S>& rows, int i) {
#pragma GCC unroll 3
    for (int y = 0; y < 3; ++y) {
      low[y] = join<S>(rows.wyz[3 * y][i], rows.wyz[3 * y + 1][i]);
      high[y] = rows.wyz[3 * y + 2][i];
    }
  }
};

template <class S>
inline OneNode<S> gather_stray(const Node<S>* arena, Batch<3, S>& batch, PackRows<3, S>& rows, int i) {
  using One = OneNode<S>;
  using Two = TwoNodes<S>;
  const StrayWeights<S> w(rows, i);
  const S wx0 = rows.wx[0][i], wx1 = rows.wx[1][i], wx2 = rows.wx[2][i];
  const Node<S>* n = arena + int(rows.index[i]);
  Two v = 0, bx = 0, by = 0;
  One high_v = 0, high_bx = 0, high_by = 0;
#pragma GCC unroll 3
  for (int y = 0; y < 3; ++y, n += arena_side) {
    const Two last = Two::load(n[2 * slice].a) * wx2, upper = Two::load(n[slice].a) * wx1 + last;
    const One high_last = One::load(n[2 * slice + 2].a) * wx2, high_upper = One::load(n[slice + 2].a) * wx1 + high_last;
    const Two part = (Two::load(n[0].a) * wx0 + upper) * w.low[y];
    const One high_part = (One::load(n[2].a) * wx0 + high_upper) * w.high[y];
    v += part;
    by += S(y) * part;
    bx += (upper + last) * w.low[y];
    high_v += high_part;
    high_by += S(y) * high_part;
    high_bx += (high_upper + high_last) * w.high[y];
  }
  const auto sum = [](Two low, One high) { return first_of(low) + second_of(low) + high; };
  const One all = sum(v, high_v), b[3] = {sum(bx, high_bx), sum(by, high_by), second_of(v) + S(2) * high_v};
  for (int c = 0; c < 3; ++c) {
    batch.v[c][i] = all[c];
    for (int d = 0; d < 3; ++d) rows.moment[3 * c + d][i] = b[d][c];
  }
  return all;
}

// one particle that has left its cell; takes it out of the packs
template <class S>
inline void scatter_stray(Node<S>* arena, PackRows<3, S>& rows, int i) {
  using One = OneNode<S>;
  using Two = TwoNodes<S>;
  const StrayWeights<S> w(rows, i);
  const One q = One::load(rows.q[0][i]), qx = One::load(rows.q[1][i]);
  const One qy = One::load(rows.q[2][i]), qz = One::load(rows.q[3][i]);
  const Two low = join<S>(q, q + qz), low_x = join<S>(qx, qx), low_y = join<S>(qy, qy);
  const One high = q + S(2) * qz;
  Node<S>* node = arena + int(rows.index[i]);
#pragma GCC unroll 3
  for (int x = 0; x < 3; ++x) {
    const S wx = rows.wx[x][i];
    Two l = wx * (low + S(x) * low_x);
    One h = wx * (high + S(x) * qx);
    const Two dl = wx * low_y;
    const One dh = wx * qy;
#pragma GCC unroll 3
    for (int y = 0; y < 3; ++y, l += dl, h += dh) {
      Node<S>* n = node + x * slice + y * arena_side;
      (Two::load(n[0].a) + l * w.low[y]).store(n[0].a);
      (One::load(n[2].a) + h * w.high[y]).store(n[2].a);
    }
    rows.wx[x][i] = 0;
  }
}

// Particles [first, last) of the batch, all in the cell whose first node is at `node`. With an odd number of particles
// the last register holds one too many, whose weights become 0: cells of a batch scatter from the last to the first.
template <class S>
inline void scatter_cell(Node<S>* node, PackRows<3, S>& rows, WideWeights<S>& wide, int first, int last) {
  using P = Wide<S>;
  constexpr int per = P::lanes / 4;  // particles per register
  int count = 0;
  for (int p = first; p < last; p += per, ++count)
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) wide.w[count][k] = spread(rows.wyz[k] + p);
  for (int x = 0; x < 3; ++x) rows.wx[x][last] = 0;
#pragma GCC unroll 3
  for (int x = 0; x < 3; ++x) {
    P a[3][3];
    for (int y = 0; y < 3; ++y)
      for (int z = 0; z < 3; ++z) a[y][z] = 0;
    for (int r = 0, p = first; r < count; ++r, p += per) {
      const P* w = wide.w[r];
      const P wx = spread(rows.wx[x] + p);
      P row = P::load(rows.q[0][p]);
      if (x == 1) row = row + P::load(rows.q[1][p]);
      if (x == 2) row = row + S(2) * P::load(rows.q[1][p]);
      row = row * wx;
      const P qy = kept(P::load(rows.q[2][p]) * wx), qz = kept(P::load(rows.q[3][p]) * wx);
#pragma GCC unroll 3
      for (int y = 0; y < 3; ++y) {
        P q = row;
        a[y][0] = a[y][0] + q * w[3 * y];
        q = q + qz;
        a[y][1] = a[y][1] + q * w[3 * y + 1];
        q = q + qz;
        a[y][2] = a[y][2] + q * w[3 * y + 2];
        row = row + qy;
      }
    }
    for (int y = 0; y < 3; ++y) add_nodes<S>(node + x * slice + y * arena_side, a[y][0], a[y][1], a[y][2]);
  }
}

}  // namespace pliant::grid

// The fast path in 2-D: a cell and its nodes. How it goes: pack_rows.h. In the scatter all nine nodes of the cell stay
// in registers while its particles add to them.
#pragma once

#include "grid/pack_rows.h"

namespace pliant::grid {

// velocity and moments of up to one pack of particles from row i, all in the cell whose first node is at `node`
template <class S>
inline void gather_pack(const Node<S>* node, Batch<2, S>& batch, PackRows<2, S>& rows, int i) {
  using P = Wide<S>;
  const P wx0 = P::load(rows.wx[0] + i), wx1 = P::load(rows.wx[1] + i), wx2 = P::load(rows.wx[2] + i);
#pragma GCC unroll 2
  for (int c = 0; c < 2; ++c) {
    P v, bx, by;
#pragma GCC unroll 3
    for (int y = 0; y < 3; ++y) {
      const Node<S>* n = node + y;
      const P last = kept(P(n[2 * arena_side].a[c]) * wx2);
      const P upper = P(n[arena_side].a[c]) * wx1 + last;
      const P all = P(n[0].a[c]) * wx0 + upper;
      const P w = P::load(rows.wyz[y] + i);
      const P part = kept(all * w);
      v = y == 0 ? part : v + part;
      bx = y == 0 ? (upper + last) * w : bx + (upper + last) * w;
      if (y > 0) by = y == 1 ? part : by + (part + part);
    }
    v.store(batch.v[c] + i);
    bx.store(rows.moment[2 * c] + i);
    by.store(rows.moment[2 * c + 1] + i);
  }
}

// one particle that has left its cell: one lane per component of a node
template <class S>
inline OneNode<S> gather_stray(const Node<S>* arena, Batch<2, S>& batch, PackRows<2, S>& rows, int i) {
  using One = OneNode<S>;
  const S wx0 = rows.wx[0][i], wx1 = rows.wx[1][i], wx2 = rows.wx[2][i];
  const Node<S>* n = arena + int(rows.index[i]);
  One v = 0, bx = 0, by = 0;
#pragma GCC unroll 3
  for (int y = 0; y < 3; ++y, ++n) {
    const One last = One::load(n[2 * arena_side].a) * wx2, upper = One::load(n[arena_side].a) * wx1 + last;
    const One part = (One::load(n[0].a) * wx0 + upper) * rows.wyz[y][i];
    v += part;
    by += S(y) * part;
    bx += (upper + last) * rows.wyz[y][i];
  }
  for (int c = 0; c < 2; ++c) {
    batch.v[c][i] = v[c];
    rows.moment[2 * c][i] = bx[c];
    rows.moment[2 * c + 1][i] = by[c];
  }
  return v;
}

// one particle that has left its cell; takes it out of the packs
template <class S>
inline void scatter_stray(Node<S>* arena, PackRows<2, S>& rows, int i) {
  using One = OneNode<S>;
  const One q = One::load(rows.q[0][i]), qx = One::load(rows.q[1][i]), qy = One::load(rows.q[2][i]);
  Node<S>* n = arena + int(rows.index[i]);
#pragma GCC unroll 3
  for (int x = 0; x < 3; ++x, n += arena_side) {
    const S wx = rows.wx[x][i];
    One here = wx * (q + S(x) * qx);
    const One change = wx * qy;
#pragma GCC unroll 3
    for (int y = 0; y < 3; ++y, here += change) (One::load(n[y].a) + here * rows.wyz[y][i]).store(n[y].a);
    rows.wx[x][i] = 0;
  }
}

// Particles [first, last) of the batch, all in the cell whose first node is at `node`. With an odd number of particles
// the last register holds one too many, whose weights become 0: cells of a batch scatter from the last to the first.
template <class S>
inline void scatter_cell(Node<S>* node, PackRows<2, S>& rows, int first, int last) {
  using P = Wide<S>;
  constexpr int per = P::lanes / 4;  // particles per register
  for (int x = 0; x < 3; ++x) rows.wx[x][last] = 0;
  P a[3][3];
#pragma GCC unroll 9
  for (int k = 0; k < 9; ++k) a[k / 3][k % 3] = 0;
  for (int p = first; p < last; p += per) {
    const P wy0 = spread(rows.wyz[0] + p), wy1 = spread(rows.wyz[1] + p), wy2 = spread(rows.wyz[2] + p);
    const P qx = P::load(rows.q[1][p]), qy = P::load(rows.q[2][p]);
    P row = P::load(rows.q[0][p]);
#pragma GCC unroll 3
    for (int x = 0; x < 3; ++x) {
      const P wx = spread(rows.wx[x] + p);
      const P change = kept(qy * wx);
      P here = kept(row * wx);
      a[x][0] = a[x][0] + here * wy0;
      here = here + change;
      a[x][1] = a[x][1] + here * wy1;
      here = here + change;
      a[x][2] = a[x][2] + here * wy2;
      row = row + qx;
    }
  }
#pragma GCC unroll 3
  for (int x = 0; x < 3; ++x) add_nodes<S>(node + x * arena_side, a[x][0], a[x][1], a[x][2]);
}

}  // namespace pliant::grid

// The fast path, 3-D quadratic MLS: many particles of one cell at a time.
//
// Weights are a product over axes: w = wx (wy wz). Gather: one lane per particle, node values broadcast; sums go over x
// first, then over y and z with their products. Scatter: one lane per component (momentum x, y, z, mass) of one or two
// particles; the nodes of a slice of the same x stay in registers while all particles of the cell add to them.
#pragma once

#include "grid/batch.h"
#include "grid/namespace.h"
#include "grid/node.h"
#include "grid/point_transfer.h"

namespace pliant::grid {

constexpr int slice = arena_side * arena_side;  // nodes of an arena with the same x

// rows that the fast path needs beside the batch
template <class S>
struct PackRows {
  static constexpr int stride = Batch<3, S>::stride;
  alignas(64) S index[stride];      // place in the arena of the first node, a whole number
  alignas(64) S home[stride];       // the same of the cell into which the particle was sorted
  alignas(64) S f[3][stride];       // position from that node, in cells
  alignas(64) S wx[3][stride];      // weights along x, of nodes k = 0, 1, 2
  alignas(64) S wyz[9][stride];     // products of weights along y and z, z fastest
  alignas(64) S moment[9][stride];  // sum w v_c k_d, k = 0, 1, 2 the node along axis d
  alignas(64) S q[4][stride][4];    // momentum and mass at the first node; change per node along x, y, z
};

// how far the particles of a block reach into its arena: lowest and highest first node, lane by lane
template <class S>
struct PackReach {
  Wide<S> low[3], high[3];

  void clear() {
    for (int d = 0; d < 3; ++d) {
      low[d] = S(arena_margin);
      high[d] = S(arena_margin);
    }
  }
  bool inside_arena() const {
    Truth<Wide<S>> good = low[0] >= Wide<S>(0);
    for (int d = 0; d < 3; ++d) good = good & (low[d] >= Wide<S>(0)) & (high[d] <= Wide<S>(S(arena_side - 3)));
    return all_of(good);
  }
  // see Grid::set_overhang
  unsigned overhang() const {
    unsigned bits = 0;
    for (int d = 0; d < 3; ++d) {
      if (any_of(low[d] < Wide<S>(S(arena_margin)))) bits |= 1u << (2 * d);
      if (any_of(high[d] >= Wide<S>(S(arena_margin + block_side)))) bits |= 2u << (2 * d);
    }
    return bits;
  }
};

// the products wyz of the particles of one register, each as often as a node has components
template <class S>
struct WideWeights {
  static constexpr int most = Batch<3, S>::stride;
  alignas(64) Wide<S> w[most][9];
};

template <class S>
struct PackStep {
  S dt, h, inv_h;
  S origin[3];  // of the block's arena, in cells
};

template <class S>
inline void quadratic_weights(Wide<S> f, Wide<S>* w) {
  const Wide<S> a = Wide<S>(S(1.5)) - f, b = f - Wide<S>(1), c = f - Wide<S>(S(0.5));
  w[0] = Wide<S>(S(0.5)) * a * a;
  w[1] = S(0.75) - b * b;
  w[2] = S(0.5) * c * c;
}

// where a pack of particles is: first node, position from there in cells
template <class S>
struct PackPlace {
  Wide<S> base[3], f[3];
};

// the pack at row i; also writes its weights and its index into the arena
template <class S>
inline PackPlace<S> locate(Batch<3, S>& batch, PackRows<S>& rows, const PackStep<S>& step, int i) {
  using P = Wide<S>;
  PackPlace<S> p;
  P index = 0, w[9];
#pragma GCC unroll 3
  for (int d = 0; d < 3; ++d) {
    const P y = P::load(batch.x(d) + i) * step.inv_h - P(step.origin[d]);
    p.base[d] = floor(y - P(S(0.5)));
    p.f[d] = y - p.base[d];
    index = index * S(arena_side) + p.base[d];
    quadratic_weights<S>(p.f[d], w + 3 * d);
  }
  index.store(rows.index + i);
#pragma GCC unroll 3
  for (int x = 0; x < 3; ++x) w[x].store(rows.wx[x] + i);
#pragma GCC unroll 9
  for (int k = 0; k < 9; ++k) (w[3 + k / 3] * w[6 + k % 3]).store(rows.wyz[k] + i);
  return p;
}

template <class S>
void locate_for_gather(Batch<3, S>& batch, PackRows<S>& rows, const PackStep<S>& step) {
  using P = Wide<S>;
  for (int i = 0; i < batch.count; i += P::lanes) {
    const PackPlace<S> place = locate(batch, rows, step, i);
#pragma GCC unroll 3
    for (int d = 0; d < 3; ++d) place.f[d].store(rows.f[d] + i);
  }
}

// which of the first `count` particles are not in the cell that they were sorted into: bit i is row i
template <class S>
inline std::uint32_t strays(const PackRows<S>& rows, int count) {
  using P = Wide<S>;
  static_assert(Batch<3, S>::capacity == 32);
  std::uint32_t out = 0;
  for (int i = 0; i < count; i += P::lanes) {
    const std::uint32_t inside = bits_of(P::load(rows.index + i) == P::load(rows.home + i));
    out |= (inside ^ ((1u << P::lanes) - 1)) << i;
  }
  return out & ~std::uint32_t(0) >> (32 - count);
}

// velocity and moments of up to one pack of particles from row i, all in the cell whose first node is at `node`
template <class S>
inline void gather_pack(const Node<S>* node, Batch<3, S>& batch, PackRows<S>& rows, int i) {
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
using OneNode = Pack<S, 4>;
template <class S>
using TwoNodes = Pack<S, 8>;

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

  StrayWeights(const PackRows<S>& rows, int i) {
#pragma GCC unroll 3
    for (int y = 0; y < 3; ++y) {
      low[y] = join<S>(rows.wyz[3 * y][i], rows.wyz[3 * y + 1][i]);
      high[y] = rows.wyz[3 * y + 2][i];
    }
  }
};

template <class S>
inline void gather_stray(const Node<S>* arena, Batch<3, S>& batch, PackRows<S>& rows, int i) {
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
}

// C = 4/h^2 sum w v (xi - xp)^T from the moments
template <class S>
void moments_to_affine(Batch<3, S>& batch, const PackRows<S>& rows, const PackStep<S>& step) {
  using P = Wide<S>;
  const P scale = 4 * step.inv_h;
  for (int i = 0; i < batch.count; i += P::lanes)
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) {
      const P v = P::load(batch.v[c] + i);
#pragma GCC unroll 3
      for (int d = 0; d < 3; ++d)
        (scale * (P::load(rows.moment[3 * c + d] + i) - P::load(rows.f[d] + i) * v)).store(batch.affine[3 * c + d] + i);
    }
}

// the numbers at p (and p + 1 if a register holds two particles), four times each
template <class S>
inline Wide<S> spread(const S* p) {
  if constexpr (Wide<S>::lanes == 8) {
    std::int64_t both;
    std::memcpy(&both, p, 8);
    const auto pairs = (typename Wide<S>::Vector)(both - VectorOf<std::int64_t, 4>::type{});
    return __builtin_shufflevector(pairs, pairs, 0, 0, 0, 0, 5, 5, 5, 5);
  } else {
    return Wide<S>(*p);
  }
}

// out[l] = lane l of a, b, c, d
template <class S>
inline void zip(Wide<S> a, Wide<S> b, Wide<S> c, Wide<S> d, S (*out)[4]) {
  if constexpr (Wide<S>::lanes == 8) {
    const auto ab0 = __builtin_shufflevector(a.v, b.v, 0, 8, 1, 9, 4, 12, 5, 13);
    const auto ab1 = __builtin_shufflevector(a.v, b.v, 2, 10, 3, 11, 6, 14, 7, 15);
    const auto cd0 = __builtin_shufflevector(c.v, d.v, 0, 8, 1, 9, 4, 12, 5, 13);
    const auto cd1 = __builtin_shufflevector(c.v, d.v, 2, 10, 3, 11, 6, 14, 7, 15);
    const auto t0 = __builtin_shufflevector(ab0, cd0, 0, 1, 8, 9, 4, 5, 12, 13);
    const auto t1 = __builtin_shufflevector(ab0, cd0, 2, 3, 10, 11, 6, 7, 14, 15);
    const auto t2 = __builtin_shufflevector(ab1, cd1, 0, 1, 8, 9, 4, 5, 12, 13);
    const auto t3 = __builtin_shufflevector(ab1, cd1, 2, 3, 10, 11, 6, 7, 14, 15);
    Wide<S>(__builtin_shufflevector(t0, t1, 0, 1, 2, 3, 8, 9, 10, 11)).store(out[0]);
    Wide<S>(__builtin_shufflevector(t2, t3, 0, 1, 2, 3, 8, 9, 10, 11)).store(out[2]);
    Wide<S>(__builtin_shufflevector(t0, t1, 4, 5, 6, 7, 12, 13, 14, 15)).store(out[4]);
    Wide<S>(__builtin_shufflevector(t2, t3, 4, 5, 6, 7, 12, 13, 14, 15)).store(out[6]);
  } else {
    const auto ab0 = __builtin_shufflevector(a.v, b.v, 0, 4, 2, 6), ab1 = __builtin_shufflevector(a.v, b.v, 1, 5, 3, 7);
    const auto cd0 = __builtin_shufflevector(c.v, d.v, 0, 4, 2, 6), cd1 = __builtin_shufflevector(c.v, d.v, 1, 5, 3, 7);
    Wide<S>(__builtin_shufflevector(ab0, cd0, 0, 1, 4, 5)).store(out[0]);
    Wide<S>(__builtin_shufflevector(ab1, cd1, 0, 1, 4, 5)).store(out[1]);
    Wide<S>(__builtin_shufflevector(ab0, cd0, 2, 3, 6, 7)).store(out[2]);
    Wide<S>(__builtin_shufflevector(ab1, cd1, 2, 3, 6, 7)).store(out[3]);
  }
}

// what each particle adds to its nodes: w (q + k_x qx + k_y qy + k_z qz), k = 0, 1, 2; false: somebody has left the
// arena
template <class S>
bool prepare_scatter(Batch<3, S>& batch, PackRows<S>& rows, const PackStep<S>& step, PackReach<S>& reach) {
  using P = Wide<S>;
  Truth<P> finite = P(0) < P(1);
  for (int i = 0; i < batch.count; i += P::lanes) {
    const PackPlace<S> place = locate(batch, rows, step, i);
#pragma GCC unroll 3
    for (int d = 0; d < 3; ++d) {
      reach.low[d] = min(reach.low[d], place.base[d]);
      reach.high[d] = max(reach.high[d], place.base[d]);
      finite = finite & (place.base[d] == place.base[d]);
    }
    const P m = P::load(batch.mass() + i);
    const P stress_scale = 4 * step.inv_h;
    Matrix<P, 3> A;
    P q[3];
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) {
      q[c] = m * P::load(batch.v[c] + i);
#pragma GCC unroll 3
      for (int d = 0; d < 3; ++d) {
        A(c, d) =
            (m * step.h) * P::load(batch.affine[3 * c + d] + i) - stress_scale * P::load(batch.impulse[3 * c + d] + i);
        q[c] = q[c] - A(c, d) * place.f[d];
      }
    }
    zip<S>(q[0], q[1], q[2], m, rows.q[0] + i);
    for (int d = 0; d < 3; ++d) zip<S>(A(0, d), A(1, d), A(2, d), P(0), rows.q[1 + d] + i);
  }
  return all_of(finite) && reach.inside_arena();
}

// one particle that has left its cell; takes it out of the packs
template <class S>
inline void scatter_stray(Node<S>* arena, PackRows<S>& rows, int i) {
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

// adds three neighbouring nodes that were summed over one or two particles per register
template <class S>
inline void add_nodes(Node<S>* node, Wide<S> a, Wide<S> b, Wide<S> c) {
  using P = Wide<S>;
  if constexpr (P::lanes == 8) {
    const P ab = P(__builtin_shufflevector(a.v, b.v, 0, 1, 2, 3, 8, 9, 10, 11)) +
                 P(__builtin_shufflevector(a.v, b.v, 4, 5, 6, 7, 12, 13, 14, 15));
    (P::load(node[0].a) + ab).store(node[0].a);
    using Half = typename VectorOf<S, 4>::type;
    Half low, high, old;
    std::memcpy(&low, &c.v, 16);
    std::memcpy(&high, reinterpret_cast<const char*>(&c.v) + 16, 16);
    std::memcpy(&old, node[2].a, 16);
    old += low + high;
    std::memcpy(node[2].a, &old, 16);
  } else {
    (P::load(node[0].a) + a).store(node[0].a);
    (P::load(node[1].a) + b).store(node[1].a);
    (P::load(node[2].a) + c).store(node[2].a);
  }
}

// Particles [first, last) of the batch, all in the cell whose first node is at `node`. With an odd number of particles
// the last register holds one too many, whose weights become 0: cells of a batch scatter from the last to the first.
template <class S>
inline void scatter_cell(Node<S>* node, PackRows<S>& rows, WideWeights<S>& wide, int first, int last) {
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

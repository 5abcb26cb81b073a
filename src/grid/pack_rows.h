// The fast path, quadratic MLS and APIC: many particles of one cell at a time. What both, and 2-D and 3-D, share: rows beside
// those of the batch, and whatever goes lane by lane over them. The nodes themselves: transfer_packs_2d.h and transfer_packs.h
// (MLS), apic_packs.h. Which transfer it is says a policy, MlsPacks (mls_packs.h) or ApicPacks.
//
// Weights are a product over axes: w = wx (wy wz). Gather: one lane per particle, node values broadcast; sums go over x
// first, then over y and z with their products. Scatter: one lane per component (momentum x, y, z, mass) of one or two
// particles.
#pragma once

#include "grid/batch.h"
#include "grid/layout.h"
#include "grid/namespace.h"
#include "grid/node.h"

namespace pliant::grid {

// rows that the fast path needs beside the batch
template <int D, class S>
struct PackRows {
  static constexpr int stride = Batch<D, S>::stride;
  static constexpr int others = D == 2 ? 3 : 9;  // nodes with the same x
  alignas(64) S index[stride];                   // place in the arena of the first node, a whole number
  alignas(64) S home[stride];                    // the same of the cell into which the particle was sorted
  alignas(64) S f[D][stride];                    // position from that node, in cells
  alignas(64) S wx[3][stride];                   // weights along x, of nodes k = 0, 1, 2
  alignas(64) S wyz[others][stride];             // products of weights along y and z, z fastest; in 2-D those along y
  alignas(64) S moment[D * D][stride];           // sum w v_c k_d, k = 0, 1, 2 the node along axis d
  // what a particle gives. MLS: momentum and mass at the first node; change per node along each axis. APIC: see apic_packs.h.
  alignas(64) S q[2 * D + 1][stride][4];
  alignas(64) S along[D == 2 ? 1 : 6][stride];  // APIC in 3-D: weights along y, then those along z
};

// how far the particles of a block reach into its arena: lowest and highest first node, lane by lane
template <int D, class S, class P = Wide<S>>
struct PackReach {
  P low[D], high[D];

  void clear() {
    for (int d = 0; d < D; ++d) {
      low[d] = S(arena_margin);
      high[d] = S(arena_margin);
    }
  }
  bool inside_arena() const {
    Truth<P> good = low[0] >= P(0);
    for (int d = 0; d < D; ++d) good = good & (low[d] >= P(0)) & (high[d] <= P(S(arena_side - 3)));
    return all_of(good);
  }
  // see Grid::take
  unsigned overhang() const {
    unsigned bits = 0;
    for (int d = 0; d < D; ++d) {
      if (any_of(low[d] < P(S(arena_margin)))) bits |= 1u << (2 * d);
      if (any_of(high[d] >= P(S(arena_margin + block_side)))) bits |= 2u << (2 * d);
    }
    return bits;
  }
};

template <class S>
inline void quadratic_weights(Wide<S> f, Wide<S>* w) {
  const Wide<S> a = Wide<S>(S(1.5)) - f, b = f - Wide<S>(1), c = f - Wide<S>(S(0.5));
  w[0] = Wide<S>(S(0.5)) * a * a;
  w[1] = S(0.75) - b * b;
  w[2] = S(0.5) * c * c;
}

template <int D, class S>
struct PackStep {
  S dt, h, inv_h;
  S origin[D];                // of the block's arena, in cells
  bool stress_alone = false;  // masses and momenta are left out
};

// where a pack of particles is: first node, position from there in cells
template <int D, class S>
struct PackPlace {
  Wide<S> base[D], f[D];
};

// weights of the pack at row i, axis by axis: along the first as they are, of the others their products
template <int D, class S, class P>
inline void store_weights(const P* w, PackRows<D, S>& rows, int i) {
#pragma GCC unroll 3
  for (int x = 0; x < 3; ++x) w[x].store(rows.wx[x] + i);
#pragma GCC unroll 9
  for (int k = 0; k < rows.others; ++k) {
    if constexpr (D == 2)
      w[3 + k].store(rows.wyz[k] + i);
    else
      (w[3 + k / 3] * w[6 + k % 3]).store(rows.wyz[k] + i);
  }
}

// the pack at row i; also writes its weights and its index into the arena
template <int D, class S>
inline PackPlace<D, S> locate(Batch<D, S>& batch, PackRows<D, S>& rows, const PackStep<D, S>& step, int i) {
  using P = Wide<S>;
  PackPlace<D, S> p;
  P index = 0, w[3 * D];
#pragma GCC unroll 3
  for (int d = 0; d < D; ++d) {
    const P y = P::load(batch.x(d) + i) * step.inv_h - P(step.origin[d]);
    p.base[d] = floor(y - P(S(0.5)));
    p.f[d] = y - p.base[d];
    index = index * S(arena_side) + p.base[d];
    quadratic_weights<S>(p.f[d], w + 3 * d);
  }
  index.store(rows.index + i);
  store_weights(w, rows, i);
  return p;
}

template <int D, class S>
void locate_for_gather(Batch<D, S>& batch, PackRows<D, S>& rows, const PackStep<D, S>& step) {
  using P = Wide<S>;
  for (int i = 0; i < batch.count; i += P::lanes) {
    const PackPlace<D, S> place = locate(batch, rows, step, i);
#pragma GCC unroll 3
    for (int d = 0; d < D; ++d) place.f[d].store(rows.f[d] + i);
  }
}

// which of the first `count` particles are not in the cell that they were sorted into: bit i is row i
template <int D, class S>
inline std::uint32_t strays(const PackRows<D, S>& rows, int count) {
  using P = Wide<S>;
  static_assert(Batch<D, S>::capacity == 32);
  std::uint32_t out = 0;
  for (int i = 0; i < count; i += P::lanes) {
    const std::uint32_t inside = bits_of(P::load(rows.index + i) == P::load(rows.home + i));
    out |= (inside ^ ((1u << P::lanes) - 1)) << i;
  }
  return out & ~std::uint32_t(0) >> (32 - count);
}

// a node, and two neighbours along the last axis: one lane per component
template <class S>
using OneNode = Pack<S, 4>;
template <class S>
using TwoNodes = Pack<S, 8>;

// C = 4/h^2 sum w v (xi - xp)^T from the moments
template <int D, class S>
void moments_to_affine(Batch<D, S>& batch, const PackRows<D, S>& rows, const PackStep<D, S>& step) {
  using P = Wide<S>;
  const P scale = 4 * step.inv_h;
  for (int i = 0; i < batch.count; i += P::lanes)
#pragma GCC unroll 3
    for (int c = 0; c < D; ++c) {
      const P v = P::load(batch.v[c] + i);
#pragma GCC unroll 3
      for (int d = 0; d < D; ++d)
        (scale * (P::load(rows.moment[D * c + d] + i) - P::load(rows.f[d] + i) * v)).store(batch.affine[D * c + d] + i);
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

// the rows of what particles give to their nodes, by transfer; false: somebody has left the arena
template <class Packs, int D, class S>
bool prepare_scatter(Batch<D, S>& batch, PackRows<D, S>& rows, const PackStep<D, S>& step, PackReach<D, S>& reach) {
  using P = Wide<S>;
  Truth<P> finite = P(0) < P(1);
  for (int i = 0; i < batch.count; i += P::lanes) {
    const PackPlace<D, S> place = locate(batch, rows, step, i);
#pragma GCC unroll 3
    for (int d = 0; d < D; ++d) {
      reach.low[d] = min(reach.low[d], place.base[d]);
      reach.high[d] = max(reach.high[d], place.base[d]);
      finite = finite & (place.base[d] == place.base[d]);
    }
    Packs::fill_rows(batch, rows, step, place, i);
  }
  return all_of(finite) && reach.inside_arena();
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

}  // namespace pliant::grid

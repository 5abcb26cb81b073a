// What scatter_cell of grid/transfer_packs.h does, with twice as many particles per register where there are registers for
// it. Sums come in another order, so this is not for steps.
#pragma once

#include "gradient/namespace.h"
#include "grid/transfer_packs.h"
#include "grid/transfer_packs_2d.h"

namespace pliant::gradient {

// the four numbers at p, four times each
inline Pack<float, 16> spread_four(const float* p) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  const auto all = (Pack<float, 16>::Vector)_mm512_maskz_broadcast_f32x4(0xffff, _mm_loadu_ps(p));
  return __builtin_shufflevector(all, all, 0, 0, 0, 0, 5, 5, 5, 5, 10, 10, 10, 10, 15, 15, 15, 15);
#else
  Pack<float, 16> x;
  for (int k = 0; k < 16; ++k) x.set(k, p[k / 4]);
  return x;
#endif
}

// adds to three neighbouring nodes what four particles per register gave, in pairs; the fourth stays as it is
inline void add_nodes(Node<float>* node, Pack<float, 16> a, Pack<float, 16> b, Pack<float, 16> c) {
  using P = Pack<float, 16>;
  const P none = 0.0f;
  const auto halves = [](P x, P y) -> P {
    const P even = __builtin_shufflevector(x.v, y.v, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
    const P odd = __builtin_shufflevector(x.v, y.v, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    return even + odd;
  };
  (P::load(node[0].a) + halves(halves(a, b), halves(c, none))).store(node[0].a);
}

// Particles [first, last), as scatter_cell has them; the last register holds up to three too many.
inline void scatter_cell_back(Node<float>* node, PackRows<3, float>& rows, int first, int last) {
  using P = Pack<float, 16>;
  constexpr int per = 4, most = Batch<3, float>::capacity / per;
  P wide[most][9];
  int count = 0;
  for (int p = first; p < last; p += per, ++count)
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) wide[count][k] = spread_four(rows.wyz[k] + p);
  for (int x = 0; x < 3; ++x)
    for (int p = last; p < first + per * count; ++p) rows.wx[x][p] = 0;
#pragma GCC unroll 3
  for (int x = 0; x < 3; ++x) {
    P a[3][3];
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) a[k / 3][k % 3] = 0;
    for (int r = 0, p = first; r < count; ++r, p += per) {
      const P* w = wide[r];
      const P wx = spread_four(rows.wx[x] + p);
      P row = P::load(rows.q[0][p]);
      if (x > 0) row = row + float(x) * P::load(rows.q[1][p]);
      row = row * wx;
      const P qy = P::load(rows.q[2][p]) * wx, qz = P::load(rows.q[3][p]) * wx;
#pragma GCC unroll 3
      for (int y = 0; y < 3; ++y) {
        const P second = row + qz, third = second + qz;
        a[y][0] = a[y][0] + row * w[3 * y];
        a[y][1] = a[y][1] + second * w[3 * y + 1];
        a[y][2] = a[y][2] + third * w[3 * y + 2];
        row = row + qy;
      }
    }
#pragma GCC unroll 3
    for (int y = 0; y < 3; ++y) add_nodes(node + x * slice + y * arena_side, a[y][0], a[y][1], a[y][2]);
  }
}

}  // namespace pliant::gradient

#include "grid/batch.h"

#include <algorithm>

namespace pliant::grid {
namespace {

// Rows of a square of numbers become columns. The last of the first `filled` rows stands for those after it; only the
// columns from Skip up to `wanted` are written.
template <int FromStride, int ToStride, int Skip = 0>
inline void transpose_square(const float* from, float* to, int filled, int wanted) {
  using V = VectorOf<float, 8>::type;
  V r[8], t[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) std::memcpy(&r[i], from + std::min(i, filled - 1) * FromStride, sizeof(V));
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    t[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    t[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4)
#pragma GCC unroll 2
    for (int k = 0; k < 2; ++k) {
      r[i + 2 * k] = __builtin_shufflevector(t[i + k], t[i + 2 + k], 0, 1, 8, 9, 4, 5, 12, 13);
      r[i + 2 * k + 1] = __builtin_shufflevector(t[i + k], t[i + 2 + k], 2, 3, 10, 11, 6, 7, 14, 15);
    }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    t[i] = __builtin_shufflevector(r[i], r[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    t[i + 4] = __builtin_shufflevector(r[i], r[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
#pragma GCC unroll 8
  for (int i = Skip; i < 8; ++i)
    if (i < wanted) std::memcpy(to + i * ToStride, &t[i], sizeof(V));
}

template <int FromStride, int ToStride, int Skip = 0>
inline void transpose_square(const double* from, double* to, int filled, int wanted) {
  using V = VectorOf<double, 4>::type;
  V r[4], t[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) std::memcpy(&r[i], from + std::min(i, filled - 1) * FromStride, sizeof(V));
#pragma GCC unroll 2
  for (int i = 0; i < 4; i += 2) {
    t[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 4, 2, 6);
    t[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 1, 5, 3, 7);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    r[i] = __builtin_shufflevector(t[i], t[i + 2], 0, 1, 4, 5);
    r[i + 2] = __builtin_shufflevector(t[i], t[i + 2], 2, 3, 6, 7);
  }
#pragma GCC unroll 4
  for (int i = Skip; i < 4; ++i)
    if (i < wanted) std::memcpy(to + i * ToStride, &r[i], sizeof(V));
}

// the same with sixteen: first within quarters of the rows, then these among each other
template <int FromStride, int ToStride>
inline void transpose_sixteen(const float* from, float* to, int filled, int wanted) {
  using V = VectorOf<float, 16>::type;
  V r[16], t[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) std::memcpy(&r[i], from + std::min(i, filled - 1) * FromStride, sizeof(V));
#pragma GCC unroll 8
  for (int i = 0; i < 16; i += 2) {
    t[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
    t[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4)
#pragma GCC unroll 2
    for (int k = 0; k < 2; ++k) {
      const V a = t[i + k], b = t[i + 2 + k];
      r[i + 2 * k] = __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
      r[i + 2 * k + 1] = __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
    }
  const auto low = [](V a, V b) {
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
  };
  const auto high = [](V a, V b) {
    return __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
  };
  const auto even = [](V a, V b) {
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
  };
  const auto odd = [](V a, V b) {
    return __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
  };
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    const V a = low(r[k], r[4 + k]), b = low(r[8 + k], r[12 + k]), c = high(r[k], r[4 + k]),
            d = high(r[8 + k], r[12 + k]);
    t[k] = even(a, b);
    t[4 + k] = odd(a, b);
    t[8 + k] = even(c, d);
    t[12 + k] = odd(c, d);
  }
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i)
    if (i < wanted) std::memcpy(to + i * ToStride, &t[i], sizeof(V));
}

// whether a record fills a register
template <int Words, class S>
constexpr bool goes_by_sixteen = Words == 16 && Broad<S>::lanes == 16;

// the rows beyond the last particle repeat it, so that packs past the end hold harmless numbers
template <class S, int Stride>
void pad(S (*rows)[Stride], int row_count, int count) {
  for (int k = 0; k < row_count; ++k)
    for (int i = count; i < count + Wide<S>::lanes; ++i) rows[k][i] = rows[k][count - 1];
}

// up to a pack of records and their rows; where squares do not fill a record, the last one overlaps the one before
template <int Words, class S, int Stride>
inline void pack_to_rows(const S* records, S (*rows)[Stride], int i, int filled) {
  constexpr int L = Wide<S>::lanes, rest = Words % L;
  const S* from = records + i * Words;
  for (int k = 0; k + L <= Words; k += L) transpose_square<Words, Stride>(from + k, rows[k] + i, filled, L);
  if constexpr (rest > 0) transpose_square<Words, Stride, L - rest>(from + Words - L, rows[Words - L] + i, filled, L);
}

template <int Words, class S, int Stride>
inline void pack_to_records(const S (*rows)[Stride], S* records, int i, int wanted) {
  constexpr int L = Wide<S>::lanes, rest = Words % L;
  S* to = records + i * Words;
  for (int k = 0; k + L <= Words; k += L) transpose_square<Stride, Words>(rows[k] + i, to + k, L, wanted);
  if constexpr (rest > 0) transpose_square<Stride, Words>(rows[Words - L] + i, to + Words - L, L, wanted);
}

// the rows beyond the last particle repeat it, so that packs past the end hold harmless numbers
template <int Words, class S, int Stride>
void records_to_rows(const S* records, int count, S (*rows)[Stride]) {
  constexpr int L = Wide<S>::lanes;
  int i = 0;
  if constexpr (goes_by_sixteen<Words, S>)
    for (; i + L < count; i += 16)
      transpose_sixteen<16, Stride>(records + i * 16, rows[0] + i, std::min(16, count - i), 16);
  for (; i + L <= count; i += L) pack_to_rows<Words>(records, rows, i, L);
  if (i < count) pack_to_rows<Words>(records, rows, i, count - i);
}

template <int Words, class S, int Stride>
void rows_to_records(const S (*rows)[Stride], int count, S* records) {
  constexpr int L = Wide<S>::lanes;
  int i = 0;
  if constexpr (goes_by_sixteen<Words, S>)
    for (; i + L < count; i += 16)
      transpose_sixteen<Stride, 16>(rows[0] + i, records + i * 16, 16, std::min(16, count - i));
  for (; i + L <= count; i += L) pack_to_records<Words>(rows, records, i, L);
  if (i < count) pack_to_records<Words>(rows, records, i, count - i);
}

}  // namespace

// ids travel through the rows as bits: moved, never computed with
template <int D, class S>
void Batch<D, S>::load(const Point<D, S>* points, int number) {
  count = number;
  records_to_rows<words>(reinterpret_cast<const S*>(points), count, word);
}

template <int D, class S>
void Batch<D, S>::store(Point<D, S>* points) const {
  rows_to_records<words>(word, count, reinterpret_cast<S*>(points));
}

template <int D, class S>
void Batch<D, S>::load_shifts(const ParticleVelocity<D, S>* velocities) {
  for (int i = 0; i < count; ++i) {
    for (int d = 0; d < D; ++d) shift[d][i] = velocities[i].v[d];
    for (int k = 0; k < D * D; ++k) strain[k][i] = velocities[i].C[k];
  }
  pad(shift, D, count);
  pad(strain, D * D, count);
}

template <int D, class S>
void Batch<D, S>::store_shifts(ParticleVelocity<D, S>* velocities) const {
  for (int i = 0; i < count; ++i) {
    for (int d = 0; d < D; ++d) velocities[i].v[d] = shift[d][i];
    for (int k = 0; k < D * D; ++k) velocities[i].C[k] = strain[k][i];
  }
}

template <int D, class S>
void Batch<D, S>::pad_velocities() {
  pad(v, D, count);
  pad(affine, D * D, count);
  pad(gradient, D * D, count);
}

template <int D, class S>
void Batch<D, S>::load(const ParticleVelocity<D, S>* velocities) {
  for (int i = 0; i < count; ++i) {
    for (int d = 0; d < D; ++d) v[d][i] = velocities[i].v[d];
    for (int k = 0; k < D * D; ++k) affine[k][i] = velocities[i].C[k];
  }
  pad(v, D, count);
  pad(affine, D * D, count);
}

template <int D, class S>
void Batch<D, S>::store(ParticleVelocity<D, S>* velocities) const {
  for (int i = 0; i < count; ++i) {
    for (int d = 0; d < D; ++d) velocities[i].v[d] = v[d][i];
    for (int k = 0; k < D * D; ++k) velocities[i].C[k] = affine[k][i];
  }
}

template struct Batch<2, float>;
template struct Batch<2, double>;
template struct Batch<3, float>;
template struct Batch<3, double>;

}  // namespace pliant::grid

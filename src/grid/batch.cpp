#include "grid/batch.h"

namespace pliant {
namespace {

// 8 rows of 8 floats <-> 8 columns
inline void transpose8(const float* from, std::size_t from_stride, float* to, std::size_t to_stride) {
  using V = VectorOf<float, 8>::type;
  V r[8], t[8];
  for (int i = 0; i < 8; ++i) std::memcpy(&r[i], from + i * from_stride, sizeof(V));
  for (int i = 0; i < 8; i += 2) {
    t[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    t[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < 8; i += 4)
    for (int k = 0; k < 2; ++k) {
      r[i + 2 * k] = __builtin_shufflevector(t[i + k], t[i + 2 + k], 0, 1, 8, 9, 4, 5, 12, 13);
      r[i + 2 * k + 1] = __builtin_shufflevector(t[i + k], t[i + 2 + k], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int i = 0; i < 4; ++i) {
    const V low = __builtin_shufflevector(r[i], r[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    const V high = __builtin_shufflevector(r[i], r[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    std::memcpy(to + i * to_stride, &low, sizeof(V));
    std::memcpy(to + (i + 4) * to_stride, &high, sizeof(V));
  }
}

// 4 rows of 4 doubles <-> 4 columns
inline void transpose4(const double* from, std::size_t from_stride, double* to, std::size_t to_stride) {
  using V = VectorOf<double, 4>::type;
  V r[4], t[4];
  for (int i = 0; i < 4; ++i) std::memcpy(&r[i], from + i * from_stride, sizeof(V));
  for (int i = 0; i < 4; i += 2) {
    t[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 4, 2, 6);
    t[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 1, 5, 3, 7);
  }
  for (int i = 0; i < 2; ++i) {
    const V low = __builtin_shufflevector(t[i], t[i + 2], 0, 1, 4, 5);
    const V high = __builtin_shufflevector(t[i], t[i + 2], 2, 3, 6, 7);
    std::memcpy(to + i * to_stride, &low, sizeof(V));
    std::memcpy(to + (i + 2) * to_stride, &high, sizeof(V));
  }
}

// a square of L x L numbers
template <class S>
inline void transpose_square(const S* from, std::size_t from_stride, S* to, std::size_t to_stride) {
  if constexpr (sizeof(S) == 4)
    transpose8(from, from_stride, to, to_stride);
  else
    transpose4(from, from_stride, to, to_stride);
}

// the rows beyond the last particle repeat it, so that packs past the end hold harmless numbers
template <class S, int Stride>
void pad(S (*rows)[Stride], int row_count, int count) {
  for (int k = 0; k < row_count; ++k)
    for (int i = count; i < count + Wide<S>::lanes; ++i) rows[k][i] = rows[k][count - 1];
}

template <class S, int Stride>
void records_to_rows(const S* records, int words, int count, S (*rows)[Stride]) {
  constexpr int L = Wide<S>::lanes;
  int i = 0;
  if (words % L == 0)
    for (; i + L <= count; i += L)
      for (int k = 0; k < words; k += L) transpose_square(records + i * words + k, words, rows[k] + i, Stride);
  for (; i < count; ++i)
    for (int k = 0; k < words; ++k) rows[k][i] = records[i * words + k];
  pad(rows, words, count);
}

template <class S, int Stride>
void rows_to_records(const S (*rows)[Stride], int words, int count, S* records) {
  constexpr int L = Wide<S>::lanes;
  int i = 0;
  if (words % L == 0)
    for (; i + L <= count; i += L)
      for (int k = 0; k < words; k += L) transpose_square(rows[k] + i, Stride, records + i * words + k, words);
  for (; i < count; ++i)
    for (int k = 0; k < words; ++k) records[i * words + k] = rows[k][i];
}

}  // namespace

// ids travel through the rows as bits: moved, never computed with
template <int D, class S>
void Batch<D, S>::load(const Point<D, S>* points, int number) {
  count = number;
  records_to_rows(reinterpret_cast<const S*>(points), words, count, word);
}

template <int D, class S>
void Batch<D, S>::store(Point<D, S>* points) const {
  rows_to_records(word, words, count, reinterpret_cast<S*>(points));
}

template <int D, class S>
void Batch<D, S>::load(const Motion<D, S>* motions) {
  for (int i = 0; i < count; ++i) {
    for (int d = 0; d < D; ++d) v[d][i] = motions[i].v[d];
    for (int k = 0; k < D * D; ++k) affine[k][i] = motions[i].C[k];
  }
  pad(v, D, count);
  pad(affine, D * D, count);
}

template <int D, class S>
void Batch<D, S>::store(Motion<D, S>* motions) const {
  for (int i = 0; i < count; ++i) {
    for (int d = 0; d < D; ++d) motions[i].v[d] = v[d][i];
    for (int k = 0; k < D * D; ++k) motions[i].C[k] = affine[k][i];
  }
}

template struct Batch<2, float>;
template struct Batch<2, double>;
template struct Batch<3, float>;
template struct Batch<3, double>;

}  // namespace pliant

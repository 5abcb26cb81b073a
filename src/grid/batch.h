// A batch: a few dozen particles of one block, turned from records into rows of numbers, small enough for the first
// cache.
#pragma once

#include "core/small.h"
#include "grid/namespace.h"
#include "grid/particles.h"

#include <bit>

namespace pliant::grid {

template <int D, class S>
struct Batch {
  using P = Wide<S>;
  static constexpr int lanes = P::lanes;
  static constexpr int capacity = 32;
  static constexpr int stride = capacity + Broad<S>::lanes;  // a row may be read and written one pack past its end
  static constexpr int words = int(sizeof(Point<D, S>) / sizeof(S));

  int count = 0;
  alignas(64) S word[words][stride];      // the members of Point, in their order
  alignas(64) S v[D][stride];             // velocity
  alignas(64) S affine[D * D][stride];    // C
  alignas(64) S gradient[D * D][stride];  // grad v, where it is not C
  alignas(64) S impulse[D * D][stride];   // dt V tau
  // since the particles last moved, in passes that strain: way, m, and its gradient
  alignas(64) S shift[D][stride];
  alignas(64) S strain[D * D][stride];

  S* x(int d) { return word[d]; }
  S* F(int i) { return word[D + i]; }
  S* plastic() { return word[D + D * D]; }
  S* mass() { return word[D + D * D + 1]; }
  S* volume() { return word[D + D * D + 2]; }
  std::size_t id(int i) const { return std::size_t(std::bit_cast<IdOf<S>>(word[words - 1][i])); }

  // records -> rows and back; loading points sets the count
  void load(const Point<D, S>* points, int number);
  void store(Point<D, S>* points) const;
  void load(const ParticleVelocity<D, S>* velocities);
  void store(ParticleVelocity<D, S>* velocities) const;
  // shift and strain, kept in place of the velocities
  void load_shifts(const ParticleVelocity<D, S>* velocities);
  void store_shifts(ParticleVelocity<D, S>* velocities) const;
  // repeats the velocities of the last particle past the end, so that whole packs hold harmless numbers
  void pad_velocities();
};

// rows -> pack matrix and back
template <class P, int N, int Stride>
inline Matrix<P, N> load_matrix(const Scalar<P> (*rows)[Stride], int i) {
  Matrix<P, N> m;
#pragma GCC unroll 9
  for (int k = 0; k < N * N; ++k) m.a[k] = P::load(rows[k] + i);
  return m;
}
template <int N, class S, int Stride>
inline Matrix<Wide<S>, N> load_matrix(const S (*rows)[Stride], int i) {
  return load_matrix<Wide<S>, N>(rows, i);
}
template <int N, class P, int Stride>
inline void store_matrix(const Matrix<P, N>& m, Scalar<P> (*rows)[Stride], int i) {
#pragma GCC unroll 9
  for (int k = 0; k < N * N; ++k) m.a[k].store(rows[k] + i);
}

}  // namespace pliant::grid

// Matter without shape: of F only the volume stays.
#pragma once

#include "core/decompose.h"
#include "core/small.h"
#include "material/namespace.h"

namespace pliant::material {

// what is kept of a particle whose volume ratio is at or below 0, so that F can be inverted
template <class S>
inline constexpr S least_volume = S(1e-6);

// one step of Halley's method towards the cube root of J; the number of right digits triples
template <class T>
inline T nearer_cube_root(const T& x, const T& J) {
  const T cube = x * x * x;
  return x - x * (cube - J) / (cube + cube + J);
}

// J^(1/3) for J > 0, rounded nearly correctly: it is taken every step and must not drift
template <class T>
inline T cube_root(const T& J) {
  using S = Scalar<T>;
  const T third = T(S(1) / S(3));
  const Truth<T> near_one = (J > T(S(0.5))) & (J < T(2));
  T x = (J + T(2)) * third;
  if (!all_of(near_one)) x = select(near_one, x, exp(log(J) * third));
  return nearer_cube_root(nearer_cube_root(x, J), J);
}

// J^(1/D) I
template <int D, class T>
inline Matrix<T, D> isotropic(const T& J) {
  const T inside = max(J, T(least_volume<Scalar<T>>));
  Matrix<T, D> F = Matrix<T, D>::zero();
  const T stretch = D == 2 ? sqrt(inside) : cube_root(inside);
  for (int i = 0; i < D; ++i) F(i, i) = stretch;
  return F;
}

}  // namespace pliant::material

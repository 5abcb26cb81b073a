// Polar decomposition of 2x2 and 3x3 matrices.
#pragma once

#include "core/namespace.h"
#include "core/svd.h"

namespace pliant::core {

// F = R S, R a rotation (det R = +1, also when det F <= 0), S symmetric
template <class T, int D>
struct Polar {
  Matrix<T, D> R, S;
};

// for any finite F, by the singular values; kept out of the hot loop
template <class T>
[[gnu::noinline, gnu::cold]] Matrix<T, 3> rotation_of_any(const Matrix<T, 3>& F) {
  const Svd<T, 3> f = svd_of_any(F);
  return sharpened(f.U * transpose(f.V));
}

// R of the polar decomposition, to a few ulps; where it is not unique (rank below 2) some rotation that fits
template <class T>
[[gnu::always_inline]] inline Matrix<T, 3> rotation_of(const Matrix<T, 3>& F) {
  NewtonRotation<T> newton = newton_rotation(F);
  if (!all_of(newton.usual)) [[unlikely]]
    newton.R = select(newton.usual, newton.R, rotation_of_any(F));
  return newton.R;
}

// closed form; where R is not unique, R = 1
template <class T>
[[gnu::always_inline]] inline Matrix<T, 2> rotation_of(const Matrix<T, 2>& F) {
  const T half = T(Scalar<T>(0.5));
  const Direction<T> turn = direction_of(half * F(0, 0) + half * F(1, 1), half * F(1, 0) - half * F(0, 1));
  const T c = turn.cosine, s = turn.sine;
  return {{c, -s, s, c}};
}

template <class T, int D>
[[gnu::always_inline]] inline Polar<T, D> polar(const Matrix<T, D>& F) {
  const Matrix<T, D> R = rotation_of(F);
  return {R, symmetric_part(transpose(R) * F)};
}

}  // namespace pliant::core

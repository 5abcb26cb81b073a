// Polar decomposition of 2x2 and 3x3 matrices.
#pragma once

#include "core/svd.h"

namespace pliant {

// F = R S, R a rotation (det R = +1, also when det F <= 0), S symmetric
template <class T, int D>
struct Polar {
  Matrix<T, D> R, S;
};

namespace newton {

// for any finite F, by the singular values; seldom used, so kept out of the hot loop
template <class T>
[[gnu::noinline, gnu::cold]] Matrix<T, 3> rotation_of_any(const Matrix<T, 3>& F) {
  const Svd<T, 3> f = svd(F);
  return sharpened(f.U * transpose(f.V));
}

}  // namespace newton

// The rotation of the polar decomposition, to a few ulps; where it is not unique (rank below 2) some rotation that
// fits. Newton's method X <- (X + X^-T)/2. Its singular values are s <- (s + 1/s)/2 >= 1, so det X - 1 bounds their
// distance from 1. The iteration runs on Y = 2^k X, which saves the halving of nine entries: Y <- Y + 4^k Y^-T.
template <class T>
[[gnu::always_inline]] inline Matrix<T, 3> rotation_of(const Matrix<T, 3>& F) {
  using S = Scalar<T>;
  const T half = T(S(0.5));
  // singular values between 0.27 and 3.7 for certain; other lanes wait as the identity
  Matrix<T, 3> cofactors = cofactor(F);
  T det = determinant_from(F, cofactors);
  Matrix<T, 3> X = half * (F + (T(1) / det) * cofactors);
  const Truth<T> usual = (det > T(S(0.01))) & (determinant(X) < T(2));
  X = select(usual, X, Matrix<T, 3>::identity());
  // 1 + e becomes 1 + e^2/2 at most, and that is less than half an ulp at the end
  const T close = T(1 + std::sqrt(epsilon<T> / 2));
  constexpr int most_steps = 8;
  for (int step = 0; step < most_steps; ++step) {
    cofactors = cofactor(X);
    det = determinant_from(X, cofactors);
    const Truth<T> far = det > close;
    if (!any_of(far)) break;
    const T keep = select(far, half, T(1)), add = select(far, half / det, T(0));
    for (int i = 0; i < 9; ++i) X.a[i] = keep * X.a[i] + add * cofactors.a[i];
  }
  X = sharpened(X, cofactors, det);
  if (!all_of(usual)) [[unlikely]]
    X = select(usual, X, newton::rotation_of_any(F));
  return X;
}

// closed form; where R is not unique, R = 1
template <class T>
[[gnu::always_inline]] inline Matrix<T, 2> rotation_of(const Matrix<T, 2>& F) {
  const T half = T(Scalar<T>(0.5));
  const T parts[2] = {half * F(0, 0) + half * F(1, 1), half * F(1, 0) - half * F(0, 1)};
  const T to_one = T(1) / power_of_two_below(parts);
  const T x = to_one * parts[0], y = to_one * parts[1];
  const T square = x * x + y * y;
  const T n = T(1) / sqrt(square);
  const Truth<T> unique = square > T(0);
  const T c = select(unique, x * n, T(1)), s = select(unique, y * n, T(0));
  return {{c, -s, s, c}};
}

// Finite for any finite F.
template <class T, int D>
[[gnu::always_inline]] inline Polar<T, D> polar(const Matrix<T, D>& F) {
  const Matrix<T, D> R = rotation_of(F);
  return {R, symmetric_part(transpose(R) * F)};
}

}  // namespace pliant

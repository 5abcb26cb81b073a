// The rotation nearest to a 3x3 matrix that is not far from one, by Newton's method.
#pragma once

#include <limits>

#include "core/namespace.h"
#include "core/small.h"

namespace pliant::core {

template <class T>
inline constexpr Scalar<T> epsilon = std::numeric_limits<Scalar<T>>::epsilon();

// row 0 times its cofactors
template <class T>
[[gnu::always_inline]] inline T determinant_from(const Matrix<T, 3>& X, const Matrix<T, 3>& cofactors) {
  return X.a[0] * cofactors.a[0] + X.a[1] * cofactors.a[1] + X.a[2] * cofactors.a[2];
}

// X, a rotation but for a small error e, becomes one but for e^2 and the last rounding: a step of Newton's method,
// (X + X^-T)/2, where 1/det = 2 - det is exact enough. Zeros of X lose their sign.
template <class T>
[[gnu::always_inline]] inline Matrix<T, 3> sharpened(const Matrix<T, 3>& X, const Matrix<T, 3>& cofactors, T det) {
  const T half = T(Scalar<T>(0.5));
  const T add = T(1) - half * det;
  Matrix<T, 3> R;
#pragma GCC unroll 9
  for (int i = 0; i < 9; ++i) R.a[i] = (half * X.a[i] + T(0)) + add * cofactors.a[i];
  return R;
}
template <class T>
[[gnu::always_inline]] inline Matrix<T, 3> sharpened(const Matrix<T, 3>& X) {
  const Matrix<T, 3> cofactors = cofactor(X);
  return sharpened(X, cofactors, determinant_from(X, cofactors));
}

// R is right where `usual`: singular values of F between 0.27 and 3.7 are enough, and det F > 0
template <class T>
struct NewtonRotation {
  Matrix<T, 3> R;
  Truth<T> usual;
};

// Newton's method X <- (X + X^-T)/2, for the singular values s <- (s + 1/s)/2 >= 1: det X - 1 bounds their distance
// from 1 and says when to stop. A lane that is done waits unchanged for the others.
template <class T>
[[gnu::always_inline]] inline NewtonRotation<T> newton_rotation(const Matrix<T, 3>& F) {
  using S = Scalar<T>;
  const T half = T(S(0.5));
  Matrix<T, 3> cofactors = cofactor(F);
  T det = determinant_from(F, cofactors);
  // of a very long F the determinant is round-off and says nothing
  const Truth<T> upright = (det > T(S(0.01))) & (inner(F, F) < T(S(64)));
  T add = half / det;
  Matrix<T, 3> X;
#pragma GCC unroll 9
  for (int i = 0; i < 9; ++i) X.a[i] = half * F.a[i] + add * cofactors.a[i];
  cofactors = cofactor(X);
  det = determinant_from(X, cofactors);
  // no singular value of X is larger than its determinant
  const Truth<T> usual = upright & (det < T(2));
  // 1 + e becomes 1 + e^2/2 at most, and that is less than half an ulp at the end
  const T close = T(S(1) + std::sqrt(epsilon<T> / 2));
  constexpr int most_steps = 8;
  for (int step = 0; step < most_steps; ++step) {
    const Truth<T> far = (det > close) & usual;
    if (!any_of(far)) break;
    const T keep = select(far, half, T(1));
    add = select(far, half / det, T(0));
#pragma GCC unroll 9
    for (int i = 0; i < 9; ++i) X.a[i] = keep * X.a[i] + add * cofactors.a[i];
    cofactors = cofactor(X);
    det = determinant_from(X, cofactors);
  }
  return {sharpened(X, cofactors, det), usual};
}

}  // namespace pliant::core

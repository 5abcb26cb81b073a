// Rotations in a coordinate plane, and exact scaling: the bricks of the Jacobi methods.
#pragma once

#include <limits>

#include "core/small.h"

namespace pliant {

template <class T>
inline constexpr Scalar<T> epsilon = std::numeric_limits<Scalar<T>>::epsilon();

// The power of two just below the largest entry (2^-126 .. 2^126 for float): scaling by it costs no digit, and then no
// product of a few entries leaves the range of the type.
template <class T, int N>
inline T power_of_two_below(const T (&entries)[N]) {
  using S = Scalar<T>;
  T largest = abs(entries[0]);
  for (int i = 1; i < N; ++i) largest = max(largest, abs(entries[i]));
  const auto exponent_bits = to_bits(T(std::numeric_limits<S>::infinity()));
  const T power = from_bits<T>(to_bits(largest) & exponent_bits);
  const T smallest = T(std::numeric_limits<S>::min());
  return min(max(power, smallest), T(1) / smallest);
}

// the turn by an angle with cosine c and sine s
template <class T>
struct PlaneTurn {
  T c, s;
};

// The turn that makes [[app, apq], [apq, aqq]] diagonal, with difference = aqq - app, twice = 2 apq and an angle of at
// most 45 degrees. The length of (difference, twice) is estimated to 8 %, exactly where |twice| is small: Jacobi's
// method keeps its fast end, and the first sweeps save a square root. No turn at all where `wanted` is false.
template <class T>
inline PlaneTurn<T> diagonalising_turn(T difference, T twice, Truth<T> wanted) {
  using S = Scalar<T>;
  const T d = abs(difference), b = abs(twice);
  const T length = max(max(d, b), T(S(0.70710678)) * (d + b));
  const T h = d + length;
  const T n = T(1) / sqrt(h * h + b * b);
  const T signed_twice = select(difference < T(0), -twice, twice);
  return {select(wanted, h * n, T(1)), select(wanted, signed_twice * n, T(0))};
}

// columns p and q of m, turned: m times the rotation [[c, s], [-s, c]]
template <class T, int D>
inline void turn_columns(Matrix<T, D>& m, int p, int q, const PlaneTurn<T>& turn) {
  for (int i = 0; i < D; ++i) {
    const T x = m(i, p), y = m(i, q);
    m(i, p) = turn.c * x - turn.s * y;
    m(i, q) = turn.s * x + turn.c * y;
  }
}

// columns p and q of a rotation change places where `wanted`; one of them is reversed, so that it stays a rotation
template <class T, int D>
inline void exchange_columns(Matrix<T, D>& m, int p, int q, const Truth<T>& wanted) {
  for (int i = 0; i < D; ++i) {
    const T x = m(i, p), y = m(i, q);
    m(i, p) = select(wanted, y, x);
    m(i, q) = select(wanted, -x, y);
  }
}

// X, a rotation but for a few rounding errors e, becomes one but for e^2 and the last rounding: a step of Newton's method,
// (X + X^-T)/2, where 1/det = 2 - det is exact enough. No result has the sign of a zero that X has.
template <class T>
inline Matrix<T, 3> sharpened(const Matrix<T, 3>& X, const Matrix<T, 3>& cofactors, T det) {
  const T half = T(Scalar<T>(0.5));
  const T add = T(1) - half * det;
  Matrix<T, 3> R;
  for (int i = 0; i < 9; ++i) R.a[i] = (half * X.a[i] + T(0)) + add * cofactors.a[i];
  return R;
}
// row 0 times its cofactors
template <class T>
inline T determinant_from(const Matrix<T, 3>& X, const Matrix<T, 3>& cofactors) {
  return X.a[0] * cofactors.a[0] + X.a[1] * cofactors.a[1] + X.a[2] * cofactors.a[2];
}
template <class T>
inline Matrix<T, 3> sharpened(const Matrix<T, 3>& X) {
  const Matrix<T, 3> cofactors = cofactor(X);
  return sharpened(X, cofactors, determinant_from(X, cofactors));
}

// -0 becomes 0: a lane that waits for others may lose the sign of a zero, so no result has one
template <class T, int N>
inline void clear_zero_signs(T (&entries)[N]) {
  for (int i = 0; i < N; ++i) entries[i] = entries[i] + T(0);
}

}  // namespace pliant

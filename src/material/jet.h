// Functions of one number that laws are made of, with two derivatives, and how they go on where a formula ends.
#pragma once

#include "core/small.h"
#include "material/namespace.h"

namespace pliant::material {

// a function at one point: its value and its first two derivatives
template <class T>
struct Jet {
  T value, first, second;
};

// The function goes on as the parabola that fits it at `last`, the end of its formula. Energy, stress and differential
// built on it stay consistent and finite. beyond = x - last, and 0 where x is inside.
template <class T>
inline Jet<T> continued(const Jet<T>& last, const T& beyond) {
  const T half_step = T(Scalar<T>(0.5)) * beyond;
  return {last.value + beyond * (last.first + half_step * last.second), last.first + beyond * last.second, last.second};
}

// the derivative of the cofactor matrix along dF
template <class T>
inline Matrix<T, 2> cofactor_differential(const Matrix<T, 2>&, const Matrix<T, 2>& dF) {
  return cofactor(dF);
}
template <class T>
inline Matrix<T, 3> cofactor_differential(const Matrix<T, 3>& F, const Matrix<T, 3>& dF) {
  const auto minor = [&](int a, int b, int c, int d) {
    return (F.a[a] * dF.a[b] + dF.a[a] * F.a[b]) - (F.a[c] * dF.a[d] + dF.a[c] * F.a[d]);
  };
  return {{minor(4, 8, 5, 7), minor(5, 6, 3, 8), minor(3, 7, 4, 6), minor(2, 7, 1, 8), minor(0, 8, 2, 6),
           minor(1, 6, 0, 7), minor(1, 5, 2, 4), minor(2, 3, 0, 5), minor(0, 4, 1, 3)}};
}

// The derivative along dF of the stress psi'(J) cofactor(F), that of an energy psi(J)
template <class T, int D>
inline Matrix<T, D> volume_differential(const Jet<T>& psi, const Matrix<T, D>& F, const Matrix<T, D>& dF) {
  const Matrix<T, D> C = cofactor(F);
  return (psi.second * inner(C, dF)) * C + psi.first * cofactor_differential(F, dF);
}

// x A B^T where the product is known to be symmetric
template <class T, int D>
inline Matrix<T, D> symmetric_product(const T& x, const Matrix<T, D>& A, const Matrix<T, D>& B) {
  Matrix<T, D> r;
#pragma GCC unroll 3
  for (int i = 0; i < D; ++i)
#pragma GCC unroll 3
    for (int j = i; j < D; ++j) {
      T s = A(i, 0) * B(j, 0);
#pragma GCC unroll 3
      for (int k = 1; k < D; ++k) s = s + A(i, k) * B(j, k);
      r(i, j) = x * s;
      r(j, i) = r(i, j);
    }
  return r;
}

// A + x I
template <class T, int D>
inline Matrix<T, D> add_diagonal(Matrix<T, D> A, const T& x) {
#pragma GCC unroll 3
  for (int i = 0; i < D; ++i) A(i, i) = A(i, i) + x;
  return A;
}

}  // namespace pliant::material

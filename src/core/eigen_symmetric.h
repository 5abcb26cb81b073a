// Eigenvalues and eigenvectors of symmetric 2x2 and 3x3 matrices.
#pragma once

#include "core/namespace.h"
#include "core/plane_turn.h"

namespace pliant::core {

// A = Q diag(values) Q^T, Q a rotation; values in falling order
template <class T, int D>
struct SymmetricEigen {
  Vector<T, D> values;
  Matrix<T, D> Q;
};

namespace jacobi {

// a symmetric matrix: off[k] is the entry that does not touch axis k
template <class T>
struct Symmetric3 {
  T diagonal[3], off[3];
};

// one turn of the plane (p, q) where the entry there is above `negligible`; k is the third axis
template <class T>
inline void turn(Symmetric3<T>& A, Matrix<T, 3>& Q, int p, int q, T negligible) {
  const int k = 3 - p - q;
  const T entry = A.off[k], difference = A.diagonal[q] - A.diagonal[p], twice = entry + entry;
  const PlaneTurn<T> turn = diagonalising_turn(difference, select(abs(entry) > negligible, twice, T(0)));
  const T c = turn.c, s = turn.s, cs = c * s, ss = s * s;
  A.diagonal[p] = (A.diagonal[p] + ss * difference) - cs * twice;
  A.diagonal[q] = (A.diagonal[q] - ss * difference) + cs * twice;
  A.off[k] = (c * c - ss) * entry - cs * difference;
  const T kp = A.off[q], kq = A.off[p];
  A.off[q] = c * kp - s * kq;
  A.off[p] = s * kp + c * kq;
  turn_columns(Q, p, q, turn);
}

// values of places p < q change, with their vectors, where they are in the wrong order
template <class T, int D>
inline void put_in_order(SymmetricEigen<T, D>& e, int p, int q) {
  const T x = e.values[p], y = e.values[q];
  const Truth<T> wrong = x < y;
  e.values[p] = select(wrong, y, x);
  e.values[q] = select(wrong, x, y);
  exchange_columns(e.Q, p, q, wrong);
}

// Jacobi's method, for entries not far from 1
template <class T>
[[gnu::always_inline]] inline SymmetricEigen<T, 3> eigen_near_one(Symmetric3<T> A) {
  Matrix<T, 3> Q = Matrix<T, 3>::identity();
  const T negligible = T(epsilon<T> / 4);
  constexpr int most_sweeps = 10;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    const T largest = max(max(abs(A.off[0]), abs(A.off[1])), abs(A.off[2]));
    if (!any_of(largest > negligible)) break;
    turn(A, Q, 0, 1, negligible);
    turn(A, Q, 0, 2, negligible);
    turn(A, Q, 1, 2, negligible);
  }
  SymmetricEigen<T, 3> e{{A.diagonal[0], A.diagonal[1], A.diagonal[2]}, sharpened(Q)};
  put_in_order(e, 0, 1);
  put_in_order(e, 1, 2);
  put_in_order(e, 0, 1);
  return e;
}

}  // namespace jacobi

// to a few ulps of |A|; only the upper triangle of A is read
template <class T>
inline SymmetricEigen<T, 3> eigen_symmetric(const Matrix<T, 3>& A) {
  T entries[6] = {A(0, 0), A(1, 1), A(2, 2), A(1, 2), A(0, 2), A(0, 1)};
  const T scale = power_of_two_below(entries), to_one = T(1) / scale;
#pragma GCC unroll 9
  for (int i = 0; i < 6; ++i) entries[i] = to_one * entries[i];
  SymmetricEigen<T, 3> e =
      jacobi::eigen_near_one<T>({{entries[0], entries[1], entries[2]}, {entries[3], entries[4], entries[5]}});
  e.values = scale * e.values;
  clear_zero_signs(e.values.a);
  clear_zero_signs(e.Q.a);
  return e;
}

// the rotation by half the angle of a direction, which is between -90 and 90 degrees
template <class T>
inline Matrix<T, 2> half_turn_of(const Direction<T>& d) {
  // (1 + |cosine|, |sine|) has half the angle of (|cosine|, |sine|)
  const T h = T(1) + abs(d.cosine), y = abs(d.sine);
  const T n = T(1) / sqrt(h * h + y * y);
  const Truth<T> backward = d.cosine < T(0);
  const T c = select(backward, y, h) * n, size = select(backward, h, y) * n;
  const T s = select(d.sine < T(0), -size, size);
  return {{c, -s, s, c}};
}

// closed form, to a few ulps of |A|; only the upper triangle of A is read
template <class T>
inline SymmetricEigen<T, 2> eigen_symmetric(const Matrix<T, 2>& input) {
  const T half = T(Scalar<T>(0.5));
  const T entries[3] = {input(0, 0), input(0, 1), input(1, 1)};
  const T scale = power_of_two_below(entries), to_one = T(1) / scale;
  const T a = to_one * input(0, 0), b = to_one * input(0, 1), d = to_one * input(1, 1);
  const T mean = half * (a + d);
  const Direction<T> rest = direction_of(half * (a - d), b);
  SymmetricEigen<T, 2> e{{scale * (mean + rest.length), scale * (mean - rest.length)}, half_turn_of(rest)};
  clear_zero_signs(e.values.a);
  clear_zero_signs(e.Q.a);
  return e;
}

}  // namespace pliant::core

// How the impulse of a particle moves with its velocity gradient: a symmetric 9x9 matrix Q from the gradient l in cells
// to the moment that is scattered, M = Q : l, with or without its negative eigenvalues.
//
// Quadratic laws: M = (mu (G + G^T) + lambda tr G) A - excess skew l + drag dev sym l, G = l A^T, A = R0 F^T: 13 numbers. All
// others: the 45 entries of the upper triangle, row by row, built in the frame in which F is diagonal. There the
// differential of an isotropic law splits into a 3x3 matrix for the stretches and, for each pair of axes, one number
// for shear and one for turning: its eigenvalues are at hand and the negative ones can be set to 0.
#pragma once

#include "core/decompose.h"
#include "implicit/namespace.h"
#include "material/law.h"
#include "material/principal.h"

namespace pliant::implicit {

constexpr int compact_rows = 13;  // A, mu, lambda, excess of spin, drag of shear
constexpr int dense_rows = 45;

template <class P>
inline Matrix<P, 3> skew_part(const Matrix<P, 3>& l) {
  return P(Scalar<P>(0.5)) * (l - transpose(l));
}

template <class P>
inline Matrix<P, 3> quadratic_product(const Matrix<P, 3>& A, P mu, P lambda, const Matrix<P, 3>& l) {
  const Matrix<P, 3> G = l * transpose(A);
  const P pressure = lambda * trace(G);
  Matrix<P, 3> s = mu * (G + transpose(G));
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) s(i, i) = s(i, i) + pressure;
  return s * A;
}

// place of entry (i, j), i <= j, of the upper triangle
constexpr int dense_row(int i, int j) { return i * 9 - i * (i - 1) / 2 + j - i; }

template <class P>
inline void add_square(P* rows, P scale, const P* vector) {
#pragma GCC unroll 9
  for (int i = 0; i < 9; ++i) {
    const P scaled = scale * vector[i];
#pragma GCC unroll 9
    for (int j = i; j < 9; ++j) rows[dense_row(i, j)] = rows[dense_row(i, j)] + scaled * vector[j];
  }
}

// a quadratic law by its 45 entries
template <class P>
inline void quadratic_to_dense(const Matrix<P, 3>& A, P mu, P lambda, P* rows) {
  const Matrix<P, 3> square = transpose(A) * A;
  for (int i = 0; i < 9; ++i)
    for (int j = i; j < 9; ++j) {
      const int a = i / 3, b = i % 3, c = j / 3, d = j % 3;
      P entry = mu * A(c, b) * A(a, d) + lambda * A(a, b) * A(c, d);
      if (a == c) entry = entry + mu * square(b, d);
      rows[dense_row(i, j)] = entry;
    }
}

// adds the matrix that takes l to l B, B symmetric
template <class P>
inline void add_right_factor(P* rows, const Matrix<P, 3>& B) {
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      for (int d = b; d < 3; ++d) rows[dense_row(3 * a + b, 3 * a + d)] += B(b, d);
}

// subtracts scale times the matrix that takes l to skew l
template <class P>
inline void take_spin(P* rows, P scale) {
  const P half = P(Scalar<P>(0.5)) * scale;
  for (int a = 0; a < 3; ++a)
    for (int b = a + 1; b < 3; ++b) {
      const int i = 3 * a + b, j = 3 * b + a;
      rows[dense_row(i, i)] = rows[dense_row(i, i)] - half;
      rows[dense_row(j, j)] = rows[dense_row(j, j)] - half;
      rows[dense_row(i, j)] = rows[dense_row(i, j)] + half;
    }
}

// scale times dev sym l
template <class P>
inline Matrix<P, 3> shear_product(P scale, const Matrix<P, 3>& l) {
  const Matrix<P, 3> sheared = symmetric_part(l);
  return scale * add_diagonal(sheared, P(Scalar<P>(-1) / 3) * trace(sheared));
}

// adds the matrix of the same
template <class P>
inline void add_shear(P* rows, P scale) {
  const P half = P(Scalar<P>(0.5)) * scale, third = P(Scalar<P>(1) / 3) * scale;
  for (int a = 0; a < 3; ++a)
    for (int b = a; b < 3; ++b) {
      rows[dense_row(4 * a, 4 * b)] = rows[dense_row(4 * a, 4 * b)] - third;
      const int i = 3 * a + b, j = 3 * b + a;
      if (a == b) {
        rows[dense_row(i, i)] = rows[dense_row(i, i)] + scale;
        continue;
      }
      rows[dense_row(i, i)] = rows[dense_row(i, i)] + half;
      rows[dense_row(j, j)] = rows[dense_row(j, j)] + half;
      rows[dense_row(i, j)] = rows[dense_row(i, j)] + half;
    }
}

// the matrix between symmetric parts: that of sym l, and of its product the symmetric part
template <class P>
inline void symmetrise(P* rows) {
  const auto at = [&](int i, int j) { return rows[dense_row(std::min(i, j), std::max(i, j))]; };
  P result[dense_rows];
  for (int i = 0; i < 9; ++i)
    for (int j = i; j < 9; ++j) {
      const int mirrored_i = 3 * (i % 3) + i / 3, mirrored_j = 3 * (j % 3) + j / 3;
      const P sum = at(i, j) + at(mirrored_i, j) + at(i, mirrored_j) + at(mirrored_i, mirrored_j);
      result[dense_row(i, j)] = P(Scalar<P>(0.25)) * sum;
    }
  std::copy_n(result, dense_rows, rows);
}

// The 45 entries for a law at F, reached by F = (1 + dt L) start, times `scale`; eigenvalues below `least` are set to
// it.
template <class P, class Law>
inline void isotropic_rows(const Law& law, const Matrix<P, 3>& F, const Memory<P, 3>& memory, P scale, P least,
                           P* rows) {
  using S = Scalar<P>;
  const Svd<P, 3> f = svd(F);
  const PrincipalDifferential<P> d = law.principal_differential(f.sigma, memory.plastic);
  const SymmetricEigen<P, 3> stretch = eigen_symmetric(d.stretch);
  // the nine directions u_i w_j^T
  const Matrix<P, 3> W = memory.start * f.V;
  P direction[3][3][9];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 9; ++k) direction[i][j][k] = f.U(k / 3, i) * W(k % 3, j);

  for (int k = 0; k < dense_rows; ++k) rows[k] = P(0);
  P vector[9];
  for (int n = 0; n < 3; ++n) {
    for (int k = 0; k < 9; ++k)
      vector[k] = stretch.Q(0, n) * direction[0][0][k] + stretch.Q(1, n) * direction[1][1][k] +
                  stretch.Q(2, n) * direction[2][2][k];
    add_square(rows, scale * max(stretch.values[n], least), vector);
  }
  const P half = P(S(0.5)) * scale;
  for (int i = 0; i < 3; ++i)
    for (int j = i + 1; j < 3; ++j) {
      for (int k = 0; k < 9; ++k) vector[k] = direction[i][j][k] + direction[j][i][k];
      add_square(rows, half * max(d.pairs(i, j), least), vector);
      for (int k = 0; k < 9; ++k) vector[k] = direction[i][j][k] - direction[j][i][k];
      add_square(rows, half * max(d.pairs(j, i), least), vector);
    }
}

}  // namespace pliant::implicit

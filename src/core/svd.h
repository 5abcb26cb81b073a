// Singular value decomposition of 2x2 and 3x3 matrices.
#pragma once

#include "core/eigen_symmetric.h"
#include "core/namespace.h"

namespace pliant::core {

// F = U diag(sigma) V^T, U and V rotations; sigma in falling order of size, the last one negative where det F < 0
template <class T, int D>
struct Svd {
  Matrix<T, D> U;
  Vector<T, D> sigma;
  Matrix<T, D> V;
};

namespace jacobi {

template <class T>
inline T column_product(const Matrix<T, 3>& m, int p, int q) {
  return m(0, p) * m(0, q) + m(1, p) * m(1, q) + m(2, p) * m(2, q);
}

// Columns p and q of B = F V are turned until they are orthogonal. What is left of their product would be an entry
// product / |column p| of the triangle that follows; it is small enough where that is below `negligible`.
template <class T>
inline Truth<T> turn_one_side(Matrix<T, 3>& B, Matrix<T, 3>& V, int p, int q, T negligible) {
  const T product = column_product(B, p, q), pp = column_product(B, p, p), qq = column_product(B, q, q);
  const Truth<T> wanted = abs(product) > negligible * sqrt(pp);
  const PlaneTurn<T> turn = diagonalising_turn(qq - pp, select(wanted, product + product, T(0)));
  turn_columns(B, p, q, turn);
  turn_columns(V, p, q, turn);
  return wanted;
}

// a turn of rows p and q that makes B(q, p) zero, also put into the columns of U: U B stays what it is
template <class T>
inline void eliminate(Matrix<T, 3>& B, Matrix<T, 3>& U, int p, int q) {
  const T x = B(p, p), y = B(q, p);
  const T square = x * x + y * y;
  const T n = T(1) / sqrt(square);
  // squares lose digits near the smallest number; entries that small are nothing beside the largest, which is 1 to 2
  const Truth<T> wanted = square > T(std::numeric_limits<Scalar<T>>::min() / epsilon<T>);
  const PlaneTurn<T> turn{select(wanted, x * n, T(1)), select(wanted, -(y * n), T(0))};
#pragma GCC unroll 9
  for (int j = p; j < 3; ++j) {
    const T u = B(p, j), v = B(q, j);
    B(p, j) = turn.c * u - turn.s * v;
    B(q, j) = turn.s * u + turn.c * v;
  }
  turn_columns(U, p, q, turn);
}

// sigma in falling order of size
template <class T>
inline void put_in_order(Svd<T, 3>& f, int p, int q) {
  const T x = f.sigma[p], y = f.sigma[q];
  const Truth<T> wrong = abs(x) < abs(y);
  f.sigma[p] = select(wrong, y, x);
  f.sigma[q] = select(wrong, x, y);
  exchange_columns(f.U, p, q, wrong);
  exchange_columns(f.V, p, q, wrong);
}

// sigma[p] >= 0: a negative sign goes to the last one, by half a turn of U
template <class T>
inline void make_positive(Svd<T, 3>& f, int p) {
  const Truth<T> wrong = f.sigma[p] < T(0);
  f.sigma[p] = select(wrong, -f.sigma[p], f.sigma[p]);
  f.sigma[2] = select(wrong, -f.sigma[2], f.sigma[2]);
#pragma GCC unroll 9
  for (int i = 0; i < 3; ++i) {
    f.U(i, p) = select(wrong, -f.U(i, p), f.U(i, p));
    f.U(i, 2) = select(wrong, -f.U(i, 2), f.U(i, 2));
  }
}

}  // namespace jacobi

// For any finite F. V comes from the eigenvectors of F^T F, is sharpened by one-sided turns where the squares were too
// coarse, and U is the rotation that makes F V triangular, hence diagonal.
template <class T>
[[gnu::noinline, gnu::cold]] Svd<T, 3> svd_of_any(const Matrix<T, 3>& input) {
  const T scale = power_of_two_below(input.a);
  const Matrix<T, 3> F = (T(1) / scale) * input;
  const T negligible = T(epsilon<T>) * sqrt(inner(F, F));
  Matrix<T, 3> V = eigen_symmetric(transpose(F) * F).Q;
  Matrix<T, 3> B = F * V;
  constexpr int most_sweeps = 10;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    const Truth<T> first = jacobi::turn_one_side(B, V, 0, 1, negligible);
    const Truth<T> second = jacobi::turn_one_side(B, V, 0, 2, negligible);
    const Truth<T> third = jacobi::turn_one_side(B, V, 1, 2, negligible);
    if (!any_of(first) && !any_of(second) && !any_of(third)) break;
  }
  // the longer column first: what then is left off the diagonal is small beside |F|
  const Truth<T> wrong = jacobi::column_product(B, 1, 1) < jacobi::column_product(B, 2, 2);
  exchange_columns(B, 1, 2, wrong);
  exchange_columns(V, 1, 2, wrong);
  Matrix<T, 3> U = Matrix<T, 3>::identity();
  jacobi::eliminate(B, U, 0, 1);
  jacobi::eliminate(B, U, 0, 2);
  jacobi::eliminate(B, U, 1, 2);
  Svd<T, 3> f{U, {scale * B(0, 0), scale * B(1, 1), scale * B(2, 2)}, V};
  jacobi::put_in_order(f, 0, 1);
  jacobi::put_in_order(f, 1, 2);
  jacobi::put_in_order(f, 0, 1);
  jacobi::make_positive(f, 0);
  jacobi::make_positive(f, 1);
  clear_zero_signs(f.U.a);
  clear_zero_signs(f.sigma.a);
  clear_zero_signs(f.V.a);
  return f;
}

// To a few ulps of |F|. In the usual case by F = R S and the eigenvectors of S, which loses no digit as F^T F does.
template <class T>
inline Svd<T, 3> svd(const Matrix<T, 3>& F) {
  const NewtonRotation<T> newton = newton_rotation(F);
  const Matrix<T, 3> S = symmetric_part(transpose(newton.R) * F);
  const Matrix<T, 3> one = Matrix<T, 3>::identity();
  const Matrix<T, 3> A = select(newton.usual, S, one);
  const SymmetricEigen<T, 3> e = jacobi::eigen_near_one<T>({{A(0, 0), A(1, 1), A(2, 2)}, {A(1, 2), A(0, 2), A(0, 1)}});
  Svd<T, 3> f{newton.R * e.Q, e.values, e.Q};
  if (!all_of(newton.usual)) [[unlikely]] {
    const Svd<T, 3> other = svd_of_any(F);
    f = {select(newton.usual, f.U, other.U), select(newton.usual, f.sigma, other.sigma),
         select(newton.usual, f.V, other.V)};
  }
  clear_zero_signs(f.U.a);
  clear_zero_signs(f.sigma.a);
  clear_zero_signs(f.V.a);
  return f;
}

// Closed form. F is the sum of a turn and a mirror, both stretched; half the sum and half the difference of the
// singular values are their stretches. R of the polar decomposition is the turn, V belongs to the mirror part of R^T F.
template <class T>
inline Svd<T, 2> svd(const Matrix<T, 2>& input) {
  const T scale = power_of_two_below(input.a);
  const Matrix<T, 2> F = (T(Scalar<T>(0.5)) / scale) * input;
  const Direction<T> turn = direction_of(F(0, 0) + F(1, 1), F(1, 0) - F(0, 1));
  const Direction<T> mirror = direction_of(F(0, 0) - F(1, 1), F(1, 0) + F(0, 1));
  const T c = turn.cosine, s = turn.sine;
  const T x = c * mirror.cosine + s * mirror.sine, y = c * mirror.sine - s * mirror.cosine;
  Svd<T, 2> f;
  f.V = half_turn_of<T>({x, y, T(1)});
  f.U = Matrix<T, 2>{{c, -s, s, c}} * f.V;
  f.sigma = {scale * (turn.length + mirror.length), scale * (turn.length - mirror.length)};
  clear_zero_signs(f.U.a);
  clear_zero_signs(f.sigma.a);
  clear_zero_signs(f.V.a);
  return f;
}

}  // namespace pliant::core

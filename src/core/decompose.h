// Polar decomposition, singular values and symmetric eigenvalues of 2x2 and 3x3 matrices, on numbers and packs alike.
#pragma once

#include "core/small.h"

namespace pliant {

// F = R S, R a rotation (det R = +1, also when det F <= 0), S symmetric
template <class T, int D>
struct Polar {
  Matrix<T, D> R, S;
};

// F = U diag(sigma) V^T, U and V rotations; sigma in falling order of size, the last one negative where det F < 0
template <class T, int D>
struct Svd {
  Matrix<T, D> U;
  Vector<T, D> sigma;
  Matrix<T, D> V;
};

// A = Q diag(values) Q^T, Q a rotation; values in falling order
template <class T, int D>
struct SymmetricEigen {
  Vector<T, D> values;
  Matrix<T, D> Q;
};

// Polar decomposition. Finite for any finite F; where R is not unique (rank below D-1) some rotation that fits.
template <class T, int D>
Polar<T, D> polar(const Matrix<T, D>& F);

template <class T, int D>
Svd<T, D> svd(const Matrix<T, D>& F);

template <class T, int D>
SymmetricEigen<T, D> eigen_symmetric(const Matrix<T, D>& A);

// natural logarithm of x > 0, and exponential, also on packs; within 2 ulps
template <class T>
T log(T x);
template <class T>
T exp(T x);

}  // namespace pliant

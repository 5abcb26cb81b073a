// How the rotation R of F = R S moves with F.
#pragma once

#include "core/decompose.h"
#include "material/namespace.h"

namespace pliant::material {

// s + t for two signed singular values, kept away from 0: R is not unique where they cancel (some inverted F)
template <class T>
inline T guarded_sum(const T& s, const T& t) {
  return max(s + t, T(sizeof(Scalar<T>) == 4 ? Scalar<T>(1e-6) : Scalar<T>(1e-12)));
}

// the derivative of R along dF, for F = U diag(sigma) V^T, R = U V^T
template <class T, int D>
inline Matrix<T, D> rotation_differential(const Svd<T, D>& f, const Matrix<T, D>& dF) {
  const Matrix<T, D> B = transpose(f.U) * dF * f.V;
  Matrix<T, D> spin = Matrix<T, D>::zero();
  for (int i = 0; i < D; ++i)
    for (int j = i + 1; j < D; ++j) {
      spin(i, j) = (B(i, j) - B(j, i)) / guarded_sum(f.sigma[i], f.sigma[j]);
      spin(j, i) = -spin(i, j);
    }
  return f.U * spin * transpose(f.V);
}

}  // namespace pliant::material

// Singular values and eigenvalues by Eigen, in higher precision.
#pragma once

#include <Eigen/Dense>

#include "matrix_samples.h"

namespace pliant::samples {

// F = U diag(sigma) V^T with rotations, as core/svd.h promises it
template <int D>
struct ExactSvd {
  RealMatrix<D> U, V;
  RealVector<D> sigma;
};

template <int D>
[[gnu::noinline]] ExactSvd<D> exact_svd(const RealMatrix<D>& F) {
  using Matrix = Eigen::Matrix<Real, D, D, Eigen::RowMajor>;
  Eigen::JacobiSVD<Matrix> svd(Eigen::Map<const Matrix>(F.a), Eigen::ComputeFullU | Eigen::ComputeFullV);
  ExactSvd<D> exact;
  Eigen::Map<Matrix>(exact.U.a) = svd.matrixU();
  Eigen::Map<Matrix>(exact.V.a) = svd.matrixV();
  for (int i = 0; i < D; ++i) exact.sigma[i] = svd.singularValues()[i];
  // reflections become rotations; the sign goes to the last singular value
  for (RealMatrix<D>* Q : {&exact.U, &exact.V}) {
    if (determinant(*Q) > 0) continue;
    for (int i = 0; i < D; ++i) (*Q)(i, D - 1) *= -1;
    exact.sigma[D - 1] *= -1;
  }
  return exact;
}

// in falling order
template <int D>
[[gnu::noinline]] RealVector<D> exact_eigenvalues(const RealMatrix<D>& A) {
  using Matrix = Eigen::Matrix<Real, D, D, Eigen::RowMajor>;
  Eigen::SelfAdjointEigenSolver<Matrix> solver(Eigen::Map<const Matrix>(A.a), Eigen::EigenvaluesOnly);
  RealVector<D> values;
  for (int i = 0; i < D; ++i) values[i] = solver.eigenvalues()[D - 1 - i];
  return values;
}

}  // namespace pliant::samples

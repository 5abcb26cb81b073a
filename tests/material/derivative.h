// The derivative of a law's stress as a dense matrix on the rows of F laid end to end.
#pragma once

#include "material/law.h"

#include <Eigen/Core>

namespace pliant {

using namespace material;

// entry (i D + j, k D + l) is dP_ij / dF_kl
template <class S, int D>
using StressDerivative = Eigen::Matrix<S, D * D, D * D>;

template <class L, class S, int D>
StressDerivative<S, D> stress_derivative(const L& law, const Matrix<S, D>& F, const Memory<S, D>& memory) {
  StressDerivative<S, D> derivative;
  for (int column = 0; column < D * D; ++column) {
    Matrix<S, D> dF = Matrix<S, D>::zero();
    dF.a[column] = 1;
    const Matrix<S, D> dP = law.differential(F, dF, memory);
    for (int row = 0; row < D * D; ++row) derivative(row, column) = dP.a[row];
  }
  return derivative;
}

}  // namespace pliant

#include "material/derivative.h"

#include <Eigen/Eigenvalues>

namespace pliant {

template <class S, int N>
Eigen::Matrix<S, N, N> project_spd(const Eigen::Matrix<S, N, N>& matrix) {
  const Eigen::Matrix<double, N, N> wide = matrix.template cast<double>();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, N, N>> eigen((wide + wide.transpose()) / 2);
  if (eigen.eigenvalues()(0) >= 0) return matrix;
  const auto& Q = eigen.eigenvectors();
  const Eigen::Matrix<double, N, N> projected = Q * eigen.eigenvalues().cwiseMax(0).asDiagonal() * Q.transpose();
  return projected.template cast<S>();
}

template Eigen::Matrix<float, 4, 4> project_spd<float, 4>(const Eigen::Matrix<float, 4, 4>&);
template Eigen::Matrix<float, 9, 9> project_spd<float, 9>(const Eigen::Matrix<float, 9, 9>&);
template Eigen::Matrix<double, 4, 4> project_spd<double, 4>(const Eigen::Matrix<double, 4, 4>&);
template Eigen::Matrix<double, 9, 9> project_spd<double, 9>(const Eigen::Matrix<double, 9, 9>&);

}  // namespace pliant

// The bodies' side of the system: velocities of the contacts' other sides, wrenches, and a matrix with its factor.
// Keeps its memory from solve to solve.
#pragma once

#include "solve/contact_weights.h"
#include "solve/namespace.h"
#include "solve/strong_problem.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <vector>

namespace pliant::solve {

class BodyCoupling {
 public:
  using Column = Eigen::VectorXd;

  // the problem must live as long as this is used
  void begin(const StrongProblem& problem);
  Eigen::Index dofs() const { return dofs_; }

  // velocities of contacts less those of the bodies' points there
  void subtract_velocities(const Column& w, Buffer<Vec3Lanes>& velocities);
  void subtract_bias(Buffer<Vec3Lanes>& velocities) const;
  // out += sign J^T (forces and moments)
  void add_forces(const Buffer<Vec3Lanes>& force, double sign, Column& out);

  // H, the matrix of the bodies' own cost, as it is now
  void take_hessian();
  const Eigen::MatrixXd& hessian() const { return hessian_; }
  // H + J^T G J
  void factor(const Buffer<Block3<Lanes>>& contact_hessian);
  void solve(const Column& right, Column& x) const;

 private:
  using Twist = Eigen::Matrix<double, 6, 1>;
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<const RowMajor> jacobian(std::size_t body) const {
    return {problem_->jacobians.data() + body * 6 * std::size_t(dofs_), 6, dofs_};
  }

  const StrongProblem* problem_ = nullptr;
  Eigen::Index dofs_ = 0;
  Buffer<Vec3Lanes> bias_;               // by block of contacts
  std::vector<std::uint32_t> touching_;  // contacts with bodies that can move
  std::vector<Twist> twists_;            // by body: velocities, or forces and moments
  std::vector<Eigen::Matrix<double, 6, 6>> sums_;
  RowMajor rows_, product_rows_;
  Eigen::MatrixXd hessian_, with_contacts_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

}  // namespace pliant::solve

#include "solve/body_coupling.h"

namespace pliant::solve {
void BodyCoupling::begin(const StrongProblem& problem) {
  problem_ = &problem;
  dofs_ = Eigen::Index(problem.bodies->dofs());
  rows_.resize(dofs_, dofs_);
  product_rows_.resize(6, dofs_);
  hessian_.setZero(dofs_, dofs_);
  const std::size_t contacts = problem.bias.size();
  bias_.resize(blocks_of(contacts));
  std::fill(bias_.begin(), bias_.end(), Vec3Lanes::zero());
  touching_.clear();
  for (std::size_t c = 0; c < contacts; ++c) {
    for (int d = 0; d < 3; ++d) bias_[c / 4][d].set(int(c % 4), problem.bias[c][d]);
    if (problem.body[c] >= 0) touching_.push_back(std::uint32_t(c));
  }
  const std::size_t bodies = dofs_ > 0 ? problem.jacobians.size() / (6 * std::size_t(dofs_)) : 0;
  twists_.resize(bodies);
  sums_.resize(bodies);
}

void BodyCoupling::subtract_bias(Buffer<Vec3Lanes>& velocities) const {
  for (std::size_t b = 0; b < bias_.size(); ++b) velocities[b] -= bias_[b];
}

void BodyCoupling::subtract_velocities(const Column& w, Buffer<Vec3Lanes>& velocities) {
  for (std::size_t b = 0; b < twists_.size(); ++b) twists_[b].noalias() = jacobian(b) * w;
  for (const std::uint32_t c : touching_) {
    const Twist& t = twists_[std::size_t(problem_->body[c])];
    const Vec3d other = Vec3d{{t[0], t[1], t[2]}} + cross(Vec3d{{t[3], t[4], t[5]}}, problem_->arm[c]);
    for (int d = 0; d < 3; ++d) velocities[c / 4][d].set(int(c % 4), velocities[c / 4][d][int(c % 4)] - other[d]);
  }
}

void BodyCoupling::add_forces(const Buffer<Vec3Lanes>& force, double sign, Column& out) {
  for (Twist& wrench : twists_) wrench.setZero();
  for (const std::uint32_t c : touching_) {
    const Vec3d f = vector_of(force.data(), c), m = cross(problem_->arm[c], f);
    Twist& t = twists_[std::size_t(problem_->body[c])];
    for (int d = 0; d < 3; ++d) t[d] += f[d], t[3 + d] += m[d];
  }
  for (std::size_t b = 0; b < twists_.size(); ++b) {
    twists_[b] *= sign;
    out.noalias() += jacobian(b).transpose() * twists_[b];
  }
}

void BodyCoupling::take_hessian() {
  if (dofs_ == 0) return;
  problem_->bodies->hessian({rows_.data(), std::size_t(dofs_ * dofs_)});
  hessian_ = rows_;
}

// J^T (sum of T^T G T) J, T from the body's twist to the contact's velocity
void BodyCoupling::factor(const Buffer<Block3<Lanes>>& contact_hessian) {
  if (dofs_ == 0) return;
  for (auto& sum : sums_) sum.setZero();
  for (const std::uint32_t c : touching_) {
    const Block3<double> g = lane_of(contact_hessian[c / 4], int(c % 4));
    Eigen::Matrix3d G;
    G << g.xx, g.xy, g.xz, g.xy, g.yy, g.yz, g.xz, g.yz, g.zz;
    const Vec3d& r = problem_->arm[c];
    Eigen::Matrix<double, 3, 6> T;
    T << 1, 0, 0, 0, r[2], -r[1], 0, 1, 0, -r[2], 0, r[0], 0, 0, 1, r[1], -r[0], 0;
    sums_[std::size_t(problem_->body[c])] += T.transpose() * G * T;
  }
  with_contacts_ = hessian_;
  for (std::size_t b = 0; b < sums_.size(); ++b) {
    product_rows_.noalias() = sums_[b] * jacobian(b);
    with_contacts_.noalias() += jacobian(b).transpose() * product_rows_;
  }
  factor_.compute(with_contacts_);
}

void BodyCoupling::solve(const Column& right, Column& x) const {
  x = right;
  if (dofs_ > 0) factor_.solveInPlace(x);
}

}  // namespace pliant::solve

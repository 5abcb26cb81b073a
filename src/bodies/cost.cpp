#include "bodies/cost.h"

#include "core/error.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <numeric>

namespace pliant::bodies {
namespace {

// y += A x, A with n columns
void add_product(const std::vector<double>& A, const double* x, std::vector<double>& y, std::size_t n) {
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] += std::inner_product(x, x + n, A.begin() + std::ptrdiff_t(i * n), 0.0);
}

}  // namespace

void StepCost::take(const Bodies& bodies) {
  if (model_ != bodies.shared_model()) data_ = nullptr;
  model_ = bodies.shared_model();
  const mjModel* m = model_.get();
  if (m->opt.integrator == mjINT_DISCRETE) {
    fail(ErrorCode::bad_input,
         "bodies: the integrator 'discrete' has another cost; use Euler, implicit or implicitfast");
  }
  mjData* copy = data_.get();
  const mjData* source = bodies.data();
  if (!log_.run([&] { copy = mj_copyData(copy, m, source); })) {
    fail(ErrorCode::too_large, "no memory for the cost of the bodies: {}; lower <size memory>", log_.error());
  }
  if (!data_) data_ = std::shared_ptr<mjData>(copy, mj_deleteData);
  dofs_ = int(m->nv);
  rows_ = copy->nefc;
  bodies.mass_matrix(mass_);
  smooth_.assign(copy->qacc_smooth, copy->qacc_smooth + dofs_);
  reference_.assign(copy->efc_aref, copy->efc_aref + rows_);
  read_jacobian();
  hessian_known_ = false;
}

void StepCost::read_jacobian() {
  const mjData* d = data_.get();
  jacobian_.assign(std::size_t(rows_) * std::size_t(dofs_), 0.0);
  if (!mj_isSparse(model_.get())) {
    std::copy_n(d->efc_J, jacobian_.size(), jacobian_.begin());
    return;
  }
  for (int i = 0; i < rows_; ++i) {
    double* row = jacobian_.data() + std::ptrdiff_t(i) * dofs_;
    for (int k = d->efc_J_rowadr[i]; k < d->efc_J_rowadr[i] + d->efc_J_rownnz[i]; ++k)
      row[d->efc_J_colind[k]] = d->efc_J[k];
  }
}

void StepCost::evaluate(const std::vector<double>& acceleration) {
  if (acceleration.size() != std::size_t(dofs_)) {
    fail(ErrorCode::bad_input, "the cost of the bodies wants {} numbers, not {}; give one per dof", dofs_,
         acceleration.size());
  }
  // s(J a - a_ref) and f
  residual_.assign(std::size_t(rows_), 0.0);
  add_product(jacobian_, acceleration.data(), residual_, std::size_t(dofs_));
  for (std::size_t i = 0; i < residual_.size(); ++i) residual_[i] -= reference_[i];
  double constraint_cost = 0;
  const mjModel* m = model_.get();
  mjData* d = data_.get();
  const double* residual = residual_.data();
  if (rows_ > 0 && !log_.run([&] { mj_constraintUpdate(m, d, residual, &constraint_cost, 1); })) {
    fail(ErrorCode::bad_input, "the cost of the bodies: {}; correct the model", log_.error());
  }
  force_.assign(d->efc_force, d->efc_force + rows_);

  // 1/2 (a - a_smooth)^T M (a - a_smooth)
  const std::size_t n = std::size_t(dofs_);
  offset_ = acceleration;
  for (std::size_t i = 0; i < n; ++i) offset_[i] -= smooth_[i];
  gradient_.assign(n, 0.0);
  add_product(mass_, offset_.data(), gradient_, n);
  value_ = 0.5 * std::inner_product(offset_.begin(), offset_.end(), gradient_.begin(), 0.0) + constraint_cost;
  for (std::size_t i = 0; i < std::size_t(rows_); ++i) {
    const double* row = jacobian_.data() + i * n;
    for (std::size_t j = 0; j < n; ++j) gradient_[j] -= row[j] * force_[i];
  }
  hessian_known_ = false;
}

const std::vector<double>& StepCost::hessian() {
  if (hessian_known_) return hessian_;
  hessian_ = mass_;
  const mjData* d = data_.get();
  for (int i = 0; i < rows_; ++i) {
    if (d->efc_state[i] == mjCNSTRSTATE_QUADRATIC) add_row(i, d->efc_D[i]);
  }
  for (int c = 0; c < d->ncon; ++c) {
    const int first = d->contact[c].efc_address;
    if (first >= 0 && d->efc_state[first] == mjCNSTRSTATE_CONE) add_cone(c);
  }
  hessian_known_ = true;
  return hessian_;
}

// weight J_i^T J_i
void StepCost::add_row(int row, double weight) {
  const double* J = jacobian_.data() + std::ptrdiff_t(row) * dofs_;
  for (int i = 0; i < dofs_; ++i) {
    if (J[i] == 0) continue;
    double* h = hessian_.data() + std::ptrdiff_t(i) * dofs_;
    for (int j = 0; j < dofs_; ++j) h[j] += weight * J[i] * J[j];
  }
}

// J_c^T H_c J_c of a contact on the side of its elliptic cone
void StepCost::add_cone(int contact) {
  const mjContact& c = data_->contact[contact];
  const double* J = jacobian_.data() + std::ptrdiff_t(c.efc_address) * dofs_;
  std::vector<double>& HJ = cone_row_;
  for (int r = 0; r < c.dim; ++r) {
    HJ.assign(smooth_.size(), 0.0);
    for (int s = 0; s < c.dim; ++s) {
      for (int j = 0; j < dofs_; ++j) HJ[std::size_t(j)] += c.H[r * c.dim + s] * J[s * dofs_ + j];
    }
    for (int i = 0; i < dofs_; ++i) {
      double* h = hessian_.data() + std::ptrdiff_t(i) * dofs_;
      for (int j = 0; j < dofs_; ++j) h[j] += J[r * dofs_ + i] * HJ[std::size_t(j)];
    }
  }
}

}  // namespace pliant::bodies

// MuJoCo's convex cost of a step as a function of the acceleration; equations in README.md:
//   l(a) = 1/2 (a - a_smooth)^T M (a - a_smooth) + s(J a - a_ref),   qacc = argmin l
#pragma once

#include "bodies/bodies.h"
#include "bodies/namespace.h"

#include <vector>

namespace pliant::bodies {

class StepCost {
 public:
  explicit StepCost(const Bodies& bodies) { take(bodies); }
  // takes what it needs from the bodies, after forward(); later changes of the bodies do not change the cost
  void take(const Bodies& bodies);

  int dofs() const { return dofs_; }
  int rows() const { return rows_; }
  const std::vector<double>& smooth_acceleration() const { return smooth_; }  // a_smooth

  // J, rows x nv, row-major
  const std::vector<double>& constraint_jacobian() const { return jacobian_; }

  // at an acceleration of nv numbers
  void evaluate(const std::vector<double>& acceleration);

  // after evaluate():
  double value() const { return value_; }
  const std::vector<double>& gradient() const { return gradient_; }       // M (a - a_smooth) - J^T f
  const std::vector<double>& constraint_force() const { return force_; }  // f = -ds, one per row
  // nv x nv, row-major; computed when asked for. Where the cost has a kink in its gradient, the side that MuJoCo takes.
  const std::vector<double>& hessian();

 private:
  void read_jacobian();
  void add_row(int row, double weight);
  void add_cone(int contact);

  std::shared_ptr<const mjModel> model_;
  std::shared_ptr<mjData> data_;  // our own: MuJoCo writes its constraint states there
  MujocoLog log_;
  int dofs_ = 0, rows_ = 0;
  std::vector<double> mass_, smooth_, jacobian_, reference_;
  double value_ = 0;
  std::vector<double> gradient_, force_, hessian_;
  std::vector<double> residual_, offset_, cone_row_;
  bool hessian_known_ = false;
};

}  // namespace pliant::bodies

// Minimises a StepCost by Newton's method with an exact line search: slow, obvious, in the tests only.
#pragma once

#include "bodies/cost.h"

#include <Eigen/Dense>

#include <vector>

namespace pliant::test {

using namespace bodies;

using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline Eigen::VectorXd as_eigen(const std::vector<double>& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), Eigen::Index(x.size()));
}
inline std::vector<double> as_vector(const Eigen::VectorXd& x) { return {x.data(), x.data() + x.size()}; }
inline Dense as_square(const std::vector<double>& x, int n) { return Eigen::Map<const Dense>(x.data(), n, n); }

struct Line {
  double slope, curvature;
};

inline Line along(StepCost& cost, const Eigen::VectorXd& a, const Eigen::VectorXd& p, double t) {
  cost.evaluate(as_vector(a + t * p));
  return {as_eigen(cost.gradient()).dot(p), p.dot(as_square(cost.hessian(), cost.dofs()) * p)};
}

// the root of the slope, which grows with t, by Newton's method kept inside of a bracket
inline double exact_step(StepCost& cost, const Eigen::VectorXd& a, const Eigen::VectorXd& p) {
  double low = 0, high = 1;
  while (along(cost, a, p, high).slope < 0 && high < 1e10) high *= 2;
  double t = 1;
  for (int i = 0; i < 100; ++i) {
    const Line line = along(cost, a, p, t);
    (line.slope < 0 ? low : high) = t;
    double next = t - line.slope / line.curvature;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (next == t || high - low < 1e-15 * high) break;
    t = next;
  }
  return t;
}

inline Eigen::VectorXd minimise(StepCost& cost, int max_iterations = 200) {
  Eigen::VectorXd a = as_eigen(cost.smooth_acceleration());
  for (int i = 0; i < max_iterations; ++i) {
    cost.evaluate(as_vector(a));
    const Eigen::VectorXd gradient = as_eigen(cost.gradient());
    const Eigen::VectorXd p = -as_square(cost.hessian(), cost.dofs()).ldlt().solve(gradient);
    if (p.norm() <= 1e-13 * (1 + a.norm())) break;
    a += exact_step(cost, a, p) * p;
  }
  return a;
}

}  // namespace pliant::test

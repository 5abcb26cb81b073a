// The slow, obvious twin of the solvers: Newton's method with the whole Hessian, dense, and a line search by halving.
#pragma once

#include "solve/problems.h"

#include <Eigen/Dense>

namespace pliant::tests {

using namespace solve;
using namespace contact;

class DenseNewton {
 public:
  explicit DenseNewton(const OwnedProblem& p) : p_(p), v(Eigen::VectorXd::Zero(3 * Eigen::Index(p.mass.size()))) {
    for (std::size_t i = 0; i < p.mass.size(); ++i)
      for (int d = 0; d < 3; ++d) v[at(i, d)] = p.free_velocity[i][d];
    measure(v);
    for (int n = 0; n < 200; ++n) {
      const Eigen::VectorXd step = -hessian.ldlt().solve(gradient), old = v;
      const double before = residual, length = minimum(step);
      measure(v + length * step);
      // round-off has the last word
      if (before < 1e-13 && !(residual < before)) {
        measure(old);
        break;
      }
    }
  }

  // |M^1/2 (x - v)|
  double distance(std::span<const Vec3d> x) const {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      for (int d = 0; d < 3; ++d) sum += p_.mass[i] * std::pow(x[i][d] - v[at(i, d)], 2);
    return std::sqrt(sum);
  }
  double largest_difference(std::span<const Vec3d> x) const {
    double most = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      for (int d = 0; d < 3; ++d) most = std::max(most, std::fabs(x[i][d] - v[at(i, d)]));
    return most;
  }

 private:
  static Eigen::Index at(std::size_t i, int d) { return 3 * Eigen::Index(i) + d; }

  const OwnedProblem& p_;

 public:
  Eigen::VectorXd v, gradient;
  Eigen::MatrixXd hessian;
  double scale = 0, residual = 0;

 private:
  Vec3d contact_velocity(std::size_t c, const Eigen::VectorXd& x) const {
    Vec3d u = Vec3d::zero() - p_.bias[c];
    for (std::uint32_t k = p_.begins[c]; k < p_.begins[c + 1]; ++k)
      for (int d = 0; d < 3; ++d) u[d] += p_.weights[k] * x[at(p_.nodes[k], d)];
    return u;
  }

  void measure(const Eigen::VectorXd& x) {
    v = x;
    Eigen::VectorXd impulse = Eigen::VectorXd::Zero(x.size()), mass(x.size()), free(x.size());
    for (std::size_t i = 0; i < p_.mass.size(); ++i)
      for (int d = 0; d < 3; ++d) mass[at(i, d)] = p_.mass[i], free[at(i, d)] = p_.free_velocity[i][d];
    hessian = mass.asDiagonal();
    for (std::size_t c = 0; c < p_.contacts(); ++c) {
      const LawValue<double> l = p_.potential.evaluate(c, contact_velocity(c, x));
      const Mat3d h = full(l.hessian);
      for (std::uint32_t k = p_.begins[c]; k < p_.begins[c + 1]; ++k)
        for (int d = 0; d < 3; ++d) {
          impulse[at(p_.nodes[k], d)] -= p_.weights[k] * l.gradient[d];
          for (std::uint32_t m = p_.begins[c]; m < p_.begins[c + 1]; ++m)
            for (int e = 0; e < 3; ++e)
              hessian(at(p_.nodes[k], d), at(p_.nodes[m], e)) += p_.weights[k] * p_.weights[m] * h(d, e);
        }
    }
    gradient = mass.cwiseProduct(x - free) - impulse;
    const Eigen::VectorXd by_mass = mass.cwiseInverse();
    scale = std::sqrt(std::max(x.dot(mass.cwiseProduct(x)), impulse.dot(by_mass.cwiseProduct(impulse))));
    residual = std::sqrt(gradient.dot(by_mass.cwiseProduct(gradient))) / scale;
  }

  double slope(const Eigen::VectorXd& step, double length) const {
    double sum = 0;
    const Eigen::VectorXd x = v + length * step;
    for (std::size_t i = 0; i < p_.mass.size(); ++i)
      for (int d = 0; d < 3; ++d) sum += p_.mass[i] * (x[at(i, d)] - p_.free_velocity[i][d]) * step[at(i, d)];
    for (std::size_t c = 0; c < p_.contacts(); ++c) {
      const Vec3d g = p_.potential.gradient(c, contact_velocity(c, x));
      for (std::uint32_t k = p_.begins[c]; k < p_.begins[c + 1]; ++k)
        for (int d = 0; d < 3; ++d) sum += g[d] * p_.weights[k] * step[at(p_.nodes[k], d)];
    }
    return sum;
  }

  double minimum(const Eigen::VectorXd& step) const {
    double low = 0, high = 1;
    // a full step that ends close to the minimum is as good
    if (std::fabs(slope(step, 1)) < 1e-3 * std::fabs(slope(step, 0))) return 1;
    while (slope(step, high) < 0 && high < 1e6) low = high, high *= 2;
    for (int n = 0; n < 40; ++n) {
      const double middle = 0.5 * (low + high);
      (slope(step, middle) < 0 ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }
};

}  // namespace pliant::tests

// Matter and bodies together: at the solver's result the gradient, by plain dense sums, is zero. The problem is
// strictly convex, so there is no other such place.
#include "solve/newton.h"

#include "solve/problems.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

namespace pliant {
namespace {

using namespace tests;
using Column = Eigen::VectorXd;
using Dense = Eigen::MatrixXd;

Dense random_spd(Eigen::Index n, LawSamples& s, double decades) {
  Dense B(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j) B(i, j) = s.uniform(-1, 1);
  Column scale(n);
  for (Eigen::Index i = 0; i < n; ++i) scale[i] = s.decade(0, decades);
  const Dense Q = B.householderQr().householderQ();
  return Q * scale.asDiagonal() * Q.transpose();
}

// 1/2 (v - v*)^T A (v - v*), A = mass + something that couples all nodes
class DenseMatter : public MatterCost {
 public:
  DenseMatter(const OwnedProblem& p, LawSamples& s) : mass_(p.mass), blocks_(p.mass.size()) {
    const auto n = 3 * Eigen::Index(p.mass.size());
    double total = 0;
    for (double m : mass_) total += m / double(mass_.size());
    A = total * s.decade(-1, 2) * random_spd(n, s, 1);
    start = Column(n);
    for (std::size_t i = 0; i < mass_.size(); ++i)
      for (int d = 0; d < 3; ++d) {
        A(at(i, d), at(i, d)) += mass_[i];
        start[at(i, d)] = p.free_velocity[i][d];
      }
    A = (0.5 * (A + A.transpose())).eval();
    for (std::size_t i = 0; i < mass_.size(); ++i)
      blocks_[i] = {{A(at(i, 0), at(i, 0)), A(at(i, 1), at(i, 1)), A(at(i, 2), at(i, 2)), A(at(i, 0), at(i, 1)),
                     A(at(i, 0), at(i, 2)), A(at(i, 1), at(i, 2)), 0, 0}};
  }
  static Eigen::Index at(std::size_t i, int d) { return 3 * Eigen::Index(i) + d; }
  template <class T>
  Column column(const NodeVector<T>* v) const {
    Column x(start.size());
    for (std::size_t i = 0; i < mass_.size(); ++i)
      for (int d = 0; d < 3; ++d) x[at(i, d)] = double(v[i][d]);
    return x;
  }
  template <class T>
  void spread(const Column& x, NodeVector<T>* v) const {
    for (std::size_t i = 0; i < mass_.size(); ++i) {
      v[i] = T(0);
      for (int d = 0; d < 3; ++d) v[i].set(d, T(x[at(i, d)]));
    }
  }

  std::size_t nodes() const override { return mass_.size(); }
  std::span<const double> mass() const override { return mass_; }
  bool quadratic() const override { return true; }
  double evaluate(const NodeVector<double>* v, NodeVector<double>* gradient, Workers&) override {
    const Column x = column(v) - start, g = A * x;
    spread(g, gradient);
    return 0.5 * x.dot(g);
  }
  void linearise(const NodeVector<double>*, Workers&) override {}
  double apply(const NodeVector<float>* x, NodeVector<float>* y, Workers&) override {
    const Column in = column(x), out = A * in;
    spread(out, y);
    return in.dot(out);
  }
  std::span<const NodeBlock3<double>> blocks() const override { return blocks_; }

  Dense A;
  Column start;

 private:
  std::vector<double> mass_;
  std::vector<NodeBlock3<double>> blocks_;
};

class DenseBodies : public BodyCost {
 public:
  DenseBodies(Eigen::Index dofs, double scale, double speed, LawSamples& s)
      : H(scale * random_spd(dofs, s, 3)), start(dofs) {
    for (Eigen::Index j = 0; j < dofs; ++j) start[j] = speed * s.uniform(-1, 1);
  }
  std::size_t dofs() const override { return std::size_t(start.size()); }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    const Column x = Eigen::Map<const Column>(w.data(), start.size()) - start;
    Eigen::Map<Column>(gradient.data(), start.size()) = H * x;
    return 0.5 * x.dot(H * x);
  }
  void hessian(std::span<double> out) override {
    Eigen::Map<Dense>(out.data(), start.size(), start.size()) = 0.5 * (H + H.transpose());
  }
  Dense H;
  Column start;
};

struct Strong {
  explicit Strong(unsigned seed)
      : s(seed), contacts(random_problem(seed, 3)), matter(contacts, s), bodies(5, matter.A.norm(), 1, s) {
    for (std::size_t c = 0; c < contacts.contacts(); ++c) {
      body.push_back(int(s.uniform(-1, 2.999)));
      arm.push_back(s.ball());
    }
    for (int k = 0; k < 3 * 6 * 5; ++k) jacobians.push_back(s.uniform(-1, 1));
    problem.matter = &matter;
    problem.bodies = &bodies;
    problem.begins = contacts.begins;
    problem.nodes = contacts.nodes;
    problem.weights = contacts.weights;
    problem.bias = contacts.bias;
    problem.body = body;
    problem.arm = arm;
    problem.jacobians = jacobians;
    problem.potential = &contacts.potential;
  }

  // J of the velocity of the body at contact c, 3 x 5
  Dense jacobian(std::size_t c) const {
    const double* J = jacobians.data() + 30 * body[c];
    Dense linear(3, 5), angular(3, 5);
    for (int r = 0; r < 3; ++r)
      for (int j = 0; j < 5; ++j) linear(r, j) = J[r * 5 + j], angular(r, j) = J[(3 + r) * 5 + j];
    Dense cross(3, 3);
    const Vec3d& a = arm[c];
    cross << 0, a[2], -a[1], -a[2], 0, a[0], a[1], -a[0], 0;
    return linear + cross * angular;
  }

  // |gradient| over the size of its terms
  double residual(const std::vector<NodeVector<double>>& v, const std::vector<double>& w) const {
    const Column x = matter.column(v.data()), y = Eigen::Map<const Column>(w.data(), 5);
    Column g = matter.A * (x - matter.start), h = bodies.H * (y - bodies.start);
    double size = g.norm() + h.norm() + (matter.A * x).norm();
    for (std::size_t c = 0; c < contacts.contacts(); ++c) {
      Eigen::Vector3d u(-contacts.bias[c][0], -contacts.bias[c][1], -contacts.bias[c][2]);
      for (std::uint32_t k = contacts.begins[c]; k < contacts.begins[c + 1]; ++k)
        u += contacts.weights[k] * x.segment<3>(3 * Eigen::Index(contacts.nodes[k]));
      if (body[c] >= 0) u -= jacobian(c) * y;
      const Vec3d l = contacts.potential.gradient(c, {{u[0], u[1], u[2]}});
      const Eigen::Vector3d f(l[0], l[1], l[2]);
      size += f.norm();
      for (std::uint32_t k = contacts.begins[c]; k < contacts.begins[c + 1]; ++k)
        g.segment<3>(3 * Eigen::Index(contacts.nodes[k])) += contacts.weights[k] * f;
      if (body[c] >= 0) h -= jacobian(c).transpose() * f;
    }
    return (g.norm() + h.norm()) / size;
  }

  LawSamples s;
  OwnedProblem contacts;
  DenseMatter matter;
  DenseBodies bodies;
  std::vector<std::int32_t> body;
  std::vector<Vec3d> arm;
  std::vector<double> jacobians;
  StrongProblem problem;
};

TEST(Newton, FindsTheMinimumOfMatterBodiesAndContacts) {
  Workers workers(1);
  NewtonWork work;
  int converged = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    Strong strong(seed);
    std::vector<NodeVector<double>> v(strong.matter.nodes());
    for (auto& x : v) x = Lanes::Vector{strong.s.uniform(-2, 2), strong.s.uniform(-2, 2), strong.s.uniform(-2, 2), 0};
    std::vector<double> w(5, 0.3);
    NewtonOptions options;
    options.relative_tolerance = 1e-10;
    options.max_iterations = 400;
    const NewtonReport report = solve_newton(strong.problem, options, workers, work, v, w);
    EXPECT_TRUE(report.converged || report.stalled) << seed;
    converged += report.converged;
    // the solver's own norm divides by the diagonal, over three decades of mass and more of springs; stalls come from
    // float directions at springs far stiffer than the matter
    EXPECT_LT(strong.residual(v, w), report.converged ? 1e-6 : 1e-5) << seed << " " << report.residual;
  }
  EXPECT_GT(converged, 270);
}

TEST(Newton, GivesUpAfterTooManyHardIterations) {
  Strong strong(12);
  Workers workers(1);
  NewtonWork work;
  NewtonOptions options;
  options.max_cg_iterations = 1;  // every iteration is hard
  const auto solve = [&] {
    std::vector<NodeVector<double>> v(strong.matter.nodes(), NodeVector<double>(0.0));
    std::vector<double> w(5, 0.0);
    return solve_newton(strong.problem, options, workers, work, v, w);
  };
  EXPECT_GT(solve().iterations, 3);
  options.max_hard_iterations = 2;
  const NewtonReport report = solve();
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(report.iterations, 2);
}

TEST(Newton, SameBitsOnAnyNumberOfThreads) {
  Strong strong(12);
  std::vector<NodeVector<double>> first;
  for (const int threads : {1, 2, 3}) {
    Workers workers(threads);
    NewtonWork work;
    std::vector<NodeVector<double>> v(strong.matter.nodes(), NodeVector<double>(0.0));
    std::vector<double> w(5, 0.0);
    solve_newton(strong.problem, {}, workers, work, v, w);
    if (threads == 1) first = v;
    EXPECT_EQ(std::memcmp(v.data(), first.data(), v.size() * sizeof v[0]), 0) << threads;
  }
}

TEST(Newton, WhatIsNotFiniteIsSaid) {
  Strong strong(3);
  Workers workers(1);
  NewtonWork work;
  std::vector<NodeVector<double>> v(strong.matter.nodes(), NodeVector<double>(std::nan("")));
  std::vector<double> w(5, 0.0);
  EXPECT_FALSE(solve_newton(strong.problem, {}, workers, work, v, w).finite);
}

}  // namespace
}  // namespace pliant

// Matter and bodies together: at the solver's result the gradient, by plain dense sums, is zero. The problem is
// strictly convex, so there is no other such place.
#include "solve/newton.h"

#include "solve/dense_strong.h"

#include <gtest/gtest.h>

namespace pliant {

using namespace solve;
using namespace contact;

namespace {

using namespace tests;

TEST(Newton, FindsTheMinimumOfMatterBodiesAndContacts) {
  Workers workers(1);
  NewtonWork work;
  int converged = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    DenseStrong strong(seed);
    std::vector<NodeVector<double>> v(strong.nodes());
    for (auto& x : v)
      x = NodeVector<double>::Vector{strong.s.uniform(-2, 2), strong.s.uniform(-2, 2), strong.s.uniform(-2, 2), 0};
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
  DenseStrong strong(12);
  Workers workers(1);
  NewtonWork work;
  NewtonOptions options;
  options.max_cg_iterations = 1;  // every iteration is hard
  const auto solve = [&] {
    std::vector<NodeVector<double>> v(strong.nodes(), NodeVector<double>(0.0));
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
  DenseStrong strong(12);
  std::vector<NodeVector<double>> first;
  for (const int threads : {1, 2, 3, 8}) {
    Workers workers(threads);
    NewtonWork work;
    std::vector<NodeVector<double>> v(strong.nodes(), NodeVector<double>(0.0));
    std::vector<double> w(5, 0.0);
    solve_newton(strong.problem, {}, workers, work, v, w);
    if (threads == 1) first = v;
    EXPECT_EQ(std::memcmp(v.data(), first.data(), v.size() * sizeof v[0]), 0) << threads;
  }
}

TEST(Newton, WhatIsNotFiniteIsSaid) {
  DenseStrong strong(3);
  Workers workers(1);
  NewtonWork work;
  std::vector<NodeVector<double>> v(strong.nodes(), NodeVector<double>(std::nan("")));
  std::vector<double> w(5, 0.0);
  EXPECT_FALSE(solve_newton(strong.problem, {}, workers, work, v, w).finite);
}

}  // namespace
}  // namespace pliant

// The solver against a dense Newton twin on a thousand problems, and what it promises: same bits, no allocation,
// honesty.
#include "solve/quasi_newton.h"
#include "effort.h"

#include "solve/dense_newton.h"
#include "solve/problems.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <limits>
#include <new>

namespace {
std::atomic<long> allocations = 0;

void* counted(std::size_t n, std::size_t line) {
  ++allocations;
  if (void* p = std::aligned_alloc(line, (n + line - 1) / line * line)) return p;
  throw std::bad_alloc();
}
}  // namespace

// not seen by the optimiser as a pair of malloc and delete
[[gnu::noinline]] void* operator new(std::size_t n) { return counted(n, 16); }
[[gnu::noinline]] void* operator new(std::size_t n, std::align_val_t line) { return counted(n, std::size_t(line)); }
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace pliant {

using namespace solve;
using namespace contact;

namespace {

using namespace tests;
using Direction = SolveOptions::Direction;

constexpr Direction all_directions[] = {Direction::block, Direction::conjugate, Direction::newton, Direction::mixed};

struct Solved {
  std::vector<Vec3d> v;
  SolveReport report;
  std::vector<Vec3d> impulses;
};

Solved solve(const OwnedProblem& p, const SolveOptions& options, int threads = 1) {
  Workers workers(threads);
  QuasiNewtonWork work;
  Solved s{p.start, {}, {}};
  s.report = solve_quasi_newton(p.view(), options, workers, work, s.v);
  for (std::size_t c = 0; c < p.contacts(); ++c) s.impulses.push_back(work.impulse(c));
  return s;
}

double top_speed(const OwnedProblem& p) {
  double most = 0;
  for (const Vec3d& v : p.free_velocity) most = std::max(most, norm(v));
  return most;
}

// all four laws, springs over six decades, starts anywhere, masses over 0 to 6 decades
void check_against_twin(unsigned seed) {
  const OwnedProblem p = random_problem(seed, seed % 7);
  const DenseNewton twin(p);
  ASSERT_LT(twin.residual, 1e-10) << seed;
  const Solved tight = solve(p, {.relative_tolerance = 1e-12});
  // a few problems end in round-off before
  EXPECT_TRUE(tight.report.converged || (tight.report.stalled && tight.report.residual < 1e-10)) << seed;
  EXPECT_LT(twin.largest_difference(tight.v), 1e-8 * top_speed(p)) << seed;

  for (const double tolerance : {5e-2, 1e-4, 1e-7, 1e-10}) {
    const Solved s = solve(p, {.relative_tolerance = tolerance});
    EXPECT_TRUE(s.report.converged) << seed << " " << tolerance << " " << s.report.residual;
    EXPECT_LE(s.report.residual, tolerance);
    // the Hessian is at least M, so |M^1/2 (v - v_exact)| <= |M^-1/2 grad|; scales of v differ by as much as v does
    EXPECT_LE(twin.distance(s.v), (tolerance + 2 * twin.residual) * twin.scale * (1 + 2 * tolerance)) << seed;
  }
}

TEST(QuasiNewton, SolvesAThousandProblems) {
  for (unsigned seed = 0; seed < unsigned(test::as_many(1000)); ++seed) {
    check_against_twin(seed);
    if (HasFailure()) FAIL() << "problem " << seed;
  }
}

// the paper's own directions need thousands of iterations for springs much stiffer than the mass; they still go down
TEST(QuasiNewton, AllDirectionsLeadToTheSamePlace) {
  for (const LawCase& law : all_laws) {
    const OwnedProblem p = layer_problem(4, law, 3);
    const Solved reference = solve(p, {.relative_tolerance = 1e-13, .direction = Direction::newton});
    ASSERT_TRUE(reference.report.converged);
    for (const Direction direction : all_directions) {
      const Solved s = solve(p, {.relative_tolerance = 1e-12, .direction = direction});
      EXPECT_TRUE(s.report.converged);
      for (std::size_t i = 0; i < s.v.size(); ++i) EXPECT_LE(norm(s.v[i] - reference.v[i]), 1e-10);
    }
  }
}

TEST(QuasiNewton, ImpulsesAreWhatMatterGot) {
  for (const LawCase& law : all_laws) {
    const OwnedProblem p = layer_problem(4, law, 5);
    const Solved s = solve(p, {.relative_tolerance = 1e-12});
    Vec3d given = Vec3d::zero(), got = Vec3d::zero();
    for (const Vec3d& j : s.impulses) given += j;
    for (std::size_t i = 0; i < s.v.size(); ++i) got += p.mass[i] * (s.v[i] - p.free_velocity[i]);
    EXPECT_GT(given[2], 0);
    EXPECT_LE(norm(given - got), 1e-10 * norm(got));
  }
}

TEST(QuasiNewton, SameBitsOnAnyNumberOfThreads) {
  for (const LawCase& law : all_laws)
    for (const Direction direction : all_directions) {
      const OwnedProblem p = layer_problem(21, law, 7, 10);
      ASSERT_GT(p.contacts(), 800u);
      const SolveOptions options = {.relative_tolerance = 1e-6, .max_iterations = 15, .direction = direction};
      const Solved one = solve(p, options, 1);
      for (const int threads : {2, 3}) {
        const Solved more = solve(p, options, threads);
        EXPECT_EQ(one.report.iterations, more.report.iterations);
        EXPECT_EQ(one.report.residual, more.report.residual);
        EXPECT_EQ(std::memcmp(one.v.data(), more.v.data(), one.v.size() * sizeof(Vec3d)), 0);
        EXPECT_EQ(std::memcmp(one.impulses.data(), more.impulses.data(), one.impulses.size() * sizeof(Vec3d)), 0);
      }
    }
}

TEST(QuasiNewton, WarmSolveAllocatesNothing) {
  const OwnedProblem large = layer_problem(10, all_laws[0], 1, 100), small = layer_problem(6, all_laws[0], 2, 100);
  Workers workers(1);
  QuasiNewtonWork work;
  std::vector<Vec3d> v = large.start, w = small.start;
  const SolveOptions options = {.relative_tolerance = 1e-8};
  const SolveReport first = solve_quasi_newton(large.view(), options, workers, work, v);
  EXPECT_TRUE(first.converged && first.inner_iterations > 0);
  const std::size_t bytes = work.bytes();
  const long before = allocations;
  v = large.start;
  const SolveReport again = solve_quasi_newton(large.view(), options, workers, work, v);
  solve_quasi_newton(small.view(), options, workers, work, w);
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(work.bytes(), bytes);
  EXPECT_EQ(again.iterations, first.iterations);
  // what was solved before leaves no trace
  const Solved fresh = solve(small, options);
  EXPECT_EQ(std::memcmp(fresh.v.data(), w.data(), w.size() * sizeof(Vec3d)), 0);
}

TEST(QuasiNewton, StartAtTheSolutionIsTheSolution) {
  OwnedProblem p = layer_problem(5, all_laws[0], 1);
  p.start = solve(p, {.relative_tolerance = 1e-10}).v;
  const Solved again = solve(p, {.relative_tolerance = 1e-9});
  EXPECT_TRUE(again.report.converged);
  EXPECT_EQ(again.report.iterations, 0);
  EXPECT_EQ(std::memcmp(again.v.data(), p.start.data(), p.start.size() * sizeof(Vec3d)), 0);
}

TEST(QuasiNewton, WithoutContactsIsFreeMotion) {
  OwnedProblem p(all_laws[0]);
  p.mass = {1, 1e-6, 1e6};
  p.free_velocity = {Vec3d{{1, 2, 3}}, Vec3d{{-4, 5, 6}}, Vec3d{{7, -8, 9}}};
  p.start = {Vec3d::zero(), Vec3d{{1e3, 0, 0}}, Vec3d{{0, 0, 1}}};
  const Solved s = solve(p, {.relative_tolerance = 1e-14});
  EXPECT_TRUE(s.report.converged);
  EXPECT_EQ(s.report.iterations, 1);
  for (int i = 0; i < 3; ++i) EXPECT_LE(norm(s.v[std::size_t(i)] - p.free_velocity[std::size_t(i)]), 1e-12);

  OwnedProblem none(all_laws[0]);
  EXPECT_TRUE(solve(none, {}).report.converged);
}

TEST(QuasiNewton, SaysWhenItIsNotThereYet) {
  const OwnedProblem p = layer_problem(6, all_laws[0], 1, 1e3);
  const Solved s = solve(p, {.relative_tolerance = 1e-8, .max_iterations = 2});
  EXPECT_FALSE(s.report.converged);
  EXPECT_FALSE(s.report.stalled);
  EXPECT_TRUE(s.report.finite);
  EXPECT_EQ(s.report.iterations, 2);
  EXPECT_GT(s.report.residual, 1e-8);
}

// nothing can reach 1e-17: it ends by itself, close to what double numbers can do
TEST(QuasiNewton, EndsInRoundOffByItself) {
  for (const LawCase& law : all_laws) {
    const OwnedProblem p = layer_problem(4, law, 1);
    const Solved s = solve(p, {.relative_tolerance = 1e-17, .max_iterations = 100000});
    EXPECT_FALSE(s.report.converged);
    EXPECT_TRUE(s.report.stalled);
    EXPECT_LT(s.report.residual, 1e-13);
    EXPECT_LT(s.report.iterations, 200);
  }
}

TEST(QuasiNewton, WhatIsNotFiniteIsRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const auto with_gap = [&](OwnedProblem& p, double gap) {
    ContactData t = p.potential.terms(0);
    t.gap = gap;
    p.potential.clear();
    for (std::size_t c = 0; c < p.contacts(); ++c) p.potential.add(t);
  };
  const std::function<void(OwnedProblem&)> spoils[] = {
      [&](OwnedProblem& p) { p.mass[3] = nan; },
      [&](OwnedProblem& p) { p.mass[3] = 0; },
      [&](OwnedProblem& p) { p.mass[3] = -1; },
      [&](OwnedProblem& p) { p.mass[3] = inf; },
      [&](OwnedProblem& p) { p.free_velocity[2][1] = nan; },
      [&](OwnedProblem& p) { p.free_velocity[2][1] = -inf; },
      [&](OwnedProblem& p) { p.start[1][2] = inf; },
      [&](OwnedProblem& p) { p.bias[0][2] = nan; },
      [&](OwnedProblem& p) { p.weights[5] = nan; },
      [&](OwnedProblem& p) { with_gap(p, nan); },
      [&](OwnedProblem& p) { with_gap(p, -inf); },
  };
  for (const LawCase& law : all_laws)
    for (const auto& spoil : spoils) {
      OwnedProblem p = layer_problem(3, law, 1);
      spoil(p);
      const Solved s = solve(p, {});
      EXPECT_FALSE(s.report.finite);
      EXPECT_FALSE(s.report.converged);
      EXPECT_EQ(std::memcmp(s.v.data(), p.start.data(), p.start.size() * sizeof(Vec3d)), 0);
    }
}

}  // namespace
}  // namespace pliant

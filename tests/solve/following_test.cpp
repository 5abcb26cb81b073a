// Friction that follows the solve: against a bisection where there is one contact, and on thousands of problems whose
// contacts wedge their nodes. At the end Coulomb's cone holds for every contact, and all forces are in balance.
#include "effort.h"
#include "solve/dense_strong.h"
#include "solve/newton.h"
#include "solve/quasi_newton.h"

#include <gtest/gtest.h>

namespace pliant {

using namespace solve;
using namespace contact;

namespace {

using namespace tests;

SplitVector<double> split(const ContactData& t, const Vec3d& x) { return {t.normal, x}; }

// the normal impulse alone, by the words of README.md
double normal_impulse_at(const ContactData& t, double u_n) {
  const double force = -t.gap - t.dt * u_n > 0 ? t.stiffness * (-t.gap - t.dt * u_n) : 0;
  return t.dt * force * std::max(0.0, 1 - t.dissipation * u_n);
}

template <class F>
double root(const F& rising, double low, double high) {
  for (int n = 0; n < 200; ++n) {
    const double middle = 0.5 * (low + high);
    (rising(middle) > 0 ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

// One node of mass m and one contact: the normal velocity does not depend on friction, m (u_n - u_n*) = gamma_n(u_n), and
// then |w| is where m (W* - W) = min(W/R_t, mu gamma_n), each by bisection.
Vec3d bisected(const ContactData& t, double mass, const Vec3d& free) {
  const SplitVector<double> u = split(t, free);
  const double reach = std::fabs(u.normal) + std::fabs(t.gap) / t.dt + 1;
  const double u_n = root([&](double x) { return mass * (x - u.normal) - normal_impulse_at(t, x); }, -reach, reach);
  const double most = t.friction * normal_impulse_at(t, u_n);
  const Vec3d target = (t.memory ? -1 / t.dt : 0.0) * split(t, t.offset).tangent, w = target - u.tangent;
  const double W = norm(w), holding = t.dt * t.dt * t.stiffness;
  const auto drag = [&](double x) {
    return t.memory ? std::min(holding * x, most) : most * x / std::sqrt(x * x + t.stiction * t.stiction);
  };
  const double left = root([&](double x) { return mass * (x - W) + drag(x); }, 0, W);
  return u_n * t.normal + target - (W > 0 ? left / W : 0) * w;
}

TEST(Following, OneContactIsThatOfABisection) {
  Workers workers(1);
  QuasiNewtonWork work;
  int slipped = 0, stuck = 0, apart = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    LawSamples s(seed);
    OwnedProblem p({LawKind::lagged, seed % 2 == 0});
    p.mass = {s.decade(-6, 0)};
    p.free_velocity = {s.decade(-1, 1) * s.ball()};
    p.start = {s.ball()};
    p.nodes = {0}, p.weights = {1}, p.begins = {0, 1}, p.bias = {Vec3d::zero()};
    ContactData t = s.terms();
    t.follows = true;
    t.stiffness = s.decade(-1, 4) * p.mass[0] / (t.dt * t.dt);
    // the product of spring and damper is one formula only this side of the damper's root
    t.dissipation = s.chance(0.5) ? 0 : s.decade(-3, -1);
    p.potential.add(t);
    std::vector<Vec3d> v = p.start;
    const SolveReport r = solve_quasi_newton(p.view(), {.relative_tolerance = 1e-12}, workers, work, v);
    // residuals are parts of the impulse, down to 1e-5 of the momentum: some units of round-off of that
    ASSERT_TRUE(r.converged || r.residual < 1e-9) << seed << " " << r.residual;
    const Vec3d expected = bisected(p.potential.terms(0), p.mass[0], p.free_velocity[0]);
    EXPECT_LT(norm(v[0] - expected), 1e-9 * (norm(p.free_velocity[0]) + norm(expected))) << seed;
    p.potential.take(work.u.data(), work.contact_gradient.data());
    const ContactData& c = p.potential[0];
    (c.normal_impulse > 0 ? c.slips ? slipped : stuck : apart)++;
  }
  EXPECT_GT(std::min({slipped, stuck, apart}), 200);
}

// of the solver's contacts, relative to the largest normal impulse
double cone_excess(OwnedProblem& p, const Vec3Lanes* u, const Vec3Lanes* gradient) {
  p.potential.take(u, gradient);
  double excess = 0, largest = 0;
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    const ContactData& t = p.potential[c];
    excess = std::max(excess, norm(split(t, t.impulse).tangent) - t.friction * t.normal_impulse);
    largest = std::max(largest, t.normal_impulse);
  }
  return largest > 0 ? excess / largest : 0;
}

// |D g| / max(|D p|, |D j|), from impulses that are found again by the plain law
double residual_of(const OwnedProblem& p, const std::vector<Vec3d>& v) {
  std::vector<Vec3d> j(v.size(), Vec3d::zero());
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    Vec3d u = -1.0 * p.bias[c];
    for (std::uint32_t k = p.begins[c]; k < p.begins[c + 1]; ++k) u += p.weights[k] * v[p.nodes[k]];
    ContactData t = p.potential.terms(c);
    t.last_impulse = normal_impulse(t, u);
    const Vec3d gradient = law_value(t, u).gradient;
    for (std::uint32_t k = p.begins[c]; k < p.begins[c + 1]; ++k) j[p.nodes[k]] += p.weights[k] * gradient;
  }
  double gg = 0, pp = 0, jj = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const Vec3d g = p.mass[i] * (v[i] - p.free_velocity[i]) + j[i];
    gg += dot(g, g) / p.mass[i], pp += p.mass[i] * dot(v[i], v[i]), jj += dot(j[i], j[i]) / p.mass[i];
  }
  return gg > 0 ? std::sqrt(gg / std::max(pp, jj)) : 0;
}

// how many of the problems are not solved
int unsolved_by_quasi_newton(Walls walls, double stiffer, double tolerance, unsigned problems) {
  Workers workers(1);
  QuasiNewtonWork work;
  int unsolved = 0;
  for (unsigned seed = 0; seed < problems; ++seed) {
    OwnedProblem p = following_problem(seed, walls, stiffer);
    std::vector<Vec3d> v = p.start;
    const SolveReport r = solve_quasi_newton(p.view(), {.relative_tolerance = tolerance}, workers, work, v);
    unsolved += !r.converged;
    if (!r.converged) continue;
    // round-off of springs 10^4 times as stiff as the mass, beside the solver's own tolerance
    EXPECT_LT(residual_of(p, v), tolerance * (1 + 1e-6) + 1e-7) << seed;
    EXPECT_LT(cone_excess(p, work.u.data(), work.contact_gradient.data()), 1e-12) << seed;
  }
  return unsolved;
}

int unsolved_by_newton(Walls walls, double stiffer, double tolerance, unsigned problems) {
  Workers workers(1);
  NewtonWork work;
  int unsolved = 0;
  for (unsigned seed = 0; seed < problems; ++seed) {
    DenseStrong strong(seed, following_problem(seed, walls, stiffer));
    std::vector<NodeVector<double>> v(strong.nodes());
    for (auto& x : v)
      x = NodeVector<double>::Vector{strong.s.uniform(-2, 2), strong.s.uniform(-2, 2), strong.s.uniform(-2, 2), 0};
    std::vector<double> w(DenseStrong::dofs, 0.3);
    const NewtonReport r =
        solve_newton(strong.problem, {.relative_tolerance = tolerance, .max_iterations = 1000}, workers, work, v, w);
    unsolved += !r.converged;
    if (r.converged)
      EXPECT_LT(cone_excess(strong.contacts, work.system.u.data(), work.system.contact_gradient.data()), 1e-12) << seed;
  }
  return unsolved;
}

// A step of the product has 1,000 iterations, and these tolerances by default. Half of all nodes in each row, up to nine
// contacts to a node and mu up to 2 are far worse than what surfaces make. Nothing proves that friction that follows is
// found. Springs 10^4 times as stiff as the mass leave some 0.1 % of the problems unsolved, other ones with other
// rounding: the bounds are for that, and to be lowered, never raised.
constexpr int few_of_1000 = 4;

TEST(Following, QuasiNewtonSolvesThousands) {
  for (const Walls walls : {Walls::corner, Walls::wedge}) {
    EXPECT_EQ(unsolved_by_quasi_newton(walls, 1, 5e-2, test::as_many(1000)), 0);
    EXPECT_EQ(unsolved_by_quasi_newton(walls, 100, 5e-2, test::as_many(1000)), 0);
    EXPECT_LE(unsolved_by_quasi_newton(walls, 1e4, 5e-2, test::as_many(1000)), few_of_1000);
  }
}
TEST(Following, NewtonSolvesThousands) {
  for (const Walls walls : {Walls::corner, Walls::wedge}) {
    EXPECT_EQ(unsolved_by_newton(walls, 1, 1e-4, test::as_many(1000)), 0);
    EXPECT_EQ(unsolved_by_newton(walls, 100, 1e-4, test::as_many(1000)), 0);
    EXPECT_LE(unsolved_by_newton(walls, 1e4, 1e-4, test::as_many(1000)), few_of_1000);
  }
}
TEST(Following, LONG_TighterAndMore) {
  for (const Walls walls : {Walls::corner, Walls::wedge})
    for (const double stiffer : {1.0, 100.0, 1e4}) {
      const int most = stiffer == 1 ? 0 : stiffer == 100 ? 5 : 5 * few_of_1000;
      EXPECT_LE(unsolved_by_quasi_newton(walls, stiffer, 1e-6, 5000), most) << stiffer;
      EXPECT_LE(unsolved_by_newton(walls, stiffer, 1e-6, 5000), most) << stiffer;
    }
}

TEST(Following, SameBitsOnAnyNumberOfThreads) {
  // enough contacts for several threads, and stiff enough for friction to be held
  OwnedProblem p = layer_problem(20, {LawKind::lagged, true}, 3, 1000);
  OwnedProblem q({LawKind::lagged, true});
  q.mass = p.mass, q.weights = p.weights, q.begins = p.begins, q.nodes = p.nodes;
  q.free_velocity = p.free_velocity, q.bias = p.bias, q.start = p.start;
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    ContactData t = p.potential.terms(c);
    t.follows = true;
    q.potential.add(t);
  }
  std::vector<Vec3d> first;
  for (const int threads : {1, 2, 3}) {
    Workers workers(threads);
    QuasiNewtonWork work;
    std::vector<Vec3d> v = q.start;
    const SolveReport r = solve_quasi_newton(q.view(), {.relative_tolerance = 1e-8}, workers, work, v);
    EXPECT_TRUE(r.converged);
    EXPECT_GT(r.iterations, 12);
    if (threads == 1) first = v;
    EXPECT_EQ(std::memcmp(v.data(), first.data(), v.size() * sizeof v[0]), 0) << threads;
  }
}

}  // namespace
}  // namespace pliant

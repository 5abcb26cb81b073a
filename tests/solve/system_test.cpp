// Newton's system against dense matrices: gradient, products in float and double, solves for a right side; and products
// against differences of the gradient.
#include "solve/system.h"

#include "solve/dense_strong.h"

#include <gtest/gtest.h>

namespace pliant {

using namespace solve;
using namespace contact;

namespace {

using namespace tests;

template <class T>
Column flat(const UnknownVector<T>& x) {
  Column all(3 * Eigen::Index(x.nodes.size()) + x.dofs.size());
  all << column(x.nodes.data(), x.nodes.size()), x.dofs;
  return all;
}

template <class T>
void fill(const Column& all, const Unknowns& unknowns, UnknownVector<T>& x) {
  x.resize(unknowns);
  const auto n = 3 * Eigen::Index(unknowns.nodes());
  spread(Column(all.head(n)), x.nodes.data());
  x.dofs = all.tail(all.size() - n);
}

Column random_column(DenseStrong& strong) {
  Column c(strong.size());
  for (double& e : c) e = strong.s.uniform(-1, 1);
  return c;
}

// the system of a problem at a place
struct SystemAt {
  Workers workers;
  SystemWork work;
  System system;
  UnknownVector<double> place;

  SystemAt(const DenseStrong& strong, const Column& x, int threads)
      : workers(threads), system(strong.problem, workers, work) {
    fill(x, strong.unknowns, place);
    system.linearise(place.nodes.data());
    system.linearise_in_double(place.nodes.data(), Curvature::exact);
    system.evaluate(place.nodes.data(), place.dofs);
  }
};

// of a random problem at a random place
struct AtPlace {
  DenseStrong strong;
  Column x;
  SystemAt at;
  System& system = at.system;
  SystemWork& work = at.work;

  explicit AtPlace(unsigned seed) : strong(seed), x(random_column()), at(strong, x, 1) {}
  Column random_column() { return pliant::random_column(strong); }
};

TEST(System, GradientIsTheDenseOne) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    AtPlace at(seed);
    const Column g = at.strong.gradient(at.x), mine = flat(at.work.gradient);
    double size = g.norm() + (at.strong.own_matrix() * at.x).norm();
    for (std::size_t c = 0; c < at.strong.contacts.contacts(); ++c) size += norm(at.strong.law(c, at.x).gradient);
    EXPECT_LT((mine - g).norm(), 1e-13 * size) << seed;
  }
}

// double to round-off; float to that of its vectors, matter alone is rounded in between
TEST(System, ProductsAreTheDenseOnes) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    AtPlace at(seed);
    const Column x = at.random_column(), y = at.strong.hessian(at.x) * x;
    UnknownVector<double> in, out;
    fill(x, at.strong.unknowns, in);
    out.resize(at.strong.unknowns);
    const double xy = at.system.apply(in, out);
    EXPECT_LT((flat(out) - y).norm(), 1e-13 * y.norm()) << seed;
    EXPECT_NEAR(xy, x.dot(y), 1e-12 * x.norm() * y.norm()) << seed;
    UnknownVector<float> in_float, out_float;
    fill(x, at.strong.unknowns, in_float);
    out_float.resize(at.strong.unknowns);
    at.system.apply(in_float, out_float);
    // springs 1e4 times stiffer than matter cancel where bodies and nodes move together
    const double scale = at.strong.hessian(at.x).norm() * x.norm();
    EXPECT_LT((flat(out_float) - y).norm(), 1e-6 * scale) << seed;
  }
}

// fourth-order differences, at places where no law changes its form within the step
TEST(System, ProductsAreDifferencesOfTheGradient) {
  int smooth = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    AtPlace at(seed);
    const double h = 1e-6;
    const Column d = at.random_column();
    const auto region = [&](double t) {
      std::vector<int> all;
      for (std::size_t c = 0; c < at.strong.contacts.contacts(); ++c) {
        const Column u = at.strong.row(c) * (at.x + t * d);
        const Vec3d relative = Vec3d{{u[0], u[1], u[2]}} - at.strong.contacts.bias[c];
        const LawContacts& p = at.strong.contacts.potential;
        all.push_back(2 * int(p.slips(c, relative)) + int(p.normal_impulse(c, relative) > 0));
      }
      return all;
    };
    if (region(-2 * h) != region(2 * h)) continue;
    ++smooth;
    const auto gradient = [&](double t) {
      UnknownVector<double> place;
      fill(Column(at.x + t * d), at.strong.unknowns, place);
      at.system.evaluate(place.nodes.data(), place.dofs);
      return flat(at.work.gradient);
    };
    const Column slope = (8 * (gradient(h) - gradient(-h)) - (gradient(2 * h) - gradient(-2 * h))) / (12 * h);
    gradient(0);
    UnknownVector<double> in, out;
    fill(d, at.strong.unknowns, in);
    out.resize(at.strong.unknowns);
    at.system.apply(in, out);
    // round-off of a gradient over h, and laws that bend within 1e-4 m/s
    const double size = at.strong.hessian(at.x).norm() * (at.x.norm() + d.norm());
    EXPECT_LT((flat(out) - slope).norm(), 1e-8 * size) << seed;
  }
  EXPECT_GT(smooth, 100);
}

TEST(System, SolvesForARightSide) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    AtPlace at(seed);
    const Dense H = at.strong.hessian(at.x);
    const Column right = at.random_column(), exact = H.llt().solve(right);
    UnknownVector<double> b, x;
    fill(right, at.strong.unknowns, b);
    at.system.precondition<double>();
    const CgReport report = at.system.solve<double>(b, {1e-13, 2000}, x);
    ASSERT_TRUE(report.converged) << seed << " " << report.residual;
    // the error in the norm of H, where the tolerance holds by the root of the preconditioned condition
    const Column off = flat(x) - exact;
    EXPECT_LT(std::sqrt(off.dot(H * off)), 1e-9 * std::sqrt(exact.dot(right))) << seed;

    at.system.precondition<float>();
    const CgReport rough = at.system.solve<float>(b, {1e-3, 2000}, x);
    ASSERT_FALSE(rough.broken) << seed;
    const Column gap = flat(x) - exact;
    EXPECT_LT(std::sqrt(gap.dot(H * gap)), 0.1 * std::sqrt(exact.dot(right))) << seed << " " << rough.residual;
  }
}

TEST(System, IsSymmetric) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    AtPlace at(seed);
    const Column a = at.random_column(), b = at.random_column();
    UnknownVector<double> x, y, Hx, Hy;
    fill(a, at.strong.unknowns, x);
    fill(b, at.strong.unknowns, y);
    Hx.resize(at.strong.unknowns);
    Hy.resize(at.strong.unknowns);
    at.system.apply(x, Hx);
    at.system.apply(y, Hy);
    const double scale = a.norm() * flat(Hy).norm() + b.norm() * flat(Hx).norm();
    EXPECT_LT(std::fabs(a.dot(flat(Hy)) - b.dot(flat(Hx))), 1e-14 * scale) << seed;
  }
}

// enough contacts for threads
TEST(System, SameBitsOnAnyNumberOfThreads) {
  DenseStrong strong(5, layer_problem(18, all_laws[0], 7, 10));
  ASSERT_GT(strong.contacts.contacts(), 512u);
  const Column place = random_column(strong);
  UnknownVector<double> b, x;
  fill(random_column(strong), strong.unknowns, b);
  Column first[2];
  for (const int threads : {1, 2, 3, 8}) {
    SystemAt at(strong, place, threads);
    at.system.precondition<double>();
    at.system.precondition<float>();
    at.system.solve<double>(b, {1e-8, 10}, x);
    const Column in_double = flat(x);
    at.system.solve<float>(b, {1e-3, 10}, x);
    if (threads == 1) first[0] = in_double, first[1] = flat(x);
    EXPECT_EQ(in_double, first[0]) << threads;
    EXPECT_EQ(flat(x), first[1]) << threads;
  }
}

}  // namespace
}  // namespace pliant

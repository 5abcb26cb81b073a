// Matrices of every kind that the decompositions must master, and the means to judge them in higher precision.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "core/decompose.h"

namespace pliant::samples {

using Real = long double;
template <int D>
using RealMatrix = Eigen::Matrix<Real, D, D>;
template <int D>
using RealVector = Eigen::Matrix<Real, D, 1>;

template <int D>
struct Sample {
  std::string kind;
  RealMatrix<D> F;
};

// not inlined, here and below: the tests compile in half the time
template <int D>
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Real uniform(Real low, Real high) { return std::uniform_real_distribution<Real>(low, high)(random_); }

  [[gnu::noinline]] RealMatrix<D> entries() {
    return RealMatrix<D>::NullaryExpr([&] { return uniform(-1, 1); });
  }
  [[gnu::noinline]] RealMatrix<D> rotation() {
    RealMatrix<D> Q = entries().householderQr().householderQ();
    if (Q.determinant() < 0) Q.col(0) *= -1;
    return Q;
  }
  [[gnu::noinline]] RealMatrix<D> with_sigma(const RealVector<D>& sigma) {
    return rotation() * sigma.asDiagonal() * rotation().transpose();
  }
  [[gnu::noinline]] RealVector<D> sigma(Real low, Real high) {
    return RealVector<D>::NullaryExpr([&] { return uniform(low, high); });
  }
  [[gnu::noinline]] RealMatrix<D> signed_permutation() {
    RealMatrix<D> P = RealMatrix<D>::Zero();
    std::vector<int> place(D);
    for (int i = 0; i < D; ++i) place[i] = i;
    std::shuffle(place.begin(), place.end(), random_);
    for (int i = 0; i < D; ++i) P(i, place[i]) = uniform(-1, 1) < 0 ? -1 : 1;
    return P;
  }
  // sigma = 1 and others down to 10^-digits
  [[gnu::noinline]] RealVector<D> spread(Real digits) {
    RealVector<D> s;
    s[0] = 1;
    for (int i = 1; i < D; ++i) s[i] = std::pow(Real(10), -uniform(0, digits));
    return s;
  }
  [[gnu::noinline]] RealMatrix<D> symmetric() {
    const RealMatrix<D> A = entries();
    return A + A.transpose();
  }
  template <class Container>
  void shuffle(Container& c) {
    std::shuffle(c.begin(), c.end(), random_);
  }

 private:
  std::mt19937 random_;
};

// rank r, exactly for a float or double: sums of products of small whole numbers
template <int D>
[[gnu::noinline]] RealMatrix<D> exact_rank(Generator<D>& g, int rank) {
  RealMatrix<D> F = RealMatrix<D>::Zero();
  for (int k = 0; k < rank; ++k) {
    RealVector<D> x = (g.sigma(-8, 8)).array().round(), y = (g.sigma(-8, 8)).array().round();
    F += x * y.transpose();
  }
  return F;
}

// `count` matrices of each kind, in mixed order
template <int D>
[[gnu::noinline]] std::vector<Sample<D>> general(int count, unsigned seed) {
  Generator<D> g(seed);
  std::vector<Sample<D>> all;
  const RealMatrix<D> one = RealMatrix<D>::Identity();
  all.push_back({"identity", one});
  all.push_back({"zero", RealMatrix<D>::Zero()});
  all.push_back({"minus identity", -one});
  for (int i = 0; i < count; ++i) {
    RealVector<D> equal = RealVector<D>::Constant(g.uniform(0.1, 3)), flat = equal, mirrored = g.sigma(0.1, 2);
    equal[D - 1] = g.uniform(0.1, 3);
    flat[D - 1] = 0;
    mirrored[D - 1] *= -1;
    RealVector<D> opposite = RealVector<D>::Constant(g.uniform(0.1, 3));
    opposite[D - 1] *= -1;
    all.push_back({"random", g.entries()});
    all.push_back({"strain 1e-6", g.rotation() * (one + 1e-6L * g.entries())});
    all.push_back({"strain 5 %", g.rotation() * (one + 0.05L * g.entries())});
    all.push_back({"strain 50 %", g.rotation() * (one + 0.5L * g.entries())});
    all.push_back({"rotation", g.rotation()});
    all.push_back({"turned and stretched alike", g.uniform(0.2, 5) * g.rotation()});
    all.push_back({"equal sigma", g.with_sigma(equal)});
    all.push_back({"almost equal sigma", g.with_sigma(equal + 1e-7L * g.sigma(0, 1))});
    all.push_back({"last sigma zero", g.with_sigma(flat)});
    all.push_back({"inverted", g.with_sigma(mirrored)});
    all.push_back({"inverted, equal sigma", g.with_sigma(opposite)});
    all.push_back({"inverted, almost equal sigma", g.with_sigma(opposite + 1e-7L * g.sigma(0, 1))});
    all.push_back({"near singular", g.with_sigma(g.spread(20))});
    all.push_back({"sigma over 6 decades", g.with_sigma(g.spread(6))});
    all.push_back({"rank 1", exact_rank<D>(g, 1)});
    all.push_back({"rank 2", exact_rank<D>(g, 2)});
    all.push_back({"signed permutation", g.signed_permutation()});
    all.push_back({"diagonal", RealMatrix<D>(g.sigma(-2, 2).asDiagonal())});
    all.push_back({"triangle", RealMatrix<D>(g.entries().template triangularView<Eigen::Upper>())});
    all.push_back({"huge", 1e12L * g.entries()});
    all.push_back({"tiny", 1e-12L * g.entries()});
    all.push_back({"near the largest float", 5e37L * g.entries()});
    all.push_back({"near the smallest float", 1e-36L * g.entries()});
    all.push_back({"entries of all sizes",
                   g.entries().unaryExpr([&](Real x) { return x * std::pow(Real(10), g.uniform(-12, 12)); })});
  }
  g.shuffle(all);
  return all;
}

// symmetric ones of each kind
template <int D>
[[gnu::noinline]] std::vector<Sample<D>> symmetric(int count, unsigned seed) {
  Generator<D> g(seed);
  std::vector<Sample<D>> all;
  all.push_back({"identity", RealMatrix<D>::Identity()});
  all.push_back({"zero", RealMatrix<D>::Zero()});
  const auto with_values = [&](const RealVector<D>& values) {
    const RealMatrix<D> Q = g.rotation();
    return RealMatrix<D>(Q * values.asDiagonal() * Q.transpose());
  };
  for (int i = 0; i < count; ++i) {
    RealVector<D> equal = RealVector<D>::Constant(g.uniform(-3, 3));
    equal[D - 1] = g.uniform(-3, 3);
    const RealVector<D> whole = g.sigma(-8, 8).array().round();
    all.push_back({"random", g.symmetric()});
    all.push_back({"equal values", with_values(equal)});
    all.push_back({"almost equal values", with_values(equal + 1e-7L * g.sigma(0, 1))});
    all.push_back({"all values almost equal", RealMatrix<D>::Identity() + 1e-6L * g.symmetric()});
    all.push_back({"rank 1", whole * whole.transpose()});
    all.push_back({"values over 20 decades", with_values(g.spread(20))});
    all.push_back({"diagonal", RealMatrix<D>(g.sigma(-2, 2).asDiagonal())});
    all.push_back(
        {"no diagonal", RealMatrix<D>(g.symmetric().cwiseProduct(RealMatrix<D>::Ones() - RealMatrix<D>::Identity()))});
    all.push_back({"huge", 1e12L * g.symmetric()});
    all.push_back({"tiny", 1e-12L * g.symmetric()});
    all.push_back({"near the largest float", 2e37L * g.symmetric()});
  }
  g.shuffle(all);
  return all;
}

template <class T>
Scalar<T> lane_of(const T& x, int lane) {
  if constexpr (std::is_arithmetic_v<T>)
    return x;
  else
    return x[lane];
}
template <class T>
void set_lane(T& x, int lane, Scalar<T> value) {
  if constexpr (std::is_arithmetic_v<T>)
    x = value;
  else
    x.set(lane, value);
}

template <class T, int D>
[[gnu::noinline]] RealMatrix<D> lane_of(const Matrix<T, D>& m, int lane) {
  return RealMatrix<D>::NullaryExpr([&](int i, int j) { return Real(lane_of(m(i, j), lane)); });
}
template <class T, int D>
RealVector<D> lane_of(const Vector<T, D>& x, int lane) {
  return RealVector<D>::NullaryExpr([&](int i) { return Real(lane_of(x[i], lane)); });
}

// lane i holds sample first + i; beyond the end, the first ones again
template <class T, int D>
[[gnu::noinline]] Matrix<T, D> gather(const std::vector<Sample<D>>& samples, std::size_t first) {
  Matrix<T, D> m;
  for (int lane = 0; lane < lanes_of<T>; ++lane)
    for (int i = 0; i < D * D; ++i)
      set_lane(m.a[i], lane, Scalar<T>(samples[(first + lane) % samples.size()].F(i / D, i % D)));
  return m;
}

template <class T>
Real eps() {
  return std::numeric_limits<Scalar<T>>::epsilon();
}

template <int D>
Real largest(const RealMatrix<D>& m) {
  return m.cwiseAbs().maxCoeff();
}

// how far Q is from a rotation
template <int D>
[[gnu::noinline]] Real rotation_error(const RealMatrix<D>& Q) {
  const RealMatrix<D> rest = Q.transpose() * Q - RealMatrix<D>::Identity();
  return std::max(largest<D>(rest), std::abs(Q.determinant() - 1));
}

// |m| / |F| for the rest m of a decomposition of F
template <int D>
[[gnu::noinline]] Real relative(const RealMatrix<D>& m, const RealMatrix<D>& F) {
  const Real size = F.norm();
  return size > 0 ? m.norm() / size : m.norm();
}

// a result as a plain list of numbers of one lane
template <class T, class Result>
std::vector<Scalar<T>> numbers_of(const Result& result, int lane) {
  constexpr std::size_t count = sizeof(Result) / sizeof(T);
  std::vector<T> all(count);
  std::memcpy(static_cast<void*>(all.data()), &result, sizeof(Result));
  std::vector<Scalar<T>> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = lane_of(all[i], lane);
  return numbers;
}

// Each sample has the same bits of result with its neighbours in the list, at any place in the pack, and alone. Samples
// that are not finite are only neighbours.
template <class T, int D, class Function>
void expect_lanes_independent(const std::vector<Sample<D>>& samples, Function function) {
  const auto same_bits = [](const auto& x, const auto& y) {
    return std::memcmp(x.data(), y.data(), x.size() * sizeof(x[0])) == 0;
  };
  for (std::size_t first = 0; first < samples.size(); ++first) {
    if (!samples[first].F.allFinite()) continue;
    const auto mixed = function(gather<T, D>(samples, first));
    const auto shifted = function(gather<T, D>(samples, first + samples.size() - 1));
    const auto alone = function(gather<T, D>(std::vector<Sample<D>>{samples[first]}, 0));
    const int last = lanes_of<T> - 1;
    ASSERT_TRUE(same_bits(numbers_of<T>(alone, 0), numbers_of<T>(alone, last))) << samples[first].kind;
    ASSERT_TRUE(same_bits(numbers_of<T>(mixed, 0), numbers_of<T>(alone, 0))) << samples[first].kind;
    ASSERT_TRUE(same_bits(numbers_of<T>(shifted, 1), numbers_of<T>(alone, 0))) << samples[first].kind;
  }
}

// a type and a dimension, for tests over all of them
template <class Number, int Dimension>
struct Case {
  using T = Number;
  static constexpr int D = Dimension;
};
using AllTypes = ::testing::Types<float, double, Wide<float>, Wide<double>>;
using AllCases =
    ::testing::Types<Case<float, 2>, Case<float, 3>, Case<double, 2>, Case<double, 3>, Case<Wide<float>, 2>,
                     Case<Wide<float>, 3>, Case<Wide<double>, 2>, Case<Wide<double>, 3>>;
using PackCases =
    ::testing::Types<Case<Wide<float>, 2>, Case<Wide<float>, 3>, Case<Wide<double>, 2>, Case<Wide<double>, 3>>;

}  // namespace pliant::samples

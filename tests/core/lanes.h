// Access to the lanes of numbers and packs, for tests that treat both alike.
#pragma once

#include "matrix_samples.h"

namespace pliant::samples {

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
RealMatrix<D> lane_of(const Matrix<T, D>& m, int lane) {
  RealMatrix<D> r;
  for (int i = 0; i < D * D; ++i) r.a[i] = Real(lane_of(m.a[i], lane));
  return r;
}
template <class T, int D>
RealVector<D> lane_of(const Vector<T, D>& x, int lane) {
  RealVector<D> r;
  for (int i = 0; i < D; ++i) r[i] = Real(lane_of(x[i], lane));
  return r;
}

template <class T>
Real eps() {
  return std::numeric_limits<Scalar<T>>::epsilon();
}

// lane i holds sample first + i; beyond the end, the first ones again
template <class T, int D>
Matrix<T, D> gather(const std::vector<Sample<D>>& samples, std::size_t first) {
  Matrix<T, D> m;
  for (int lane = 0; lane < lanes_of<T>; ++lane)
    for (int i = 0; i < D * D; ++i) set_lane(m.a[i], lane, Scalar<T>(samples[(first + lane) % samples.size()].F.a[i]));
  return m;
}

// `check(kind, F, result)` for each sample, F and result on T, the lane as the last argument
template <class T, int D, class Function, class Check>
void for_each_lane(const std::vector<Sample<D>>& samples, Function function, Check check) {
  for (std::size_t first = 0; first < samples.size(); first += lanes_of<T>) {
    const Matrix<T, D> F = gather<T, D>(samples, first);
    const auto result = function(F);
    for (int lane = 0; lane < lanes_of<T>; ++lane) {
      const RealMatrix<D> f = lane_of(F, lane);
      SCOPED_TRACE(samples[(first + lane) % samples.size()].kind);
      check(f, result, lane);
      if (::testing::Test::HasFatalFailure()) FAIL() << text(f);
    }
  }
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
    if (!std::isfinite(size_of(samples[first].F))) continue;
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
using AllTypes = ::testing::Types<float, double, Wide<float>, Wide<double>, Broad<float>, Broad<double>>;
using AllCases =
    ::testing::Types<Case<float, 2>, Case<float, 3>, Case<double, 2>, Case<double, 3>, Case<Wide<float>, 2>,
                     Case<Wide<float>, 3>, Case<Wide<double>, 2>, Case<Wide<double>, 3>, Case<Broad<float>, 3>>;
using PackCases = ::testing::Types<Case<Wide<float>, 2>, Case<Wide<float>, 3>, Case<Wide<double>, 2>,
                                   Case<Wide<double>, 3>, Case<Broad<float>, 3>>;

}  // namespace pliant::samples

// The minimum along a line, for functions with kinks in their slope.
#include "solve/line_search.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace pliant {

using namespace solve;

namespace {

// 1/2 a s^2 - b s and springs that begin to push at some length: a slope of straight pieces
struct Springs {
  double a, b;
  std::vector<double> begin, stiffness;

  LineValue operator()(double s) const {
    LineValue l = {0, a * s - b, a};
    for (std::size_t k = 0; k < begin.size(); ++k)
      if (s > begin[k]) {
        l.slope += stiffness[k] * (s - begin[k]);
        l.curvature += stiffness[k];
      }
    return l;
  }
};

TEST(LineSearch, OneStepForAParabola) {
  const Springs f = {3, 6, {}, {}};
  const LineStep found = minimise_along(f, f(0), 1e-12);
  EXPECT_EQ(found.length, 2);
  EXPECT_EQ(found.evaluations, 1);
}

TEST(LineSearch, FindsTheMinimumBehindKinks) {
  std::mt19937 random(1);
  std::uniform_real_distribution<> uniform(0, 1);
  int most = 0;
  for (int n = 0; n < 10000; ++n) {
    Springs f = {std::pow(10, 4 * uniform(random) - 4), 1, {}, {}};
    for (int k = 0; k < 30; ++k) {
      f.begin.push_back(std::pow(10, 4 * uniform(random) - 3));
      f.stiffness.push_back(std::pow(10, 12 * uniform(random) - 4));
    }
    const LineStep found = minimise_along(f, f(0), 1e-9);
    const double below = found.length * (1 - 1e-15), above = found.length * (1 + 1e-15);
    // at the tolerance, or between neighbours
    EXPECT_TRUE(std::fabs(f(found.length).slope) <= 1e-9 || f(below).slope * f(above).slope <= 0);
    most = std::max(most, found.evaluations);
  }
  EXPECT_LT(most, 60);
}

// Newton's method alone jumps from side to side of a bent slope and never comes back
TEST(LineSearch, HalvesWhereNewtonRunsAway) {
  const auto bent = [](double s) {
    const double x = s - 3;
    return LineValue{0, std::atan(x), 1 / (1 + x * x)};
  };
  const LineStep found = minimise_along(bent, bent(0), 1e-10);
  EXPECT_NEAR(found.length, 3, 2e-10);
  EXPECT_LT(found.evaluations, 30);
}

// flat at the start: the first step is far too long
TEST(LineSearch, ComesBackFromFarAway) {
  const Springs f = {1e-12, 1, {1}, {1}};
  const LineStep found = minimise_along(f, f(0), 1e-9);
  EXPECT_NEAR(found.length, 2, 1e-8);
  EXPECT_LT(found.evaluations, 5);
}

// a start that promises too much curvature: the bracket has to grow
TEST(LineSearch, GoesFurtherThanTheStartPromises) {
  const auto softening = [](double s) { return LineValue{0, std::tanh(s) - 0.999, 1 - std::pow(std::tanh(s), 2)}; };
  const LineStep found = minimise_along(softening, {0, -0.999, 1e6}, 1e-9);
  EXPECT_NEAR(std::tanh(found.length), 0.999, 1e-9);
  EXPECT_LT(found.evaluations, 60);
}

}  // namespace
}  // namespace pliant

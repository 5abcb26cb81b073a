// Stress as one number, against closed forms.
#include "material/von_mises.h"

#include "check_law.h"
#include "material/laws.h"
#include "pliant/error.h"

#include <cmath>

namespace pliant {

using namespace material;

namespace {

// turn about z by a, after stretches along the axes
template <int D>
std::vector<double> turned(double a, std::array<double, 3> stretch) {
  const double turn[3][3] = {{std::cos(a), -std::sin(a), 0}, {std::sin(a), std::cos(a), 0}, {0, 0, 1}};
  std::vector<double> F;
  for (int i = 0; i < D; ++i) {
    for (int j = 0; j < D; ++j) F.push_back(turn[i][j] * stretch[std::size_t(j)]);
  }
  return F;
}

TEST(VonMises, NeoHookeanPulledOneWay) {
  const Material m = usual_material(Law::neo_hookean);
  const double mu = m.E / (2 * (1 + m.nu)), none[] = {0};
  for (const double s : {0.6, 1.0, 1.5}) {
    const double t = 0.9;
    // tau = mu (F F^T - 1) + lambda log J, so that sigma_1 - sigma_2 = mu (s^2 - t^2) / J. What is rounded are numbers
    // of the size of mu and lambda.
    const double exact = mu * std::fabs(s * s - t * t) / (s * t * t), rounding = 1e-14 * m.E;
    EXPECT_NEAR(von_mises(m, 3, turned<3>(0.7, {s, t, t}), none)[0], exact, rounding);
    // in the plane two principal stresses differ, and the third is their mean: sqrt(3)/2 of their difference
    const double plane = std::sqrt(0.75) * mu * std::fabs(s * s - t * t) / (s * t);
    EXPECT_NEAR(von_mises(m, 2, turned<2>(0.7, {s, t, 1}), none)[0], plane, rounding);
  }
}

TEST(VonMises, HenckyThatYieldsIsAtItsYieldStress) {
  Material m = usual_material(Law::hencky);
  m.yield = 0.01 * m.E;
  Hencky<double> law = Hencky<double>::make(m);
  Matrix<double, 3> F = Matrix<double, 3>::identity();
  F(0, 1) = 0.5;
  Memory<double, 3> memory = {F, 0};
  law.return_map(F, memory);
  const std::vector<double> numbers(F.a, F.a + 9);
  // the yield stress is von Mises', and the return mapping keeps the volume: J = 1; both to the digits of the power series
  EXPECT_NEAR(von_mises(m, 3, numbers, {&memory.plastic, 1})[0] / m.yield, 1, 1e-12);
}

TEST(VonMises, NothingAtRestHoweverItIsTurned) {
  for (const Law law : all_laws) {
    // a linear law takes a turn for a strain
    const double angle = law == Law::linear ? 0 : 0.7;
    const Material m = usual_material(law);
    const std::vector<double> plastic = {
        std::visit([](const auto& l) { return l.initial_plastic; }, make_law<double>(m))};
    const double size = info(law).modulus(m);
    EXPECT_NEAR(von_mises(m, 3, turned<3>(angle, {1, 1, 1}), plastic)[0], 0, 1e-13 * size) << name(m.law);
    EXPECT_NEAR(von_mises(m, 2, turned<2>(angle, {1, 1, 1}), plastic)[0], 0, 1e-13 * size) << name(m.law);
  }
}

TEST(VonMises, EachParticleHasItsOwn) {
  const Material m = usual_material(Law::neo_hookean);
  std::vector<double> F = turned<3>(0, {1.2, 1, 1}), other = turned<3>(1, {1, 1.7, 1});
  const double none[] = {0, 0};
  const double first = von_mises(m, 3, F, {none, 1})[0], second = von_mises(m, 3, other, {none, 1})[0];
  F.insert(F.end(), other.begin(), other.end());
  EXPECT_EQ(von_mises(m, 3, F, none), (std::vector<double>{first, second}));
  EXPECT_TRUE(von_mises(m, 3, {}, {}).empty());
  // flat and inside out are numbers too
  for (const double s : {0.0, -1.0}) {
    EXPECT_TRUE(std::isfinite(von_mises(m, 3, turned<3>(0, {s, 1, 1}), {none, 1})[0])) << s;
  }
}

TEST(VonMises, RefusesWhatDoesNotFit) {
  const std::vector<double> F(9, 0.0), plastic(2, 0.0);
  EXPECT_THROW(von_mises(usual_material(Law::snow), 3, F, plastic), Error);
  EXPECT_THROW(von_mises(usual_material(Law::snow), 4, F, plastic), Error);
}

}  // namespace
}  // namespace pliant

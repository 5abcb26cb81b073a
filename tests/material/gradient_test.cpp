// Energy, stress, Kirchhoff stress and differential of every law agree with each other.
#include "check_law.h"
#include "material/derivative.h"

#include <Eigen/Eigenvalues>

namespace pliant {
namespace {

constexpr int samples = 1000;

template <class C>
class Gradient : public testing::Test {};
TYPED_TEST_SUITE(Gradient, DoubleCases);

template <class C>
class Stress : public testing::Test {};
TYPED_TEST_SUITE(Stress, AllCases);

TYPED_TEST(Gradient, StressIsTheDerivativeOfEnergyAndDifferentialThatOfStress) {
  constexpr int D = TypeParam::D;
  for_each_law<double>([](const auto& law) {
    Random random(1);
    GradientError worst{0, 0};
    for (int i = 0; i < samples; ++i) {
      const Matrix<double, D> F = sample<double, D>(random, i), dF = random.matrix<double, D>(1);
      const GradientError error = gradient_error(law, F, dF, memory_near(random, F, law.initial_plastic));
      worst = {worse(worst.stress, error.stress), worse(worst.differential, error.differential)};
    }
    // round-off: a few 1e-16 of an energy (stress) that is up to 10 times the stress (its change), over a step of 1e-6
    EXPECT_LT(worst.stress, 2e-8);
    EXPECT_LT(worst.differential, 2e-8);
  });
}

// where formulas with singular values divide by their difference, or by nearly nothing
TYPED_TEST(Gradient, HoldsForEqualAndAlmostEqualSingularValues) {
  constexpr int D = TypeParam::D;
  for_each_law<double>([](const auto& law) {
    Random random(2);
    for (const double gap : {0.0, 1e-14, 1e-10, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3})
      for (const double size : {1.0, 0.5, 0.05, 3.0}) {
        Matrix<double, D> F = size * Matrix<double, D>::identity();
        F(0, 0) += size * gap;
        F = random.rotation<double, D>() * F * random.rotation<double, D>();
        const Memory<double, D> memory{F, law.initial_plastic};
        const GradientError error = gradient_error(law, F, random.matrix<double, D>(1), memory);
        // round-off as above; the divided difference by the slope half way is good to 6e-6^2
        EXPECT_LT(error.stress, 2e-8) << "gap " << gap << " size " << size;
        EXPECT_LT(error.differential, 2e-8) << "gap " << gap << " size " << size;
      }
  });
}

TYPED_TEST(Stress, KirchhoffIsStressTimesTransposeOfF) {
  using S = typename TypeParam::S;
  constexpr int D = TypeParam::D;
  for_each_law<S>([](const auto& law) {
    Random random(3);
    double worst = 0;
    for (int i = 0; i < samples; ++i) {
      const Matrix<S, D> F = sample<S, D>(random, i);
      const Memory<S, D> memory = memory_near(random, F, law.initial_plastic);
      const Matrix<S, D> P = law.stress(F, memory), tau = law.kirchhoff(F, memory);
      const double scale = size_of(P) * size_of(F) + 1e5 * size_of(F) * size_of(F);
      worst = worse(worst, size_of(tau - P * transpose(F)) / scale);
    }
    // round-off of a product of three matrices, and of log and exp
    EXPECT_LT(worst, 8 * std::numeric_limits<S>::epsilon());
  });
}

TYPED_TEST(Gradient, DifferentialIsSymmetric) {
  constexpr int D = TypeParam::D;
  for_each_law<double>([](const auto& law) {
    Random random(4);
    for (int i = 0; i < samples; ++i) {
      const Matrix<double, D> F = sample<double, D>(random, i);
      const Memory<double, D> memory = memory_near(random, F, law.initial_plastic);
      const Matrix<double, D> A = random.matrix<double, D>(1), B = random.matrix<double, D>(1);
      const Matrix<double, D> PA = law.differential(F, A, memory), PB = law.differential(F, B, memory);
      const double scale = size_of(PA) * size_of(B) + size_of(PB) * size_of(A);
      // round-off of products
      EXPECT_NEAR(inner(PA, B), inner(PB, A), 1e-14 * scale);
    }
  });
}

TYPED_TEST(Stress, DerivativeMatrixDoesWhatTheDifferentialDoes) {
  using S = typename TypeParam::S;
  constexpr int D = TypeParam::D;
  for_each_law<S>([](const auto& law) {
    Random random(5);
    for (int i = 0; i < samples; ++i) {
      const Matrix<S, D> F = sample<S, D>(random, i), dF = random.matrix<S, D>(1);
      const Memory<S, D> memory = memory_near(random, F, law.initial_plastic);
      const StressDerivative<S, D> A = stress_derivative(law, F, memory);
      const Matrix<S, D> dP = law.differential(F, dF, memory);
      const Eigen::Map<const Eigen::Matrix<S, D * D, 1>> change(dF.a), expected(dP.a);
      // round-off of a sum of D^2 products
      EXPECT_LT((A * change - expected).norm(), 8 * std::numeric_limits<S>::epsilon() * A.norm() * change.norm());
    }
  });
}

TYPED_TEST(Stress, SpdProjectionRemovesNegativeEigenvaluesAndNothingElse) {
  using S = typename TypeParam::S;
  constexpr int D = TypeParam::D;
  int changed = 0, kept = 0;
  for_each_law<S>([&](const auto& law) {
    Random random(6);
    for (int i = 0; i < samples / 5; ++i) {
      const Matrix<S, D> F = sample<S, D>(random, i);
      const StressDerivative<S, D> A = stress_derivative(law, F, memory_near(random, F, law.initial_plastic));
      const StressDerivative<S, D> spd = project_spd(A);
      using Solver = Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, D * D, D * D>>;
      const Eigen::Matrix<double, D * D, D* D> wide = A.template cast<double>();
      const Solver before((wide + wide.transpose()) / 2), after(spd.template cast<double>());
      // the projected matrix is rounded to S, and each eigenvalue solver is good to a few eps of the norm
      const double rounding = 16 * std::numeric_limits<S>::epsilon() * A.norm();
      EXPECT_GE(after.eigenvalues()(0), -rounding);
      // (an eigenvalue of 0 may be computed with either sign)
      if (before.eigenvalues()(0) > rounding) {
        EXPECT_EQ(A, spd);
        ++kept;
      } else {
        const Eigen::Matrix<double, D * D, 1> expected = before.eigenvalues().cwiseMax(0.0);
        EXPECT_LT((after.eigenvalues() - expected).norm(), rounding);
        ++changed;
      }
    }
  });
  // both cases have been seen
  EXPECT_GT(changed, 50);
  EXPECT_GT(kept, 50);
}

// matter does not feel a rotation of the world, nor one of its own rest state
TYPED_TEST(Gradient, EnergyIsBlindToRotations) {
  constexpr int D = TypeParam::D;
  for_each_law<double>([]<class L>(const L& law) {
    if constexpr (!std::is_same_v<L, Linear<double>>) {
      Random random(7);
      for (int i = 0; i < samples; ++i) {
        const Matrix<double, D> F = sample<double, D>(random, i);
        const Matrix<double, D> Q = random.rotation<double, D>();
        const auto at = [&](const Matrix<double, D>& x) { return law.energy(x, Memory<double, D>{x, 1}); };
        const Matrix<double, D> P = law.stress(F, Memory<double, D>{F, 1});
        const Matrix<double, D> turned = law.stress(Q * F, Memory<double, D>{Q * F, 1});
        // round-off of F Q, through the slope of the energy and its curvature
        const double curvature = size_of(law.differential(F, F, Memory<double, D>{F, 1}));
        const double tolerance = 1e-14 * (at(F) + size_of(P) * size_of(F) + 1e5 * size_of(F));
        EXPECT_NEAR(at(F), at(Q * F), tolerance);
        EXPECT_NEAR(at(F), at(F * Q), tolerance);
        EXPECT_LT(size_of(turned - Q * P), 1e-13 * (size_of(P) + curvature + 1e5));
      }
    }
  });
}

TYPED_TEST(Gradient, RestHasNoEnergyAndNoStress) {
  constexpr int D = TypeParam::D;
  for_each_law<double>([](const auto& law) {
    const Matrix<double, D> F = Matrix<double, D>::identity();
    const Memory<double, D> memory{F, law.initial_plastic};
    EXPECT_NEAR(law.energy(F, memory), 0, 1e-11);
    EXPECT_NEAR(size_of(law.stress(F, memory)), 0, 1e-11);
  });
}

// small strain: every solid law is linear elasticity with the three-dimensional Lame parameters, also in the plane
TYPED_TEST(Gradient, SmallStrainIsLinearElasticity) {
  constexpr int D = TypeParam::D;
  const double mu = 1e5 / 2.6, lambda = 1e5 * 0.3 / (1.3 * 0.4);
  for_each_law<double>([&]<class L>(const L& law) {
    constexpr bool solid = !std::is_same_v<L, Liquid<double>> && !std::is_same_v<L, Eraser<double>>;
    Random random(8);
    const Matrix<double, D> F = Matrix<double, D>::identity(), dF = random.matrix<double, D>(1);
    const Memory<double, D> memory{F, law.initial_plastic};
    Matrix<double, D> expected = (lambda * trace(dF)) * F;
    if (solid) expected += (2 * mu) * symmetric_part(dF);
    if (std::is_same_v<L, Liquid<double>>) expected = (2e5 * trace(dF)) * F;
    if (std::is_same_v<L, Eraser<double>>) expected = ((lambda + 2 * mu / D) * trace(dF)) * F;
    EXPECT_LT(size_of(law.differential(F, dF, memory) - expected), 1e-9);
  });
}

}  // namespace
}  // namespace pliant

// Energy, stress, Kirchhoff stress and differential of every law agree with each other.
#include "check_law.h"
#include "derivative.h"

#include <Eigen/Eigenvalues>

namespace pliant {

using namespace material;

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

// closed forms where F is diagonal, which the strong step uses, against the law's own differential
TEST(Principal, FormsAreTheDifferential) {
  for_each_law<double>([]<class L>(const L& law) {
    if constexpr (!L::quadratic && !L::sheet) {
      Random random(6);
      for (int sample = 0; sample < samples / 5; ++sample) {
        Vector<double, 3> s;
        for (int i = 0; i < 3; ++i) s[i] = random.uniform(0.3, 1.8);
        // nearly equal, inverted, nearly flat
        if (sample % 4 == 1) s[1] = s[0] * (1 + 1e-9);
        if (sample % 4 == 2) s[2] = -0.1 * s[2];
        if (sample % 4 == 3) s[2] = 5e-3;
        const double plastic = law.initial_plastic + random.uniform(-0.03, 0.03);
        const auto F = Matrix<double, 3>::diagonal(s);
        const PrincipalDifferential<double> form = law.principal_differential(s, plastic);
        const StressDerivative<double, 3> A = stress_derivative(law, F, Memory<double, 3>{F, plastic});
        StressDerivative<double, 3> expected = StressDerivative<double, 3>::Zero();
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) {
            expected(4 * i, 4 * j) = form.stretch(i, j);
            if (i == j) continue;
            const double shear = form.pairs(std::min(i, j), std::max(i, j));
            const double turn = form.pairs(std::max(i, j), std::min(i, j));
            expected(3 * i + j, 3 * i + j) = (shear + turn) / 2;
            expected(3 * i + j, 3 * j + i) = (shear - turn) / 2;
          }
        // both to some ulps of the largest entry and of what cancels in it
        EXPECT_LT((A - expected).cwiseAbs().maxCoeff(), 1e-10 * A.cwiseAbs().maxCoeff()) << sample;
      }
    }
  });
}

// The strong step cuts negative eigenvalues of the principal form: they are those of the whole derivative, at any F.
TEST(Principal, EigenvaluesAreThoseOfTheDerivative) {
  int negative = 0, positive = 0;
  for_each_law<double>([&]<class L>(const L& law) {
    if constexpr (!L::quadratic && !L::sheet) {
      Random random(9);
      for (int i = 0; i < samples / 5; ++i) {
        const Matrix<double, 3> F = sample<double, 3>(random, i);
        const double plastic = law.initial_plastic + random.uniform(-0.03, 0.03);
        const auto form = law.principal_differential(svd(F).sigma, plastic);
        const StressDerivative<double, 3> A = stress_derivative(law, F, Memory<double, 3>{F, plastic});
        Eigen::Matrix3d stretch;
        for (int k = 0; k < 9; ++k) stretch(k / 3, k % 3) = form.stretch.a[k];
        Eigen::Matrix<double, 9, 1> mine;
        mine.head<3>() = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(stretch).eigenvalues();
        mine.tail<6>() << form.pairs(0, 1), form.pairs(0, 2), form.pairs(1, 2), form.pairs(1, 0), form.pairs(2, 0),
            form.pairs(2, 1);
        std::sort(mine.begin(), mine.end());
        const Eigen::SelfAdjointEigenSolver<StressDerivative<double, 3>> dense((A + A.transpose()) / 2);
        // the closed form to the digits of F's singular values, which enter through the curvature
        EXPECT_LT((mine - dense.eigenvalues()).cwiseAbs().maxCoeff(), 1e-10 * A.norm()) << i;
        (mine[0] < 0 ? negative : positive)++;
      }
    }
  });
  // both cases have been seen
  EXPECT_GT(negative, 50);
  EXPECT_GT(positive, 50);
}

// matter does not feel a rotation of the world, nor one of its own rest state
TYPED_TEST(Gradient, EnergyIsBlindToRotations) {
  constexpr int D = TypeParam::D;
  for_each_law<double>([]<class L>(const L& law) {
    if constexpr (L::tells_turns || L::resists_only_pressure) {
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
    Random random(8);
    const Matrix<double, D> F = Matrix<double, D>::identity(), dF = random.matrix<double, D>(1);
    const Memory<double, D> memory{F, law.initial_plastic};
    Matrix<double, D> expected = (lambda * trace(dF)) * F;
    if (L::keeps_shape) expected += (2 * mu) * symmetric_part(dF);
    if (std::is_same_v<L, Liquid<double>>) expected = (2e5 * trace(dF)) * F;
    if (std::is_same_v<L, Eraser<double>>) expected = ((lambda + 2 * mu / D) * trace(dF)) * F;
    EXPECT_LT(size_of(law.differential(F, dF, memory) - expected), 1e-9);
  });
}

}  // namespace
}  // namespace pliant

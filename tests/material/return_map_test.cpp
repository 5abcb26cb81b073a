// Return mappings: inside the yield surface, twice is once, elastic states stay as they are, volume where it must.
#include "check_law.h"

#include <Eigen/Dense>

#include <cstring>

namespace pliant {

using namespace material;

namespace {

constexpr int samples = 1000;

template <class C>
class ReturnMap : public testing::Test {};
TYPED_TEST_SUITE(ReturnMap, AllCases);

template <class S, int D>
bool same_bits(const Matrix<S, D>& A, const Matrix<S, D>& B) {
  return std::memcmp(A.a, B.a, sizeof A.a) == 0;
}

template <class S, int D>
S deviator_size(const Matrix<S, D>& A) {
  const Matrix<S, D> dev = add_diagonal(A, -trace(A) / S(D));
  return std::sqrt(inner(dev, dev));
}

// how far a state is outside the yield surface of a law, in parts of the strains that matter; negative inside
template <class S, int D>
S outside(const LinearCorotated<S>& law, const Matrix<S, D>& F, const Memory<S, D>& memory) {
  const Matrix<S, D> strain = symmetric_part(transpose(rotation_of(memory.start)) * F);
  return deviator_size(strain) - law.deviator / (2 * law.mu);
}
template <class S, int D>
S outside(const Hencky<S>& law, const Matrix<S, D>& F, const Memory<S, D>& memory) {
  return (deviator_size(law.kirchhoff(F, memory)) - law.deviator) / (2 * law.mu);
}
// the cone in Kirchhoff stress, its apex shifted by cohesion
template <class S, int D>
S outside(const Sand<S>& law, const Matrix<S, D>& F, const Memory<S, D>& memory) {
  const Matrix<S, D> tau = law.kirchhoff(F, memory);
  const S apex = (D * law.lambda + 2 * law.mu) * D * law.cohesion;
  return (deviator_size(tau) + law.template friction<D>() * (trace(tau) - apex)) / (2 * law.mu);
}
template <class S, int D>
S outside(const Snow<S>& law, const Matrix<S, D>& F, const Memory<S, D>&) {
  const Vector<S, D> sigma = svd(F).sigma;
  return std::max(sigma[0] - law.largest_stretch, law.least_stretch - sigma[D - 1]);
}
template <class S, int D>
S outside(const Liquid<S>&, const Matrix<S, D>& F, const Memory<S, D>&) {
  return std::max(deviator_size(F), determinant(F) - 1);
}
template <class S, int D>
S outside(const Eraser<S>&, const Matrix<S, D>& F, const Memory<S, D>&) {
  return deviator_size(F) / std::cbrt(std::abs(determinant(F)));
}

// calls action(law) for each law that flows
template <class S, class Action>
void for_each_plastic_law(const Action& action) {
  for_each_law<S>([&]<class L>(const L& law) {
    if constexpr (L::plastic) action(law);
  });
}

TYPED_TEST(ReturnMap, EndsInsideTheYieldSurfaceAndTwiceIsOnce) {
  using S = typename TypeParam::S;
  constexpr int D = TypeParam::D;
  for_each_plastic_law<S>([](const auto& law) {
    Random random(1);
    int flowed = 0;
    for (int i = 0; i < samples; ++i) {
      const Matrix<S, D> trial = sample<S, D>(random, i);
      Matrix<S, D> F = trial;
      Memory<S, D> memory = memory_near(random, F, law.initial_plastic);
      law.return_map(F, memory);
      flowed += !same_bits(F, trial);
      // round-off of F in strain: a few eps of the trial, whose stretches go up to 12
      const S rounding = 50 * std::numeric_limits<S>::epsilon();
      ASSERT_LT(outside(law, F, memory), rounding) << "sample " << i;

      Matrix<S, D> again = F;
      Memory<S, D> memory_again = memory;
      law.return_map(again, memory_again);
      ASSERT_LT(size_of(again - F), rounding * size_of(F)) << "sample " << i;
      ASSERT_NEAR(memory_again.plastic, memory.plastic, rounding * (1 + std::abs(memory.plastic))) << "sample " << i;
    }
    // most samples are far outside
    EXPECT_GT(flowed, samples * 9 / 10);
  });
}

TYPED_TEST(ReturnMap, LeavesElasticStatesBitForBit) {
  using S = typename TypeParam::S;
  constexpr int D = TypeParam::D;
  for_each_plastic_law<S>([]<class L>(const L& law) {
    Random random(2);
    for (int i = 0; i < samples; ++i) {
      // small strains, pressed a little so that sand is inside its cone; liquid and eraser store volume only
      constexpr bool shapeless = !L::keeps_shape;
      Matrix<S, D> start = random.rotation<S, D>() * (S(0.999) * Matrix<S, D>::identity() + random.matrix<S, D>(1e-4));
      if (shapeless) start = S(random.uniform(0.9, 1)) * Matrix<S, D>::identity();
      Matrix<S, D> F = start;
      Memory<S, D> memory{F, S(law.initial_plastic)};
      law.return_map(F, memory);
      if (shapeless && D == 3) {
        // the third root may end one ulp away
        ASSERT_NEAR(F(0, 0), start(0, 0), std::numeric_limits<S>::epsilon()) << "sample " << i;
      } else {
        ASSERT_TRUE(same_bits(F, start)) << "sample " << i;
      }
      ASSERT_EQ(memory.plastic, S(law.initial_plastic));
    }
  });
}

TYPED_TEST(ReturnMap, NeverYieldsWithoutYieldStress) {
  using S = typename TypeParam::S;
  constexpr int D = TypeParam::D;
  Random random(3);
  LinearCorotated<S> corotated = LinearCorotated<S>::make(usual_material(Law::linear_corotated));
  Hencky<S> hencky = Hencky<S>::make(usual_material(Law::hencky));
  corotated.deviator = hencky.deviator = 0;
  for (int i = 0; i < samples; ++i) {
    const Matrix<S, D> start = sample<S, D>(random, i);
    Matrix<S, D> F = start;
    Memory<S, D> memory{F, S(0)};
    corotated.return_map(F, memory);
    hencky.return_map(F, memory);
    ASSERT_TRUE(same_bits(F, start));
  }
}

// S1, Algorithm 1, word by word: eigenvalues, projection, a dense linear system for the symmetric V
template <int D>
Matrix<double, D> algorithm_1(const LinearCorotated<double>& law, const Matrix<double, D>& F,
                              const Matrix<double, D>& start) {
  using Square = Eigen::Matrix<double, D, D>;
  const auto to_eigen = [](const Matrix<double, D>& A) {
    return Square(Eigen::Map<const Eigen::Matrix<double, D, D, Eigen::RowMajor>>(A.a));
  };
  const Square R = to_eigen(rotation_of(F)), R0 = to_eigen(rotation_of(start));
  const Square S = (R0.transpose() * to_eigen(F) + to_eigen(F).transpose() * R0) / 2;
  const Eigen::SelfAdjointEigenSolver<Square> eigen(S);
  const Eigen::Matrix<double, D, 1> sigma = eigen.eigenvalues();
  const Eigen::Matrix<double, D, 1> mean = Eigen::Matrix<double, D, 1>::Constant(sigma.mean());
  const double radius = law.deviator / (2 * law.mu);
  const Eigen::Matrix<double, D, 1> projected = mean + std::min(radius / (sigma - mean).norm(), 1.0) * (sigma - mean);
  const Square target = eigen.eigenvectors() * projected.asDiagonal() * eigen.eigenvectors().transpose();

  // unknowns: entries of V on and above the diagonal; one equation for each such entry of the target
  constexpr int N = D * (D + 1) / 2;
  Eigen::Matrix<double, N, N> A;
  Eigen::Matrix<double, N, 1> b;
  const auto upper = [](const Square& X) {
    Eigen::Matrix<double, N, 1> v;
    for (int i = 0, n = 0; i < D; ++i)
      for (int j = i; j < D; ++j) v(n++) = X(i, j);
    return v;
  };
  const auto symmetric = [](const Eigen::Matrix<double, N, 1>& v) {
    Square X;
    for (int i = 0, n = 0; i < D; ++i)
      for (int j = i; j < D; ++j) X(i, j) = X(j, i) = v(n++);
    return X;
  };
  for (int n = 0; n < N; ++n) {
    const Square V = symmetric(Eigen::Matrix<double, N, 1>::Unit(n));
    A.col(n) = upper((R0.transpose() * R * V + V * R.transpose() * R0) / 2);
  }
  const Square result = R * symmetric(A.fullPivLu().solve(upper(target)));
  Matrix<double, D> answer;
  Eigen::Map<Eigen::Matrix<double, D, D, Eigen::RowMajor>>(answer.a) = result;
  return answer;
}

template <int D>
void compare_with_algorithm_1() {
  const auto law = LinearCorotated<double>::make(usual_material(Law::linear_corotated));
  Random random(4);
  for (const double turn : {0.0, 1e-12, 1e-8, 1e-4, 0.1, 0.5})
    for (int i = 0; i < samples / 5; ++i) {
      const Matrix<double, D> start = sample<double, D>(random, i % 2);
      const Matrix<double, D> trial =
          rotation_of(Matrix<double, D>::identity() + random.matrix<double, D>(turn)) * start;
      Matrix<double, D> F = trial;
      Memory<double, D> memory{start, 0};
      law.return_map(F, memory);
      const Matrix<double, D> expected = algorithm_1(law, trial, start);
      // round-off of the dense solve, whose condition is at most 1/cos of a turn of less than 1 rad
      ASSERT_LT(size_of(F - expected), 1e-13) << "turn " << turn << " sample " << i;
    }
}
TEST(LinearCorotatedReturn, IsAlgorithm1InThePlane) { compare_with_algorithm_1<2>(); }
TEST(LinearCorotatedReturn, IsAlgorithm1InSpace) { compare_with_algorithm_1<3>(); }

// U diag(exp(strain)) V^T for strains that `project` makes of the logarithms of the singular values: the textbook
template <int D, class Project>
Matrix<double, D> by_singular_values(const Matrix<double, D>& F, const Project& project) {
  const Svd<double, D> f = svd(F);
  Eigen::Matrix<double, D, 1> strain;
  for (int i = 0; i < D; ++i) strain(i) = std::log(std::max(f.sigma[i], 0.01));
  strain = project(strain);
  Vector<double, D> sigma;
  for (int i = 0; i < D; ++i) sigma[i] = std::exp(strain(i));
  return f.U * Matrix<double, D>::diagonal(sigma) * transpose(f.V);
}

// states from a thousandth of a strain to the wildest
template <int D>
Matrix<double, D> mixed_sample(Random& random, int i) {
  const double size = std::pow(10, random.uniform(-3, 0));
  if (i % 2) return sample<double, D>(random, i);
  return random.rotation<double, D>() * (Matrix<double, D>::identity() + random.matrix<double, D>(size));
}

template <int D>
void compare_hencky_with_textbook() {
  using Strain = Eigen::Matrix<double, D, 1>;
  const auto law = Hencky<double>::make(usual_material(Law::hencky));
  const double radius = law.deviator / (2 * law.mu);
  Random random(5);
  for (int i = 0; i < samples; ++i) {
    const Matrix<double, D> trial = mixed_sample<D>(random, i);
    Matrix<double, D> F = trial;
    Memory<double, D> memory{F, 0};
    law.return_map(F, memory);
    double flow = 0;
    const Matrix<double, D> expected = by_singular_values(trial, [&](const Strain& e) {
      const Strain mean = Strain::Constant(e.mean()), dev = e - mean;
      flow = std::max(dev.norm() - radius, 0.0);
      return flow > 0 ? Strain(mean + radius / dev.norm() * dev) : e;
    });
    ASSERT_LT(size_of(F - (flow > 0 ? expected : trial)), 1e-14 * size_of(trial)) << i;
    ASSERT_NEAR(memory.plastic, flow, 1e-14);
  }
}
TEST(HenckyReturn, IsTheTextbookInThePlane) { compare_hencky_with_textbook<2>(); }
TEST(HenckyReturn, IsTheTextbookInSpace) { compare_hencky_with_textbook<3>(); }

// Klar et al. 2016, Sec. 7.3, with strain shifted by cohesion and by the volume gained so far
template <int D>
void compare_sand_with_textbook() {
  using Strain = Eigen::Matrix<double, D, 1>;
  const auto law = Sand<double>::make(usual_material(Law::sand));
  const double slope = (D * law.lambda + 2 * law.mu) / (2 * law.mu) * law.friction<D>();
  Random random(6);
  for (int i = 0; i < samples; ++i) {
    const Matrix<double, D> trial = mixed_sample<D>(random, i);
    const double gained = i % 3 ? 0 : random.uniform(0, 0.1);
    Matrix<double, D> F = trial;
    Memory<double, D> memory{F, gained};
    law.return_map(F, memory);
    double still_gained = 0;
    bool elastic = false;
    const Matrix<double, D> expected = by_singular_values(trial, [&](const Strain& l) {
      const Strain cohesion = Strain::Constant(law.cohesion);
      const Strain e = l - cohesion + Strain::Constant(gained / D);
      const Strain dev = e - Strain::Constant(e.mean());
      const double excess = dev.norm() + slope * e.sum();
      if (e.sum() > 0) {
        still_gained = e.sum();
        return cohesion;
      }
      elastic = excess <= 0 && gained == 0;
      return Strain(cohesion + (excess > 0 ? Strain(e - excess / dev.norm() * dev) : e));
    });
    // round-off of logarithms down to log 0.01
    ASSERT_LT(size_of(F - (elastic ? trial : expected)), 1e-14 * size_of(trial)) << i;
    ASSERT_NEAR(memory.plastic, still_gained, 1e-14);
  }
}
TEST(SandReturn, IsTheTextbookInThePlane) { compare_sand_with_textbook<2>(); }
TEST(SandReturn, IsTheTextbookInSpace) { compare_sand_with_textbook<3>(); }

TEST(HenckyReturn, KeepsVolumeAndCountsPlasticStrain) {
  const auto law = Hencky<double>::make(usual_material(Law::hencky));
  Matrix<double, 3> F = Matrix<double, 3>::diagonal({{1.2, 0.9, 1.1}});
  const double J = determinant(F), before = deviator_size(law.kirchhoff(F, Memory<double, 3>{F, 0}));
  Memory<double, 3> memory{F, 0.5};
  law.return_map(F, memory);
  EXPECT_NEAR(determinant(F), J, 1e-15);
  EXPECT_NEAR(memory.plastic, 0.5 + (before - law.deviator) / (2 * law.mu), 1e-15);
}

TEST(SandReturn, SlidesOntoTheConeAtTheSameVolume) {
  const auto law = Sand<double>::make(usual_material(Law::sand));
  Matrix<double, 3> F = Matrix<double, 3>::diagonal({{1.1, 0.85, 0.98}});
  const double J = determinant(F);
  Memory<double, 3> memory{F, 0};
  law.return_map(F, memory);
  EXPECT_NEAR(determinant(F), J, 1e-15);
  EXPECT_NEAR(outside(law, F, memory), 0, 1e-15);
  EXPECT_EQ(memory.plastic, 0);
}

// in the plane, the friction angle is that between the greatest shear and the pressure of Mohr's circle
TEST(SandReturn, FrictionAngleIsMohrCoulombInThePlane) {
  Material material = usual_material(Law::sand);
  material.friction_angle = 35;
  material.cohesion = 0;
  const auto law = Sand<double>::make(material);
  Matrix<double, 2> F = Matrix<double, 2>::diagonal({{1.02, 0.9}});
  Memory<double, 2> memory{F, 0};
  law.return_map(F, memory);
  const Matrix<double, 2> tau = law.kirchhoff(F, memory);
  const double radius = std::abs(tau(0, 0) - tau(1, 1)) / 2, pressure = -trace(tau) / 2;
  EXPECT_NEAR(std::asin(radius / pressure) * 180 / M_PI, 35, 1e-10);
}

// in space, the cone passes through Mohr-Coulomb in triaxial compression
TEST(SandReturn, FrictionAngleIsMohrCoulombInTriaxialCompression) {
  Material material = usual_material(Law::sand);
  material.friction_angle = 35;
  material.cohesion = 0;
  const auto law = Sand<double>::make(material);
  Matrix<double, 3> F = Matrix<double, 3>::diagonal({{1.08, 1.08, 0.8}});
  Memory<double, 3> memory{F, 0};
  law.return_map(F, memory);
  const Matrix<double, 3> tau = law.kirchhoff(F, memory);
  const double sine = (tau(0, 0) - tau(2, 2)) / -(tau(0, 0) + tau(2, 2));
  EXPECT_NEAR(std::asin(sine) * 180 / M_PI, 35, 1e-10);
}

// sand that was pulled apart and is pushed together again feels pressure only at its old volume
TEST(SandReturn, GivesBackTheVolumeThatItGained) {
  Material material = usual_material(Law::sand);
  material.cohesion = 0;
  const auto law = Sand<double>::make(material);
  Matrix<double, 3> F = Matrix<double, 3>::identity();
  Memory<double, 3> memory{F, 0};
  const auto scale = [&](double stretch) {
    memory.start = F;
    F = stretch * F;
    law.return_map(F, memory);
  };
  for (int i = 0; i < 10; ++i) scale(1.01);
  EXPECT_NEAR(memory.plastic, 30 * std::log(1.01), 1e-14);
  EXPECT_NEAR(size_of(law.kirchhoff(F, memory)), 0, 1e-9);
  for (int i = 0; i < 10; ++i) scale(1 / 1.01);
  EXPECT_NEAR(memory.plastic, 0, 1e-14);
  EXPECT_NEAR(size_of(law.kirchhoff(F, memory)), 0, 1e-9);
  scale(0.99);
  EXPECT_EQ(memory.plastic, 0);
  EXPECT_NEAR(determinant(F), 0.99 * 0.99 * 0.99, 1e-14);
}

TEST(LiquidReturn, HoldsNoTensionAndKeepsCompression) {
  const auto law = Liquid<double>::make(usual_material(Law::liquid));
  Matrix<double, 3> stretched = Matrix<double, 3>::diagonal({{1.3, 1.1, 0.9}}), pressed = 0.9 * stretched;
  Memory<double, 3> memory{stretched, 0};
  const double J = determinant(pressed);
  law.return_map(stretched, memory);
  law.return_map(pressed, memory);
  EXPECT_EQ(size_of(stretched - Matrix<double, 3>::identity()), 0);
  EXPECT_EQ(size_of(law.kirchhoff(stretched, memory)), 0);
  EXPECT_NEAR(determinant(pressed), J, 1e-15);
}

// the root of every step must not let volume drift: a million steps without motion
TEST(LiquidReturn, DoesNotDrift) {
  const auto law = Liquid<float>::make(usual_material(Law::liquid));
  for (const float stretch : {0.97f, 0.983456f, 0.99999f}) {
    Matrix<float, 3> F = stretch * Matrix<float, 3>::identity();
    Memory<float, 3> memory{F, 0};
    for (int i = 0; i < 1000000; ++i) law.return_map(F, memory);
    EXPECT_NEAR(F(0, 0), stretch, 2 * std::numeric_limits<float>::epsilon());
  }
}

TEST(LiquidStress, HasTheBulkModulusAtRestAndItsViscosity) {
  const auto law = Liquid<double>::make(usual_material(Law::liquid));
  const Matrix<double, 3> F = std::cbrt(0.999) * Matrix<double, 3>::identity();
  const double pressure = -law.kirchhoff(F, Memory<double, 3>{F, 0})(0, 0) / 0.999;
  EXPECT_NEAR(pressure, 2e5 / 7 * (std::pow(0.999, -7) - 1), 1e-9);
  Matrix<double, 3> gradient = Matrix<double, 3>::zero();
  gradient(0, 1) = 5;
  gradient(2, 2) = 3;
  const Matrix<double, 3> tau = law.viscous_kirchhoff(0.5, gradient);
  EXPECT_NEAR(tau(0, 1), 0.5 * 3 * 5, 1e-14);
  EXPECT_NEAR(tau(1, 0), 0.5 * 3 * 5, 1e-14);
  EXPECT_NEAR(tau(2, 2), 0.5 * 2 * 3 * 2, 1e-14);
  EXPECT_NEAR(trace(tau), 0, 1e-14);
}

// strains around the limits, where a cheap test decides that nothing flows
TEST(SnowReturn, ClampsSingularValues) {
  const auto law = Snow<double>::make(usual_material(Law::snow));
  Random random(7);
  int flowed = 0;
  for (int i = 0; i < samples; ++i) {
    const Matrix<double, 3> trial =
        random.rotation<double, 3>() * (Matrix<double, 3>::identity() + random.matrix<double, 3>(0.008));
    Matrix<double, 3> F = trial;
    Memory<double, 3> memory{F, 1};
    law.return_map(F, memory);
    const Svd<double, 3> f = svd(trial);
    Vector<double, 3> clamped;
    for (int k = 0; k < 3; ++k) clamped[k] = std::clamp(f.sigma[k], 0.975, 1.0075);
    const Matrix<double, 3> expected = f.U * Matrix<double, 3>::diagonal(clamped) * transpose(f.V);
    ASSERT_LT(size_of(F - expected), 1e-14);
    ASSERT_NEAR(memory.plastic, determinant(trial) / determinant(expected), 1e-14);
    flowed += !same_bits(F, trial);
  }
  EXPECT_GT(flowed, samples / 5);
  EXPECT_LT(flowed, samples * 4 / 5);
}

TEST(SnowReturn, PacksAndHardens) {
  const auto law = Snow<double>::make(usual_material(Law::snow));
  Matrix<double, 3> F = Matrix<double, 3>::diagonal({{1.001, 1, 0.9}});
  const Matrix<double, 3> small = Matrix<double, 3>::diagonal({{1.001, 1, 0.99}});
  Memory<double, 3> memory{F, 1};
  const double before = law.energy(small, memory);
  law.return_map(F, memory);
  EXPECT_NEAR(F(2, 2), 0.975, 1e-15);
  EXPECT_NEAR(memory.plastic, 0.9 / 0.975, 1e-15);
  EXPECT_NEAR(law.energy(small, memory) / before, std::exp(10 * (1 - 0.9 / 0.975)), 1e-13);
}

}  // namespace
}  // namespace pliant

#include "core/polar.h"

#include "matrix_samples.h"

namespace pliant {
namespace {

using namespace samples;

// three to four times eps would be the rounding of one product R^T R and of one product R S; measured: 2.5
constexpr double few_ulps = 4;

// one copy of the inlined code for all tests
template <class T, int D>
[[gnu::noinline]] Polar<T, D> polar_of(const Matrix<T, D>& F) {
  return polar(F);
}

template <class C>
class PolarOfAll : public ::testing::Test {};
TYPED_TEST_SUITE(PolarOfAll, AllCases);

TYPED_TEST(PolarOfAll, IsARotationTimesASymmetricMatrix) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  const auto all = general<D>(400, 1);
  for (std::size_t first = 0; first < all.size(); first += lanes_of<T>) {
    const Matrix<T, D> F = gather<T, D>(all, first);
    const Polar<T, D> p = polar_of(F);
    for (int lane = 0; lane < lanes_of<T>; ++lane) {
      const std::string& kind = all[(first + lane) % all.size()].kind;
      const RealMatrix<D> f = lane_of(F, lane), R = lane_of(p.R, lane), S = lane_of(p.S, lane);
      ASSERT_LE(rotation_error<D>(R), few_ulps * eps<T>()) << kind << "\n" << f;
      ASSERT_LE(relative<D>(R * S - f, f), few_ulps * eps<T>()) << kind << "\n" << f;
      ASSERT_EQ(S, S.transpose()) << kind;
    }
  }
}

// the trace of S is the sum of the singular values, the last one with the sign of det F: only the right rotation has it
TYPED_TEST(PolarOfAll, IsTheOneOfTheSingularValues) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  const auto all = general<D>(200, 2);
  for (std::size_t first = 0; first < all.size(); first += lanes_of<T>) {
    const Matrix<T, D> F = gather<T, D>(all, first);
    const Polar<T, D> p = polar_of(F);
    for (int lane = 0; lane < lanes_of<T>; ++lane) {
      const std::string& kind = all[(first + lane) % all.size()].kind;
      const RealMatrix<D> f = lane_of(F, lane);
      Eigen::JacobiSVD<RealMatrix<D>> svd(f, Eigen::ComputeFullU | Eigen::ComputeFullV);
      RealMatrix<D> U = svd.matrixU();
      RealVector<D> sigma = svd.singularValues();
      if (U.determinant() * svd.matrixV().determinant() < 0) {
        U.col(D - 1) *= -1;
        sigma[D - 1] *= -1;
      }
      // D entries, each with a few ulps
      ASSERT_LE(std::abs(lane_of(p.S, lane).trace() - sigma.sum()), D * few_ulps * eps<T>() * f.norm()) << kind;
      // R moves by |dF| / (the smallest sum of two singular values)
      const Real gap = sigma[D - 2] + sigma[D - 1];
      if (gap < 100 * eps<T>() * sigma[0] || sigma[0] == 0) continue;
      const RealMatrix<D> R = U * svd.matrixV().transpose();
      ASSERT_LE(largest<D>(lane_of(p.R, lane) - R), 2 * few_ulps * eps<T>() * sigma[0] / std::min(gap, sigma[0]))
          << kind << "\n"
          << f;
    }
  }
}

// on its own, without S, it may be compiled to other roundings
TYPED_TEST(PolarOfAll, RotationOfLeavesASymmetricMatrix) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  const auto all = general<D>(50, 3);
  for (std::size_t first = 0; first < all.size(); first += lanes_of<T>) {
    const Matrix<T, D> F = gather<T, D>(all, first);
    const Matrix<T, D> rotations = rotation_of(F);
    for (int lane = 0; lane < lanes_of<T>; ++lane) {
      const RealMatrix<D> f = lane_of(F, lane), R = lane_of(rotations, lane), S = R.transpose() * f;
      ASSERT_LE(rotation_error<D>(R), few_ulps * eps<T>());
      ASSERT_LE(relative<D>((S - S.transpose()) / 2, f), few_ulps * eps<T>());
    }
  }
}

TYPED_TEST(PolarOfAll, OfZeroAndOfOneIsOne) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  const Matrix<T, D> one = Matrix<T, D>::identity(), zero = Matrix<T, D>::zero();
  EXPECT_EQ(lane_of(polar_of(zero).R, 0), lane_of(one, 0));
  EXPECT_EQ(lane_of(polar_of(zero).S, 0), lane_of(zero, 0));
  EXPECT_EQ(lane_of(polar_of(one).R, 0), lane_of(one, 0));
  EXPECT_EQ(lane_of(polar_of(one).S, 0), lane_of(one, 0));
}

TYPED_TEST(PolarOfAll, DoesNotHideANan) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  for (int i = 0; i < D * D; ++i) {
    Matrix<T, D> F = Matrix<T, D>::identity();
    F.a[i] = T(std::numeric_limits<Scalar<T>>::quiet_NaN());
    EXPECT_TRUE(lane_of(polar_of(F).S, 0).hasNaN()) << i;
  }
}

template <class C>
class PolarOfPacks : public ::testing::Test {};
TYPED_TEST_SUITE(PolarOfPacks, PackCases);

TYPED_TEST(PolarOfPacks, LanesDoNotSeeEachOther) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  auto all = general<D>(100, 4);
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  for (int i = 0; i < 20; ++i) all[37 * i] = {"not a number", RealMatrix<D>::Constant(nan)};
  expect_lanes_independent<T, D>(all, [](const Matrix<T, D>& F) { return polar_of(F); });
}

TYPED_TEST(PolarOfPacks, AgreesWithThePlainOne) {
  using T = typename TypeParam::T;
  using S = Scalar<T>;
  constexpr int D = TypeParam::D;
  const auto all = general<D>(100, 5);
  for (std::size_t first = 0; first < all.size(); ++first) {
    const RealMatrix<D> f = lane_of(gather<S, D>(all, first), 0);
    const Polar<T, D> packs = polar_of(gather<T, D>(all, first));
    const Polar<S, D> plain = polar_of(gather<S, D>(all, first));
    const RealMatrix<D> from_packs = lane_of(packs.R, 0) * lane_of(packs.S, 0);
    const RealMatrix<D> from_plain = lane_of(plain.R, 0) * lane_of(plain.S, 0);
    ASSERT_LE(relative<D>(from_packs - from_plain, f), 2 * few_ulps * eps<T>()) << all[first].kind;
    ASSERT_LE(std::abs(lane_of(packs.S, 0).trace() - lane_of(plain.S, 0).trace()),
              2 * D * few_ulps * eps<T>() * f.norm())
        << all[first].kind;
  }
}

}  // namespace
}  // namespace pliant

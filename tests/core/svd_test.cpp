#include "core/svd.h"

#include "matrix_samples.h"

namespace pliant {
namespace {

using namespace samples;

// U is a product of three turns or of two rotations, each with two to three ulps; measured: 5.5
constexpr double ulps_of_rotation = 8;
// measured: 4.5
constexpr double ulps_of_product = 6;
// singular values move no more than F does; measured: 2.4
constexpr double ulps_of_sigma = 4;

template <int D>
RealVector<D> signed_singular_values(const RealMatrix<D>& f) {
  Eigen::JacobiSVD<RealMatrix<D>> svd(f, Eigen::ComputeFullU | Eigen::ComputeFullV);
  RealVector<D> sigma = svd.singularValues();
  if (svd.matrixU().determinant() * svd.matrixV().determinant() < 0) sigma[D - 1] *= -1;
  return sigma;
}

template <class C>
class SvdOfAll : public ::testing::Test {};
TYPED_TEST_SUITE(SvdOfAll, AllCases);

TYPED_TEST(SvdOfAll, GivesFBackWithRotations) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  const auto all = general<D>(400, 11);
  for (std::size_t first = 0; first < all.size(); first += lanes_of<T>) {
    const Matrix<T, D> F = gather<T, D>(all, first);
    const Svd<T, D> s = svd(F);
    for (int lane = 0; lane < lanes_of<T>; ++lane) {
      const std::string& kind = all[(first + lane) % all.size()].kind;
      const RealMatrix<D> f = lane_of(F, lane), U = lane_of(s.U, lane), V = lane_of(s.V, lane);
      const RealMatrix<D> product = U * lane_of(s.sigma, lane).asDiagonal() * V.transpose();
      ASSERT_LE(rotation_error<D>(U), ulps_of_rotation * eps<T>()) << kind << "\n" << f;
      ASSERT_LE(rotation_error<D>(V), ulps_of_rotation * eps<T>()) << kind << "\n" << f;
      ASSERT_LE(relative<D>(product - f, f), ulps_of_product * eps<T>()) << kind << "\n" << f;
    }
  }
}

TYPED_TEST(SvdOfAll, HasTheSingularValuesInOrder) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  const auto all = general<D>(200, 12);
  for (std::size_t first = 0; first < all.size(); first += lanes_of<T>) {
    const Matrix<T, D> F = gather<T, D>(all, first);
    const Svd<T, D> s = svd(F);
    for (int lane = 0; lane < lanes_of<T>; ++lane) {
      const std::string& kind = all[(first + lane) % all.size()].kind;
      const RealMatrix<D> f = lane_of(F, lane);
      const RealVector<D> sigma = lane_of(s.sigma, lane), exact = signed_singular_values<D>(f);
      ASSERT_LE((sigma - exact).cwiseAbs().maxCoeff(), ulps_of_sigma * eps<T>() * f.norm()) << kind << "\n" << f;
      for (int i = 0; i + 1 < D; ++i) {
        ASSERT_GE(sigma[i], 0) << kind;
        ASSERT_GE(sigma[i], std::abs(sigma[i + 1])) << kind;
      }
    }
  }
}

TYPED_TEST(SvdOfAll, IsExactWhereItCanBe) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  const Matrix<T, D> one = Matrix<T, D>::identity(), zero = Matrix<T, D>::zero();
  EXPECT_EQ(lane_of(svd(zero).sigma, 0), (RealVector<D>::Zero()));
  EXPECT_EQ(lane_of(svd(zero).U, 0), lane_of(one, 0));
  EXPECT_EQ(lane_of(svd(one).sigma, 0), (RealVector<D>::Ones()));
  EXPECT_EQ(lane_of(svd(one).V, 0), lane_of(one, 0));
}

template <class C>
class SvdOfPacks : public ::testing::Test {};
TYPED_TEST_SUITE(SvdOfPacks, PackCases);

TYPED_TEST(SvdOfPacks, LanesDoNotSeeEachOther) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  auto all = general<D>(100, 13);
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  for (int i = 0; i < 20; ++i) all[37 * i] = {"not a number", RealMatrix<D>::Constant(nan)};
  expect_lanes_independent<T, D>(all, [](const Matrix<T, D>& F) { return svd(F); });
}

TYPED_TEST(SvdOfPacks, AgreesWithThePlainOne) {
  using T = typename TypeParam::T;
  using S = Scalar<T>;
  constexpr int D = TypeParam::D;
  const auto all = general<D>(100, 14);
  for (std::size_t first = 0; first < all.size(); ++first) {
    const RealVector<D> packs = lane_of(svd(gather<T, D>(all, first)).sigma, 0);
    const RealVector<D> plain = lane_of(svd(gather<S, D>(all, first)).sigma, 0);
    ASSERT_LE((packs - plain).cwiseAbs().maxCoeff(), 2 * ulps_of_sigma * eps<T>() * plain.norm()) << all[first].kind;
  }
}

}  // namespace
}  // namespace pliant

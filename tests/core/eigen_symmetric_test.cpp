#include "core/eigen_symmetric.h"

#include "matrix_samples.h"

namespace pliant {
namespace {

using namespace samples;

// measured: 2.5, 3.6 and 3.4
constexpr double ulps_of_rotation = 4;
constexpr double ulps_of_product = 6;
constexpr double ulps_of_values = 5;

template <class C>
class EigenOfAll : public ::testing::Test {};
TYPED_TEST_SUITE(EigenOfAll, AllCases);

TYPED_TEST(EigenOfAll, GivesTheMatrixBack) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  const auto all = symmetric<D>(600, 21);
  for (std::size_t first = 0; first < all.size(); first += lanes_of<T>) {
    const Matrix<T, D> A = gather<T, D>(all, first);
    const SymmetricEigen<T, D> e = eigen_symmetric(A);
    for (int lane = 0; lane < lanes_of<T>; ++lane) {
      const std::string& kind = all[(first + lane) % all.size()].kind;
      const RealMatrix<D> a = lane_of(A, lane), Q = lane_of(e.Q, lane);
      const RealMatrix<D> product = Q * lane_of(e.values, lane).asDiagonal() * Q.transpose();
      ASSERT_LE(rotation_error<D>(Q), ulps_of_rotation * eps<T>()) << kind << "\n" << a;
      ASSERT_LE(relative<D>(product - a, a), ulps_of_product * eps<T>()) << kind << "\n" << a;
    }
  }
}

TYPED_TEST(EigenOfAll, HasTheValuesInOrder) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  const auto all = symmetric<D>(600, 22);
  for (std::size_t first = 0; first < all.size(); first += lanes_of<T>) {
    const Matrix<T, D> A = gather<T, D>(all, first);
    const SymmetricEigen<T, D> e = eigen_symmetric(A);
    for (int lane = 0; lane < lanes_of<T>; ++lane) {
      const std::string& kind = all[(first + lane) % all.size()].kind;
      const RealMatrix<D> a = lane_of(A, lane);
      const RealVector<D> values = lane_of(e.values, lane);
      const RealVector<D> exact = Eigen::SelfAdjointEigenSolver<RealMatrix<D>>(a).eigenvalues().reverse();
      ASSERT_LE((values - exact).cwiseAbs().maxCoeff(), ulps_of_values * eps<T>() * a.norm()) << kind << "\n" << a;
      for (int i = 0; i + 1 < D; ++i) ASSERT_GE(values[i], values[i + 1]) << kind;
    }
  }
}

TYPED_TEST(EigenOfAll, ReadsOnlyTheUpperTriangle) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  const auto all = symmetric<D>(20, 23);
  for (std::size_t first = 0; first < all.size(); ++first) {
    Matrix<T, D> A = gather<T, D>(all, first);
    const SymmetricEigen<T, D> whole = eigen_symmetric(A);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < i; ++j) A(i, j) = T(std::numeric_limits<Scalar<T>>::quiet_NaN());
    const SymmetricEigen<T, D> half = eigen_symmetric(A);
    ASSERT_EQ(lane_of(whole.values, 0), lane_of(half.values, 0));
    ASSERT_EQ(lane_of(whole.Q, 0), lane_of(half.Q, 0));
  }
}

TYPED_TEST(EigenOfAll, IsExactForDiagonals) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  Vector<T, D> d;
  for (int i = 0; i < D; ++i) d[i] = T(Scalar<T>(i) + Scalar<T>(0.1));
  const RealVector<D> values = lane_of(eigen_symmetric(Matrix<T, D>::diagonal(d)).values, 0);
  // the closed form for D = 2 rounds half sum and half difference
  for (int i = 0; i < D; ++i) EXPECT_NEAR(values[i], Real(lane_of(d[D - 1 - i], 0)), D == 2 ? 2 * eps<T>() : Real(0));
}

template <class C>
class EigenOfPacks : public ::testing::Test {};
TYPED_TEST_SUITE(EigenOfPacks, PackCases);

TYPED_TEST(EigenOfPacks, LanesDoNotSeeEachOther) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  auto all = symmetric<D>(200, 24);
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  for (int i = 0; i < 20; ++i) all[37 * i] = {"not a number", RealMatrix<D>::Constant(nan)};
  expect_lanes_independent<T, D>(all, [](const Matrix<T, D>& A) { return eigen_symmetric(A); });
}

TYPED_TEST(EigenOfPacks, AgreesWithThePlainOne) {
  using T = typename TypeParam::T;
  using S = Scalar<T>;
  constexpr int D = TypeParam::D;
  const auto all = symmetric<D>(200, 25);
  for (std::size_t first = 0; first < all.size(); ++first) {
    const RealVector<D> packs = lane_of(eigen_symmetric(gather<T, D>(all, first)).values, 0);
    const RealVector<D> plain = lane_of(eigen_symmetric(gather<S, D>(all, first)).values, 0);
    ASSERT_LE((packs - plain).cwiseAbs().maxCoeff(), 2 * ulps_of_values * eps<T>() * plain.norm()) << all[first].kind;
  }
}

}  // namespace
}  // namespace pliant

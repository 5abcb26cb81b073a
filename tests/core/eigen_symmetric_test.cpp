#include "core/eigen_symmetric.h"

#include "lanes.h"
#include "reference.h"

namespace pliant {
namespace {

using namespace samples;

// Q is rounded once per entry; measured: 2.8
constexpr Real ulps_of_rotation = 4;
// about nine turns of A, each with a rounding; measured: 4.5 and 3.5
constexpr Real ulps_of_product = 6;
constexpr Real ulps_of_values = 5;

template <class T, int D>
[[gnu::noinline]] SymmetricEigen<T, D> eigen_of(const Matrix<T, D>& A) {
  return eigen_symmetric(A);
}

template <class C>
class EigenOfAll : public ::testing::Test {};
TYPED_TEST_SUITE(EigenOfAll, AllCases);

TYPED_TEST(EigenOfAll, GivesTheMatrixBack) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  const auto check = [](const RealMatrix<D>& A, const SymmetricEigen<T, D>& e, int lane) {
    const RealMatrix<D> Q = lane_of(e.Q, lane);
    const RealMatrix<D> product = Q * RealMatrix<D>::diagonal(lane_of(e.values, lane)) * transpose(Q);
    ASSERT_LE(rotation_error(Q), ulps_of_rotation * eps<T>());
    ASSERT_LE(relative(product - A, A), ulps_of_product * eps<T>());
  };
  for_each_lane<T, D>(symmetric<D>(600, 21), eigen_of<T, D>, check);
}

TYPED_TEST(EigenOfAll, HasTheValuesInOrder) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  const auto check = [](const RealMatrix<D>& A, const SymmetricEigen<T, D>& e, int lane) {
    const RealVector<D> values = lane_of(e.values, lane), exact = exact_eigenvalues(A);
    for (int i = 0; i < D; ++i) ASSERT_LE(std::abs(values[i] - exact[i]), ulps_of_values * eps<T>() * size_of(A));
    for (int i = 0; i + 1 < D; ++i) ASSERT_GE(values[i], values[i + 1]);
  };
  for_each_lane<T, D>(symmetric<D>(600, 22), eigen_of<T, D>, check);
}

TYPED_TEST(EigenOfAll, ReadsOnlyTheUpperTriangle) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  const auto all = symmetric<D>(20, 23);
  for (std::size_t first = 0; first < all.size(); ++first) {
    Matrix<T, D> A = gather<T, D>(all, first);
    const auto whole = numbers_of<T>(eigen_of(A), 0);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < i; ++j) A(i, j) = T(std::numeric_limits<Scalar<T>>::quiet_NaN());
    ASSERT_EQ(whole, numbers_of<T>(eigen_of(A), 0)) << all[first].kind;
  }
}

TYPED_TEST(EigenOfAll, IsExactForDiagonals) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  Vector<T, D> d;
  for (int i = 0; i < D; ++i) d[i] = T(Scalar<T>(i) + Scalar<T>(0.1));
  const RealVector<D> values = lane_of(eigen_of(Matrix<T, D>::diagonal(d)).values, 0);
  // the closed form for D = 2 rounds half sum and half difference
  const Real tolerance = D == 2 ? 2 * eps<T>() : 0;
  for (int i = 0; i < D; ++i) EXPECT_NEAR(values[i], Real(lane_of(d[D - 1 - i], 0)), tolerance);
}

template <class C>
class EigenOfPacks : public ::testing::Test {};
TYPED_TEST_SUITE(EigenOfPacks, PackCases);

TYPED_TEST(EigenOfPacks, LanesDoNotSeeEachOther) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  auto all = symmetric<D>(200, 24);
  for (int i = 0; i < 20; ++i) all[37 * i] = not_a_number<D>();
  expect_lanes_independent<T, D>(all, eigen_of<T, D>);
}

TYPED_TEST(EigenOfPacks, AgreesWithThePlainOne) {
  using T = typename TypeParam::T;
  using S = Scalar<T>;
  constexpr int D = TypeParam::D;
  const auto all = symmetric<D>(200, 25);
  for (std::size_t first = 0; first < all.size(); ++first) {
    const RealVector<D> packs = lane_of(eigen_of(gather<T, D>(all, first)).values, 0);
    const RealVector<D> plain = lane_of(eigen_of(gather<S, D>(all, first)).values, 0);
    const Real size = size_of(lane_of(gather<S, D>(all, first), 0));
    for (int i = 0; i < D; ++i)
      ASSERT_LE(std::abs(packs[i] - plain[i]), 2 * ulps_of_values * eps<T>() * size) << all[first].kind;
  }
}

}  // namespace
}  // namespace pliant

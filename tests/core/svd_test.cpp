#include "core/svd.h"

#include "lanes.h"
#include "reference.h"

namespace pliant {
namespace {

using namespace samples;

// U is a product of three turns or of two rotations, each with two to three ulps; measured: 6.2
constexpr Real ulps_of_rotation = 8;
// three factors, each with one to two ulps; measured: 5.1
constexpr Real ulps_of_product = 6;
// singular values move no more than F does; measured: 2.4
constexpr Real ulps_of_sigma = 4;

template <class T, int D>
[[gnu::noinline]] Svd<T, D> svd_of(const Matrix<T, D>& F) {
  return svd(F);
}

template <class C>
class SvdOfAll : public ::testing::Test {};
TYPED_TEST_SUITE(SvdOfAll, AllCases);

TYPED_TEST(SvdOfAll, GivesFBackWithRotations) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  const auto check = [](const RealMatrix<D>& F, const Svd<T, D>& s, int lane) {
    const RealMatrix<D> U = lane_of(s.U, lane), V = lane_of(s.V, lane);
    const RealMatrix<D> product = U * RealMatrix<D>::diagonal(lane_of(s.sigma, lane)) * transpose(V);
    ASSERT_LE(rotation_error(U), ulps_of_rotation * eps<T>());
    ASSERT_LE(rotation_error(V), ulps_of_rotation * eps<T>());
    ASSERT_LE(relative(product - F, F), ulps_of_product * eps<T>());
  };
  for_each_lane<T, D>(general<D>(400, 11), svd_of<T, D>, check);
}

TYPED_TEST(SvdOfAll, HasTheSingularValuesInOrder) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  const auto check = [](const RealMatrix<D>& F, const Svd<T, D>& s, int lane) {
    const RealVector<D> sigma = lane_of(s.sigma, lane), exact = exact_svd(F).sigma;
    for (int i = 0; i < D; ++i) ASSERT_LE(std::abs(sigma[i] - exact[i]), ulps_of_sigma * eps<T>() * size_of(F));
    for (int i = 0; i + 1 < D; ++i) ASSERT_GE(sigma[i], std::abs(sigma[i + 1]));
  };
  for_each_lane<T, D>(general<D>(200, 12), svd_of<T, D>, check);
}

TYPED_TEST(SvdOfAll, IsExactForZeroAndOne) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  const Svd<T, D> one = svd_of(Matrix<T, D>::identity()), zero = svd_of(Matrix<T, D>::zero());
  for (int i = 0; i < D; ++i) {
    EXPECT_EQ(lane_of(one.sigma, 0)[i], 1);
    EXPECT_EQ(lane_of(zero.sigma, 0)[i], 0);
  }
  for (const Matrix<T, D>& Q : {one.U, one.V, zero.U, zero.V})
    EXPECT_TRUE(same(lane_of(Q, 0), RealMatrix<D>::identity()));
}

template <class C>
class SvdOfPacks : public ::testing::Test {};
TYPED_TEST_SUITE(SvdOfPacks, PackCases);

TYPED_TEST(SvdOfPacks, LanesDoNotSeeEachOther) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  auto all = general<D>(100, 13);
  for (int i = 0; i < 20; ++i) all[37 * i] = not_a_number<D>();
  expect_lanes_independent<T, D>(all, svd_of<T, D>);
}

TYPED_TEST(SvdOfPacks, AgreesWithThePlainOne) {
  using T = typename TypeParam::T;
  using S = Scalar<T>;
  constexpr int D = TypeParam::D;
  const auto all = general<D>(100, 14);
  for (std::size_t first = 0; first < all.size(); ++first) {
    const RealVector<D> packs = lane_of(svd_of(gather<T, D>(all, first)).sigma, 0);
    const RealVector<D> plain = lane_of(svd_of(gather<S, D>(all, first)).sigma, 0);
    for (int i = 0; i < D; ++i)
      ASSERT_LE(std::abs(packs[i] - plain[i]), 2 * ulps_of_sigma * eps<T>() * plain[0]) << all[first].kind;
  }
}

}  // namespace
}  // namespace pliant

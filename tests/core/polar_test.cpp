#include "core/polar.h"

#include "lanes.h"
#include "reference.h"

namespace pliant {
namespace {

using namespace samples;

// R and R S are rounded once per entry, S is a product of three terms; measured on 10^5 matrices: 2.9
constexpr Real few_ulps = 4;

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
  const auto check = [](const RealMatrix<D>& F, const Polar<T, D>& p, int lane) {
    const RealMatrix<D> R = lane_of(p.R, lane), S = lane_of(p.S, lane);
    ASSERT_LE(rotation_error(R), few_ulps * eps<T>());
    ASSERT_LE(relative(R * S - F, F), few_ulps * eps<T>());
    ASSERT_TRUE(same(S, transpose(S)));
  };
  for_each_lane<T, D>(general<D>(400, 1), polar_of<T, D>, check);
}

TYPED_TEST(PolarOfAll, IsTheOneOfTheSingularValues) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  const auto check = [](const RealMatrix<D>& F, const Polar<T, D>& p, int lane) {
    const ExactSvd<D> exact = exact_svd(F);
    const RealVector<D>& sigma = exact.sigma;
    // the trace is the sum of the singular values, the last one with the sign of det F: only the right rotation has it
    Real sum = 0;
    for (Real s : sigma.a) sum += s;
    ASSERT_LE(std::abs(trace(lane_of(p.S, lane)) - sum), D * few_ulps * eps<T>() * size_of(F));
    // R moves by |dF| / (the smallest sum of two singular values)
    const Real gap = sigma[D - 2] + sigma[D - 1];
    if (gap < 100 * eps<T>() * sigma[0] || sigma[0] == 0) return;
    const RealMatrix<D> error = lane_of(p.R, lane) - exact.U * transpose(exact.V);
    ASSERT_LE(largest(error), 2 * few_ulps * eps<T>() * sigma[0] / std::min(gap, sigma[0]));
  };
  for_each_lane<T, D>(general<D>(200, 2), polar_of<T, D>, check);
}

// on its own, without S, it may be compiled to other roundings
TYPED_TEST(PolarOfAll, RotationOfLeavesASymmetricMatrix) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  const auto rotation = [](const Matrix<T, D>& F) { return rotation_of(F); };
  const auto check = [](const RealMatrix<D>& F, const Matrix<T, D>& rotations, int lane) {
    const RealMatrix<D> R = lane_of(rotations, lane), S = transpose(R) * F;
    ASSERT_LE(rotation_error(R), few_ulps * eps<T>());
    ASSERT_LE(relative(Real(0.5) * (S - transpose(S)), F), few_ulps * eps<T>());
  };
  for_each_lane<T, D>(general<D>(100, 3), rotation, check);
}

TYPED_TEST(PolarOfAll, OfZeroAndOfOneIsOne) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  const Matrix<T, D> one = Matrix<T, D>::identity(), zero = Matrix<T, D>::zero();
  const RealMatrix<D> exactly_one = RealMatrix<D>::identity();
  EXPECT_TRUE(same(lane_of(polar_of(zero).R, 0), exactly_one));
  EXPECT_TRUE(same(lane_of(polar_of(zero).S, 0), RealMatrix<D>::zero()));
  EXPECT_TRUE(same(lane_of(polar_of(one).R, 0), exactly_one));
  EXPECT_TRUE(same(lane_of(polar_of(one).S, 0), exactly_one));
}

TYPED_TEST(PolarOfAll, DoesNotHideANan) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  for (int i = 0; i < D * D; ++i) {
    Matrix<T, D> F = Matrix<T, D>::identity();
    F.a[i] = T(std::numeric_limits<Scalar<T>>::quiet_NaN());
    EXPECT_TRUE(std::isnan(trace(lane_of(polar_of(F).S, 0)))) << i;
  }
}

template <class C>
class PolarOfPacks : public ::testing::Test {};
TYPED_TEST_SUITE(PolarOfPacks, PackCases);

TYPED_TEST(PolarOfPacks, LanesDoNotSeeEachOther) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  auto all = general<D>(100, 4);
  for (int i = 0; i < 20; ++i) all[37 * i] = not_a_number<D>();
  expect_lanes_independent<T, D>(all, polar_of<T, D>);
}

TYPED_TEST(PolarOfPacks, AgreesWithThePlainOne) {
  using T = typename TypeParam::T;
  using S = Scalar<T>;
  constexpr int D = TypeParam::D;
  const auto all = general<D>(100, 5);
  for (std::size_t first = 0; first < all.size(); ++first) {
    SCOPED_TRACE(all[first].kind);
    const RealMatrix<D> F = lane_of(gather<S, D>(all, first), 0);
    const Polar<T, D> packs = polar_of(gather<T, D>(all, first));
    const Polar<S, D> plain = polar_of(gather<S, D>(all, first));
    const RealMatrix<D> from_packs = lane_of(packs.R, 0) * lane_of(packs.S, 0);
    const RealMatrix<D> from_plain = lane_of(plain.R, 0) * lane_of(plain.S, 0);
    ASSERT_LE(relative(from_packs - from_plain, F), 2 * few_ulps * eps<T>());
    const Real apart = trace(lane_of(packs.S, 0) - lane_of(plain.S, 0));
    ASSERT_LE(std::abs(apart), 2 * D * few_ulps * eps<T>() * size_of(F));
  }
}

}  // namespace
}  // namespace pliant

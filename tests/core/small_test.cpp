#include "core/small.h"

#include "lanes.h"

namespace pliant {
namespace {

using namespace samples;

template <class C>
class SmallOfAll : public ::testing::Test {};
TYPED_TEST_SUITE(SmallOfAll, AllCases);

// three terms of size 1 at most, each rounded
constexpr Real few_ulps = 4;

TYPED_TEST(SmallOfAll, CofactorsAndDeterminant) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  Generator<D> g(41);
  for (int i = 0; i < 200; ++i) {
    const std::vector<Sample<D>> samples{{"random", g.entries()}};
    const Matrix<T, D> F = gather<T, D>(samples, 0);
    const RealMatrix<D> f = lane_of(F, 0), cofactors = lane_of(cofactor(F), 0);
    const Real det = lane_of(determinant(F), 0);
    const RealMatrix<D> rest = f * transpose(cofactors) - det * RealMatrix<D>::identity();
    ASSERT_LE(largest(rest), D * few_ulps * eps<T>());
    const RealMatrix<D> product = f * lane_of(inverse(F), 0) - RealMatrix<D>::identity();
    ASSERT_LE(largest(product), D * few_ulps * eps<T>() / std::abs(det));
  }
}

TYPED_TEST(SmallOfAll, SelectTakesEachLaneFromItsSide) {
  using T = typename TypeParam::T;
  constexpr int D = TypeParam::D;
  Matrix<T, D> x = Matrix<T, D>::identity(), y = Matrix<T, D>::zero();
  T number;
  for (int lane = 0; lane < lanes_of<T>; ++lane) set_lane(number, lane, Scalar<T>(lane % 2));
  const Matrix<T, D> m = select(number > T(0), x, y);
  for (int lane = 0; lane < lanes_of<T>; ++lane)
    EXPECT_TRUE(same(lane_of(m, lane), lane % 2 ? RealMatrix<D>::identity() : RealMatrix<D>::zero()));
}

template <class T>
class Numbers : public ::testing::Test {};
TYPED_TEST_SUITE(Numbers, AllTypes);

TYPED_TEST(Numbers, HaveOneVocabulary) {
  using T = TypeParam;
  using S = Scalar<T>;
  T x;
  for (int lane = 0; lane < lanes_of<T>; ++lane) set_lane(x, lane, S(lane) - S(2.5));
  for (int lane = 0; lane < lanes_of<T>; ++lane) {
    const S number = lane_of(x, lane);
    EXPECT_EQ(lane_of(abs(x), lane), std::abs(number));
    EXPECT_EQ(lane_of(sqrt(abs(x)), lane), std::sqrt(std::abs(number)));
    EXPECT_EQ(lane_of(floor(x), lane), std::floor(number));
    EXPECT_EQ(lane_of(min(x, T(1)), lane), std::min(number, S(1)));
    EXPECT_EQ(lane_of(max(x, T(1)), lane), std::max(number, S(1)));
    EXPECT_EQ(lane_of(from_bits<T>(to_bits(x)), lane), number);
  }
  EXPECT_TRUE(any_of(x < T(-2)));
  EXPECT_EQ(all_of(x < T(-2)), lanes_of<T> == 1);
  EXPECT_FALSE(any_of(x > T(S(lanes_of<T>))));
  EXPECT_FALSE(std::signbit(lane_of(abs(T(S(-0.0))), 0)));
}

}  // namespace
}  // namespace pliant

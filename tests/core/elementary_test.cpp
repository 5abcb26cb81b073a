#include "core/elementary.h"

#include "lanes.h"

namespace pliant {
namespace {

using namespace samples;

constexpr Real few_ulps = 2;

// |x - exact| in units of the last place of a number as large as `exact`
template <class S>
Real ulps(S x, Real exact) {
  const int exponent = std::max(std::ilogb(exact), std::numeric_limits<S>::min_exponent - 1);
  return std::abs(Real(x) - exact) / std::ldexp(Real(std::numeric_limits<S>::epsilon()), exponent);
}

template <class T>
class Elementary : public ::testing::Test {};
TYPED_TEST_SUITE(Elementary, AllTypes);

// `function` on many numbers, all lanes different
template <class T, class Function, class Exact>
void expect_close(const std::vector<Scalar<T>>& numbers, Function function, Exact exact) {
  for (std::size_t first = 0; first + lanes_of<T> <= numbers.size(); first += lanes_of<T>) {
    T x;
    for (int lane = 0; lane < lanes_of<T>; ++lane) set_lane(x, lane, numbers[first + lane]);
    const T y = function(x);
    for (int lane = 0; lane < lanes_of<T>; ++lane) {
      const Scalar<T> number = numbers[first + lane];
      ASSERT_LE(ulps(lane_of(y, lane), exact(Real(number))), few_ulps) << "at " << number;
    }
  }
}

TYPED_TEST(Elementary, LogIsWithinTwoUlps) {
  using S = Scalar<TypeParam>;
  using Limits = std::numeric_limits<S>;
  std::mt19937 random(31);
  std::uniform_real_distribution<double> one_to_two(1, 2), near_one(-1e-3, 1e-3);
  std::uniform_int_distribution<int> exponent(Limits::min_exponent - 1, Limits::max_exponent - 1);
  std::vector<S> numbers{
      Limits::min(),          Limits::max(),         S(0.5), S(2), S(1) + Limits::epsilon(), S(1) - Limits::epsilon(),
      S(0.70710678118654752), S(1.41421356237309505)};
  for (int i = 0; i < 50000; ++i) {
    numbers.push_back(S(std::ldexp(one_to_two(random), exponent(random))));
    numbers.push_back(S(one_to_two(random) / 1.4));
    numbers.push_back(S(1 + near_one(random)));
  }
  expect_close<TypeParam>(
      numbers, [](TypeParam x) { return log(x); }, [](Real x) { return std::log(x); });
}

TYPED_TEST(Elementary, ExpIsWithinTwoUlps) {
  using S = Scalar<TypeParam>;
  std::mt19937 random(32);
  const Real highest = std::log(Real(std::numeric_limits<S>::max()));
  const Real lowest = std::log(Real(std::numeric_limits<S>::denorm_min()));
  std::uniform_real_distribution<Real> all(lowest, highest), small(-1, 1), tiny(-1e-5L, 1e-5L);
  std::vector<S> numbers;
  for (int i = 0; i < 50000; ++i) {
    numbers.push_back(S(all(random)));
    numbers.push_back(S(small(random)));
    numbers.push_back(S(tiny(random)));
  }
  std::erase_if(numbers, [&](S x) { return x > highest; });
  expect_close<TypeParam>(
      numbers, [](TypeParam x) { return exp(x); }, [](Real x) { return std::exp(x); });
}

TYPED_TEST(Elementary, SpecialValues) {
  using T = TypeParam;
  using S = Scalar<T>;
  using Limits = std::numeric_limits<S>;
  const S infinity = Limits::infinity();
  EXPECT_EQ(lane_of(log(T(1)), 0), S(0));
  EXPECT_EQ(lane_of(log(T(infinity)), 0), infinity);
  EXPECT_TRUE(std::isnan(lane_of(log(T(Limits::quiet_NaN())), 0)));
  for (S below : {S(0), S(-0.0), S(-1), -infinity, Limits::denorm_min()})
    EXPECT_EQ(lane_of(log(T(below)), 0), lane_of(log(T(Limits::min())), 0)) << below;
  EXPECT_EQ(lane_of(exp(T(0)), 0), S(1));
  EXPECT_EQ(lane_of(exp(T(infinity)), 0), infinity);
  EXPECT_EQ(lane_of(exp(T(Limits::max())), 0), infinity);
  EXPECT_EQ(lane_of(exp(T(-infinity)), 0), S(0));
  EXPECT_EQ(lane_of(exp(T(Limits::lowest())), 0), S(0));
  EXPECT_TRUE(std::isnan(lane_of(exp(T(Limits::quiet_NaN())), 0)));
}

// each lane as the number alone, to the bit
TYPED_TEST(Elementary, RootsFloorsAndTruthsAreThoseOfNumbers) {
  using T = TypeParam;
  using S = Scalar<T>;
  T x;
  for (int lane = 0; lane < lanes_of<T>; ++lane) set_lane(x, lane, S(0.37) * S(lane * lane) - S(3));
  const T root = core::sqrt(core::abs(x)), down = core::floor(x);
  const Truth<T> below = x < T(S(0.5));
  bool all = true, any = false;
  for (int lane = 0; lane < lanes_of<T>; ++lane) {
    const S number = lane_of(x, lane);
    EXPECT_EQ(lane_of(root, lane), std::sqrt(std::fabs(number)));
    EXPECT_EQ(lane_of(down, lane), std::floor(number));
    EXPECT_EQ(lane_of(core::select(below, down, x), lane), number < S(0.5) ? std::floor(number) : number);
    if constexpr (lanes_of < T >> 1) EXPECT_EQ(core::bits_of(below) >> lane & 1u, number < S(0.5) ? 1u : 0u);
    all = all && number < S(0.5);
    any = any || number < S(0.5);
  }
  EXPECT_EQ(core::all_of(below), all);
  EXPECT_EQ(core::any_of(below), any);
}

}  // namespace
}  // namespace pliant

// The continued logarithm of a stretch and its divided differences, against long double.
#include "material/stretch_log.h"
#include "check_law.h"

namespace pliant {

using namespace material;

namespace {

template <class S>
class StretchLog : public testing::Test {};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(StretchLog, Numbers);

// the parabola through log at `least`
long double parabola(long double s, long double least) {
  const long double x = (s - least) / least;
  return std::log(least) + x - x * x / 2;
}

TYPED_TEST(StretchLog, IsSmoothToSecondOrder) {
  using S = TypeParam;
  const S least = smallest_stretch<S>;
  const S above = std::nextafter(least, S(1)), below = std::nextafter(least, S(0));
  const Jet<S> x = stretch_log(above), y = stretch_log(below);
  // values two ulps of s apart
  const S eps = 4 * std::numeric_limits<S>::epsilon();
  EXPECT_NEAR(x.value, y.value, eps * std::abs(x.value));
  EXPECT_NEAR(x.first, y.first, eps * std::abs(x.first));
  EXPECT_NEAR(x.second, y.second, eps * std::abs(x.second));
}

TYPED_TEST(StretchLog, SlopesLoseNoDigits) {
  using S = TypeParam;
  const S least = smallest_stretch<S>;
  const double eps = 8 * std::numeric_limits<S>::epsilon();
  for (const double from : {0.0101, 0.02, 0.3, 1.0, 7.0, 1e6, 0.009, 0.001, -0.5, -1e3})
    for (const double change : {0.0, 1e-15, 1e-10, 1e-7, 1e-6, 1e-4, 1e-3, 0.03, 0.1, 0.15, 0.2, 0.25, 0.5, 10.0}) {
      const S t = S(from), s = S(from + std::abs(from) * change);
      const long double s1 = s, t1 = t, gap = s1 - t1;
      const LogSlopes<S> slopes = stretch_log_slopes(s, t), swapped = stretch_log_slopes(t, s);
      long double value, first;
      if (t >= least) {
        value = gap > 0 ? std::log1p(gap / t1) / gap : 1 / t1;
        first = -1 / (s1 * t1);
      } else if (s <= least) {
        value = 1.0L / least - ((s1 + t1) / 2 - least) / least / least;
        first = -1.0L / least / least;
      } else {
        value = (std::log(s1) - parabola(t1, least)) / gap;
        first = (1 / s1 - (2.0L * least - t1) / least / least) / gap;
      }
      EXPECT_NEAR(slopes.value, value, eps * std::abs(value)) << s << " " << t;
      EXPECT_NEAR(slopes.first, first, eps * std::abs(first)) << s << " " << t;
      EXPECT_NEAR(swapped.value, value, eps * std::abs(value)) << s << " " << t;
      EXPECT_NEAR(swapped.first, first, eps * std::abs(first)) << s << " " << t;
    }
}

}  // namespace
}  // namespace pliant

// What the law does to a batch.
#include "grid/advance.h"

#include <gtest/gtest.h>

namespace pliant {

using namespace grid;

namespace {

// Packs of cells end anywhere, so the lanes past the last particle hold velocities of some particle before, of a faster
// time perhaps. They must not walk out of the arena, which would stop the step.
template <int D, class S>
void check_lanes_past_the_end() {
  constexpr int count = 9;
  Point<D, S> points[count] = {};
  for (Point<D, S>& p : points) {
    for (int d = 0; d < D; ++d) {
      p.x[d] = S(0.25);
      p.F[d * (D + 1)] = 1;
    }
    p.mass = p.volume = 1;
  }
  auto batch = std::make_unique<Batch<D, S>>();
  batch->load(points, count);
  for (int d = 0; d < D; ++d)
    for (int i = 0; i < batch->stride; ++i)
      batch->v[d][i] = i < count ? S(0.5) : i % 2 ? S(1e6) : std::numeric_limits<S>::quiet_NaN();
  for (auto& row : batch->affine) std::fill(std::begin(row), std::end(row), S(0));

  AdvanceStep<D, S> step = {};
  step.dt = S(0.125), step.speed_limit = 1, step.gradient_is_affine = true;
  Material material;
  const AdvanceResult<S> moved = advect(make_law<S>(material), step, *batch);
  EXPECT_FALSE(moved.bad);
  for (int l = 0; l < Wide<S>::lanes; ++l) EXPECT_LE(moved.max_speed[l], S(0.5));
  const int end = (count + Wide<S>::lanes - 1) / Wide<S>::lanes * Wide<S>::lanes;
  for (int d = 0; d < D; ++d)
    for (int i = 0; i < end; ++i) EXPECT_EQ(batch->x(d)[i], S(i < count ? 0.3125 : 0.25));
}

TEST(Advance, LanesPastTheEndStayWhereTheyAre) {
  check_lanes_past_the_end<2, float>();
  check_lanes_past_the_end<2, double>();
  check_lanes_past_the_end<3, float>();
  check_lanes_past_the_end<3, double>();
}

}  // namespace
}  // namespace pliant

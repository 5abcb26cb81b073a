// The kernels: partition of unity, linear fields, derivatives, smoothness.
#include "grid/point_transfer.h"

#include <gtest/gtest.h>

namespace pliant {

using namespace grid;

namespace {

template <Kernel K>
class Weights {
 public:
  // sum over nodes of weight * g(node - y), in one dimension, both grids of compact
  template <class G>
  static double sum(double y, bool derivative, const G& g) {
    double total = 0;
    for (int grid = 0; grid < grid_count<K>; ++grid) {
      const auto s = axis_stencil<K, double>(y, grid);
      for (int k = 0; k < stencil_width<K>; ++k) total += (derivative ? s.dw[k] : s.w[k]) * g(k - s.f) / grid_count<K>;
    }
    return total;
  }
};

template <Kernel K>
void check_kernel() {
  const double eps = 1e-14;  // a few roundings of numbers near 1
  for (double y = 3; y < 5; y += 0.00371) {
    const auto one = [](double) { return 1.0; };
    const auto distance = [](double d) { return d; };
    EXPECT_NEAR(Weights<K>::sum(y, false, one), 1, eps);
    EXPECT_NEAR(Weights<K>::sum(y, false, distance), 0, eps) << "a linear field is not reproduced at " << y;
    EXPECT_NEAR(Weights<K>::sum(y, true, one), 0, eps);
    EXPECT_NEAR(Weights<K>::sum(y, true, distance), 1, 10 * eps) << "nor its slope";
  }
}

TEST(Stencil, SumsToOneAndReproducesLinearFields) {
  check_kernel<Kernel::linear>();
  check_kernel<Kernel::quadratic>();
  check_kernel<Kernel::compact>();
}

// weight of node `node` of one grid at y, 0 where it is not touched
template <Kernel K>
double weight(double y, int node, int grid, bool derivative) {
  const auto s = axis_stencil<K, double>(y, grid);
  const int k = node - s.base;
  if (k < 0 || k >= stencil_width<K>) return 0;
  return derivative ? s.dw[k] : s.w[k];
}

template <Kernel K>
void check_derivative() {
  const double e = 1e-6;
  for (int grid = 0; grid < grid_count<K>; ++grid)
    for (double y = 2.0137; y < 6; y += 0.0317) {
      const double slope = (weight<K>(y + e, 4, grid, false) - weight<K>(y - e, 4, grid, false)) / (2 * e);
      // e^2 times the third derivative (at most (2 pi)^2) over 6
      EXPECT_NEAR(weight<K>(y, 4, grid, true), slope, 1e-9) << y;
    }
}

TEST(Stencil, DerivativesAreThoseOfTheWeights) {
  check_derivative<Kernel::linear>();
  check_derivative<Kernel::quadratic>();
  check_derivative<Kernel::compact>();
}

TEST(Stencil, CompactIsSmoothToTheSecondDerivative) {
  // across the nodes, where its pieces meet: value, slope and second difference go through
  const double e = 1e-4;
  for (int grid = 0; grid < 2; ++grid)
    for (double seam : {3.0, 4.0, 5.0}) {
      const double y = seam + 0.5 * grid;
      const double left =
          (weight<Kernel::compact>(y - e, 4, grid, true) - weight<Kernel::compact>(y - 2 * e, 4, grid, true)) / e;
      const double right =
          (weight<Kernel::compact>(y + 2 * e, 4, grid, true) - weight<Kernel::compact>(y + e, 4, grid, true)) / e;
      // the second derivative is 0 at all seams and grows as (2 pi)^2 per cell
      EXPECT_NEAR(left, right, 3 * 40 * e);
      EXPECT_NEAR(weight<Kernel::compact>(y - 1e-12, 4, grid, true), weight<Kernel::compact>(y + 1e-12, 4, grid, true),
                  1e-9);
    }
}

TEST(Stencil, CompactWeightKeepsItsDigitsNearTheRim) {
  // 2 pi^2 u^3 / 3 at distance u from the rim; in float the plain formula gives noise
  for (float u : {1e-2f, 1e-3f, 1e-4f, 1e-5f}) {
    const double exact = 2 * std::numbers::pi * std::numbers::pi * double(u) * u * u / 3;
    EXPECT_NEAR(compact_tail(u) / exact, 1, 2e-3 * (u > 5e-3f ? 1 : 0) + 1e-5);
  }
  // the two branches meet
  EXPECT_NEAR(compact_tail(0.0999999999), compact_tail(0.1000000001), 1e-9);
  EXPECT_NEAR(compact_tail(0.1), 0.1 - std::sin(0.2 * std::numbers::pi) / (2 * std::numbers::pi), 1e-13);
}

}  // namespace
}  // namespace pliant

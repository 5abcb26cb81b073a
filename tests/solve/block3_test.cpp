// Symmetric blocks: products, factors and inverses against dense ones.
#include "solve/block3.h"

#include <gtest/gtest.h>
#include <Eigen/Core>
#include <Eigen/LU>

#include <random>

namespace pliant {

using namespace solve;

namespace {

// positive, with eigenvalues over six decades
struct Sample {
  Eigen::Matrix3d dense = Eigen::Matrix3d::Zero();
  Block3<double> block = Block3<double>::scaled_identity(0);

  explicit Sample(std::mt19937& random) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int k = 0; k < 4; ++k) {
      const double s = std::pow(10, 3 * uniform(random));
      const Eigen::Vector3d a(uniform(random), uniform(random), uniform(random));
      const Eigen::Vector3d b(uniform(random), uniform(random), uniform(random));
      // a a^T + b b^T + .5 (a b^T + b a^T) is positive
      dense += s * (a * a.transpose() + b * b.transpose() + 0.5 * (a * b.transpose() + b * a.transpose()));
      const Vector<double, 3> x = {{a[0], a[1], a[2]}}, y = {{b[0], b[1], b[2]}};
      block.add_square(s, x);
      block.add_square(s, y);
      block.add_product(0.5 * s, x, y);
    }
  }
};

TEST(Block3, IsTheMatrix) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int n = 0; n < 100; ++n) {
    const Sample s(random);
    const Matrix<double, 3> m = full(s.block);
    // sums of a dozen products
    for (int k = 0; k < 9; ++k) EXPECT_NEAR(m.a[k], s.dense(k / 3, k % 3), 1e-14 * s.dense.norm());
    const Eigen::Vector3d x(uniform(random), uniform(random), uniform(random)), y = s.dense * x;
    const Vector<double, 3> v = {{x[0], x[1], x[2]}}, product = s.block * v;
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(product[d], y[d], 1e-14 * s.dense.norm());
    EXPECT_NEAR(s.block.along(v), x.dot(y), 1e-14 * s.dense.norm());
    Block3<Pack<double, 4>> packs = Block3<Pack<double, 4>>::scaled_identity(3);
    for (int e = 0; e < 6; ++e) packs.data()[e].set(2, s.block.data()[e]);
    for (int e = 0; e < 6; ++e) EXPECT_EQ(lane_of(packs, 2).data()[e], s.block.data()[e]);
    EXPECT_EQ(lane_of(packs, 1).yy, 3);
  }
}

TEST(Block3, InverseAndFactorAreThoseOfTheMatrix) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int n = 0; n < 100; ++n) {
    const Sample s(random);
    const double mass = std::pow(10, uniform(random));
    const Eigen::Matrix3d inverted = s.dense.inverse(),
                          with_mass = (s.dense + mass * Eigen::Matrix3d::Identity()).inverse();
    const Inverse3<double> inverse(s.block);
    const Factor3 factor(mass, s.block);
    // the condition of the scaled block times round-off
    const double most = 1e-16 * s.dense.norm() * inverted.norm() + 1e-13;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) EXPECT_NEAR(inverse.column[c][r], inverted(r, c), 10 * most * inverted.norm());
    const Eigen::Vector3d x(uniform(random), uniform(random), uniform(random)), y = with_mass * x;
    const NodeVector<double> z = factor * NodeVector<double>(NodeVector<double>::Vector{x[0], x[1], x[2], 7});
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(z[d], y[d], 10 * most * with_mass.norm());
    // what is behind the three stays out
    EXPECT_EQ(z[3], 0);
    for (int c = 0; c < 3; ++c) EXPECT_EQ(inverse.column[c][3], 0);
  }
}

TEST(Block3, InverseOfATinyMassFitsIntoFloat) {
  const Inverse3<float> inverse(Block3<double>::scaled_identity(1e-25));
  EXPECT_FLOAT_EQ(inverse.column[1][1], 1e25f);
}

}  // namespace
}  // namespace pliant

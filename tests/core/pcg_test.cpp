// Conjugate gradients against a dense factorisation.
#include "core/pcg.h"

#include <gtest/gtest.h>
#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>

#include <random>
#include <vector>

namespace pliant {
namespace {

using Dense = Eigen::MatrixXd;

// a mass per node and springs between random pairs of nodes, each stiff along some direction
Dense random_matrix(int nodes, double stiffness, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::uniform_int_distribution<int> node(0, nodes - 1);
  Dense A = Dense::Zero(3 * nodes, 3 * nodes);
  for (int i = 0; i < nodes; ++i) A.block<3, 3>(3 * i, 3 * i).diagonal().setConstant(std::exp(2 * uniform(random)));
  for (int spring = 0; spring < 4 * nodes; ++spring) {
    const int i = node(random), j = node(random);
    if (i == j) continue;
    Eigen::VectorXd d = Eigen::VectorXd::Zero(3 * nodes);
    const Eigen::Vector3d along(uniform(random), uniform(random), uniform(random));
    d.segment<3>(3 * i) = along;
    d.segment<3>(3 * j) = -along;
    A += stiffness * d * d.transpose();
  }
  return A;
}

template <class T>
struct System {
  Dense A;
  Eigen::VectorXd b;
  std::vector<NodeVector<T>> right;
  std::vector<InverseBlock<T>> preconditioner;

  System(int nodes, double stiffness, unsigned seed) {
    std::mt19937 random(seed);
    A = random_matrix(nodes, stiffness, random);
    std::uniform_real_distribution<double> uniform(-1, 1);
    b.resize(3 * nodes);
    for (double& x : b) x = T(uniform(random));
    for (int i = 0; i < nodes; ++i) {
      NodeVector<T> r = T(0);
      for (int d = 0; d < 3; ++d) r.set(d, T(b(3 * i + d)));
      right.push_back(r);
      const Eigen::Matrix3d B = A.block<3, 3>(3 * i, 3 * i);
      preconditioner.push_back(inverse_block<T>({{B(0, 0), B(1, 1), B(2, 2), B(0, 1), B(0, 2), B(1, 2), 0, 0}}));
    }
  }
  PcgProblem<T> problem() const { return {right, preconditioner}; }
  double apply(const NodeVector<T>* x, NodeVector<T>* y) const {
    const Eigen::VectorXd p = flat(x), q = A * p;
    for (std::size_t i = 0; i < right.size(); ++i) {
      y[i] = T(0);
      for (int d = 0; d < 3; ++d) y[i].set(d, T(q(Eigen::Index(3 * i) + d)));
    }
    return p.dot(flat(y));
  }
  Eigen::VectorXd flat(const NodeVector<T>* x) const {
    Eigen::VectorXd v(b.size());
    for (Eigen::Index i = 0; i < b.size(); ++i) v(i) = double(x[i / 3][int(i % 3)]);
    return v;
  }
  PcgReport solve(const PcgOptions& options, Workers& workers, PcgWork<T>& work) const {
    return solve_pcg([&](const NodeVector<T>* x, NodeVector<T>* y) { return apply(x, y); }, problem(), options, workers,
                     work);
  }
};

TEST(InverseBlock, IsTheInverse) {
  std::mt19937 random(1);
  for (int i = 0; i < 100; ++i) {
    const System<double> s(2, 1e4, random());
    const Eigen::Matrix3d B = s.A.block<3, 3>(0, 0), inverted = B.inverse();
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c)
        // the condition of the scaled block times round-off
        EXPECT_NEAR(s.preconditioner[0].column[c][r], inverted(r, c), 1e-11 * inverted.norm());
    for (int c = 0; c < 3; ++c) EXPECT_EQ(s.preconditioner[0].column[c][3], 0);
  }
}

TEST(InverseBlock, OfATinyMassFitsIntoFloat) {
  const InverseBlock<float> block = inverse_block<float>({{1e-25, 1e-25, 1e-25, 0, 0, 0, 0, 0}});
  EXPECT_FLOAT_EQ(block.column[1][1], 1e25f);
}

TEST(Pcg, SolvesInDouble) {
  Workers workers(1);
  for (double stiffness : {0.0, 1.0, 1e4}) {
    const System<double> s(60, stiffness, 3);
    PcgWork<double> work;
    const PcgReport report = s.solve({1e-12, 1000}, workers, work);
    ASSERT_TRUE(report.converged);
    const Eigen::VectorXd exact = s.A.llt().solve(s.b), got = s.flat(work.x.data());
    // tolerance times the root of the condition number, 1e3 at the most
    EXPECT_LT((got - exact).norm(), 1e-9 * exact.norm()) << stiffness;
    EXPECT_LT((s.b - s.A * got - s.flat(work.residual.data())).norm(), 1e-11 * s.b.norm()) << stiffness;
  }
}

TEST(Pcg, BlocksAloneSolveWhatIsNotCoupled) {
  Workers workers(1);
  System<double> s(7, 0, 9);
  PcgWork<double> work;
  EXPECT_EQ(s.solve({1e-10, 10}, workers, work).iterations, 1);
}

TEST(Pcg, FloatReachesFourDigits) {
  Workers workers(1);
  const System<float> s(60, 100, 4);
  PcgWork<float> work;
  const PcgReport report = s.solve({1e-4, 1000}, workers, work);
  ASSERT_TRUE(report.converged);
  const Eigen::VectorXd left = s.b - s.A * s.flat(work.x.data());
  double square = 0, right = 0;
  for (int i = 0; i < 60; ++i) {
    const Eigen::Matrix3d B = s.A.block<3, 3>(3 * i, 3 * i);
    square += left.segment<3>(3 * i).dot(B.inverse() * left.segment<3>(3 * i));
    right += s.b.segment<3>(3 * i).dot(B.inverse() * s.b.segment<3>(3 * i));
  }
  // the true residual, not that of the recursion
  EXPECT_LT(std::sqrt(square / right), 2e-4);
}

TEST(Pcg, ZeroNeedsNoIteration) {
  Workers workers(1);
  System<double> s(5, 1, 2);
  std::fill(s.right.begin(), s.right.end(), NodeVector<double>(0));
  PcgWork<double> work;
  const PcgReport report = s.solve({1e-6, 10}, workers, work);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.iterations, 0);
}

TEST(Pcg, SaysWhenItRunsOutOfIterations) {
  Workers workers(1);
  const System<double> s(60, 1e4, 3);
  PcgWork<double> work;
  const PcgReport report = s.solve({1e-12, 5}, workers, work);
  EXPECT_FALSE(report.converged);
  EXPECT_FALSE(report.broken);
  EXPECT_EQ(report.iterations, 5);
  EXPECT_GT(report.residual, 1e-12);
}

TEST(Pcg, SaysWhenTheMatrixIsNotPositive) {
  Workers workers(1);
  System<double> s(20, 1, 5);
  s.A *= -1;
  PcgWork<double> work;
  EXPECT_TRUE(s.solve({1e-6, 100}, workers, work).broken);
  s.A *= std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(s.solve({1e-6, 100}, workers, work).broken);
}

// many pieces; a matrix that only scales, so that its product is cheap
TEST(Pcg, SameBitsOnAnyNumberOfThreads) {
  constexpr std::size_t nodes = 20000;
  std::vector<NodeVector<float>> right(nodes);
  std::vector<InverseBlock<float>> preconditioner(nodes, inverse_block<float>({{1, 1, 1, 0, 0, 0, 0, 0}}));
  std::mt19937 random(8);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (auto& r : right) {
    r = 0.f;
    for (int d = 0; d < 3; ++d) r.set(d, uniform(random));
  }
  Buffer<double> pieces;
  const auto solve = [&](int threads) {
    Workers workers(threads);
    PcgWork<float> work;
    const auto scale = [&](const NodeVector<float>* x, NodeVector<float>* y) {
      return sum_over_nodes(nodes, workers, pieces, [&](std::size_t first, std::size_t last) {
        Pack<double, 4> sum = 0;
        for (std::size_t i = first; i < last; ++i) {
          y[i] = x[i] * NodeVector<float>(1 + float(i % 97));
          sum += wide_product(x[i], y[i]);
        }
        return sum_of_lanes(sum);
      });
    };
    EXPECT_GT(solve_pcg<float>(scale, {right, preconditioner}, {1e-4, 100}, workers, work).iterations, 10);
    std::vector<float> x;
    for (std::size_t i = 0; i < nodes; ++i)
      for (int d = 0; d < 3; ++d) x.push_back(work.x[i][d]);
    return x;
  };
  const auto one = solve(1);
  for (int threads : {2, 3}) EXPECT_EQ(solve(threads), one) << threads;
}

}  // namespace
}  // namespace pliant

// Conjugate gradients against a dense factorisation.
#include "solve/krylov.h"

#include "solve/block3.h"

#include <gtest/gtest.h>
#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <random>
#include <vector>

namespace pliant {

using namespace solve;

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

// a solve over nodes alone: what `conjugate_gradients` asks for, with a product that a test gives
template <class T, class Product>
struct NodeSolve {
  const std::vector<NodeVector<T>>& right;
  const std::vector<Inverse3<T>>& blocks;
  const Product& product;  // (x, y) -> x . y
  const PieceSums& sums;
  CgVectors<T> cg = {};

  double begin() {
    Unknowns unknowns;
    unknowns.add_nodes(right.size());
    cg.resize(unknowns);
    double rz = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
      cg.x.nodes[i] = T(0);
      cg.residual.nodes[i] = right[i];
      cg.search.nodes[i] = blocks[i] * right[i];
      rz += sum_of_lanes(wide_product(right[i], cg.search.nodes[i]));
    }
    return rz;
  }
  double apply() { return product(cg.search.nodes.data(), cg.product.nodes.data()); }
  double advance(double alpha) { return advance_nodes(cg, T(alpha), blocks, sums); }
  void turn(double beta) { turn_nodes(cg, T(beta), sums); }
};

template <class T>
struct DenseSystem {
  Dense A;
  Eigen::VectorXd b;
  std::vector<NodeVector<T>> right;
  std::vector<Inverse3<T>> preconditioner;
  Buffer<NodeVector<T>> x, residual;  // of the last solve

  DenseSystem(int nodes, double stiffness, unsigned seed) {
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
      preconditioner.emplace_back(Block3<double>{B(0, 0), B(0, 1), B(0, 2), B(1, 1), B(1, 2), B(2, 2)});
    }
  }
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
  CgReport solve(const CgOptions& options) {
    Workers workers(1);
    Buffer<ThreeSums> pieces;
    const PieceSums sums(workers, pieces);
    const auto product = [&](const NodeVector<T>* x, NodeVector<T>* y) { return apply(x, y); };
    NodeSolve<T, decltype(product)> cg = {right, preconditioner, product, sums};
    const CgReport report = conjugate_gradients(cg, options);
    x.swap(cg.cg.x.nodes);
    residual.swap(cg.cg.residual.nodes);
    return report;
  }
};

TEST(ConjugateGradients, SolveInDouble) {
  for (double stiffness : {0.0, 1.0, 1e4}) {
    DenseSystem<double> s(60, stiffness, 3);
    const CgReport report = s.solve({1e-12, 1000});
    ASSERT_TRUE(report.converged);
    const Eigen::VectorXd exact = s.A.llt().solve(s.b), got = s.flat(s.x.data());
    // tolerance times the root of the condition number, 1e3 at the most
    EXPECT_LT((got - exact).norm(), 1e-9 * exact.norm()) << stiffness;
    EXPECT_LT((s.b - s.A * got - s.flat(s.residual.data())).norm(), 1e-11 * s.b.norm()) << stiffness;
  }
}

TEST(ConjugateGradients, BlocksAloneSolveWhatIsNotCoupled) {
  DenseSystem<double> s(7, 0, 9);
  EXPECT_EQ(s.solve({1e-10, 10}).iterations, 1);
}

TEST(ConjugateGradients, FloatReachesFourDigits) {
  DenseSystem<float> s(60, 100, 4);
  const CgReport report = s.solve({1e-4, 1000});
  ASSERT_TRUE(report.converged);
  const Eigen::VectorXd left = s.b - s.A * s.flat(s.x.data());
  double square = 0, right = 0;
  for (int i = 0; i < 60; ++i) {
    const Eigen::Matrix3d B = s.A.block<3, 3>(3 * i, 3 * i);
    const Eigen::Vector3d r = left.segment<3>(3 * i), b = s.b.segment<3>(3 * i);
    square += r.dot(B.llt().solve(r));
    right += b.dot(B.llt().solve(b));
  }
  // the true residual, not that of the recursion
  EXPECT_LT(std::sqrt(square / right), 2e-4);
}

TEST(ConjugateGradients, ZeroNeedsNoIteration) {
  DenseSystem<double> s(5, 1, 2);
  std::fill(s.right.begin(), s.right.end(), NodeVector<double>(0));
  const CgReport report = s.solve({1e-6, 10});
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.iterations, 0);
}

TEST(ConjugateGradients, SayWhenTheyRunOutOfIterations) {
  DenseSystem<double> s(60, 1e4, 3);
  const CgReport report = s.solve({1e-12, 5});
  EXPECT_FALSE(report.converged);
  EXPECT_FALSE(report.broken);
  EXPECT_EQ(report.iterations, 5);
  EXPECT_GT(report.residual, 1e-12);
}

TEST(ConjugateGradients, SayWhenTheMatrixIsNotPositive) {
  DenseSystem<double> s(20, 1, 5);
  s.A *= -1;
  EXPECT_TRUE(s.solve({1e-6, 100}).broken);
  s.A *= std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(s.solve({1e-6, 100}).broken);
}

// many pieces; a matrix that only scales, so that its product is cheap
TEST(ConjugateGradients, SameBitsOnAnyNumberOfThreads) {
  constexpr std::size_t nodes = 20000;
  std::vector<NodeVector<float>> right(nodes);
  const std::vector<Inverse3<float>> blocks(nodes, Inverse3<float>(Block3<double>::scaled_identity(1)));
  std::mt19937 random(8);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (auto& r : right) {
    r = 0.f;
    for (int d = 0; d < 3; ++d) r.set(d, uniform(random));
  }
  const auto solve = [&](int threads) {
    Workers workers(threads);
    Buffer<ThreeSums> pieces;
    const PieceSums sums(workers, pieces);
    const auto scale = [&](const NodeVector<float>* x, NodeVector<float>* y) {
      const auto piece = [&](std::size_t first, std::size_t last) {
        NodeVector<double> sum = 0;
        for (std::size_t i = first; i < last; ++i) {
          y[i] = x[i] * NodeVector<float>(1 + float(i % 97));
          sum += wide_product(x[i], y[i]);
        }
        return ThreeSums{sum_of_lanes(sum)};
      };
      return sums.over(nodes, nodes_per_piece, piece).a;
    };
    NodeSolve<float, decltype(scale)> cg = {right, blocks, scale, sums};
    EXPECT_GT(conjugate_gradients(cg, {1e-4, 100}).iterations, 10);
    std::vector<float> x;
    for (std::size_t i = 0; i < nodes; ++i)
      for (int d = 0; d < 3; ++d) x.push_back(cg.cg.x.nodes[i][d]);
    return x;
  };
  const auto one = solve(1);
  for (int threads : {2, 3, 8}) EXPECT_EQ(solve(threads), one) << threads;
}

}  // namespace
}  // namespace pliant

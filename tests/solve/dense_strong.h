// A strong problem with dense matrices: matter in two costs that know nothing of each other, bodies, and contacts between
// all of them; and gradient and Hessian of the whole by plain dense sums.
#pragma once

#include "solve/problems.h"
#include "solve/strong_problem.h"

#include <Eigen/Dense>

namespace pliant::tests {

using namespace solve;
using namespace contact;

using Column = Eigen::VectorXd;
using Dense = Eigen::MatrixXd;

// eigenvalues over these decades, turned by a few reflections
inline Dense random_spd(Eigen::Index n, LawSamples& s, double decades) {
  Dense A = Dense::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) A(i, i) = s.decade(0, decades);
  for (int k = 0; k < 6; ++k) {
    Column a(n);
    for (double& x : a) x = s.uniform(-1, 1);
    a.normalize();
    // (1 - 2 a a^T) A (1 - 2 a a^T)
    const Column Aa = A * a;
    const double aAa = a.dot(Aa);
    A += -2 * (a * Aa.transpose() + Aa * a.transpose()) + 4 * aAa * a * a.transpose();
  }
  return A;
}

inline Eigen::Index at(std::size_t i, int d) { return 3 * Eigen::Index(i) + d; }
template <class T>
Column column(const NodeVector<T>* v, std::size_t n) {
  Column x(3 * Eigen::Index(n));
  for (std::size_t i = 0; i < n; ++i)
    for (int d = 0; d < 3; ++d) x[at(i, d)] = double(v[i][d]);
  return x;
}
template <class T>
void spread(const Column& x, NodeVector<T>* v) {
  for (std::size_t i = 0; i < std::size_t(x.size()) / 3; ++i) {
    v[i] = T(0);
    for (int d = 0; d < 3; ++d) v[i].set(d, T(x[at(i, d)]));
  }
}

// 1/2 (v - v*)^T A (v - v*), A = mass + something that couples its nodes, those of a problem from first to last
class DenseMatter : public MatterCost {
 public:
  DenseMatter(const OwnedProblem& p, NodeRange range, LawSamples& s)
      : mass_(p.mass.begin() + std::ptrdiff_t(range.first), p.mass.begin() + std::ptrdiff_t(range.last)) {
    const auto n = 3 * Eigen::Index(mass_.size());
    double mean = 0;
    for (double m : mass_) mean += m / double(mass_.size());
    A = mean * s.decade(-1, 2) * random_spd(n, s, 1);
    start = Column(n);
    for (std::size_t i = 0; i < mass_.size(); ++i)
      for (int d = 0; d < 3; ++d) {
        A(at(i, d), at(i, d)) += mass_[i];
        start[at(i, d)] = p.free_velocity[range.first + i][d];
      }
    A = (0.5 * (A + A.transpose())).eval();
  }

  std::size_t nodes() const override { return mass_.size(); }
  std::span<const double> mass() const override { return mass_; }
  bool quadratic() const override { return true; }
  double evaluate(const NodeVector<double>* v, NodeVector<double>* gradient, Workers&) override {
    const Column x = column(v, nodes()) - start, g = A * x;
    spread(g, gradient);
    return 0.5 * x.dot(g);
  }
  void linearise(const NodeVector<double>*, Block3<double>* blocks, Workers&) override {
    for (std::size_t i = 0; i < nodes(); ++i) {
      const Eigen::Matrix3d B = A.block<3, 3>(at(i, 0), at(i, 0));
      blocks[i] = {B(0, 0), B(0, 1), B(0, 2), B(1, 1), B(1, 2), B(2, 2)};
    }
  }
  void linearise_in_double(const NodeVector<double>*, Curvature, Workers&) override {}
  double apply(const NodeVector<float>* x, NodeVector<float>* y, Workers&) override { return product(x, y); }
  double apply(const NodeVector<double>* x, NodeVector<double>* y, Workers&) override { return product(x, y); }

  Dense A;
  Column start;

 private:
  template <class T>
  double product(const NodeVector<T>* x, NodeVector<T>* y) const {
    const Column in = column(x, nodes()), out = A * in;
    spread(out, y);
    return in.dot(out);
  }
  std::vector<double> mass_;
};

class DenseBodies : public BodyCost {
 public:
  DenseBodies(Eigen::Index dofs, double scale, double speed, LawSamples& s)
      : H(scale * random_spd(dofs, s, 3)), start(dofs) {
    for (Eigen::Index j = 0; j < dofs; ++j) start[j] = speed * s.uniform(-1, 1);
    H = (0.5 * (H + H.transpose())).eval();
  }
  std::size_t dofs() const override { return std::size_t(start.size()); }
  double evaluate(std::span<const double> w, std::span<double> gradient) override {
    const Column x = Eigen::Map<const Column>(w.data(), start.size()) - start;
    Eigen::Map<Column>(gradient.data(), start.size()) = H * x;
    return 0.5 * x.dot(H * x);
  }
  void hessian(std::span<double> out) override { Eigen::Map<Dense>(out.data(), start.size(), start.size()) = H; }
  Dense H;
  Column start;
};

// the first `share` of the nodes are the first cost's
struct DenseStrong {
  static constexpr int dofs = 5, body_count = 3;

  explicit DenseStrong(unsigned seed) : DenseStrong(seed, random_problem(seed, 3)) {}
  DenseStrong(unsigned seed, OwnedProblem given)
      : s(seed),
        contacts(std::move(given)),
        share(contacts.mass.size() / 3),
        first(contacts, {0, share}, s),
        second(contacts, {share, contacts.mass.size()}, s),
        bodies(dofs, second.A.norm(), 1, s) {
    for (std::size_t c = 0; c < contacts.contacts(); ++c) {
      body.push_back(int(s.uniform(-1, 2.999)));
      arm.push_back(s.ball());
    }
    if (seed % 2 == 1) add_pieces();
    for (int k = 0; k < body_count * 6 * dofs; ++k) jacobians.push_back(s.uniform(-1, 1));
    number_unknowns(costs, bodies, unknowns);
    problem.unknowns = &unknowns;
    problem.matter = costs;
    problem.bodies = &bodies;
    problem.begins = contacts.begins;
    problem.nodes = contacts.nodes;
    problem.weights = contacts.weights;
    problem.bias = contacts.bias;
    problem.body = body;
    problem.arm = arm;
    problem.jacobians = jacobians;
    problem.potential = &contacts.potential;
    problem.mean = {piece_begins, piece_nodes, piece_weights, piece, shift};
  }
  DenseStrong(const DenseStrong&) = delete;

  // two pieces that share the nodes in the middle; of three contacts two are of one of them
  void add_pieces() {
    const std::size_t n = contacts.mass.size();
    for (const NodeRange range : {NodeRange{0, 2 * n / 3}, NodeRange{n / 3, n}}) {
      for (std::size_t i = range.first; i < range.last; ++i) {
        piece_nodes.push_back(std::uint32_t(i));
        piece_weights.push_back((1 / double(range.size())) * s.ball());
      }
      piece_begins.push_back(std::uint32_t(piece_nodes.size()));
    }
    for (std::size_t c = 0; c < contacts.contacts(); ++c) {
      piece.push_back(int(c % 3) - 1);
      shift.push_back(s.ball());
    }
  }

  std::size_t nodes() const { return unknowns.nodes(); }
  Eigen::Index size() const { return 3 * Eigen::Index(nodes()) + dofs; }

  // J of the velocity of the body at contact c
  Dense jacobian(std::size_t c) const {
    const double* J = jacobians.data() + 6 * dofs * body[c];
    Dense linear(3, dofs), angular(3, dofs), cross(3, 3);
    for (int r = 0; r < 3; ++r)
      for (int j = 0; j < dofs; ++j) linear(r, j) = J[r * dofs + j], angular(r, j) = J[(3 + r) * dofs + j];
    const Vec3d& a = arm[c];
    cross << 0, a[2], -a[1], -a[2], 0, a[0], a[1], -a[0], 0;
    return linear + cross * angular;
  }
  // from all velocities to u of contact c, without the bias
  Dense row(std::size_t c) const {
    Dense W = Dense::Zero(3, size());
    for (std::uint32_t k = contacts.begins[c]; k < contacts.begins[c + 1]; ++k)
      W.block<3, 3>(0, at(contacts.nodes[k], 0)) += contacts.weights[k] * Eigen::Matrix3d::Identity();
    if (!piece.empty() && piece[c] >= 0)
      for (std::uint32_t e = piece_begins[std::size_t(piece[c])]; e < piece_begins[std::size_t(piece[c]) + 1]; ++e)
        W.block<3, 3>(0, at(piece_nodes[e], 0)) += dot(piece_weights[e], shift[c]) * Eigen::Matrix3d::Identity();
    if (body[c] >= 0) W.rightCols(dofs) -= jacobian(c);
    return W;
  }
  LawValue<double> law(std::size_t c, const Column& x) const {
    const Column u = row(c) * x;
    return contacts.potential.evaluate(c, Vec3d{{u[0], u[1], u[2]}} - contacts.bias[c]);
  }

  // of matter and bodies
  Dense own_matrix() const {
    const Eigen::Index n1 = first.A.rows(), n2 = second.A.rows();
    Dense H = Dense::Zero(size(), size());
    H.topLeftCorner(n1, n1) = first.A;
    H.block(n1, n1, n2, n2) = second.A;
    H.bottomRightCorner(dofs, dofs) = bodies.H;
    return H;
  }
  Column own_start() const {
    Column x(size());
    x << first.start, second.start, bodies.start;
    return x;
  }
  Column gradient(const Column& x) const {
    Column g = own_matrix() * (x - own_start());
    for (std::size_t c = 0; c < contacts.contacts(); ++c) {
      const Vec3d l = law(c, x).gradient;
      g += row(c).transpose() * Eigen::Vector3d(l[0], l[1], l[2]);
    }
    return g;
  }
  Dense hessian(const Column& x) const {
    Dense H = own_matrix();
    for (std::size_t c = 0; c < contacts.contacts(); ++c) {
      const Mat3d G = full(law(c, x).hessian);
      H += row(c).transpose() * Eigen::Map<const Eigen::Matrix3d>(G.a) * row(c);
    }
    return H;
  }

  // |gradient| over the size of its terms
  double residual(const std::vector<NodeVector<double>>& v, const std::vector<double>& w) const {
    Column x(size());
    x << column(v.data(), v.size()), Eigen::Map<const Column>(w.data(), dofs);
    double size = (own_matrix() * (x - own_start())).norm() + (own_matrix() * x).norm();
    for (std::size_t c = 0; c < contacts.contacts(); ++c) size += norm(law(c, x).gradient);
    return gradient(x).norm() / size;
  }

  LawSamples s;
  OwnedProblem contacts;
  std::size_t share;
  DenseMatter first, second;
  DenseBodies bodies;
  MatterCost* costs[2] = {&first, &second};
  Unknowns unknowns;
  std::vector<std::int32_t> body;
  std::vector<Vec3d> arm;
  std::vector<double> jacobians;
  // mean rows
  std::vector<std::uint32_t> piece_begins = {0}, piece_nodes;
  std::vector<Vec3d> piece_weights, shift;
  std::vector<std::int32_t> piece;
  StrongProblem problem;
};

}  // namespace pliant::tests

// The second derivative of an implicit step's energy as a matrix of 3x3 blocks, assembled by plain loops over
// particles and pairs of nodes, with differentials whose negative eigenvalues are cut by a 9x9 decomposition.
#pragma once

#include "implicit/lump.h"

#include "grid/point_transfer.h"
#include "material/derivative.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include <map>

namespace pliant {

using namespace material;
using namespace grid;
using namespace solve;
using namespace implicit;

class BlockMatrix {
 public:
  explicit BlockMatrix(std::size_t n) : rows_(n) {}
  Eigen::Matrix3d& at(std::size_t i, std::size_t j) {
    return rows_[i].try_emplace(j, Eigen::Matrix3d::Zero()).first->second;
  }
  Eigen::Matrix3d block(std::size_t i, std::size_t j) const { return rows_[i].at(j); }
  template <class F>
  void for_each(const F& f) const {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      for (const auto& [j, B] : rows_[i]) f(i, j, B);
  }
  NodeVectors multiply(const NodeVectors& x) const {
    NodeVectors y(x.size(), NodeVector<double>(0));
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      Eigen::Vector3d sum = Eigen::Vector3d::Zero();
      for (const auto& [j, B] : rows_[i]) sum += B * Eigen::Vector3d(x[j][0], x[j][1], x[j][2]);
      for (int d = 0; d < 3; ++d) y[i].set(d, sum[d]);
    }
    return y;
  }

 private:
  std::vector<std::map<std::size_t, Eigen::Matrix3d>> rows_;
};

using Dense9 = Eigen::Matrix<double, 9, 9>;

inline Dense9 positive(const Dense9& m) {
  const Eigen::SelfAdjointEigenSolver<Dense9> e((m + m.transpose()) / 2);
  return e.eigenvectors() * e.eigenvalues().cwiseMax(0).asDiagonal() * e.eigenvectors().transpose();
}

// d stress / d F of a law, and of its actuation, each without negative eigenvalues; of a liquid the latter alone
inline Dense9 stiffness(const AnyLaw<double>& law, const Matrix<double, 3>& actuation, const Matrix<double, 3>& F,
                        const Memory<double, 3>& memory) {
  Dense9 elastic = Dense9::Zero();
  if (!std::holds_alternative<Liquid<double>>(law))
    elastic = std::visit([&](const auto& l) { return Dense9(stress_derivative(l, F, memory)); }, law);
  Dense9 active = Dense9::Zero();
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      for (int c = 0; c < 3; ++c) active(3 * a + b, 3 * a + c) = actuation(b, c);
  return positive(elastic) + positive(active);
}

struct StencilNode {
  std::size_t node;
  Vector<double, 3> slope;  // of its weight, in cells
};

// the nodes of a particle in a block, by their numbers in the solve
template <class S>
std::vector<StencilNode> stencil_of(Lump<S>& matter, const Block<3>& block, const Point<3, S>& p) {
  std::vector<StencilNode> nodes;
  struct Places {
    int operator[](int place) const { return place; }
  };
  double y[3];
  for (int d = 0; d < 3; ++d)
    y[d] = double(p.x[d]) / double(S(matter.h)) - (double(block.coord[d]) * block_side - arena_margin);
  for_each_node<Kernel::quadratic, 3>(
      Places{}, y, [&](int place, double w, const Vector<double, 3>& d, const Vector<double, 3>& dw) {
        const std::int32_t i = matter.implicit.bundles().node(matter.grid().node_number(block, place));
        if (i >= 0) nodes.push_back({std::size_t(i), matter.transfer == Transfer::mls ? (4 * w) * d : dw});
      });
  return nodes;
}

// the matrix that takes a 3x3 matrix to its symmetric (sign 1) or skew (sign -1) part
inline Dense9 part_of(int sign) {
  Dense9 m = Dense9::Zero();
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      m(3 * a + b, 3 * a + b) += 0.5;
      m(3 * a + b, 3 * b + a) += 0.5 * sign;
    }
  return m;
}

// the spin of the nodes that is more than that of a cube
template <class S>
Dense9 spin_excess(const Lump<S>& matter, const Point<3, S>& p) {
  if (matter.transfer != Transfer::mls) return Dense9::Zero();
  const double h = double(S(matter.h)), cube = std::pow(double(p.volume), 2.0 / 3) / 12;
  return double(p.mass) * (h * h / 4 - cube) / (h * h) * part_of(-1);
}

// l without the turn of the step, if that is wanted
template <class S>
Matrix<double, 3> stretched(const Lump<S>& matter, const AnyLaw<double>& law, const Matrix<double, 3>& l) {
  if (!matter.exact_rotation || std::holds_alternative<Linear<double>>(law)) return l;
  const double scale = matter.dt / double(S(matter.h));
  const Svd<double, 3> d = svd(add_diagonal(scale * l, 1.0));
  return (1 / scale) * add_diagonal(d.V * Matrix<double, 3>::diagonal(d.sigma) * transpose(d.V), -1.0);
}

// derivative of the trace of a liquid's moment by the divergence: stiff where it is pressed, and where it is nearly so
inline double liquid_stiffness(const Liquid<double>& law, double start, double divergence) {
  const double J = start * (1 + divergence);
  const double lifted = law.bulk_modulus * std::max(0.0, 1 - (J - 1) / 1e-3);
  return start * start * (J > 1 ? lifted : law.volume_energy(J).second);
}

// entry (a b, c d): derivative of the moment M_ab by the gradient l_cd in cells
template <class S>
Dense9 moment_derivative(const Lump<S>& matter, std::size_t group, const Point<3, S>& p, const Matrix<double, 3>& l) {
  const double inv_h = 1 / double(S(matter.h)), dt = matter.dt, volume = double(p.volume);
  Matrix<double, 3> start;
  for (int k = 0; k < 9; ++k) start.a[k] = double(p.F[k]);
  const AnyLaw<double>& law = matter.laws()[group];
  const Matrix<double, 3> F = start + (dt * inv_h) * (stretched(matter, law, l) * start);
  const Memory<double, 3> memory = {start, double(p.plastic)};
  // dF = dt/h l F: the matrix from l to F
  Dense9 to_F = Dense9::Zero();
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      for (int d = 0; d < 3; ++d) to_F(3 * a + b, 3 * a + d) = dt * inv_h * start(d, b);
  const auto* liquid = std::get_if<Liquid<double>>(&law);
  const auto elastic = [&](const Matrix<double, 3>& at, double divergence) {
    Dense9 sum = volume * to_F.transpose() * stiffness(law, matter.actuations[group], at, memory) * to_F;
    if (!liquid) return sum;
    const double stiff = liquid_stiffness(*liquid, determinant(start), divergence);
    for (int a = 0; a < 9; a += 4)
      for (int c = 0; c < 9; c += 4) sum(a, c) += volume * dt * dt * inv_h * inv_h * stiff;
    return sum;
  };
  const auto viscous = [&] {
    Dense9 dense = Dense9::Zero();
    if (!liquid) return dense;
    for (int k = 0; k < 9; ++k) {
      Matrix<double, 3> unit = Matrix<double, 3>::zero();
      unit.a[k] = inv_h;
      const Matrix<double, 3> tau = liquid->viscous_kirchhoff(determinant(start), unit);
      for (int r = 0; r < 9; ++r) dense(r, k) = volume * dt * inv_h * tau.a[r];
    }
    return dense;
  }();
  const double damped = matter.damping.stiffness / dt;
  const Dense9 all = elastic(F, dt * inv_h * trace(l)) + damped * (elastic(start, 0) + viscous) + viscous;
  if (!matter.exact_rotation || liquid || std::holds_alternative<Linear<double>>(law)) return all;
  Dense9 lost = Dense9::Zero();
  if (group < matter.shear_viscosities.size()) {
    lost = part_of(1);
    for (int a = 0; a < 9; a += 4)
      for (int c = 0; c < 9; c += 4) lost(a, c) -= 1.0 / 3;
    lost *= 2 * dt * volume * matter.shear_viscosities[group] * inv_h * inv_h;
  }
  return part_of(1) * all * part_of(1) + lost;
}

enum class Terms { all, inertia };

template <class S>
BlockMatrix assemble(Lump<S>& matter, const NodeVectors& v, Terms terms = Terms::all) {
  BlockMatrix A(v.size());
  for (std::size_t i = 0; i < v.size(); ++i)
    A.at(i, i) += (1 + matter.dt * matter.damping.mass) * matter.implicit.mass()[i] * Eigen::Matrix3d::Identity();
  const Layout<3, S>& layout = matter.layout();
  for (const Block<3>& block : layout.blocks)
    for (std::uint32_t k = block.segment_begin; k < block.segment_end; ++k) {
      const Segment& segment = layout.segments[layout.block_segments[k]];
      const std::uint32_t* starts = layout.cell_starts.data() + segment.first_cell;
      for (std::uint32_t q = starts[0]; q < starts[block_nodes<3>]; ++q) {
        const Point<3, S>& p = matter.particles.points[q];
        const std::vector<StencilNode> nodes = stencil_of(matter, block, p);
        Matrix<double, 3> l = Matrix<double, 3>::zero();
        for (const StencilNode& n : nodes)
          for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) l(a, b) += v[n.node][a] * n.slope[b];
        Dense9 Q = -spin_excess(matter, p);
        if (terms == Terms::all) Q += moment_derivative(matter, segment.group, p, l);
        for (const StencilNode& m : nodes)
          for (const StencilNode& n : nodes)
            for (int a = 0; a < 3; ++a)
              for (int c = 0; c < 3; ++c) {
                double entry = 0;
                for (int b = 0; b < 3; ++b)
                  for (int d = 0; d < 3; ++d) entry += Q(3 * a + b, 3 * c + d) * m.slope[b] * n.slope[d];
                A.at(m.node, n.node)(a, c) += entry;
              }
      }
    }
  return A;
}

}  // namespace pliant

#include "gradient/grid_back.h"

#include <algorithm>
#include <cmath>

namespace pliant::gradient {
namespace {

constexpr std::size_t piece = 1024;  // nodes

template <int D, class S>
Vec velocity_of(const Node<S>& node) {
  Vec v = Vec::zero();
  for (int d = 0; d < D; ++d) v[d] = double(node.a[d]);
  return v;
}
template <int D, class S>
void set_velocity(const Vec& v, Node<S>& node) {
  for (int d = 0; d < D; ++d) node.a[d] = S(v[d]);
}

}  // namespace

// the adjoint of `project` (grid/boundary.cpp), with its names
HoldBar hold_back(const BoundaryNode& node, const Vec& before, const Vec& bar) {
  HoldBar r = {Vec::zero(), bar};
  if (node.sticks()) return r;
  const Vec &n = node.normal, v = before - node.velocity;
  const double v_n = dot(v, n);
  const Vec v_t = v - v_n * n;
  const double speed = std::sqrt(dot(v_t, v_t) + 1e-60), slowed = speed + node.friction * std::min(v_n, 0.0);
  double n_bar = 0;
  if (slowed > 0) {
    const Vec t = (1 / speed) * v_t;
    const double along = dot(t, bar);
    const Vec t_bar = along * t + (slowed / speed) * (bar - along * t);
    r.v = t_bar - dot(t_bar, n) * n;
    if (v_n < 0) {
      n_bar += node.friction * along;
      r.friction = v_n * along;
    }
  }
  if (node.condition == Boundary::Condition::separate && v_n > 0) n_bar += dot(n, bar);
  r.v += n_bar * n;
  r.solid -= r.v;
  return r;
}

template <int D, class S>
void GridBack<D, S>::load(const SubstepRecord<D, S>& record, Grid<D, S>& velocities, Workers& workers) {
  velocities.fit(*record.layout);
  const std::size_t count = record.nodes.size();
  workers.for_each((count + piece - 1) / piece, 8, [&](std::size_t k) {
    std::copy(record.nodes.data() + k * piece, record.nodes.data() + std::min(count, (k + 1) * piece),
              &velocities.node(k * piece));
  });
  before_.clear();
  for (const BoundaryNode& held : record.held) {
    Node<S>& node = velocities.node(held.number);
    before_.push_back(velocity_of<D>(node));
    set_velocity<D>(held.hold(before_.back()), node);
  }
}

template <int D, class S>
void GridBack<D, S>::go_back(const SubstepRecord<D, S>& record, S dt, const Vector<S, D>& gravity, Grid<D, S>& bars,
                             StepBar<D>& step, Workers& workers) {
  for (std::size_t k = record.held.size(); k-- > 0;) {
    const BoundaryNode& held = record.held[k];
    Node<S>& node = bars.node(held.number);
    const HoldBar back = hold_back(held, before_[k], velocity_of<D>(node));
    set_velocity<D>(back.v, node);
    // bodies that are obstacles come after the boundaries
    if (held.solid >= step.frictions.size()) continue;
    step.boundary_velocities[held.solid] += back.solid;
    step.frictions[held.solid] += back.friction;
  }
  const std::size_t count = record.nodes.size(), pieces = (count + piece - 1) / piece;
  partial_.assign(pieces, Vec::zero());
  workers.for_each(pieces, 8, [&](std::size_t k) {
    for (std::size_t i = k * piece; i < std::min(count, (k + 1) * piece); ++i) {
      Node<S>& node = bars.node(i);
      const Node<S>& was = record.nodes[i];
      const S mass = was.a[node_mass];
      node.a[node_mass] = 0;
      for (int d = 0; d < D; ++d) {
        if (!(mass > 0)) node.a[d] = 0;
        partial_[k][d] += double(dt) * double(node.a[d]);
        node.a[d] = mass > 0 ? node.a[d] / mass : S(0);
        node.a[node_mass] -= (was.a[d] - dt * gravity[d]) * node.a[d];
      }
    }
  });
  for (const Vec& sum : partial_) step.gravity += sum;
}

template class GridBack<2, float>;
template class GridBack<2, double>;
template class GridBack<3, float>;
template class GridBack<3, double>;

}  // namespace pliant::gradient

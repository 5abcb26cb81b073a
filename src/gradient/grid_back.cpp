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
void GridBack<D, S>::go_back(const SubstepRecord<D, S>& record, S dt, const Vector<S, D>& gravity, Grid<D, S>& bars,
                             StepBar<D>& step, Workers& workers) {
  for (std::size_t k = record.held.size(); k-- > 0;) {
    const BoundaryNode& held = record.held[k];
    Node<S>& node = bars.node(held.number);
    const HoldBar back = hold_back(held, record.before[k], velocity_of<D>(node));
    set_velocity<D>(back.v, node);
    // bodies that are obstacles come after the boundaries
    if (held.solid >= step.frictions.size()) continue;
    step.boundary_velocities[held.solid] += back.solid;
    step.frictions[held.solid] += back.friction;
  }
  const std::size_t count = record.nodes.size(), pieces = (count + piece - 1) / piece;
  partial_.assign(pieces, Vec::zero());
  // p_bar = v_bar / m, m_bar = -(v - dt g).p_bar, with zeros where a node has no such number
  using Quad = Pack<S, 4>;
  using Exact = Pack<double, 4>;
  Quad pull = 0, moving = 0;
  for (int d = 0; d < D; ++d) {
    pull.set(d, dt * gravity[d]);
    moving.set(d, 1);
  }
  workers.for_each(pieces, 8, [&](std::size_t k) {
    Exact sum = 0;
    for (std::size_t i = k * piece; i < std::min(count, (k + 1) * piece); ++i) {
      S* node = bars.node(i).a;
      const Quad was = Quad::load(record.nodes[i].a), mass = was[node_mass];
      const Quad bar = select((moving > Quad(0)) & (mass > Quad(0)), Quad::load(node), Quad(0));
      sum += Exact(__builtin_convertvector(bar.v, Exact::Vector));
      Quad p = bar / select(mass > Quad(0), mass, Quad(1));
      const Quad part = (was - pull) * p;
      p.set(node_mass, -((part[0] + part[1]) + part[2]));
      p.store(node);
    }
    for (int d = 0; d < D; ++d) partial_[k][d] = double(dt) * sum[d];
  });
  for (const Vec& sum : partial_) step.gravity += sum;
  // where solids act, the velocity before the first of them counts
  for (std::size_t k = record.held.size(); k-- > 0;) {
    S* node = bars.node(record.held[k].number).a;
    node[node_mass] = 0;
    for (int d = 0; d < D; ++d) node[node_mass] -= (S(record.before[k][d]) - dt * gravity[d]) * node[d];
  }
}

template class GridBack<2, float>;
template class GridBack<2, double>;
template class GridBack<3, float>;
template class GridBack<3, double>;

}  // namespace pliant::gradient

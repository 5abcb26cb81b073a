// A sweep's twin: one particle at a time, in plain numbers, with a map for a grid.
#pragma once

#include "grid/sweep.h"

#include <map>

namespace pliant {

using namespace grid;

namespace {

template <int D, class S>
struct Body {
  Point<D, S> point;
  ParticleVelocity<D, S> velocity;
};

constexpr double h = 0.125, dt = 1.0 / 64;  // m, s

// (grid, node) -> momentum and mass, or velocity
template <int D, class S>
using NodeMap = std::map<std::array<int, D + 1>, Node<S>>;

// the nodes around one particle, as the arena that point_transfer.h wants
template <int D, class S>
struct Around {
  std::vector<Node<S>> arena = std::vector<Node<S>>(2 * arena_nodes<D>);
  int origin[D];
  S y[D];

  explicit Around(const Point<D, S>& p) {
    for (int d = 0; d < D; ++d) {
      origin[d] = int(std::floor(p.x[d] / S(h))) - 2;
      y[d] = p.x[d] / S(h) - S(origin[d]);
    }
  }
  std::array<int, D + 1> key(int place) const {
    std::array<int, D + 1> k;
    for (int d = D - 1, rest = place % arena_nodes<D>; d >= 0; --d, rest /= arena_side)
      k[std::size_t(d)] = origin[d] + rest % arena_side;
    k[D] = place / arena_nodes<D>;
    return k;
  }
};

template <int D, class S>
struct Twin {
  Kernel kernel;
  Transfer transfer;
  AnyLaw<S> law;
  std::vector<Body<D, S>> bodies;
  NodeMap<D, S> nodes;

  template <Kernel K, Transfer X>
  void scatter_with() {
    nodes.clear();
    for (const Body<D, S>& b : bodies) {
      Around<D, S> around(b.point);
      PointMomentum<D, S> p;
      p.mass = b.point.mass;
      for (int d = 0; d < D; ++d) p.momentum[d] = p.mass * b.velocity.v[d];
      const Matrix<S, D> stress = stress_impulse(b);
      for (int k = 0; k < D * D; ++k) {
        p.affine.a[k] = p.mass * b.velocity.C[k];
        p.impulse.a[k] = stress.a[k];
      }
      scatter_point<K, X, D>(around.arena.data(), around.y, S(h), p);
      for (int n = 0; n < 2 * arena_nodes<D>; ++n)
        if (around.arena[n].a[node_mass] != 0)
          for (int k = 0; k < 4; ++k) nodes[around.key(n)].a[k] += around.arena[n].a[k];
    }
    for (auto& [key, node] : nodes)
      for (int d = 0; d < D; ++d) node.a[d] /= node.a[node_mass];
  }

  template <Kernel K, Transfer X>
  void gather_with() {
    for (Body<D, S>& b : bodies) {
      Around<D, S> around(b.point);
      for (int n = 0; n < 2 * arena_nodes<D>; ++n)
        if (const auto found = nodes.find(around.key(n)); found != nodes.end()) around.arena[n] = found->second;
      const PointVelocity<D, S> v = gather_point<K, X, D>(around.arena.data(), around.y, 1 / S(h));
      for (int d = 0; d < D; ++d) {
        b.velocity.v[d] = v.v[d];
        b.point.x[d] += S(dt) * v.v[d];
      }
      std::copy_n(v.affine.a, D * D, b.velocity.C);
      follow(b, v.gradient);
    }
  }

  // F follows the flow and is mapped back
  void follow(Body<D, S>& b, const Matrix<S, D>& gradient) {
    Matrix<S, D> F;
    std::copy_n(b.point.F, D * D, F.a);
    Memory<S, D> memory = {F, b.point.plastic};
    F = (Matrix<S, D>::identity() + S(dt) * gradient) * F;
    std::visit([&](const auto& l) { l.return_map(F, memory); }, law);
    std::copy_n(F.a, D * D, b.point.F);
    b.point.plastic = memory.plastic;
  }

  Matrix<S, D> stress_impulse(const Body<D, S>& b) const {
    Matrix<S, D> F, C;
    std::copy_n(b.point.F, D * D, F.a);
    std::copy_n(b.velocity.C, D * D, C.a);
    return std::visit(
        [&](const auto& l) {
          Matrix<S, D> tau = l.kirchhoff(F, Memory<S, D>{F, b.point.plastic});
          if constexpr (std::decay_t<decltype(l)>::viscous) tau += l.viscous_kirchhoff(determinant(F), C);
          return (S(dt) * b.point.volume) * tau;
        },
        law);
  }

  // The same for what flows: its F goes on as ever, from its gradient at where it was, and so do impulses.
  template <Kernel K, Transfer X>
  void flow_with(int substeps) {
    const std::vector<Body<D, S>> start = bodies;
    scatter_with<K, X>();
    const NodeMap<D, S> masses = nodes;
    std::vector<Vector<S, D>> shifts(bodies.size(), Vector<S, D>::zero());
    for (int n = 0; n < substeps; ++n) {
      gather_with<K, X>();
      NodeMap<D, S> impulses;
      for (std::size_t i = 0; i < bodies.size(); ++i) {
        for (int d = 0; d < D; ++d) shifts[i][d] += S(dt) * bodies[i].velocity.v[d];
        std::copy_n(start[i].point.x, D, bodies[i].point.x);
        add_impulse(bodies[i].point, stress_impulse(bodies[i]), impulses);
      }
      for (auto& [key, node] : nodes)
        for (int d = 0; d < D; ++d) node.a[d] += impulses[key].a[d] / masses.at(key).a[node_mass];
    }
    for (std::size_t i = 0; i < bodies.size(); ++i)
      for (int d = 0; d < D; ++d) bodies[i].point.x[d] += shifts[i][d];
  }

  // Substeps in which particles strain where they are, as finite elements do: weights stay, and so do the nodes' masses; nodes
  // get the impulses of P F0^T, F = (1 + A) F0 with A the sum of dt grad v. At the end particles are where they have moved.
  template <Kernel K, Transfer X>
  void strain_with(int substeps) {
    scatter_with<K, X>();
    std::vector<Vector<S, D>> shifts(bodies.size(), Vector<S, D>::zero());
    std::vector<Matrix<S, D>> strains(bodies.size(), Matrix<S, D>::zero());
    for (int n = 0; n < substeps; ++n) {
      NodeMap<D, S> impulses;
      for (std::size_t i = 0; i < bodies.size(); ++i) {
        Body<D, S>& b = bodies[i];
        Around<D, S> around(b.point);
        for (int k = 0; k < 2 * arena_nodes<D>; ++k)
          if (const auto found = nodes.find(around.key(k)); found != nodes.end()) around.arena[k] = found->second;
        const PointVelocity<D, S> v = gather_point<K, X, D>(around.arena.data(), around.y, 1 / S(h));
        for (int d = 0; d < D; ++d) b.velocity.v[d] = v.v[d], shifts[i][d] += S(dt) * v.v[d];
        std::copy_n(v.affine.a, D * D, b.velocity.C);
        strains[i] += S(dt) * v.gradient;
        add_strained(b, strains[i], impulses);
      }
      if (n + 1 < substeps)
        for (auto& [key, node] : nodes)
          for (int d = 0; d < D; ++d) node.a[d] += impulses[key].a[d] / node.a[node_mass];
    }
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      Matrix<S, D> F;
      std::copy_n(bodies[i].point.F, D * D, F.a);
      F = F + strains[i] * F;
      std::copy_n(F.a, D * D, bodies[i].point.F);
      // of the nodes' velocities about the particle, from where the nodes have moved to
      Matrix<S, D> C;
      std::copy_n(bodies[i].velocity.C, D * D, C.a);
      C = C * transpose(Matrix<S, D>::identity() + strains[i]);
      std::copy_n(C.a, D * D, bodies[i].velocity.C);
      for (int d = 0; d < D; ++d) bodies[i].point.x[d] += shifts[i][d];
    }
  }
  void add_strained(const Body<D, S>& b, const Matrix<S, D>& A, NodeMap<D, S>& impulses) const {
    Body<D, S> moved = b;
    Matrix<S, D> F;
    std::copy_n(b.point.F, D * D, F.a);
    F = F + A * F;
    std::copy_n(F.a, D * D, moved.point.F);
    add_impulse(b.point, stress_impulse(moved) * transpose(inverse(Matrix<S, D>::identity() + A)), impulses);
  }
  void add_impulse(const Point<D, S>& at, const Matrix<S, D>& impulse, NodeMap<D, S>& impulses) const {
    Around<D, S> around(at);
    PointMomentum<D, S> p = {};
    p.impulse = impulse;
    if (transfer == Transfer::apic)
      scatter_point<Kernel::quadratic, Transfer::apic, D>(around.arena.data(), around.y, S(h), p);
    else
      scatter_point<Kernel::quadratic, Transfer::mls, D>(around.arena.data(), around.y, S(h), p);
    for (int n = 0; n < 2 * arena_nodes<D>; ++n)
      for (int k = 0; k < D; ++k)
        if (around.arena[n].a[k] != 0) impulses[around.key(n)].a[k] += around.arena[n].a[k];
  }

  template <Kernel K, Transfer X>
  void run_with(int substeps) {
    for (int n = 0; n < substeps; ++n) {
      scatter_with<K, X>();
      gather_with<K, X>();
    }
  }
  template <Kernel K>
  void run_kernel(int substeps) {
    if (transfer == Transfer::pic) run_with<K, Transfer::pic>(substeps);
    if (transfer == Transfer::apic) run_with<K, Transfer::apic>(substeps);
    if (transfer == Transfer::mls) run_with<K, Transfer::mls>(substeps);
  }
  void run(int substeps) {
    if (kernel == Kernel::linear) run_kernel<Kernel::linear>(substeps);
    if (kernel == Kernel::quadratic) run_kernel<Kernel::quadratic>(substeps);
    if (kernel == Kernel::compact) run_kernel<Kernel::compact>(substeps);
  }
};

}  // namespace
}  // namespace pliant

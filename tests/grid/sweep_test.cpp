// Sweeps over particles of every law, kernel and transfer against a twin that takes one particle at a time, in plain
// numbers, with a map for a grid.
#include "grid/sweep.h"

#include "material/law_info.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

namespace pliant {

using namespace grid;

namespace {

template <int Dimension, class Number>
struct Case {
  static constexpr int D = Dimension;
  using S = Number;
};

template <int D, class S>
struct Body {
  Point<D, S> point;
  ParticleVelocity<D, S> velocity;
};

constexpr double h = 0.125, dt = 1.0 / 64;

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

// The library's way: sorted once, then scatter | grid | gather+scatter | grid | ... | gather. Gives the bodies by id.
template <int D, class S>
std::vector<Body<D, S>> swept(const Twin<D, S>& start, int substeps, std::size_t& strays) {
  Workers workers(1);
  const std::size_t count = start.bodies.size();
  Particles<D, S> unsorted, particles;
  unsorted.fit(count), particles.fit(count);
  for (std::size_t i = 0; i < count; ++i) {
    unsorted.points[i] = start.bodies[i].point;
    unsorted.velocities[i] = start.bodies[i].velocity;
  }
  Layout<D, S> layout;
  layout.build(unsorted.points, {{0, count}}, S(h), workers);
  layout.reorder(unsorted.points, particles.points, workers);
  layout.reorder(unsorted.velocities, particles.velocities, workers);

  const std::vector<AnyLaw<S>> laws = {start.law};
  const std::vector<Matrix<S, D>> actuations = {Matrix<S, D>::zero()};
  SweepStep<D, S> step = {S(dt), S(h), &laws, &actuations};
  const std::vector<BoundaryShape> no_shapes;
  const std::vector<BoundaryMotion> no_motions;
  const GridStep<D, S> grid_step = {S(dt), h, Vector<S, D>::zero(), &no_shapes, &no_motions, {}};
  Grid<D, S> grid(start.kernel == Kernel::compact ? 2 : 1);
  grid.fit(layout);
  Sweep<D, S> sweep(start.kernel, start.transfer, 1);
  std::vector<Vec> no_impulses;
  const auto run = [&](Pass pass) {
    const SweepReport report = sweep.run({pass, step, layout, grid, particles}, workers);
    EXPECT_EQ(report.bad_block, SIZE_MAX);
    strays += report.strays;
  };
  run(Pass::scatter);
  for (int n = 0; n < substeps; ++n) {
    grid.update(layout, grid_step, workers, no_impulses);
    run(n + 1 < substeps ? Pass::gather_scatter : Pass::gather);
  }
  std::vector<Body<D, S>> out(count);
  for (std::size_t i = 0; i < count; ++i) out[particles.points[i].id] = {particles.points[i], particles.velocities[i]};
  return out;
}

// largest difference of x, v, F, C and the plastic number, in units of what is usual for each
template <int D, class S>
double difference(const std::vector<Body<D, S>>& a, const std::vector<Body<D, S>>& b) {
  double most = 0;
  const auto note = [&](double x, double y, double scale) { most = std::max(most, std::abs(x - y) / scale); };
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (int d = 0; d < D; ++d) {
      note(a[i].point.x[d], b[i].point.x[d], 1);
      note(a[i].velocity.v[d], b[i].velocity.v[d], 1);
    }
    for (int k = 0; k < D * D; ++k) {
      note(a[i].point.F[k], b[i].point.F[k], 1);
      note(a[i].velocity.C[k], b[i].velocity.C[k], 1 / h);
    }
    note(a[i].point.plastic, b[i].point.plastic, 1);
  }
  return most;
}

template <class C>
class Sweeps : public testing::Test {
 protected:
  static constexpr int D = C::D;
  using S = typename C::S;
  std::mt19937 random{7};

  S uniform(double a, double b) { return S(std::uniform_real_distribution<double>(a, b)(random)); }

  // about five in a cell, around the corner of blocks; all drift by a quarter of a cell in a substep
  Twin<D, S> bodies(Law law, int count, double E = 2000) {
    Material material;
    material.law = law, material.E = E, material.nu = 0.3, material.density = 1000;
    material.yield = 30, material.bulk_modulus = 2000, material.viscosity = 1;
    Twin<D, S> twin = {Kernel::quadratic, Transfer::mls, make_law<S>(material), {}, {}};
    const double plastic =
        std::visit([](const auto& l) { return std::decay_t<decltype(l)>::initial_plastic; }, twin.law);
    const double side = h * std::pow(count / 5.0, 1.0 / D);
    for (int i = 0; i < count; ++i) {
      Body<D, S> b = {};
      for (int d = 0; d < D; ++d) {
        b.point.x[d] = uniform(-side / 2, side / 2);
        b.velocity.v[d] = 2 + uniform(-1, 1);
      }
      for (int k = 0; k < D * D; ++k) {
        b.point.F[k] = S(k % (D + 1) == 0) + uniform(-0.1, 0.1);
        b.velocity.C[k] = uniform(-2, 2);
      }
      b.point.plastic = S(plastic);
      b.point.volume = S(std::pow(h, D) / 5) * uniform(0.5, 1);
      b.point.mass = S(material.density) * b.point.volume;
      b.point.id = IdOf<S>(i);
      twin.bodies.push_back(b);
    }
    return twin;
  }

  static constexpr double eps = std::numeric_limits<S>::epsilon();
};

using Cases = testing::Types<Case<2, float>, Case<2, double>, Case<3, float>, Case<3, double>>;
TYPED_TEST_SUITE(Sweeps, Cases);

constexpr int substeps = 3;

// A substep sums some tens of terms of up to three times the scales that `difference` divides by, eps of each; measured
// 25 after three.
constexpr double tolerance = 60;  // eps

TYPED_TEST(Sweeps, AgreeWithTheTwinForEveryLaw) {
  for (const Law law : known_laws()) {
    if (info(law).sheet) continue;
    for (int count : {1, 3, 7, 33, 301}) {
      auto twin = this->bodies(law, count);
      std::size_t strays = 0;
      const auto fast = swept(twin, substeps, strays);
      twin.run(substeps);
      EXPECT_LT(difference(fast, twin.bodies), tolerance * this->eps) << name(law) << ", " << count << " particles";
      if (count == 301) {
        EXPECT_GT(strays, 100u);
      }
    }
  }
}

TYPED_TEST(Sweeps, AgreeWithTheTwinForEveryKernelAndTransfer) {
  for (Kernel kernel : {Kernel::linear, Kernel::quadratic, Kernel::compact})
    for (Transfer transfer : {Transfer::pic, Transfer::apic, Transfer::mls}) {
      // nearly empty nodes of the linear kernel answer to stress with any speed: next to none there
      auto twin = this->bodies(Law::neo_hookean, 301, kernel == Kernel::linear ? 1 : 2000);
      twin.kernel = kernel, twin.transfer = transfer;
      std::size_t strays = 0;
      const auto fast = swept(twin, substeps, strays);
      twin.run(substeps);
      EXPECT_LT(difference(fast, twin.bodies), tolerance * this->eps) << int(kernel) << int(transfer);
    }
}

}  // namespace
}  // namespace pliant

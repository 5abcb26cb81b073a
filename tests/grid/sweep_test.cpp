// Sweeps over particles of every law, kernel and transfer against a twin that takes one particle at a time, in plain
// numbers, with a map for a grid.
#include "grid/sweep_twin.h"

#include "material/law_info.h"

#include <gtest/gtest.h>
#include <random>

namespace pliant {

namespace {

template <int Dimension, class Number>
struct Case {
  static constexpr int D = Dimension;
  using S = Number;
};

// The library's way: sorted once, then scatter | grid | gather+scatter | grid | ... | gather, or with passes that strain in
// the middle. Gives the bodies by id.
template <int D, class S>
std::vector<Body<D, S>> swept(const Twin<D, S>& start, int substeps, std::size_t& strays, bool strains = false) {
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
  step.strains = strains;
  GridStep<D, S> grid_step = {S(dt), h, Vector<S, D>::zero(), &no_shapes, &no_motions, {}};
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
    run(n + 1 == substeps ? Pass::gather : strains ? Pass::strain : Pass::gather_scatter);
    grid_step.adds = strains;
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

// momentum, and angular momentum about the last axis, that of the affine velocities among it
template <int D, class S>
void add_momenta(const std::vector<Body<D, S>>& bodies, double* sums) {
  for (const auto& [p, q] : bodies) {
    for (int d = 0; d < D; ++d) sums[d] += double(p.mass) * double(q.v[d]);
    const double spin = h * h / 4 * (double(q.C[D]) - double(q.C[1]));
    sums[3] += double(p.mass) * (double(p.x[0]) * double(q.v[1]) - double(p.x[1]) * double(q.v[0]) + spin);
  }
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

// sand, which flows where it is
TYPED_TEST(Sweeps, ThatFlowAgreeWithTheirTwin) {
  constexpr int D = TestFixture::D;
  using S = typename TestFixture::S;
  for (Transfer transfer : {Transfer::mls, Transfer::apic}) {
    Twin<D, S> twin = this->bodies(Law::sand, 301);
    twin.transfer = transfer;
    std::size_t strays = 0;
    const auto fast = swept(twin, substeps, strays, true);
    const Twin<D, S> start = twin;
    transfer == Transfer::apic ? twin.template flow_with<Kernel::quadratic, Transfer::apic>(substeps)
                               : twin.template flow_with<Kernel::quadratic, Transfer::mls>(substeps);
    EXPECT_LT(difference(fast, twin.bodies), tolerance * this->eps) << int(transfer);
    EXPECT_GT(difference(fast, start.bodies), 0.1);
  }
}

// laws that last: the others may not strain (plan.cpp)
TYPED_TEST(Sweeps, ThatStrainAgreeWithTheirTwin) {
  constexpr int D = TestFixture::D;
  using S = typename TestFixture::S;
  for (const Law law : {Law::linear, Law::fixed_corotated, Law::neo_hookean})
    for (Transfer transfer : {Transfer::mls, Transfer::apic}) {
      Twin<D, S> twin = this->bodies(law, 301);
      twin.transfer = transfer;
      std::size_t strays = 0;
      const auto fast = swept(twin, substeps, strays, true);
      const Twin<D, S> start = twin;
      transfer == Transfer::apic ? twin.template strain_with<Kernel::quadratic, Transfer::apic>(substeps)
                                 : twin.template strain_with<Kernel::quadratic, Transfer::mls>(substeps);
      EXPECT_LT(difference(fast, twin.bodies), tolerance * this->eps) << name(law) << int(transfer);
      EXPECT_GT(difference(fast, start.bodies), 0.1);
    }
}

// Linear momentum whatever happens. Angular momentum where the motion is affine; shorter waves that turn within a window
// are smoothed, and theirs with them.
TYPED_TEST(Sweeps, ThatStrainKeepMomenta) {
  constexpr int D = TestFixture::D;
  using S = typename TestFixture::S;
  for (const bool affine : {false, true}) {
    Twin<D, S> twin = this->bodies(Law::neo_hookean, 301, affine ? 1e-9 : 2000);
    const Body<D, S> first = twin.bodies[0];
    for (Body<D, S>& b : twin.bodies) {
      if (!affine) continue;
      std::copy_n(first.velocity.C, D * D, b.velocity.C);
      for (int d = 0; d < D; ++d) {
        b.velocity.v[d] = first.velocity.v[d];
        for (int k = 0; k < D; ++k) b.velocity.v[d] += first.velocity.C[D * d + k] * b.point.x[k];
      }
    }
    std::size_t strays = 0;
    double before[4] = {}, after[4] = {}, scale = 0;
    add_momenta(twin.bodies, before);
    add_momenta(swept(twin, 6, strays, true), after);
    for (const Body<D, S>& b : twin.bodies) scale += double(b.point.mass) * 3;
    // sums of 301 terms: eps of all of their sizes
    for (int k = 0; k < (affine ? 4 : D); ++k) EXPECT_NEAR(after[k], before[k], 20 * this->eps * scale) << k << affine;
  }
}

}  // namespace
}  // namespace pliant

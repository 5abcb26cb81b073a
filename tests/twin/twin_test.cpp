// The twin itself: its kernels are what they claim, and its step keeps what a step must keep.
#include "twin/twin.h"

#include <gtest/gtest.h>

#include <random>

namespace {

using pliant::Kernel;
using pliant::Transfer;
using twin::Mat;
using twin::Vec;

constexpr Kernel kernels[] = {Kernel::linear, Kernel::quadratic, Kernel::compact};
constexpr Transfer transfers[] = {Transfer::pic, Transfer::apic, Transfer::mls};

struct Random {
  std::mt19937_64 engine{5};
  double operator()(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); }
};

template <int D>
twin::Twin<D> spinning_cloud(Kernel kernel, Transfer transfer) {
  Random random;
  twin::Twin<D> world;
  world.h = 0.1, world.dt = 1e-3, world.kernel = kernel, world.transfer = transfer;
  world.kirchhoff = [](const twin::Particle<D>& p) { return twin::neo_hookean<D>(p.F, 1e4, 0.3); };
  for (int n = 0; n < 60; ++n) {
    twin::Particle<D> p;
    for (int d = 0; d < D; ++d) p.x[d] = random(-0.2, 0.2), p.v[d] = random(-1, 1);
    for (int d = 0; d < D * D; ++d) p.C(d) = random(-1, 1), p.F(d) += random(-0.1, 0.1);
    p.mass = random(1, 2), p.volume = 1e-3;
    world.particles.push_back(p);
  }
  return world;
}

TEST(Kernel, PartitionOfUnityAndLinearFields) {
  Random random;
  for (Kernel kernel : kernels)
    for (int n = 0; n < 1000; ++n) {
      const twin::Twin<2> world = [&] {
        twin::Twin<2> w;
        w.h = 0.1, w.kernel = kernel;
        return w;
      }();
      double sum = 0;
      Vec<2> first = Vec<2>::Zero(), slope = Vec<2>::Zero();
      Mat<2> gradient = Mat<2>::Zero();
      for (const auto& node : world.neighbours(Vec<2>(random(-1, 1), random(-1, 1)))) {
        sum += node.weight, first += node.weight * node.offset, slope += node.slope;
        gradient += node.offset * node.slope.transpose();
      }
      // a few eps of numbers of size 1, h and 1/h
      EXPECT_NEAR(sum, 1, 1e-14);
      EXPECT_LT(first.norm(), 1e-14);
      EXPECT_LT(slope.norm(), 1e-12);
      EXPECT_LT((gradient - Mat<2>::Identity()).norm(), 1e-13);
    }
}

TEST(Kernel, SlopeIsTheDerivative) {
  for (Kernel kernel : kernels)
    for (double r = -1.7; r < 1.7; r += 0.0113) {
      // central difference: error e^2 N''' / 6 + eps / e, with N''' up to (2 pi)^2
      const double e = 1e-5;
      const double slope = (twin::weight(kernel, r + e).value - twin::weight(kernel, r - e).value) / (2 * e);
      EXPECT_NEAR(twin::weight(kernel, r).slope, slope, 2e-9) << r;
    }
}

TEST(Kernel, CompactIsSmoothAtItsEdge) {
  // N = 2 pi^2 / 3 u^3 (1 - pi^2 u^2 / 5 + ...) with u the distance from the edge
  for (double u : {1e-2, 1e-3, 1e-4}) {
    const double leading = 2 * M_PI * M_PI / 3 * u * u * u;
    EXPECT_NEAR(twin::weight(Kernel::compact, 1 - u).value / leading, 1, 2.1 * u * u + 1e-6);
  }
}

// mass and momentum for every transfer; angular momentum within one step as said below
template <int D>
void keeps_mass_and_momentum(Kernel kernel, Transfer transfer) {
  twin::Twin<D> world = spinning_cloud<D>(kernel, transfer);
  double mass = 0;
  Vec<D> momentum = Vec<D>::Zero();
  for (const auto& p : world.particles) mass += p.mass, momentum += p.mass * p.v;
  world.particles_to_grid();
  double grid_mass = 0;
  Vec<D> grid_momentum = Vec<D>::Zero();
  for (const auto& [key, node] : world.grid) grid_mass += node.mass, grid_momentum += node.momentum;
  EXPECT_NEAR(grid_mass, mass, 1e-12 * mass);
  EXPECT_LT((grid_momentum - momentum).norm(), 1e-12 * mass);
  world.move_grid();
  world.grid_to_particles();
  Vec<D> after = Vec<D>::Zero();
  for (const auto& p : world.particles) after += p.mass * p.v;
  EXPECT_LT((after - momentum).norm(), 1e-12 * mass);
}

TEST(Twin, KeepsMassAndMomentum) {
  for (Kernel kernel : kernels)
    for (Transfer transfer : transfers) {
      keeps_mass_and_momentum<2>(kernel, transfer);
      keeps_mass_and_momentum<3>(kernel, transfer);
    }
}

// sum of x cross p of the grid and of the particles with the spin C D_p that the grid of this step gave them
TEST(Twin, AffineTransfersKeepAngularMomentumFromGridToParticles) {
  for (Kernel kernel : kernels)
    for (Transfer transfer : {Transfer::apic, Transfer::mls}) {
      twin::Twin<2> world = spinning_cloud<2>(kernel, transfer);
      world.particles_to_grid();
      world.move_grid();
      const auto cross = [](const Vec<2>& a, const Vec<2>& b) { return a[0] * b[1] - a[1] * b[0]; };
      double grid = 0, after = 0;
      for (const auto& [key, node] : world.grid)
        grid += cross(world.h * Vec<2>(key[0] + 0.5 * key[2], key[1] + 0.5 * key[2]), node.mass * node.velocity);
      std::vector<Mat<2>> moments;
      for (const auto& p : world.particles) {
        moments.push_back(Mat<2>::Zero());
        for (const auto& n : world.neighbours(p.x)) moments.back() += n.weight * n.offset * n.offset.transpose();
      }
      world.grid_to_particles();
      for (std::size_t k = 0; k < moments.size(); ++k) {
        const auto& p = world.particles[k];
        const Mat<2> B = p.C * moments[k];
        after += p.mass * (cross(p.x, p.v) + B(1, 0) - B(0, 1));
      }
      EXPECT_NEAR(after, grid, 1e-12 * 60);
    }
}

}  // namespace

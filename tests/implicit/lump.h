// A small world of matter alone for the tests of the implicit step: sort, scatter, solve, gather.
#pragma once

#include "grid/sweep.h"
#include "implicit/implicit_matter.h"
#include "material/law_info.h"
#include "material/laws.h"
#include "solve/newton.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace pliant {

using namespace material;
using namespace grid;
using namespace solve;
using namespace implicit;

// every law of the list that has an implicit step
inline const std::vector<Law> all_laws = [] {
  std::vector<Law> laws;
  for (const Law law : known_laws())
    if (!info(law).sheet) laws.push_back(law);
  return laws;
}();

inline Material material_of(Law law, double E = 1e5) {
  Material material;
  material.name = name(law);
  material.law = law;
  material.E = E;
  material.nu = 0.3;
  material.bulk_modulus = E;
  material.yield = 0.1 * E;
  material.viscosity = 3;
  material.hardening = 3;
  return material;
}

using NodeVectors = std::vector<NodeVector<double>>;

template <class S>
class Lump {
 public:
  double h, dt = 0.01;
  Vec gravity = {{0, 0, -9.81}};
  Transfer transfer = Transfer::mls;
  RayleighDamping damping;
  bool exact_rotation = false;
  PlasticFlow plastic_flow = PlasticFlow::lagged;
  NewtonOptions options = {.max_iterations = 200};
  std::vector<Material> materials;
  std::vector<Matrix<double, 3>> actuations;
  std::vector<double> shear_viscosities;  // by box; empty: none
  Particles<3, S> particles;
  std::vector<Group> groups;
  ImplicitMatter implicit;
  NodeVectors v;

  Lump(double cell, int threads) : h(cell), threads_(threads) {}

  // a box of particles, two by two by two per cell, jittered, at rest
  void add_box(const Material& material, Vec center, Vec size) {
    std::mt19937 random(unsigned(groups.size()) + 7);
    std::uniform_real_distribution<double> jitter(0, 1);
    const double gap = h / 2;
    int n[3];
    for (int d = 0; d < 3; ++d) n[d] = std::max(1, int(std::lround(size[d] / gap)));
    Particles<3, S> old;
    std::swap(old, particles);
    const std::size_t before = old.size(), count = std::size_t(n[0] * n[1] * n[2]);
    particles.fit(before + count);
    std::copy(old.points.begin(), old.points.end(), particles.points.begin());
    std::copy(old.velocities.begin(), old.velocities.end(), particles.velocities.begin());
    for (std::size_t i = 0; i < count; ++i) {
      Point<3, S>& p = particles.points[before + i];
      const int k[3] = {int(i) / (n[1] * n[2]), int(i) / n[2] % n[1], int(i) % n[2]};
      for (int d = 0; d < 3; ++d) p.x[d] = S(center[d] - size[d] / 2 + (k[d] + jitter(random)) * gap);
      for (int d = 0; d < 3; ++d) p.F[4 * d] = 1;
      p.volume = S(gap * gap * gap);
      p.mass = S(material.density * gap * gap * gap);
      p.plastic = S(std::visit([](const auto& l) { return l.initial_plastic; }, make_law<double>(material)));
      p.id = IdOf<S>(before + i);
    }
    materials.push_back(material);
    actuations.push_back(Matrix<double, 3>::zero());
    groups.push_back({before, before + count});
  }

  // sorts and scatters without stress: masses, and v~ with gravity
  void scatter() { scatter_with(0); }
  // the explicit step's velocities before boundaries: with the stress of the start
  void scatter_explicit() { scatter_with(dt); }

  void begin() {
    laws_.clear();
    for (const Material& m : materials) laws_.push_back(make_law<double>(m));
    const MatterStep<S> step = {layout_,      grid_,        particles.points,  particles.velocities,
                                materials,    actuations,   Kernel::quadratic, transfer,
                                dt,           double(S(h)), damping,           exact_rotation,
                                plastic_flow, {},           shear_viscosities};
    implicit.begin(step, workers_);
    v.assign(implicit.inertial_velocity().begin(), implicit.inertial_velocity().end());
  }

  // with exact rotation again and again, until nothing is left to turn
  NewtonReport solve() {
    implicit.update_lagged_rotation(v.data(), workers_);
    NewtonReport report = minimise();
    for (int turn = 0; implicit.turned() && report.converged && turn < 50; ++turn) {
      implicit.update_lagged_rotation(v.data(), workers_);
      const int before = report.iterations;
      report = minimise();
      if (report.iterations == 0) break;
      report.iterations += before;
    }
    return report;
  }

  void gather() {
    implicit.write(v, grid_);
    const SweepReport r = sweep_.run({Pass::gather, sweep_step(dt), layout_, grid_, particles}, workers_);
    ASSERT_EQ(r.bad_block, SIZE_MAX);
  }

  NewtonReport step() {
    scatter();
    begin();
    const NewtonReport report = solve();
    gather();
    return report;
  }

  Workers& workers() { return workers_; }
  Grid<3, S>& grid() { return grid_; }
  const Layout<3, S>& layout() const { return layout_; }
  const std::vector<AnyLaw<double>>& laws() const { return laws_; }

  Vec momentum() const {
    Vec sum = Vec::zero();
    for (std::size_t i = 0; i < particles.size(); ++i)
      for (int d = 0; d < 3; ++d) sum[d] += double(particles.points[i].mass) * double(particles.velocities[i].v[d]);
    return sum;
  }
  Vec center() const {
    Vec sum = Vec::zero();
    for (const Point<3, S>& p : particles.points)
      for (int d = 0; d < 3; ++d) sum[d] += double(p.x[d]) / double(particles.size());
    return sum;
  }

 private:
  NewtonReport minimise() {
    MatterCost* const matter[] = {&implicit};
    NoBodies none;
    number_unknowns(matter, none, unknowns_);
    StrongProblem problem;
    problem.unknowns = &unknowns_;
    problem.matter = matter;
    problem.bodies = &none;
    problem.safe_start = implicit.inertial_velocity();
    return solve_newton(problem, options, workers_, solver_, v, {});
  }
  SweepStep<3, S> sweep_step(double step) {
    sweep_laws_.clear();
    for (const Material& m : materials) sweep_laws_.push_back(make_law<S>(m));
    sweep_actuations_.assign(materials.size(), Matrix<S, 3>::zero());
    for (std::size_t g = 0; g < materials.size(); ++g)
      for (int k = 0; k < 9; ++k) sweep_actuations_[g].a[k] = S(actuations[g].a[k]);
    return {S(step), S(h), &sweep_laws_, &sweep_actuations_};
  }
  void scatter_with(double stress_step) {
    sorted_.fit(particles.size());
    layout_.build(particles.points, groups, S(h), workers_);
    layout_.reorder(particles.points, sorted_.points, workers_);
    layout_.reorder(particles.velocities, sorted_.velocities, workers_);
    std::swap(particles, sorted_);
    grid_.fit(layout_);
    sweep_.run({Pass::scatter, sweep_step(stress_step), layout_, grid_, particles}, workers_);
    GridStep<3, S> step = {S(dt), h, {}, &shapes_, &motions_, {}};
    for (int d = 0; d < 3; ++d) step.gravity[d] = S(gravity[d]);
    std::vector<Vec> impulses;
    grid_.update(layout_, step, workers_, impulses);
  }

  int threads_;
  Workers workers_{threads_};
  Unknowns unknowns_;
  NewtonWork solver_;
  Layout<3, S> layout_;
  Grid<3, S> grid_{1};
  Sweep<3, S> sweep_{Kernel::quadratic, Transfer::mls, threads_};
  Particles<3, S> sorted_;
  std::vector<AnyLaw<S>> sweep_laws_;
  std::vector<AnyLaw<double>> laws_;
  std::vector<Matrix<S, 3>> sweep_actuations_;
  std::vector<BoundaryShape> shapes_;
  std::vector<BoundaryMotion> motions_;
};

// deforms all particles: F = 1 + stretch + random entries of this size; velocities random
template <class S>
void disturb(Lump<S>& matter, double stretch, double size, double speed, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (auto& p : matter.particles.points)
    for (int k = 0; k < 9; ++k) p.F[k] = S((k % 4 == 0 ? 1 + stretch : 0) + size * uniform(random));
  for (auto& r : matter.particles.velocities)
    for (S& x : r.v) x = S(speed * uniform(random));
}

}  // namespace pliant

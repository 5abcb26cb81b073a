// One particle on a tilted floor, pressed by its weight and pulled along the floor by a load that friction can hold.
#pragma once

#include "contact/law_samples.h"
#include "solve/quasi_newton.h"

#include <gtest/gtest.h>

#include <array>

namespace pliant::tests {

using namespace solve;
using namespace contact;

struct LoadedParticle {
  static constexpr double mass = 2, gravity = 9.81, load_part = 0.7;
  LawContacts potential;
  ContactData terms;
  Vec3d along, velocity = Vec3d::zero();
  double travelled = 0;  // m
  Workers workers{1};
  QuasiNewtonWork work;

  // the substep is the time in which the contact spring turns by one radian, so that implicit steps damp it in tens of
  // steps
  LoadedParticle(LawCase law, double stiffness) : potential(law.kind, law.memory) {
    terms.normal = {{2.0 / 7, 3.0 / 7, 6.0 / 7}};
    along = {{6.0 / 7, 2.0 / 7, -3.0 / 7}};
    terms.friction = 0.6;
    terms.stiffness = stiffness;
    terms.dt = std::sqrt(mass / stiffness);
    terms.offset = Vec3d::zero();
    terms.tangential_resistance = 1e-3 / mass;
  }
  double load() const { return load_part * terms.friction * mass * gravity; }

  void step() {
    potential.clear();
    potential.add(terms);
    const Vec3d force = load() * along - mass * gravity * terms.normal;
    const std::array<Vec3d, 1> free = {velocity + (terms.dt / mass) * force}, bias = {Vec3d::zero()};
    const std::array<double, 1> masses = {mass}, weights = {1};
    const std::array<std::uint32_t, 2> begins = {0, 1};
    const std::array<std::uint32_t, 1> nodes = {0};
    const ContactProblem problem = {masses, free, begins, nodes, weights, bias, &potential};
    std::array<Vec3d, 1> v = {velocity};
    const SolveReport report = solve_quasi_newton(problem, {.relative_tolerance = 1e-12}, workers, work, v);
    ASSERT_TRUE(report.converged) << report.residual;
    velocity = v[0];
    terms.offset = potential.offset_after(0, velocity);
    terms.last_impulse = -dot(potential.gradient(0, velocity), terms.normal);
    terms.gap += terms.dt * dot(velocity, terms.normal);
    travelled += terms.dt * dot(velocity, along);
  }
};

inline void check_holds(LawKind kind, double stiffness) {
  LoadedParticle p({kind, true}, stiffness);
  // 1,000 steps of one radian each: an implicit step shrinks a swing by sqrt(2), nothing is left of it
  for (int n = 0; n < 1000; ++n) p.step();
  const double settled = p.travelled, spring = p.load() / stiffness;
  EXPECT_NEAR(norm(p.terms.offset), spring, 1e-10 * spring);
  for (int n = 0; n < 4000; ++n) p.step();
  // 4,000 solves that leave 1e-12 each
  EXPECT_NEAR(p.travelled, settled, 4e-9 * spring) << stiffness;
  EXPECT_LE(norm(p.velocity), 1e-11 * spring / p.terms.dt);
}

// at the speed that the law says, in m/s
inline void check_creeps(LoadedParticle& p, double speed) {
  for (int n = 0; n < 4000; ++n) p.step();
  EXPECT_NEAR(dot(p.velocity, p.along), speed, 1e-8 * speed);
}

}  // namespace pliant::tests

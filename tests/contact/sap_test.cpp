// The SAP law: its impulse solves the projection it is defined by.
#include "contact/laws/sap.h"

#include "contact/creep.h"
#include "contact/law_samples.h"

#include <gtest/gtest.h>

namespace pliant {

using namespace solve;
using namespace contact;

namespace {

using namespace tests;

// gamma = P(y), y = R^-1 (u_hat - u): gamma in the cone, sigma = R (gamma - y) = u - u_hat + R gamma in its dual, gamma
// . sigma = 0
TEST(Sap, ImpulseIsTheProjectionOntoTheCone) {
  LawSamples s(1);
  for (const bool memory : {true, false}) {
    int seen[3] = {0, 0, 0};
    for (int n = 0; n < 4000; ++n) {
      const ContactData t = s.terms();
      const OneContact one({LawKind::sap, memory}, t);
      const Vec3d u = 2.0 * s.ball();
      const double span = t.dt + t.relaxation;
      const double resist_n = 1 / (t.dt * t.stiffness * span), resist_t = memory ? resist_n : t.tangential_resistance;
      const Vec3d target = (-t.gap / span) * t.normal - (memory ? 1 / span : 0) * t.offset;
      const SplitVector<double> off(t.normal, u - target), gamma = one.split_impulse(u);
      const double sigma_n = off.normal + resist_n * gamma.normal;
      const Vec3d sigma_t = off.tangent + resist_t * gamma.tangent;
      const double speed = std::fabs(off.normal) + norm(off.tangent), size = speed / resist_n + speed / resist_t;
      EXPECT_GE(gamma.normal, 0);
      EXPECT_LE(norm(gamma.tangent), t.friction * gamma.normal + 1e-14 * gamma.normal);
      EXPECT_GE(sigma_n - t.friction * norm(sigma_t), -1e-13 * speed);
      EXPECT_NEAR(gamma.normal * sigma_n + dot(gamma.tangent, sigma_t), 0, 1e-14 * speed * size);
      // the value is 1/2 gamma^T R gamma
      const double value =
          0.5 * (resist_n * gamma.normal * gamma.normal + resist_t * dot(gamma.tangent, gamma.tangent));
      EXPECT_NEAR(one.at(u).value, value, 1e-13 * value);
      const bool slips = one.potential.slips(0, u);
      if (slips) {
        EXPECT_NEAR(norm(gamma.tangent), t.friction * gamma.normal, 1e-14 * gamma.normal);
      }
      ++seen[slips ? 1 : gamma.normal > 0 ? 2 : 0];
    }
    for (const int n : seen) EXPECT_GT(n, 300);
  }
}

TEST(Sap, WithoutFrictionIsKelvinVoigts) {
  LawSamples s(2);
  for (int n = 0; n < 2000; ++n) {
    ContactData t = s.terms();
    t.friction = 0;
    const Vec3d u = 2.0 * s.ball();
    const double u_n = dot(u, t.normal);
    const double depth = -t.gap - (t.dt + t.relaxation) * u_n;
    const SplitVector<double> gamma = OneContact({LawKind::sap, true}, t).split_impulse(u);
    const double size = t.dt * t.stiffness * (std::fabs(t.gap) + (t.dt + t.relaxation) * norm(u));
    EXPECT_NEAR(gamma.normal, t.dt * t.stiffness * std::max(0.0, depth), 1e-14 * size);
    EXPECT_NEAR(norm(gamma.tangent), 0, 1e-15 * size);
  }
}

TEST(Sap, LoadedContactDoesNotCreep) {
  for (double k = 1e2; k < 2e8; k *= 10) check_holds(LawKind::sap, k);
}

TEST(Sap, CreepsWithoutMemory) {
  // gamma_t = u / R_t = dt load
  LoadedParticle p({LawKind::sap, false}, 1e5);
  check_creeps(p, p.terms.tangential_resistance * p.terms.dt * p.load());
}

}  // namespace
}  // namespace pliant

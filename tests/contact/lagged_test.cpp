// The lagged law: Hunt-Crossley along the normal; friction with memory holds, without it creeps as it must.
#include "contact/laws/lagged.h"

#include "contact/creep.h"
#include "contact/law_samples.h"

#include <gtest/gtest.h>

namespace pliant {

using namespace solve;
using namespace contact;

namespace {

using namespace tests;

double normal_impulse(const ContactData& t, double u_n) {
  return OneContact({LawKind::lagged, true}, t).split_impulse(u_n * t.normal).normal;
}

TEST(Lagged, NormalImpulseIsHuntAndCrossleys) {
  LawSamples s(1);
  for (int n = 0; n < 4000; ++n) {
    const ContactData t = s.terms();
    const double u = s.uniform(-2, 2);
    const double force = -t.stiffness * (t.gap + t.dt * u), damper = 1 - t.dissipation * u;
    const double expected = force > 0 && damper > 0 ? t.dt * force * damper : 0;
    // a difference of numbers of this size
    const double size =
        t.dt * t.stiffness * (std::fabs(t.gap) + t.dt * std::fabs(u)) * (1 + t.dissipation * std::fabs(u));
    EXPECT_NEAR(normal_impulse(t, u), expected, 1e-14 * size);
  }
}

// spring and damper are both negative far out: their product would push again
TEST(Lagged, PushesNoMoreBeyondTheFirstRoot) {
  ContactData t;
  t.normal = {{0, 0, 1}};
  t.offset = Vec3d::zero();
  t.stiffness = 1e4;
  t.dt = 1e-3;
  t.gap = -1e-3;  // the spring ends at 1 m/s
  for (const double damper_ends : {0.5, 1.0, 2.0}) {
    t.dissipation = 1 / damper_ends;
    const double first = std::min(1.0, damper_ends);
    EXPECT_GT(normal_impulse(t, first - 1e-6), 0);
    for (const double u : {first, first + 1e-6, 1.5, 3.0, 100.0}) EXPECT_EQ(normal_impulse(t, u), 0);
  }
}

// what does not let go is a spring both ways; what sticks, one in all directions, however far it is drawn
TEST(Lagged, PullsAndSticksLikeASpring) {
  LawSamples s(9);
  for (int n = 0; n < 2000; ++n) {
    ContactData t = s.terms();
    t.dissipation = 0;
    t.pulls = true;
    t.sticks = s.chance(0.5);
    const Vec3d u = s.uniform(0, 3) * s.direction();
    const double spring = t.dt * t.stiffness;
    const SplitVector<double> found = OneContact({LawKind::lagged, true}, t).split_impulse(u);
    const SplitVector<double> drawn(t.normal, t.offset + t.dt * u);
    const double size = spring * (std::fabs(t.gap) + norm(t.offset) + 3 * t.dt);
    EXPECT_NEAR(found.normal, -spring * (t.gap + drawn.normal), 1e-14 * size);
    if (t.sticks) EXPECT_LT(norm(found.tangent + spring * drawn.tangent), 1e-14 * size);
  }
}

TEST(Lagged, StopsWhereAThinWallWouldBePassed) {
  LawSamples s(7);
  for (int n = 0; n < 2000; ++n) {
    ContactData t = s.terms();
    if (s.chance(0.5)) t.dissipation = 0;
    const double u = s.uniform(-3, 0);
    const double without = normal_impulse(t, u), depth = -(t.gap + t.dt * u);
    t.stop_depth = t.dt * s.uniform(0, 2);
    const double more = t.stop_factor * t.dt * t.stiffness * std::max(0.0, depth - t.stop_depth);
    const double size = t.stop_factor * t.dt * t.stiffness * (std::fabs(t.gap) + t.dt * std::fabs(u) + t.stop_depth);
    EXPECT_NEAR(normal_impulse(t, u), without + more, 1e-14 * size);

    // the stiffness is the slope of the impulse, the impulse that of the potential; not across the kink
    const double e = 1e-6;
    if (std::fabs(depth - t.stop_depth) < 10 * e * t.dt || std::fabs(depth) < 10 * e * t.dt) continue;
    const OneContact one({LawKind::lagged, true}, t);
    const auto at = [&](double v) { return one.at(v * t.normal); };
    EXPECT_NEAR((at(u - e).value - at(u + e).value) / (2 * e), normal_impulse(t, u), 1e-6 * size);
    EXPECT_NEAR((normal_impulse(t, u - e) - normal_impulse(t, u + e)) / (2 * e), at(u).hessian.along(t.normal),
                1e-6 * size / t.dt);
  }
}

TEST(Lagged, SpeculativeContactActsOnlyIfTheGapCloses) {
  ContactData t;
  t.normal = {{0, 1, 0}};
  t.offset = Vec3d::zero();
  t.stiffness = 1e4;
  t.dt = 1e-3;
  t.gap = 2e-3;
  t.dissipation = 0.5;
  EXPECT_EQ(normal_impulse(t, -1.9999), 0);
  EXPECT_GT(normal_impulse(t, -2.0001), 0);
  // 1 mm deep at the end of the substep, times 1 + d u
  EXPECT_NEAR(normal_impulse(t, -3), 1e-3 * 1e4 * 1e-3 * 2.5, 1e-15);
}

TEST(Lagged, SlipsOnTheConeOfTheLastImpulse) {
  LawSamples s(2);
  for (int n = 0; n < 2000; ++n) {
    const ContactData t = s.terms();
    const OneContact one({LawKind::lagged, true}, t);
    const Vec3d u = 3.0 * s.ball();
    if (!one.potential.slips(0, u)) continue;
    // what is left of the normal impulse is round-off
    EXPECT_NEAR(norm(one.split_impulse(u).tangent), t.friction * t.last_impulse, 1e-14 * norm(one.impulse(u)));
  }
}

TEST(Lagged, WithoutMemoryFrictionIsOfTheSlip) {
  LawSamples s(3);
  for (int n = 0; n < 2000; ++n) {
    const ContactData t = s.terms();
    const Vec3d u = s.decade(-6, 1) * s.ball(), slip = SplitVector<double>(t.normal, u).tangent;
    const double soft = std::sqrt(dot(slip, slip) + t.stiction * t.stiction);
    const Vec3d expected = (-t.friction * t.last_impulse / soft) * slip;
    const OneContact one({LawKind::lagged, false}, t);
    EXPECT_LE(norm(one.split_impulse(u).tangent - expected), 1e-13 * norm(one.impulse(u)));
  }
}

TEST(Lagged, LoadedContactDoesNotCreep) {
  for (double k = 1e2; k < 2e8; k *= 10) check_holds(LawKind::lagged, k);
}

TEST(Lagged, CreepsWithoutMemory) {
  // mu m g u / sqrt(u^2 + eps^2) = load
  LoadedParticle p({LawKind::lagged, false}, 1e5);
  const double part = p.load_part, u = p.terms.stiction * part / std::sqrt(1 - part * part);
  check_creeps(p, u);
}

}  // namespace
}  // namespace pliant

// How well contacts keep the laws of Coulomb and Signorini: by plain words for every law, and where a law keeps them
// exactly. Friction that follows, four at a time against one.
#include "contact/quality.h"

#include "contact/law_samples.h"

#include <gtest/gtest.h>

namespace pliant {

using namespace contact;

namespace {

using namespace tests;

struct Taken {
  LawContacts contacts;
  std::vector<Vec3Lanes> u;

  Taken(LawCase law, bool follows, LawSamples& s, std::size_t n = 23) : contacts(law.kind, law.memory) {
    for (std::size_t c = 0; c < n; ++c) {
      ContactData t = s.terms();
      t.dt = 1e-3;
      t.gap = t.dt * s.uniform(-1, 1);
      t.offset = t.dt * s.uniform(0, 1) * s.tangent(t.normal);
      t.follows = follows;
      if (s.chance(0.3)) t.stop_depth = t.dt * s.uniform(0, 1);
      contacts.add(t);
    }
    u.resize(blocks_of(n), Vec3Lanes::zero());
    for (std::size_t c = 0; c < n; ++c) {
      const Vec3d x = s.decade(-1, 0.3) * s.ball();
      for (int d = 0; d < 3; ++d) u[c / 4][d].set(int(c % 4), x[d]);
    }
    std::vector<Vec3Lanes> gradient(u.size());
    std::vector<Block3<Lanes>> hessian(u.size());
    contacts.follow({0, u.size()}, u.data());
    contacts.Contacts::evaluate({0, u.size()}, u.data(), gradient.data(), hessian.data());
    contacts.take(u.data(), gradient.data());
  }
};

TEST(Quality, IsWhatItsWordsSay) {
  LawSamples s(5);
  int exceeded = 0;
  for (const LawCase& law : all_laws)
    for (int n = 0; n < 100; ++n) {
      const Taken t(law, n % 2, s);
      double largest = 0, excess = 0, signorini = 0, deepest = 0, lost = 0, moved = 0;
      bool damped = false;
      for (std::size_t c = 0; c < t.contacts.size(); ++c) {
        const ContactData& one = t.contacts[c];
        const SplitVector<double> u(one.normal, one.velocity), gamma(one.normal, one.impulse);
        const double depth = -(one.gap + one.dt * u.normal);
        double spring = depth > 0 ? one.stiffness * depth : 0;
        if (law.kind == LawKind::lagged && depth > one.stop_depth)
          spring += one.stop_factor * one.stiffness * (depth - one.stop_depth);
        largest = std::max(largest, one.normal_impulse);
        excess = std::max(excess, norm(gamma.tangent) - one.friction * one.normal_impulse);
        signorini = std::max(signorini, std::fabs(one.normal_impulse - one.dt * spring));
        deepest = std::max(deepest, depth);
        const Vec3d before = law.memory ? one.offset : Vec3d::zero(), after = offset_after(one, one.velocity);
        lost -= dot(gamma.tangent, (1 / one.dt) * (before + one.dt * u.tangent - after));
        moved += norm(gamma.tangent) * (norm(before) / one.dt + norm(u.tangent));
        damped |= law.kind == LawKind::sap && law.memory && one.relaxation > 0;
      }
      const ContactQuality q = quality_of(t.contacts);
      ASSERT_GT(largest, 0);
      EXPECT_NEAR(q.cone_excess, excess / largest, 1e-12);
      EXPECT_NEAR(q.signorini_residual, signorini / largest, 1e-9 * (1 + q.signorini_residual));
      EXPECT_DOUBLE_EQ(q.penetration, deepest);
      EXPECT_NEAR(q.friction_dissipation, lost, 1e-10 * moved);
      // friction gives no energy; with the relaxation of SAP its spring's damper is a part of it
      EXPECT_TRUE(damped || q.friction_dissipation >= -1e-10 * moved);
      // cones that hold by themselves, and one that does not
      if (law.kind == LawKind::sap || n % 2)
        EXPECT_LT(q.cone_excess, 1e-14);
      else
        exceeded += q.cone_excess > 1e-3;
    }
  EXPECT_GT(exceeded, 80);
}

TEST(Quality, SpringsWithoutDampingKeepSignoriniExactly) {
  LawSamples s(6);
  int damped_seen = 0;
  for (int n = 0; n < 50; ++n) {
    Taken t({LawKind::lagged, true}, true, s);
    bool damped = false;
    for (std::size_t c = 0; c < t.contacts.size(); ++c) damped |= t.contacts[c].dissipation > 0;
    LawContacts undamped(LawKind::lagged, true);
    for (std::size_t c = 0; c < t.contacts.size(); ++c) {
      ContactData one = t.contacts[c];
      one.dissipation = 0;
      undamped.add(one);
    }
    std::vector<Vec3Lanes> gradient(t.u.size());
    std::vector<Block3<Lanes>> hessian(t.u.size());
    undamped.follow({0, t.u.size()}, t.u.data());
    undamped.Contacts::evaluate({0, t.u.size()}, t.u.data(), gradient.data(), hessian.data());
    undamped.take(t.u.data(), gradient.data());
    // round-off of a depth beside the gap and the way, times the spring beyond a wall's stop
    EXPECT_LT(quality_of(undamped).signorini_residual, 1e-11);
    damped_seen += damped && quality_of(t.contacts).signorini_residual > 1e-3;
  }
  EXPECT_GT(damped_seen, 20);
}

// four at a time, then found again one by one
TEST(Following, FrictionIsThatOfTheNormalImpulseAtThePlace) {
  LawSamples s(7);
  for (const bool memory : {true, false})
    for (int n = 0; n < 100; ++n) {
      const Taken t({LawKind::lagged, memory}, true, s);
      for (std::size_t c = 0; c < t.contacts.size(); ++c) {
        const ContactData& one = t.contacts[c];
        EXPECT_EQ(one.last_impulse, one.normal_impulse);
        const Vec3d impulse = -1.0 * law_value(one, one.velocity).gradient;
        // fused or not; digits are lost where the gap is nearly closed
        EXPECT_LE(norm(one.impulse - impulse), 1e-10 * norm(impulse));
      }
      std::vector<double> radii(t.contacts.size(), -1);
      t.contacts.get_radii(radii);
      for (std::size_t c = 0; c < radii.size(); ++c)
        EXPECT_NEAR(radii[c], t.contacts[c].friction * t.contacts[c].normal_impulse, 1e-13 * (1 + radii[c]));
    }
}

// a second kind, that lags, is left alone
TEST(Following, OnlyKindsThatFollowDo) {
  LawSamples s(8);
  Contacts both;
  for (const bool follows : {true, false}) {
    both.start_kind();
    for (int c = 0; c < 6; ++c) {
      ContactData t = s.terms();
      t.friction = 0.5;
      t.follows = follows;
      both.add(t);
    }
  }
  EXPECT_TRUE(both.follows());
  const std::vector<double> radii(both.size(), 3.0);
  std::vector<double> found(both.size(), -1);
  both.set_radii(radii);
  both.get_radii(found);
  for (std::size_t c = 0; c < both.size(); ++c) EXPECT_EQ(found[c], c < 6 ? 3.0 : -1.0) << c;
  const Vec3Lanes still = Vec3Lanes::zero();
  const std::vector<Vec3Lanes> u(blocks_of(both.size()), still);
  std::vector<Vec3Lanes> before(u.size()), after(u.size());
  std::vector<Block3<Lanes>> hessian(u.size());
  both.evaluate({0, u.size()}, u.data(), before.data(), hessian.data());
  both.follow({0, u.size()}, u.data());
  both.evaluate({0, u.size()}, u.data(), after.data(), hessian.data());
  for (std::size_t c = 8; c < both.size(); ++c)
    EXPECT_EQ(norm(vector_of(before.data(), c) - vector_of(after.data(), c)), 0);
}

}  // namespace
}  // namespace pliant

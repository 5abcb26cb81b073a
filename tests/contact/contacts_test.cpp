// Every law: gradient against value, Hessian against gradient, lines against both, convexity, four at a time against
// one. Pools of several kinds of contacts.
#include "contact/contacts.h"

#include "contact/law_samples.h"
#include "core/eigen_symmetric.h"

#include <gtest/gtest.h>

#include <limits>

namespace pliant {

using namespace contact;

namespace {

using namespace tests;

// fourth order: error h^4 of the fifth derivative, round-off 1e-16 / h
template <class F>
auto derivative(const F& f, double h) {
  return (1 / (12 * h)) * (8.0 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h)));
}

bool same_region(const OneContact& one, const Vec3d& u, double reach) {
  for (int d = 0; d < 3; ++d)
    for (const double s : {-reach, reach}) {
      Vec3d moved = u;
      moved[d] += s;
      if (one.region(moved) != one.region(u)) return false;
    }
  return true;
}

void check_derivatives(const OneContact& one, const Vec3d& u, double h) {
  const LawValue<double> l = one.at(u);
  const Mat3d hessian = full(l.hessian);
  const double stiff = std::sqrt(inner(hessian, hessian)), size = norm(l.gradient) + h * stiff;
  for (int d = 0; d < 3; ++d) {
    const auto moved = [&](double s) {
      Vec3d x = u;
      x[d] += s;
      return one.at(x);
    };
    const double slope = derivative([&](double s) { return moved(s).value; }, h);
    // value / h is what round-off of the value makes of the slope; the rest is h^4
    EXPECT_NEAR(slope, l.gradient[d], 1e-9 * size + 1e-14 * l.value / h);
    const Vec3d column = derivative([&](double s) { return moved(s).gradient; }, h);
    for (int e = 0; e < 3; ++e) EXPECT_NEAR(column[e], hessian(e, d), 1e-8 * stiff + 1e-14 * norm(l.gradient) / h);
  }
}

TEST(Laws, DerivativesAreThoseOfTheValue) {
  LawSamples s(1);
  for (const LawCase& law : all_laws) {
    int seen[4] = {0, 0, 0, 0};
    for (int n = 0; n < 4000; ++n) {
      const OneContact one(law, s.terms());
      const Vec3d u = s.decade(-1, 1) * s.ball();
      const double scale = one.smallest_scale(u), h = 2e-3 * scale;
      if (scale < 1e-3 || !same_region(one, u, 4 * h)) continue;
      ++seen[one.region(u)];
      check_derivatives(one, u, h);
      if (HasFailure()) FAIL() << "law " << int(law.kind) << " memory " << law.memory << " sample " << n;
    }
    // apart, pressed, slipping, slipping and pressed: all but what a law does not have
    EXPECT_GT(seen[0], 100);
    EXPECT_GT(seen[1], 100);
    EXPECT_GT(seen[3], 100);
  }
}

TEST(Laws, LineIsTheFunctionAlongIt) {
  LawSamples s(2);
  for (const LawCase& law : all_laws)
    for (int n = 0; n < 4000; ++n) {
      const OneContact one(law, s.terms());
      const Vec3d u = s.decade(-2, 1) * s.ball(), du = s.decade(-2, 1) * s.ball();
      const double alpha = s.uniform(0, 2);
      const LawLine<double> line = one.potential.along(0, u, du, alpha);
      const LawValue<double> l = one.at(u + alpha * du);
      const double curvature = dot(du, full(l.hessian) * du);
      // the same formulas in another order; where |w| is close to 0 its direction is left with fewer digits
      EXPECT_NEAR(line.value, l.value, 1e-15 * (l.value + norm(l.gradient) * (1 + norm(u) + norm(du))));
      EXPECT_NEAR(line.slope, dot(l.gradient, du), 1e-13 * norm(l.gradient) * norm(du));
      EXPECT_NEAR(line.curvature, curvature, 1e-12 * dot(du, du) * std::sqrt(inner(full(l.hessian), full(l.hessian))));
    }
}

TEST(Laws, IsConvex) {
  LawSamples s(3);
  for (const LawCase& law : all_laws)
    for (int n = 0; n < 4000; ++n) {
      const OneContact one(law, s.terms());
      const Vec3d u = s.decade(-2, 1) * s.ball(), v = s.chance(0.5) ? u + s.decade(-9, -3) * s.ball() : s.ball();
      const LawValue<double> at_u = one.at(u), at_v = one.at(v);
      const auto eigen = eigen_symmetric(full(at_u.hessian));
      const double largest = std::sqrt(inner(full(at_u.hessian), full(at_u.hessian)));
      // round-off of three products
      for (int d = 0; d < 3; ++d) EXPECT_GE(eigen.values[d], -1e-14 * largest);
      const double size = norm(at_u.gradient) + norm(at_v.gradient);
      EXPECT_GE(dot(at_u.gradient - at_v.gradient, u - v), -1e-15 * size * norm(u - v));
      EXPECT_GE(at_v.value - at_u.value - dot(at_u.gradient, v - u), -1e-14 * (at_u.value + at_v.value));
      EXPECT_GE(at_u.value, 0);
    }
}

// bisects between two states of different regions down to neighbours: value and gradient do not jump
TEST(Laws, HasNoJumpBetweenRegions) {
  LawSamples s(4);
  for (const LawCase& law : all_laws) {
    int crossed = 0;
    for (int n = 0; n < 4000; ++n) {
      const OneContact one(law, s.terms());
      Vec3d u = 2.0 * s.ball(), v = 2.0 * s.ball();
      if (one.region(u) == one.region(v)) continue;
      ++crossed;
      for (int k = 0; k < 60; ++k) {
        const Vec3d middle = 0.5 * (u + v);
        (one.region(middle) == one.region(u) ? u : v) = middle;
      }
      const LawValue<double> a = one.at(u), b = one.at(v);
      // stiffness times the distance that is left, 1e-16 m/s
      const double stiff =
          std::sqrt(std::max(inner(full(a.hessian), full(a.hessian)), inner(full(b.hessian), full(b.hessian))));
      EXPECT_LE(norm(a.gradient - b.gradient), 1e-14 * stiff + 1e-14 * norm(a.gradient));
      EXPECT_NEAR(a.value, b.value, 1e-14 * (stiff + a.value));
    }
    EXPECT_GT(crossed, 500);
  }
}

TEST(Laws, FourAtATimeAreFourOfOne) {
  LawSamples s(5);
  for (const LawCase& law : all_laws)
    for (const std::size_t contacts : {1u, 3u, 4u, 6u, 41u}) {
      LawContacts potential(law.kind, law.memory);
      // what was there before leaves no trace
      for (int k = 0; k < 50; ++k) potential.add(s.terms());
      potential.clear();
      EXPECT_EQ(potential.size(), 0u);
      const std::size_t blocks = blocks_of(contacts);
      std::vector<Vec3Lanes> u(blocks, Vec3Lanes::zero()), du = u, gradient(blocks);
      std::vector<Block3<Lanes>> hessian(blocks);
      for (std::size_t c = 0; c < contacts; ++c) {
        potential.add(s.terms());
        if (c % 2) potential.set_last_impulse(c, s.uniform(0, 1));
        for (int d = 0; d < 3; ++d)
          u[c / 4][d].set(int(c % 4), s.uniform(-1, 1)), du[c / 4][d].set(int(c % 4), s.uniform(-1, 1));
      }
      potential.evaluate({0, blocks}, u.data(), gradient.data(), hessian.data());
      const LineValue line = potential.along({0, blocks}, u.data(), du.data(), 0.7);
      double value = 0, slope = 0, curvature = 0;
      for (std::size_t c = 0; c < 4 * blocks; ++c) {
        const std::size_t b = c / 4;
        const int lane = int(c % 4);
        const Vec3d g = {{gradient[b][0][lane], gradient[b][1][lane], gradient[b][2][lane]}};
        const Block3<double> hc = lane_of(hessian[b], lane);
        if (c >= contacts) {
          EXPECT_EQ(norm(g), 0);
          EXPECT_EQ(inner(full(hc), full(hc)), 0);
          continue;
        }
        const Vec3d uc = {{u[b][0][lane], u[b][1][lane], u[b][2][lane]}},
                    dc = {{du[b][0][lane], du[b][1][lane], du[b][2][lane]}};
        const LawValue<double> l = potential.evaluate(c, uc);
        const LawLine<double> along = potential.along(c, uc, dc, 0.7);
        const Mat3d off = full(hc) - full(l.hessian);
        // fused or not, in the last digits
        EXPECT_LE(norm(g - l.gradient), 1e-14 * norm(l.gradient));
        EXPECT_LE(inner(off, off), 1e-26 * inner(full(l.hessian), full(l.hessian)));
        value += along.value, slope += along.slope, curvature += along.curvature;
      }
      EXPECT_NEAR(line.value, value, 1e-13 * value);
      EXPECT_NEAR(line.slope, slope, 1e-12 * std::fabs(slope));
      EXPECT_NEAR(line.curvature, curvature, 1e-12 * curvature);
    }
}

TEST(Laws, LawsAgreeWhereTheyMust) {
  LawSamples s(6);
  int stuck = 0;
  for (int n = 0; n < 4000; ++n) {
    ContactData t = s.terms();
    t.dissipation = t.relaxation = 0;
    const Vec3d u = 2.0 * s.ball();
    for (const bool memory : {true, false}) {
      ContactData smooth = t;
      smooth.friction = 0;
      const LawValue<double> a = OneContact({LawKind::lagged, memory}, smooth).at(u);
      const LawValue<double> b = OneContact({LawKind::sap, memory}, smooth).at(u);
      const Mat3d off = full(a.hessian) - full(b.hessian);
      EXPECT_LE(norm(a.gradient - b.gradient), 1e-14 * norm(a.gradient));
      EXPECT_NEAR(a.value, b.value, 1e-14 * a.value);
      EXPECT_LE(inner(off, off), 1e-28 * inner(full(a.hessian), full(a.hessian)));
    }
    const OneContact lagged({LawKind::lagged, true}, t), sap({LawKind::sap, true}, t);
    // a SAP contact that slips is lifted: its normal impulse is another one
    if (!sap.potential.slips(0, u) && sap.split_impulse(u).normal > 0) {
      EXPECT_NEAR(lagged.split_impulse(u).normal, sap.split_impulse(u).normal, 1e-14 * norm(sap.impulse(u)));
      if (!lagged.potential.slips(0, u)) {
        ++stuck;
        EXPECT_LE(norm(lagged.impulse(u) - sap.impulse(u)), 1e-14 * norm(sap.impulse(u)));
        EXPECT_LE(norm(lagged.potential.offset_after(0, u) - sap.potential.offset_after(0, u)), 1e-15 * t.dt);
      }
    }
  }
  EXPECT_GT(stuck, 100);
}

TEST(Laws, SpringLiesOnTheConeAfterSlipping) {
  LawSamples s(7);
  for (const LawKind kind : {LawKind::lagged, LawKind::sap})
    for (int n = 0; n < 2000; ++n) {
      const ContactData t = s.terms();
      const OneContact one({kind, true}, t);
      const Vec3d u = 2.0 * s.ball(), after = one.potential.offset_after(0, u);
      const SplitVector<double> impulse = one.split_impulse(u);
      // what is left of the normal impulse, and of its spring, is round-off
      const double size = norm(one.impulse(u)), length = size / (t.dt * t.stiffness);
      EXPECT_NEAR(dot(after, t.normal), 0, 1e-15 * (norm(after) + length + t.dt * norm(u)));
      if (one.potential.slips(0, u)) {
        const double normal = kind == LawKind::sap ? impulse.normal : t.last_impulse;
        const Vec3d pull = (-t.dt * t.stiffness) * after;
        EXPECT_LE(norm(pull - impulse.tangent), 1e-14 * size);
        EXPECT_NEAR(norm(pull), t.friction * normal, 1e-14 * size);
        // against the slip, as far as the spring had been at rest
        ContactData rest = t;
        rest.offset = Vec3d::zero();
        EXPECT_LE(dot(OneContact({kind, true}, rest).impulse(u), SplitVector<double>(t.normal, u).tangent),
                  1e-14 * size);
      } else if (one.potential.normal_impulse(0, u) > 0) {
        const Vec3d moved = SplitVector<double>(t.normal, t.offset + t.dt * u).tangent;
        EXPECT_LE(norm(after - moved), 1e-15 * t.dt);
        EXPECT_LE(norm(impulse.tangent),
                  t.friction * (kind == LawKind::sap ? impulse.normal : t.last_impulse) * (1 + 1e-14));
      }
    }
}

// A pool with two kinds of contacts, of different laws.
struct TwoKinds {
  Contacts both;
  LawContacts a{LawKind::sap, false}, b{LawKind::lagged, true};
  std::size_t start;  // of the second

  TwoKinds(LawSamples& s, std::size_t first, std::size_t second) {
    both.start_kind({.limit = 0.1});
    for (std::size_t c = 0; c < first; ++c) {
      a.add(s.terms());
      both.add(a.terms(c));
    }
    start = both.range(both.start_kind({.limit = 0.1, .rough_only = true})).first;
    for (std::size_t c = 0; c < second; ++c) {
      ContactData t = s.terms();
      t.dissipation = 0;
      b.add(t);
      both.add(b.terms(c));
    }
  }
  std::vector<Vec3Lanes> random(LawSamples& s) const {
    std::vector<Vec3Lanes> u(blocks_of(both.size()), Vec3Lanes::zero());
    for (std::size_t c = 0; c < both.size(); ++c)
      for (int d = 0; d < 3; ++d) u[c / 4][d].set(int(c % 4), s.uniform(-1, 1));
    return u;
  }
};

// the twin: each kind as a pool of its own; every sum in the same order, so every bit is the same
TEST(Contacts, TwoKindsInOnePoolAreTwoPools) {
  LawSamples s(9);
  for (const std::size_t first : {0u, 1u, 4u, 7u}) {
    const TwoKinds two(s, first, 6);
    ASSERT_EQ(two.start, 4 * blocks_of(first));
    ASSERT_EQ(two.both.size(), two.start + 6);
    const std::size_t blocks = blocks_of(two.both.size()), middle = two.start / 4;
    const std::vector<Vec3Lanes> u = two.random(s), du = two.random(s);
    std::vector<Vec3Lanes> gradient(blocks), twin_gradient(blocks);
    std::vector<Block3<Lanes>> hessian(blocks), twin_hessian(blocks);
    two.both.evaluate({0, blocks}, u.data(), gradient.data(), hessian.data());
    two.both.add_majorizer({0, blocks}, u.data(), hessian.data());
    two.a.evaluate({0, middle}, u.data(), twin_gradient.data(), twin_hessian.data());
    two.a.add_majorizer({0, middle}, u.data(), twin_hessian.data());
    two.b.evaluate({0, blocks - middle}, &u[middle], &twin_gradient[middle], &twin_hessian[middle]);
    two.b.add_majorizer({0, blocks - middle}, &u[middle], &twin_hessian[middle]);
    for (std::size_t c = 0; c < 4 * blocks; ++c) {
      EXPECT_EQ(norm(vector_of(gradient.data(), c) - vector_of(twin_gradient.data(), c)), 0);
      for (int k = 0; k < 6; ++k)
        EXPECT_EQ(hessian[c / 4].data()[k][int(c % 4)], twin_hessian[c / 4].data()[k][int(c % 4)]);
    }
    const LineValue line = two.both.along({0, blocks}, u.data(), du.data(), 0.3);
    const LineValue of_a = two.a.along({0, middle}, u.data(), du.data(), 0.3);
    const LineValue of_b = two.b.along({0, blocks - middle}, &u[middle], &du[middle], 0.3);
    EXPECT_EQ(line.value, of_a.value + of_b.value);
    EXPECT_EQ(line.slope, of_a.slope + of_b.slope);
    EXPECT_EQ(line.curvature, of_a.curvature + of_b.curvature);
  }
}

// what a solver is told of a pool: rows one after the other, empty ones where a kind is filled up
TEST(Contacts, RowsOfTwoKinds) {
  Contacts pool;
  LawSamples s(10);
  for (int round = 0; round < 2; ++round) {  // what was there before leaves no trace
    pool.clear();
    pool.start_kind();
    pool.add_entry(3, 0.25);
    pool.add_entry(1, 0.5);
    pool.leave_out(77, 0.25);
    pool.add(s.terms(), {.given = {{1, 2, 3}}, .body = 2, .arm = {{4, 5, 6}}, .solved = {{1, 1, 1}}});
    EXPECT_EQ(pool.start_kind(), 1u);
    pool.add_entry(7, 1);
    pool.add(s.terms());
    pool.add(s.terms());
    EXPECT_EQ(pool.range(0).size(), 1u);
    EXPECT_EQ(pool.range(1).first, 4u);
    EXPECT_EQ(pool.range(1).last, 6u);
    const ContactProblem p = pool.problem();
    EXPECT_EQ(std::vector<std::uint32_t>(p.begins.begin(), p.begins.end()),
              (std::vector<std::uint32_t>{0, 2, 2, 2, 2, 3, 3}));
    EXPECT_EQ(std::vector<std::uint32_t>(p.nodes.begin(), p.nodes.end()), (std::vector<std::uint32_t>{3, 1, 7}));
    EXPECT_EQ(std::vector<double>(p.weights.begin(), p.weights.end()), (std::vector<double>{0.25, 0.5, 1}));
    ASSERT_EQ(pool.left_out().size(), 1u);
    EXPECT_EQ(pool.left_out()[0].contact, 0u);
    EXPECT_EQ(pool.left_out()[0].node, 77u);
    StrongProblem strong;
    pool.view(strong);
    ASSERT_EQ(strong.bias.size(), 6u);
    EXPECT_EQ(norm(strong.bias[0] - Vec3d{{0, 1, 2}}), 0);
    EXPECT_EQ(strong.body[0], 2);
    EXPECT_EQ(strong.body[3], -1);
    EXPECT_EQ(norm(strong.bias[3]), 0);
    EXPECT_EQ(norm(strong.arm[0] - Vec3d{{4, 5, 6}}), 0);
  }
}

// of the lagged kind only, only where friction acts, and only if the impulses were off by much
TEST(Contacts, FrictionIsRefreshedByKind) {
  LawSamples s(11);
  int refreshed = 0;
  for (int n = 0; n < 50; ++n) {
    TwoKinds two(s, 3, 9);
    const std::vector<Vec3Lanes> u = two.random(s);
    std::vector<Vec3Lanes> gradient(u.size());
    std::vector<Block3<Lanes>> hessian(u.size());
    two.both.evaluate({0, u.size()}, u.data(), gradient.data(), hessian.data());
    two.both.take(u.data(), gradient.data());
    double off = 0, all = 0;
    std::vector<double> before, wanted;
    for (std::size_t c = 0; c < two.both.size(); ++c) {
      const ContactData& t = two.both[c];
      before.push_back(t.last_impulse);
      const bool counts = c >= two.start && t.friction > 0;
      wanted.push_back(counts ? t.normal_impulse : t.last_impulse);
      if (counts) off += std::fabs(t.normal_impulse - t.last_impulse), all += t.normal_impulse;
    }
    const bool again = two.both.refresh_friction();
    EXPECT_EQ(again, off > 0.1 * all);
    refreshed += again;
    std::vector<Vec3Lanes> after(u.size());
    two.both.evaluate({0, u.size()}, u.data(), after.data(), hessian.data());
    for (std::size_t c = 0; c < two.both.size(); ++c) {
      EXPECT_EQ(two.both[c].last_impulse, again ? wanted[c] : before[c]);
      if (c < 3 || c >= two.start) {  // the laws four at a time know it too; fused or not, in the last digits
        const Vec3d one = law_value(two.both[c], vector_of(u.data(), c)).gradient;
        EXPECT_LE(norm(vector_of(after.data(), c) - one), 1e-14 * norm(one));
      }
    }
  }
  EXPECT_GT(refreshed, 10);
}

// gradients and Hessians of two kinds by differences of the value
TEST(Contacts, DerivativesOfTwoKinds) {
  LawSamples s(3);
  for (const std::size_t sizes : {0u, 1u, 4u, 7u}) {
    const TwoKinds two(s, sizes, 6);
    const Contacts& joined = two.both;
    const LawContacts& b = two.b;
    const std::size_t blocks = blocks_of(joined.size());
    std::vector<Vec3Lanes> u(blocks, Vec3Lanes::zero()), du = u, gradient(blocks), further(blocks), before(blocks);
    std::vector<Block3<Lanes>> hessian(blocks), lifted(blocks), unused(blocks);
    for (std::size_t c = 0; c < joined.size(); ++c)
      for (int d = 0; d < 3; ++d)
        u[c / 4][d].set(int(c % 4), s.uniform(-1, 1)), du[c / 4][d].set(int(c % 4), s.uniform(-1, 1));
    const BlockRange all = {0, blocks};
    joined.evaluate(all, u.data(), gradient.data(), hessian.data());
    const LineValue line = joined.along(all, u.data(), du.data(), 0);
    // central differences over 1e-6 m/s; second derivatives of these laws jump, but not at random places
    const double step = 1e-6;
    const double slope =
        (joined.along(all, u.data(), du.data(), step).value - joined.along(all, u.data(), du.data(), -step).value) /
        (2 * step);
    EXPECT_NEAR(line.slope, slope, 1e-6 * std::fabs(slope));
    double by_gradient = 0, by_hessian = 0, by_lifted = 0;
    joined.add_majorizer(all, u.data(), (lifted = hessian).data());
    for (std::size_t b2 = 0; b2 < blocks; ++b2) {
      const Lanes parts = dot(gradient[b2], du[b2]), bend = hessian[b2].along(du[b2]), above = lifted[b2].along(du[b2]);
      for (int lane = 0; lane < 4; ++lane) {
        by_gradient += parts[lane];
        by_hessian += bend[lane];
        by_lifted += above[lane];
        EXPECT_GE(above[lane], bend[lane] * (1 - 1e-12));
      }
    }
    EXPECT_NEAR(by_gradient, line.slope, 1e-10 * std::fabs(line.slope));
    EXPECT_NEAR(by_hessian, line.curvature, 1e-10 * line.curvature);
    EXPECT_GE(by_lifted, by_hessian);
    const double curvature =
        (joined.along(all, u.data(), du.data(), step).slope - joined.along(all, u.data(), du.data(), -step).slope) /
        (2 * step);
    EXPECT_NEAR(by_hessian, curvature, 1e-5 * curvature);
    // the parabola with the lifted Hessian lies above friction: value at any distance, of the lagged law's tangent
    for (int c = 0; c < 6; ++c) {
      ContactData t = b.terms(std::size_t(c));
      OneContact one({LawKind::lagged, true}, t);
      const Vec3d at = s.ball(), move = s.tangent(t.normal);
      const LawValue<double> l = one.at(at);
      Block3<Lanes> h = {l.hessian.xx, l.hessian.xy, l.hessian.xz, l.hessian.yy, l.hessian.yz, l.hessian.zz};
      Vec3Lanes wide = {{Lanes(at[0]), Lanes(at[1]), Lanes(at[2])}};
      one.potential.add_majorizer({0, 1}, &wide, &h);
      const double above = l.value + dot(l.gradient, move) + 0.5 * h.along({{move[0], move[1], move[2]}})[0];
      EXPECT_LE(one.at(at + move).value, above * (1 + 1e-12));
    }
  }
}

TEST(Laws, WhatIsNotANumberStaysSo) {
  LawSamples s(8);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const LawCase& law : all_laws) {
    ContactData t = s.terms();
    EXPECT_TRUE(std::isnan(norm(OneContact(law, t).at({{nan, 0, 0}}).gradient)));
    t.gap = nan;
    EXPECT_TRUE(std::isnan(norm(OneContact(law, t).at(Vec3d::zero()).gradient)));
  }
}

}  // namespace
}  // namespace pliant

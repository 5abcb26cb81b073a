// Every law: gradient against value, Hessian against gradient, lines against both, convexity, four at a time against
// one.
#include "contact/potential.h"

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

TEST(Potential, DerivativesAreThoseOfTheValue) {
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

TEST(Potential, LineIsTheFunctionAlongIt) {
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

TEST(Potential, IsConvex) {
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
TEST(Potential, HasNoJumpBetweenRegions) {
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

TEST(Potential, FourAtATimeAreFourOfOne) {
  LawSamples s(5);
  for (const LawCase& law : all_laws)
    for (const std::size_t contacts : {1u, 3u, 4u, 6u, 41u}) {
      LawPotential potential(law.kind, law.memory);
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

TEST(Potential, LawsAgreeWhereTheyMust) {
  LawSamples s(6);
  int stuck = 0;
  for (int n = 0; n < 4000; ++n) {
    ContactTerms t = s.terms();
    t.dissipation = t.relaxation = 0;
    const Vec3d u = 2.0 * s.ball();
    for (const bool memory : {true, false}) {
      ContactTerms smooth = t;
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

TEST(Potential, SpringLiesOnTheConeAfterSlipping) {
  LawSamples s(7);
  for (const LawKind kind : {LawKind::lagged, LawKind::sap})
    for (int n = 0; n < 2000; ++n) {
      const ContactTerms t = s.terms();
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
        ContactTerms rest = t;
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

TEST(Potential, WhatIsNotANumberStaysSo) {
  LawSamples s(8);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const LawCase& law : all_laws) {
    ContactTerms t = s.terms();
    EXPECT_TRUE(std::isnan(norm(OneContact(law, t).at({{nan, 0, 0}}).gradient)));
    t.gap = nan;
    EXPECT_TRUE(std::isnan(norm(OneContact(law, t).at(Vec3d::zero()).gradient)));
  }
}

}  // namespace
}  // namespace pliant

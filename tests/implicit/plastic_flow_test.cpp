// Plastic flow inside of an implicit step: its stresses are those after the return mapping, and energy, gradient and
// operator belong together.
#include "implicit/lump.h"

#include "implicit/dense_twin.h"
#include "implicit/differential_rows.h"
#include "implicit/part_law.h"

namespace pliant {

using namespace material;
using namespace grid;
using namespace solve;
using namespace implicit;

namespace {

const Law flowing_laws[] = {Law::linear_corotated, Law::hencky, Law::sand};
constexpr double dt = 0.01, inv_h = 20, volume = 0.7;

Material flowing(Law law) {
  Material material = material_of(law);
  material.yield = 0.04 * material.E;
  material.cohesion = 0.01;
  return material;
}

PartStep step_of(const Material& material) {
  const auto none = Matrix<double, 3>::zero();
  return {dt, inv_h, false, true, false, none, none, make_law<double>(material), make_law<float>(material)};
}

// one register of particles at the start of a step
struct Sample {
  PartState<Part> state = {};
  PartMatrix l;
};

Sample sample(std::mt19937& random, double strain, bool from_rest) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  Sample s;
  s.state.volume = volume;
  s.state.F = s.state.rotation = PartMatrix::identity();
  s.state.turn = s.state.spin = PartMatrix::zero();
  const double push = 0.5 * strain;  // as much pressed as pulled
  for (int lane = 0; lane < Part::lanes; ++lane) {
    s.state.plastic.set(lane, lane % 2 ? 0.02 : 0);
    const double mean = push * uniform(random);
    for (int k = 0; k < 9; ++k) {
      s.l.a[k].set(lane, (strain * uniform(random) + (k % 4 == 0 ? mean : 0)) / (dt * inv_h));
      if (!from_rest) s.state.F.a[k].set(lane, (k % 4 == 0 ? 1 : 0) + 0.2 * strain * uniform(random));
    }
  }
  if (!from_rest) s.state.rotation = rotation_of(s.state.F);
  return s;
}

Matrix<double, 3> lane_of(const PartMatrix& m, int lane) {
  Matrix<double, 3> r;
  for (int k = 0; k < 9; ++k) r.a[k] = m.a[k][lane];
  return r;
}

class PlasticFlowOf : public testing::TestWithParam<Law> {
 protected:
  const PartStep step = step_of(flowing(GetParam()));
  void set_yield(Sample& s) const {
    s.state.yield = yield_strain(step.law, stretched_by(step, s.state, s.l), s.state.plastic);
  }
};

// The twin is the law itself, one particle at a time: F is mapped back, and its stress is what acts in the solve.
TEST_P(PlasticFlowOf, StressIsThatAfterTheReturnMapping) {
  std::mt19937 random(1);
  int flowed = 0, stayed = 0;
  for (int n = 0; n < 100; ++n) {
    Sample s = sample(random, 0.01 + 0.002 * n, false);
    set_yield(s);
    const PartImpulse impulse = part_impulse(step, s.state, s.l);
    for (int lane = 0; lane < Part::lanes; ++lane) {
      const auto start = lane_of(s.state.F, lane), end = lane_of(stretched_by(step, s.state, s.l), lane);
      // the moment is dt/h V P F^T with the F of the start
      const auto P = (1 / (dt * inv_h * volume)) * (lane_of(impulse.moment, lane) * transpose(inverse(start)));
      Memory<double, 3> memory = {start, s.state.plastic[lane]};
      auto F = end;
      const auto [mine, twin] = std::visit(
          [&](const auto& law) {
            law.return_map(F, memory);
            if (GetParam() == Law::linear_corotated) return std::pair(P, law.stress(F, {start, memory.plastic}));
            return std::pair(P * transpose(end), law.kirchhoff(F, memory));
          },
          step.law);
      const auto moved = F - end, gap = mine - twin;
      (inner(moved, moved) > 1e-20 ? flowed : stayed)++;
      // logarithms and singular values to a few ulps of the stiffness
      EXPECT_LT(std::sqrt(inner(gap, gap)), 1e-11 * flowing(GetParam()).E) << n << " " << lane;
    }
  }
  EXPECT_GT(flowed, 50);
  EXPECT_GT(stayed, 20);
}

// energy to moment, moment to rows, by differences in each of the nine entries
TEST_P(PlasticFlowOf, RowsAndMomentAreDerivatives) {
  std::mt19937 random(2);
  const double E = flowing(GetParam()).E, s = 1e-6;
  for (int n = 0; n < 40; ++n) {
    Sample at = sample(random, 0.02 + 0.004 * n, false);
    set_yield(at);
    at.state.yield = Part(0.9) * at.state.yield;  // lagged, and kinks are not where the sample is
    Part rows[dense_rows];
    part_differential(step, at.state, at.l, {Differential::dense, false}, rows);
    const PartMatrix moment = part_impulse(step, at.state, at.l).moment;
    for (int j = 0; j < 9; ++j) {
      PartImpulse side[2];
      for (int k : {0, 1}) {
        PartMatrix l = at.l;
        l.a[j] += Part(k ? s : -s);
        side[k] = part_impulse(step, at.state, l);
      }
      for (int lane = 0; lane < Part::lanes; ++lane) {
        const double slope = (side[1].energy - side[0].energy)[lane] / (2 * s);
        // round-off of an energy of E strain^2 over s
        EXPECT_NEAR(moment.a[j][lane], slope, 1e-8 * E * volume * dt * inv_h);
        for (int i = 0; i < 9; ++i) {
          const double second = (side[1].moment.a[i] - side[0].moment.a[i])[lane] / (2 * s);
          const double row = rows[dense_row(std::min(i, j), std::max(i, j))][lane];
          EXPECT_NEAR(row, second, 1e-7 * E * volume * dt * dt * inv_h * inv_h) << n << " " << i << " " << j;
        }
      }
    }
  }
}

// from F = 1 the rows are the 9x9 matrix itself
TEST_P(PlasticFlowOf, PositiveRowsHaveNoNegativeEigenvalues) {
  std::mt19937 random(3);
  const double scale = flowing(GetParam()).E * volume * dt * dt * inv_h * inv_h;
  for (int n = 0; n < 40; ++n) {
    Sample at = sample(random, 0.02 + 0.01 * n, true);
    set_yield(at);
    Part exact[dense_rows], cut[dense_rows];
    part_differential(step, at.state, at.l, {Differential::dense, false}, exact);
    part_differential(step, at.state, at.l, {Differential::dense, true}, cut);
    for (int lane = 0; lane < Part::lanes; ++lane) {
      Dense9 whole, kept;
      for (int i = 0; i < 9; ++i)
        for (int j = 0; j < 9; ++j) {
          whole(i, j) = exact[dense_row(std::min(i, j), std::max(i, j))][lane];
          kept(i, j) = cut[dense_row(std::min(i, j), std::max(i, j))][lane];
        }
      // both by eigenvectors, to some ulps
      EXPECT_LT((positive(whole) - kept).norm(), 1e-12 * scale) << n << " " << lane;
      // within a step S1's law is convex as it is
      if (GetParam() == Law::linear_corotated) {
        EXPECT_LT((whole - kept).norm(), 1e-12 * scale);
      }
    }
  }
}

// the whole of a lump: Newton's method reaches a small tolerance, and yield strains follow the pressure
TEST_P(PlasticFlowOf, LumpsFlowInASolve) {
  Lump<double> lump(0.05, 2);
  lump.add_box(flowing(GetParam()), {{0.31, -0.2, 0.13}}, {{0.15, 0.15, 0.1}});
  lump.plastic_flow = PlasticFlow::implicit;
  disturb(lump, -0.02, 0.05, 1, 5);
  lump.scatter();
  lump.begin();
  EXPECT_FALSE(lump.implicit.quadratic());
  EXPECT_EQ(lump.implicit.yields_by_pressure(), GetParam() == Law::sand);
  lump.options.relative_tolerance = 1e-9;
  const NewtonReport report = lump.solve();
  EXPECT_TRUE(report.converged) << report.residual;
  const double change = lump.implicit.update_lagged_yield(lump.v.data(), lump.workers());
  EXPECT_EQ(change > 0, GetParam() == Law::sand);
  EXPECT_EQ(lump.implicit.update_lagged_yield(lump.v.data(), lump.workers()), 0);
}

INSTANTIATE_TEST_SUITE_P(Laws, PlasticFlowOf, testing::ValuesIn(flowing_laws),
                         [](const auto& info) { return std::string(name(info.param)); });

// which laws flow in the solve
TEST(PlasticFlowChoice, IsByLaw) {
  for (Law law : all_laws)
    for (PlasticFlow flow : {PlasticFlow::by_law, PlasticFlow::lagged, PlasticFlow::implicit}) {
      Lump<double> lump(0.05, 1);
      lump.add_box(flowing(law), {{0, 0, 0}}, {{0.1, 0.1, 0.1}});
      lump.plastic_flow = flow;
      lump.scatter();
      lump.begin();
      const bool lags = flow != PlasticFlow::implicit;
      EXPECT_EQ(lump.implicit.quadratic(), law == Law::linear || (law == Law::linear_corotated && lags)) << name(law);
      EXPECT_EQ(lump.implicit.yields_by_pressure(), law == Law::sand && flow != PlasticFlow::lagged) << name(law);
    }
}

}  // namespace
}  // namespace pliant

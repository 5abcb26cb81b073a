// The motion of matter alone in implicit steps, by the solver of the strong step: it solves its equation for every law, keeps momentum, agrees with the
// explicit step where that is stable, and is stable where that is not.
#include "effort.h"
#include "implicit/dense_twin.h"
#include "implicit/lump.h"

#include "pliant/error.h"

#include <Eigen/Cholesky>

#include <numbers>

namespace pliant {

using namespace material;
using namespace grid;
using namespace solve;
using namespace implicit;

namespace {

template <class S>
struct SmallCube : Lump<S> {
  SmallCube(Law law, double E, int threads = 1) : Lump<S>(0.05, threads) {
    this->add_box(material_of(law, E), {{0.31, -0.2, 0.13}}, {{0.15, 0.15, 0.1}});
  }
};

// F as the law's return mapping leaves it
template <class S>
void map_back(Lump<S>& lump) {
  for (std::size_t g = 0; g < lump.groups.size(); ++g)
    std::visit(
        [&](const auto& law) {
          for (std::size_t i = lump.groups[g].begin; i < lump.groups[g].end; ++i) {
            Point<3, S>& p = lump.particles.points[i];
            Matrix<S, 3> F;
            std::copy_n(p.F, 9, F.a);
            Memory<S, 3> memory = {F, p.plastic};
            law.return_map(F, memory);
            std::copy_n(F.a, 9, p.F);
            p.plastic = memory.plastic;
          }
        },
        make_law<S>(lump.materials[g]));
}

class FreeMotion : public testing::TestWithParam<Law> {};
INSTANTIATE_TEST_SUITE_P(Laws, FreeMotion, testing::ValuesIn(all_laws),
                         [](const auto& info) { return std::string(name(info.param)); });

struct Start {
  double stretch, random, speed;
};

// stretched, compressed and random states, from a quiet start and from one that turns half of the matter inside out
TEST_P(FreeMotion, ConvergesFromAnyStart) {
  for (double E : {1e4, 1e6})
    for (const Start& s : {Start{0.2, 0.02, 0}, {-0.2, 0.02, 0}, {0, 0.3, 0}, {0, 0.3, 8}}) {
      SmallCube<float> lump(GetParam(), E);
      disturb(lump, s.stretch, s.random, 1, 5);
      map_back(lump);
      lump.scatter();
      lump.begin();
      std::mt19937 random(3);
      std::uniform_real_distribution<double> uniform(-s.speed, s.speed);
      if (s.speed > 0)
        for (auto& v : lump.v)
          for (int d = 0; d < 3; ++d) v.set(d, v[d] + uniform(random));
      lump.options.relative_tolerance = 1e-8;
      const NewtonReport report = lump.solve();
      EXPECT_TRUE(report.converged) << report.residual << " " << E << " " << s.stretch;
      EXPECT_LE(report.residual, 1e-8);
      EXPECT_LE(report.iterations, 60) << E << " " << s.stretch << " " << s.random << " " << s.speed;
      if (lump.implicit.quadratic()) {
        EXPECT_LE(report.iterations, 3);
      }
    }
}

TEST_P(FreeMotion, ReachesTheTightestTolerance) {
  SmallCube<float> lump(GetParam(), 1e5);
  disturb(lump, 0, 0.02, 0.5, 5);
  map_back(lump);
  lump.scatter();
  lump.begin();
  lump.options.relative_tolerance = 1e-10;
  EXPECT_TRUE(lump.solve().converged);
}

// internal forces have no sum; what is left is the residual of the solve
TEST_P(FreeMotion, KeepsMomentum) {
  SmallCube<double> lump(GetParam(), 1e6);
  disturb(lump, 0, 0.05, 1, 5);
  map_back(lump);
  lump.scatter();
  lump.begin();
  const NodeVectors before = lump.v;
  lump.options.relative_tolerance = 1e-10;
  ASSERT_TRUE(lump.solve().converged);
  NodeVector<double> change = 0;
  double all = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    change += lump.implicit.mass()[i] * (lump.v[i] - before[i]);
    for (int d = 0; d < 3; ++d) all += lump.implicit.mass()[i] * std::abs(before[i][d]);
  }
  // residuals of 1e-10 of D p, D up to 10 times that of the mass
  for (int d = 0; d < 3; ++d) EXPECT_LT(std::abs(change[d]), 1e-9 * all);
}

// From rest the change of F in a step is of second order in dt, and so the impulses differ by the third.
TEST_P(FreeMotion, IsTheExplicitStepAsTheStepVanishes) {
  double gap[2];
  for (int k = 0; k < 2; ++k) {
    SmallCube<double> lump(GetParam(), 1e5);
    lump.materials[0].viscosity = 0;  // the explicit step takes viscosity from the particles' own gradients
    disturb(lump, 0, 0.05, 0, 5);
    map_back(lump);
    lump.dt = k == 0 ? 1e-5 : 5e-6;
    lump.scatter();
    lump.begin();
    lump.options.relative_tolerance = 1e-10;
    ASSERT_TRUE(lump.solve().converged);
    const std::vector<std::uint32_t> numbers(lump.implicit.bundles().numbers().begin(),
                                             lump.implicit.bundles().numbers().end());
    NodeVectors change_of_v = lump.v;
    for (std::size_t i = 0; i < numbers.size(); ++i) change_of_v[i] -= lump.implicit.inertial_velocity()[i];
    const NodeVectors impulse = assemble(lump, lump.v, Terms::inertia).multiply(change_of_v);
    lump.scatter_explicit();
    double difference = 0, change = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const Node<double>& node = lump.grid().node(numbers[i]);
      for (int d = 0; d < 3; ++d) {
        const double expected = node.a[node_mass] * (node.a[d] - lump.implicit.inertial_velocity()[i][d]);
        difference += std::pow(impulse[i][d] - expected, 2) / node.a[node_mass];
        change += expected * expected / node.a[node_mass];
      }
    }
    gap[k] = std::sqrt(difference);
    // dt^2 E / (density h^2) is 4e-6
    EXPECT_LT(gap[k], 1e-3 * std::sqrt(change));
  }
  EXPECT_NEAR(gap[0] / gap[1], 8, 0.3);
}

TEST(FreeMotionQuadratic, IsOneLinearSolve) {
  for (Law law : {Law::linear, Law::linear_corotated}) {
    SmallCube<double> lump(law, 1e6);
    disturb(lump, 0, 0.1, 1, 5);
    lump.damping = {3, 2e-3};
    lump.scatter();
    lump.begin();
    const std::size_t n = lump.implicit.nodes();
    const BlockMatrix A = assemble(lump, lump.v);
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(Eigen::Index(3 * n), Eigen::Index(3 * n));
    A.for_each([&](std::size_t i, std::size_t j, const Eigen::Matrix3d& B) {
      dense.block<3, 3>(Eigen::Index(3 * i), Eigen::Index(3 * j)) = B;
    });
    NodeVectors gradient(n);
    lump.implicit.evaluate(lump.v.data(), gradient.data(), lump.workers());
    Eigen::VectorXd right(3 * n);
    for (std::size_t i = 0; i < n; ++i)
      for (int d = 0; d < 3; ++d) right[Eigen::Index(3 * i) + d] = -gradient[i][d];
    const Eigen::VectorXd change = dense.llt().solve(right);
    const NodeVectors before = lump.v;
    lump.options.relative_tolerance = 1e-3;
    EXPECT_LE(lump.solve().iterations, 2);  // the second only for what float has left
    lump.v = before;
    lump.options.relative_tolerance = 1e-10;
    ASSERT_TRUE(lump.solve().converged);
    double gap = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (int d = 0; d < 3; ++d)
        gap += lump.implicit.mass()[i] * std::pow(lump.v[i][d] - before[i][d] - change[Eigen::Index(3 * i) + d], 2);
    double size = 0;
    for (std::size_t i = 0; i < n; ++i) size += lump.implicit.mass()[i] * sum_of_lanes(before[i] * before[i]);
    // the residual of 1e-10, and the root of a condition of 1e4
    EXPECT_LT(std::sqrt(gap), 1e-8 * std::sqrt(size)) << name(law);
  }
}

// any right side, in double, with the exact curvature of matter that is not quadratic
TEST(FreeMotionSystem, SolvesForARightSide) {
  SmallCube<double> lump(Law::neo_hookean, 1e5);
  disturb(lump, 0.05, 0.005, 0.1, 5);
  lump.scatter();
  lump.begin();
  MatterCost* const matter[] = {&lump.implicit};
  NoBodies none;
  Unknowns unknowns;
  number_unknowns(matter, none, unknowns);
  StrongProblem problem;
  problem.unknowns = &unknowns;
  problem.matter = matter;
  problem.bodies = &none;
  SystemWork work;
  System system(problem, lump.workers(), work);
  system.linearise(lump.v.data());
  system.linearise_in_double(lump.v.data(), Curvature::exact);
  system.evaluate(lump.v.data(), {});
  // the matrix, column by column, from the operator that is checked against differences of the gradient
  MatterOperator<double> A;
  lump.implicit.linearise(lump.v.data(), Curvature::exact, A, lump.workers());
  const std::size_t n = unknowns.nodes();
  Eigen::MatrixXd dense(3 * n, 3 * n);
  NodeVectors unit(n, NodeVector<double>(0)), product(n);
  for (std::size_t j = 0; j < 3 * n; ++j) {
    unit[j / 3].set(int(j % 3), 1);
    A.apply(unit.data(), product.data(), lump.workers());
    unit[j / 3].set(int(j % 3), 0);
    for (std::size_t i = 0; i < 3 * n; ++i) dense(Eigen::Index(i), Eigen::Index(j)) = product[i / 3][int(i % 3)];
  }
  const Eigen::VectorXd right = Eigen::VectorXd::Random(Eigen::Index(3 * n)), exact = dense.llt().solve(right);
  UnknownVector<double> b, x;
  b.resize(unknowns);
  for (std::size_t i = 0; i < n; ++i) {
    b.nodes[i] = 0;
    for (int d = 0; d < 3; ++d) b.nodes[i].set(d, right[Eigen::Index(3 * i) + d]);
  }
  system.precondition<double>();
  ASSERT_TRUE(system.solve<double>(b, {1e-13, 2000}, x).converged);
  Eigen::VectorXd off(3 * n);
  for (std::size_t i = 0; i < 3 * n; ++i) off[Eigen::Index(i)] = x.nodes[i / 3][int(i % 3)] - exact[Eigen::Index(i)];
  // the tolerance, times the root of the condition of what is preconditioned
  EXPECT_LT(std::sqrt(off.dot(dense * off)), 1e-10 * std::sqrt(exact.dot(right)));
}

// The explicit step would need 600 substeps here. From rest everywhere, all of it falls as one.
TEST_P(FreeMotion, FallsAtAnyStiffness) {
  for (double E : {1e3, 1e8}) {
    SmallCube<double> lump(GetParam(), E);
    const double start = lump.center()[2];
    for (int step = 0; step < 10; ++step) {
      ASSERT_TRUE(lump.step().converged);
    }
    // sum of the steps' velocities: g dt^2 n (n + 1) / 2
    EXPECT_NEAR(lump.center()[2] - start, -9.81 * 1e-4 * 55, 1e-12);
    for (const Point<3, double>& p : lump.particles.points)
      for (int k = 0; k < 9; ++k) ASSERT_NEAR(p.F[k], k % 4 == 0 ? 1 : 0, 1e-9);
  }
}

// kinetic energy of v and elastic energy after the step with v
template <class S>
double energy_after(Lump<S>& lump, const NodeVectors& v) {
  double energy = lump.implicit.energy(v.data(), lump.workers());
  for (std::size_t i = 0; i < v.size(); ++i) {
    const auto change = v[i] - lump.implicit.inertial_velocity()[i];
    energy += 0.5 * lump.implicit.mass()[i] * (sum_of_lanes(v[i] * v[i]) - sum_of_lanes(change * change));
  }
  return energy;
}

// Pressed together and let go, it springs open and comes to rest; backward Euler never adds energy.
TEST_P(FreeMotion, SpringsOpenAtAnyStiffness) {
  for (double E : {1e4, 1e8}) {
    SmallCube<float> lump(GetParam(), E);
    lump.gravity = Vec::zero();
    disturb(lump, -0.01, 0, 0, 5);
    map_back(lump);
    const Vec center = lump.center();
    double first = 0;
    for (int step = 0; step < 20; ++step) {
      lump.scatter();
      lump.begin();
      const NodeVectors rest(lump.v.size(), NodeVector<double>(0));
      const double before =
          lump.implicit.energy(rest.data(), lump.workers());  // inertia against rest is kinetic energy
      if (step == 0) first = before;
      const NewtonReport report = lump.solve();
      ASSERT_TRUE(report.converged) << report.residual << " " << step << " " << E;
      // up to the tolerance of the solve
      EXPECT_LE(energy_after(lump, lump.v), before * (1 + 1e-5) + 1e-10 * first) << step << " " << E;
      lump.gather();
    }
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(lump.center()[d], center[d], 1e-5);
    for (const ParticleVelocity<3, float>& r : lump.particles.velocities)
      for (float v : r.v) ASSERT_LT(std::abs(v), 0.2);
  }
}

TEST_P(FreeMotion, SpinsAtAnyStiffness) {
  for (double E : {1e4, 1e8}) {
    SmallCube<float> lump(GetParam(), E);
    lump.gravity = Vec::zero();
    const Vec center = lump.center();
    for (std::size_t i = 0; i < lump.particles.size(); ++i) {
      const float* x = lump.particles.points[i].x;
      ParticleVelocity<3, float>& r = lump.particles.velocities[i];
      r.v[0] = -10 * (x[1] - float(center[1]));
      r.v[1] = 10 * (x[0] - float(center[0]));
      r.C[1] = -10;
      r.C[3] = 10;
    }
    for (int step = 0; step < 8; ++step) {
      const NewtonReport report = lump.step();
      ASSERT_TRUE(report.converged) << report.residual << " " << step << " " << E;
    }
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(lump.center()[d], center[d], 1e-5);
    for (const ParticleVelocity<3, float>& r : lump.particles.velocities)
      for (float v : r.v) ASSERT_LT(std::abs(v), 3);  // it began with 1.1 at its corners
  }
}

// sum of x times m v, and of the turning of each particle as a cube
template <class S>
double angular_momentum(const Lump<S>& lump) {
  double sum = 0;
  for (std::size_t i = 0; i < lump.particles.size(); ++i) {
    const Point<3, S>& p = lump.particles.points[i];
    const ParticleVelocity<3, S>& r = lump.particles.velocities[i];
    const double cube = std::pow(double(p.volume), 2.0 / 3) / 12;
    sum += p.mass * (p.x[0] * r.v[1] - p.x[1] * r.v[0] + cube * (r.C[3] - r.C[1]));
  }
  return sum;
}

// Ten turns a second in steps of a millisecond. Backward Euler loses (omega dt)^2 = .4 % of the spin in each of them.
TEST_P(FreeMotion, ExactRotationKeepsSpinAndVolume) {
  if (GetParam() == Law::linear) return;  // knows no rotation
  const bool flows = GetParam() == Law::liquid || GetParam() == Law::eraser || GetParam() == Law::sand;
  SmallCube<double> lump(GetParam(), 1e8);
  lump.gravity = Vec::zero();
  lump.dt = 1e-3;
  lump.exact_rotation = true;
  lump.options.relative_tolerance = 1e-9;
  const double omega = 20 * std::numbers::pi;
  const Vec center = lump.center();
  for (std::size_t i = 0; i < lump.particles.size(); ++i) {
    const double* x = lump.particles.points[i].x;
    ParticleVelocity<3, double>& r = lump.particles.velocities[i];
    r.v[0] = -omega * (x[1] - center[1]);
    r.v[1] = omega * (x[0] - center[0]);
    r.C[1] = -omega;
    r.C[3] = omega;
  }
  const double before = angular_momentum(lump);
  for (int step = 0; step < (flows ? 5 : test::as_many(100)); ++step) ASSERT_TRUE(lump.step().converged) << step;
  // residuals of 1e-9 of D p in each step
  EXPECT_NEAR(angular_momentum(lump), before, 1e-7 * before);
  if (flows) return;
  // density (omega r)^2 / E is 1e-5
  for (const Point<3, double>& p : lump.particles.points) {
    Matrix<double, 3> F;
    std::copy_n(p.F, 9, F.a);
    ASSERT_NEAR(determinant(F), 1, 1e-3);
  }
}

TEST(FreeMotionDamping, MassDampingSlowsATranslation) {
  SmallCube<double> lump(Law::neo_hookean, 1e5);
  lump.gravity = Vec::zero();
  lump.damping.mass = 5;
  for (auto& r : lump.particles.velocities) r.v[1] = 2;
  lump.options.relative_tolerance = 1e-10;
  ASSERT_TRUE(lump.step().converged);
  for (auto& r : lump.particles.velocities) ASSERT_NEAR(r.v[1], 2 / (1 + 0.01 * 5), 1e-9);
}

TEST(FreeMotionDamping, StiffnessDampingLeavesATranslationAlone) {
  SmallCube<double> lump(Law::neo_hookean, 1e5);
  lump.gravity = Vec::zero();
  lump.damping.stiffness = 0.1;
  for (auto& r : lump.particles.velocities) r.v[1] = 2;
  lump.options.relative_tolerance = 1e-10;
  ASSERT_TRUE(lump.step().converged);
  for (auto& r : lump.particles.velocities) ASSERT_NEAR(r.v[1], 2, 1e-9);
}

template <class S>
std::vector<S> state_after(int threads, Law law) {
  SmallCube<S> lump(law, 1e5, threads);
  lump.add_box(material_of(Law::neo_hookean), {{0.35, -0.1, 0.2}}, {{0.4, 0.3, 0.2}});
  disturb(lump, 0, 0.03, 1, 5);
  for (int step = 0; step < 3; ++step) EXPECT_TRUE(lump.step().converged);
  std::vector<S> numbers;
  for (std::size_t i = 0; i < lump.particles.size(); ++i) {
    const Point<3, S>& p = lump.particles.points[i];
    const ParticleVelocity<3, S>& r = lump.particles.velocities[i];
    numbers.insert(numbers.end(), p.x, p.x + 3);
    numbers.insert(numbers.end(), p.F, p.F + 9);
    numbers.insert(numbers.end(), r.v, r.v + 3);
    numbers.insert(numbers.end(), r.C, r.C + 9);
  }
  return numbers;
}

TEST(FreeMotionThreads, SameBits) {
  for (Law law : {Law::linear_corotated, Law::fixed_corotated}) {
    const auto one = state_after<float>(1, law);
    for (int threads : {2, 3}) EXPECT_EQ(state_after<float>(threads, law), one);
    EXPECT_EQ(state_after<double>(2, law), state_after<double>(1, law));
  }
}

TEST(FreeMotionReports, NamesWhatWentWrong) {
  SmallCube<double> lump(Law::neo_hookean, 1e6);
  disturb(lump, 0.1, 0.05, 1, 5);
  lump.scatter();
  lump.begin();
  const NodeVectors start = lump.v;
  lump.options.max_iterations = 1;
  NewtonReport report = lump.solve();
  EXPECT_FALSE(report.converged || report.stalled);
  EXPECT_EQ(report.iterations, 1);

  lump.v = start;
  lump.v[3].set(1, std::numeric_limits<double>::quiet_NaN());
  report = lump.solve();
  EXPECT_FALSE(report.finite);
  for (std::size_t i = 0; i < start.size(); ++i) EXPECT_TRUE(i == 3 || lump.v[i][0] == start[i][0]);

  // a tolerance that no arithmetic reaches
  lump.v = start;
  lump.options.max_iterations = 200;
  lump.options.relative_tolerance = 0;
  report = lump.solve();
  EXPECT_FALSE(report.converged);
  EXPECT_LT(report.residual, 1e-10);
}

ErrorCode code_of(Lump<double>& lump, Kernel kernel) {
  const MatterStep<double> step = {lump.layout(),
                                   lump.grid(),
                                   lump.particles.points,
                                   lump.particles.velocities,
                                   lump.materials,
                                   {},
                                   kernel,
                                   Transfer::mls,
                                   lump.dt,
                                   lump.h,
                                   lump.damping};
  try {
    lump.implicit.begin(step, lump.workers());
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorCode::bad_file;
}

TEST(FreeMotionReports, RefusesByName) {
  SmallCube<double> lump(Law::neo_hookean, 1e6);
  lump.scatter();
  EXPECT_EQ(code_of(lump, Kernel::linear), ErrorCode::bad_input);
  EXPECT_EQ(code_of(lump, Kernel::compact), ErrorCode::bad_input);
  const double x = lump.particles.points[5].x[0];
  for (double wrong : {x + 0.06, std::numeric_limits<double>::quiet_NaN()}) {
    lump.particles.points[5].x[0] = wrong;
    EXPECT_EQ(code_of(lump, Kernel::quadratic), ErrorCode::bad_input);
  }
  lump.particles.points[5].x[0] = x;
  lump.damping.stiffness = -1;
  EXPECT_EQ(code_of(lump, Kernel::quadratic), ErrorCode::bad_input);
  lump.damping.stiffness = 0;
  lump.dt = 0;
  EXPECT_EQ(code_of(lump, Kernel::quadratic), ErrorCode::bad_input);
}

}  // namespace
}  // namespace pliant

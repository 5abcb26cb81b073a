// Matter that nothing touches: free fall is exact, nothing is lost in the transfers, spin stays.
#include "effort.h"
#include "step/support.h"
#include "step/traps.h"

namespace pliant::test {
namespace {

constexpr Kernel kernels[] = {Kernel::linear, Kernel::quadratic, Kernel::compact};
constexpr Transfer transfers[] = {Transfer::pic, Transfer::apic, Transfer::mls};
constexpr Precision precisions[] = {Precision::float32, Precision::float64};

double epsilon(Precision precision) { return precision == Precision::float32 ? 1.2e-7 : 2.2e-16; }

// symplectic Euler: v = v0 + n dt g, x = x0 + n dt v0 + n (n + 1) / 2 dt^2 g, and F stays the identity
template <int D>
void falls_freely(Kernel kernel, Transfer transfer, Precision precision) {
  Scene scene = empty_scene(D, 0.1, 1.0 / 512, precision);
  scene.step.kernel = kernel, scene.step.transfer = transfer;
  scene.step.gravity = D == 2 ? Vec3{0.5, -9.81, 0} : Vec3{0.5, 0, -9.81};
  add(scene, "block", elastic(1e3, 0.3), block(D, {0, 0, 0}, {0.3, 0.3, 0.3}, 0.05), 0.05).velocity = {
      1, 2, D == 3 ? 1.0 : 0.0};
  World world(scene, 1);
  const auto start = particles<D>(world);
  const int steps = 50;
  for (int n = 0; n < steps; ++n) world.step();
  const auto end = particles<D>(world);
  const double dt = scene.step.dt;
  // each step rounds x, v and F a few times; an error of the velocity gradient enters F and is not amplified by this
  // soft law
  const double tolerance = 40 * steps * epsilon(precision);
  for (std::size_t p = 0; p < start.size(); ++p) {
    const twin::Vec<D> g = vector<D>(scene.step.gravity), v = start[p].v + steps * dt * g;
    const twin::Vec<D> x = start[p].x + steps * dt * start[p].v + 0.5 * steps * (steps + 1) * dt * dt * g;
    ASSERT_LT((end[p].v - v).norm(), tolerance);
    ASSERT_LT((end[p].x - x).norm(), tolerance);
    ASSERT_LT((end[p].F - twin::Mat<D>::Identity()).norm(), tolerance);
  }
}

TEST(FreeFall, IsExactForEveryKernelAndTransfer) {
  for (Kernel kernel : kernels)
    for (Transfer transfer : transfers)
      for (Precision precision : precisions) {
        SCOPED_TRACE(testing::Message() << int(kernel) << int(transfer) << int(precision));
        falls_freely<2>(kernel, transfer, precision);
        falls_freely<3>(kernel, transfer, precision);
      }
}

// two blocks that collide in mid-air above a floor, so that forces of all kinds act
Scene collision(int dimension, Kernel kernel, Transfer transfer, Precision precision) {
  Scene scene = empty_scene(dimension, 0.1, 1e-3, precision);
  scene.step.kernel = kernel, scene.step.transfer = transfer;
  Matter& left =
      add(scene, "left", elastic(1e4, 0.3), block(dimension, {-0.3, -0.1, -0.1}, {-0.02, 0.15, 0.15}, 0.05), 0.05);
  left.velocity = {1, 0, 0}, left.angular_velocity = {0, 0, 5};
  Matter& right =
      add(scene, "right", elastic(1e4, 0.3), block(dimension, {0.02, 0, -0.1}, {0.3, 0.25, 0.15}, 0.05), 0.05);
  right.velocity = {-1, 0.5, 0}, right.angular_velocity = {0, 0, -3};
  flatten(scene);
  return scene;
}

double largest(const std::array<double, 3>& v) { return std::max({std::abs(v[0]), std::abs(v[1]), std::abs(v[2])}); }

TEST(Momentum, ChangesOnlyByTheReportedImpulses) {
  for (int dimension : {2, 3})
    for (Kernel kernel : kernels)
      for (Transfer transfer : transfers)
        for (Precision precision : precisions) {
          Scene scene = collision(dimension, kernel, transfer, precision);
          scene.step.gravity = dimension == 2 ? Vec3{1, -9.81, 0} : Vec3{1, 2, -9.81};
          const Vec3 up = dimension == 2 ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
          scene.boundaries.push_back(plane({0, -0.0513, -0.0513}, up, 0.5));
          scene.boundaries.push_back(plane({0.23, 0, 0}, {-1, 0, 0}, 0.1, Boundary::Condition::slip));
          scene.boundaries.back().name = "wall";
          flatten(scene);
          World world(scene, 2);
          double pushed = 0;
          for (int n = 0; n < 30; ++n) {
            const StepReport& report = world.step();
            ASSERT_EQ(report.before.mass, report.after.mass);
            ASSERT_EQ(report.boundary_impulses.size(), 2u);
            // 200..400 particles with sum m |v| below 2 mass; each rounds its velocity once, the sums add their own
            // rounding
            const double scale = 2 * report.after.mass;
            for (int d = 0; d < 3; ++d) {
              const double impulse =
                  report.gravity_impulse[d] + report.boundary_impulses[0][d] + report.boundary_impulses[1][d];
              ASSERT_NEAR(report.after.momentum[d] - report.before.momentum[d], impulse, 4 * epsilon(precision) * scale)
                  << dimension << int(kernel) << int(transfer) << int(precision) << " step " << n;
              ASSERT_NEAR(report.gravity_impulse[d], report.after.mass * scene.step.gravity[d] * scene.step.dt,
                          4 * epsilon(precision) * report.after.mass);
            }
            pushed = std::max(pushed, largest(report.boundary_impulses[0]));
          }
          EXPECT_GT(pushed, 1e-3);
        }
}

TEST(Momentum, ReportedBalanceIsTheSumOverParticles) {
  World world(collision(3, Kernel::quadratic, Transfer::apic, Precision::float64), 2);
  for (int n = 0; n < 20; ++n) world.step();
  Eigen::Vector3d momentum = Eigen::Vector3d::Zero(), spin = Eigen::Vector3d::Zero();
  double mass = 0, kinetic = 0, volume = 0;
  for (const auto& p : particles<3>(world)) {
    const twin::Mat<3> B = p.C * 0.1 * 0.1 / 4;
    mass += p.mass, volume += p.volume * p.F.determinant();
    momentum += p.mass * p.v;
    spin += p.mass * (p.x.cross(p.v) + Eigen::Vector3d(B(2, 1) - B(1, 2), B(0, 2) - B(2, 0), B(1, 0) - B(0, 1)));
    kinetic += 0.5 * p.mass * (p.v.squaredNorm() + 0.1 * 0.1 / 4 * p.C.squaredNorm());
  }
  const Balance balance = world.balance();
  EXPECT_NEAR(balance.mass, mass, 1e-13 * mass);
  EXPECT_NEAR(balance.volume, volume, 1e-12 * volume);
  EXPECT_NEAR(balance.kinetic_energy, kinetic, 1e-12 * kinetic);
  for (int d = 0; d < 3; ++d) {
    EXPECT_NEAR(balance.momentum[d], momentum[d], 1e-12 * mass);
    EXPECT_NEAR(balance.angular_momentum[d], spin[d], 1e-12 * mass);
  }
}

// Quadratic kernel: x cross m v plus the spin m C h^2/4 is kept to round-off, in any number of steps.
TEST(AngularMomentum, IsKeptByApicAndMls) {
  for (int dimension : {2, 3})
    for (Transfer transfer : {Transfer::apic, Transfer::mls})
      for (Precision precision : precisions) {
        World world(collision(dimension, Kernel::quadratic, transfer, precision), 2);
        const Balance start = world.balance();
        for (int n = 0; n < 100; ++n) world.step();
        const Balance end = world.balance();
        ASSERT_GT(std::abs(start.angular_momentum[2]), 1e-2 * start.mass);
        // 100 steps that round v, C and F: the errors of particles and steps are independent, so 100 eps is generous
        for (int d = 0; d < 3; ++d)
          EXPECT_NEAR(end.angular_momentum[d], start.angular_momentum[d], 100 * epsilon(precision) * start.mass)
              << dimension << int(transfer) << int(precision);
      }
}

// PIC has no spin and loses angular momentum: the check above can fail
TEST(AngularMomentum, IsLostByPic) {
  World world(collision(2, Kernel::quadratic, Transfer::pic, Precision::float64), 2);
  const Balance start = world.balance();
  for (int n = 0; n < 100; ++n) world.step();
  EXPECT_GT(std::abs(world.balance().angular_momentum[2] - start.angular_momentum[2]),
            1e-2 * std::abs(start.angular_momentum[2]));
}

// angular momentum in 2-D with the spin C M that goes with the moments M of weights at the places `at`
double angular_momentum(const twin::Twin<2>& world, const std::vector<twin::Particle<2>>& now,
                        const std::vector<twin::Particle<2>>& at) {
  double sum = 0;
  for (std::size_t k = 0; k < now.size(); ++k) {
    twin::Mat<2> moment = twin::Mat<2>::Zero();
    for (const auto& n : world.neighbours(at[k].x)) moment += n.weight * n.offset * n.offset.transpose();
    const auto& p = now[k];
    const twin::Mat<2> B = p.C * moment;
    sum += p.mass * (p.x[0] * p.v[1] - p.x[1] * p.v[0] + B(1, 0) - B(0, 1));
  }
  return sum;
}

// Linear and compact kernels: the moments depend on where a particle is. A step keeps angular momentum with those of
// its start; after it, C goes with other moments, so that over many steps it is kept only to the part of the spin in
// one cell.
TEST(AngularMomentum, IsKeptInEveryStepByOtherKernels) {
  for (Kernel kernel : {Kernel::linear, Kernel::compact})
    for (Transfer transfer : {Transfer::apic, Transfer::mls}) {
      Scene scene = collision(2, kernel, transfer, Precision::float64);
      for (Material& material : scene.materials) material.E = 1e3;  // linear kernels cannot bear more at this dt
      World world(scene, 2);
      const twin::Twin<2> stencils = twin_of<2>(world);
      const double first = angular_momentum(stencils, stencils.particles, stencils.particles);
      auto before = stencils.particles;
      for (int n = 0; n < 100; ++n) {
        world.step();
        const auto after = particles<2>(world);
        const double start = angular_momentum(stencils, before, before),
                     end = angular_momentum(stencils, after, before);
        // 70 kg at 1 m from the origin and 1 m/s
        ASSERT_NEAR(end, start, 1e-13) << int(kernel) << int(transfer) << " step " << n;
        before = after;
      }
      EXPECT_NEAR(angular_momentum(stencils, before, before) / first, 1, 0.05) << int(kernel) << int(transfer);
    }
}

// A stiff disc and a cube turn about their centre: after one revolution angular momentum is the same, every F is the
// same rotation and the body has its shape.
template <int D>
void spins(Transfer transfer) {
  const double h = 0.1, omega = 4;
  Scene scene = empty_scene(D, h, 5e-4);
  scene.step.transfer = transfer;
  const auto points =
      D == 2 ? ball(2, {0.53, 0.21, 0}, 0.5, h / 2) : block(3, {-0.25, -0.25, -0.25}, {0.25, 0.25, 0.25}, h / 2);
  add(scene, "body", elastic(1e6, 0.3), points, h / 2).angular_velocity = {0, 0, omega};
  World world(scene, 2);
  const Balance start = world.balance();
  const auto first = particles<D>(world);
  const int steps = int(std::lround(2 * M_PI / omega / scene.step.dt));
  for (int n = 0; n < steps; ++n) world.step();
  const Balance end = world.balance();
  EXPECT_NEAR(end.angular_momentum[2] / start.angular_momentum[2], 1, 1e-12 * steps);
  // The centrifugal strain is rho omega^2 r^2 / E = 4e-3; it grows the moment of inertia and slows the spin by twice
  // that.
  double moved = 0;
  const auto last = particles<D>(world);
  for (std::size_t p = 0; p < first.size(); ++p) moved = std::max(moved, (last[p].x - first[p].x).norm() / 0.5);
  EXPECT_LT(moved, 2 * M_PI * 1e-2);
  EXPECT_GT(end.kinetic_energy, 0.97 * start.kinetic_energy);
}

TEST(Spin, DiscAndCubeKeepTurning) {
  if (is_sanitized) GTEST_SKIP() << only_figures;
  for (Transfer transfer : {Transfer::apic, Transfer::mls}) {
    spins<2>(transfer);
    spins<3>(transfer);
  }
}

}  // namespace
}  // namespace pliant::test

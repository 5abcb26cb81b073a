// The library agrees with the slow twin for every kernel, transfer, dimension and precision.
#include "step/support.h"
#include "step/traps.h"

namespace pliant::test {
namespace {

struct Combination {
  Kernel kernel;
  Transfer transfer;
  int dimension;
  Precision precision;
};

std::vector<Combination> all_combinations() {
  std::vector<Combination> all;
  for (Kernel kernel : {Kernel::linear, Kernel::quadratic, Kernel::compact})
    for (Transfer transfer : {Transfer::pic, Transfer::apic, Transfer::mls})
      for (int dimension : {2, 3})
        for (Precision precision : {Precision::float32, Precision::float64})
          all.push_back({kernel, transfer, dimension, precision});
  return all;
}

std::string combination_name(const testing::TestParamInfo<Combination>& info) {
  const char* kernels[] = {"linear", "quadratic", "compact"};
  const char* transfers[] = {"pic", "apic", "mls"};
  return std::string(kernels[int(info.param.kernel)]) + "_" + transfers[int(info.param.transfer)] +
         (info.param.dimension == 2 ? "_2d" : "_3d") +
         (info.param.precision == Precision::float32 ? "_float" : "_double");
}

// two turning blocks of different stiffness that overlap in cells and run into a tilted floor with friction, one that
// sticks and one that slides away
Scene colliding_blocks(const Combination& c) {
  const double h = 0.1, spacing = 0.05;
  Scene scene = empty_scene(c.dimension, h, 2e-3, c.precision);
  scene.step.kernel = c.kernel, scene.step.transfer = c.transfer;
  scene.step.gravity = c.dimension == 2 ? Vec3{1.5, -9.81, 0} : Vec3{1.5, 0.7, -9.81};
  Material stiff = elastic(2e4, 0.35, 700);
  stiff.name = "stiff";
  const double size = c.dimension == 2 ? 0.4 : 0.25;
  Matter& low = add(scene, "low", elastic(5e3, 0.2),
                    block(c.dimension, {-0.2, -0.2, -0.2}, {size - 0.2, size - 0.2, size - 0.2}, spacing), spacing);
  low.velocity = {0.5, -1, -1.5}, low.angular_velocity = {1, -2, 3};
  Matter& high = add(scene, "high", stiff, block(c.dimension, {0, 0.02, 0.01}, {size, size, size}, spacing), spacing);
  high.velocity = {-1, -2, -0.5}, high.angular_velocity = {-1, 1, -4};
  const Vec3 down = c.dimension == 2 ? Vec3{0.28, 0.96, 0} : Vec3{0.28, -0.576, 0.768};
  scene.boundaries.push_back(plane({0.013, -0.107, -0.0923}, down, 0.4));
  const Vec3 side = c.dimension == 2 ? Vec3{-0.8, 0.6, 0} : Vec3{-0.8, 0, 0.6};
  scene.boundaries.push_back(plane({0.3513, 0.0307, 0.0123}, side, 0.3, Boundary::Condition::slip));
  scene.boundaries.back().name = "side", scene.boundaries.back().velocity = {-0.1, 0.05, 0.2};
  flatten(scene);
  return scene;
}

class TwinAgrees : public testing::TestWithParam<Combination> {};

template <int D>
void compare(const World& world, const twin::Twin<D>& twin, double tolerance, const char* when) {
  SCOPED_TRACE(when);
  const Difference d = difference(particles<D>(world), twin.particles);
  // scales of the scene: 1 m, 4 m/s, 1, and 4 m/s over h
  EXPECT_LT(d.position, tolerance);
  EXPECT_LT(d.velocity, 4 * tolerance);
  EXPECT_LT(d.deformation, tolerance);
  if (twin.transfer != Transfer::pic) {
    EXPECT_LT(d.affine, 40 * tolerance);
  }
}

// A step adds up some hundred terms of the scales above, so one step differs by tens of eps (2e-16, 1e-7). In twenty
// steps the stiffness carries differences of F on into velocities: measured 100 times more in F, 10 times in the rest.
template <int D>
void agree(const Combination& c) {
  World world(colliding_blocks(c), 2);
  twin::Twin<D> twin = twin_of<D>(world);
  const bool exact = c.precision == Precision::float64;
  world.step();
  twin.step();
  compare(world, twin, exact ? 1e-14 : 2e-6, "after one step");
  for (int n = 1; n < 20; ++n) {
    world.step();
    for (twin::Plane<D>& plane : twin.planes) plane.point += twin.dt * plane.velocity;
    twin.step();
  }
  compare(world, twin, exact ? 1e-12 : 2e-5, "after twenty steps");
  // the comparison means something only if the matter was deformed
  double strain = 0;
  for (const auto& p : twin.particles) strain = std::max(strain, (p.F - twin::Mat<D>::Identity()).norm());
  EXPECT_GT(strain, 0.1);
}

TEST_P(TwinAgrees, AfterOneAndTwentySteps) {
  if (GetParam().dimension == 2) agree<2>(GetParam());
  if (GetParam().dimension == 3) agree<3>(GetParam());
}

// S5: an actuation adds the Kirchhoff stress F sigma F^T
template <int D>
void agree_with_actuation(Transfer transfer) {
  Scene scene = colliding_blocks({Kernel::quadratic, transfer, D, Precision::float64});
  World world(scene, 2);
  twin::Twin<D> twin = twin_of<D>(world);
  const std::array<double, 9> stress = D == 2 ? std::array<double, 9>{900, -300, 0, -300, 100, 0, 0, 0, 0}
                                              : std::array<double, 9>{900, -300, 0, -300, 100, 50, 0, 50, 200};
  world.set_actuation("high", stress);
  const twin::Mat<D> sigma = Eigen::Map<const Eigen::Matrix3d>(stress.data()).template topLeftCorner<D, D>();
  const auto passive = twin.kirchhoff;
  twin.kirchhoff = [=](const twin::Particle<D>& p) {
    const twin::Mat<D> active = p.F * sigma * p.F.transpose();
    return twin::Mat<D>(passive(p) + (p.group == 1 ? active : twin::Mat<D>::Zero()));
  };
  for (int n = 0; n < 10; ++n) {
    world.step();
    twin.step();
    for (twin::Plane<D>& plane : twin.planes) plane.point += twin.dt * plane.velocity;
  }
  compare(world, twin, 1e-12, "with actuation");
}

TEST(Actuation, AgreesWithTheTwin) {
  for (Transfer transfer : {Transfer::pic, Transfer::apic, Transfer::mls}) {
    agree_with_actuation<2>(transfer);
    agree_with_actuation<3>(transfer);
  }
}

// Weights of the compact kernel go to 0 as the cube of the distance u from its edge. Nodes that only one particle
// touches, with u down to 1e-7 cells, must neither be lost nor explode, in float too.
TEST(CompactKernel, IsRightWhereItGoesToZero) {
  for (Precision precision : {Precision::float32, Precision::float64})
    for (Transfer transfer : {Transfer::pic, Transfer::apic, Transfer::mls}) {
      const double h = 0.125;
      Scene scene = empty_scene(2, h, 1e-3, precision);
      scene.step.kernel = Kernel::compact, scene.step.transfer = transfer;
      std::vector<Vec3> points;
      double y = 0.0321;
      for (double u : {1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 1e-4, 1e-5, 1e-7, 0.0}) {
        points.push_back({u * h, y, 0}), points.push_back({-u * h, y + h, 0}), points.push_back({y, (0.5 + u) * h, 0});
        y += 2.03 * h;
      }
      Matter& row = add(scene, "row", elastic(1e3, 0.3), points, h / 2);
      row.velocity = {0.1, 0, 0}, row.angular_velocity = {0, 0, 0.7};
      World world(scene, 1);
      twin::Twin<2> twin = twin_of<2>(world);
      for (int n = 0; n < 10; ++n) {
        world.step();
        twin.step();
        compare(world, twin, precision == Precision::float64 ? 1e-13 : 1e-5, "near the edge");
      }
    }
}

INSTANTIATE_TEST_SUITE_P(All, TwinAgrees, testing::ValuesIn(all_combinations()), combination_name);

}  // namespace
}  // namespace pliant::test

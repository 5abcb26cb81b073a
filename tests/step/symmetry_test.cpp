// Worlds that are turned or moved give results that are turned or moved.
#include "step/nine_laws.h"

namespace pliant::test {

using namespace material;

namespace {

using Turn = Eigen::Matrix3d;

Vec3 turned(const Turn& R, const Vec3& v) {
  const Eigen::Vector3d r = R * Eigen::Vector3d(v[0], v[1], v[2]);
  return {r[0], r[1], r[2]};
}

Scene turned(const Turn& R, Scene scene) {
  scene.step.gravity = turned(R, scene.step.gravity);
  for (Matter& matter : scene.matter) {
    for (Vec3& x : matter.points) x = turned(R, x);
    matter.velocity = turned(R, matter.velocity), matter.angular_velocity = turned(R, matter.angular_velocity);
  }
  for (Boundary& b : scene.boundaries) b.center = turned(R, b.center), b.normal = turned(R, b.normal);
  return scene;
}

Scene moved(Scene scene, const Vec3& shift) {
  const auto move = [&](Vec3& x) {
    for (int d = 0; d < 3; ++d) x[d] += shift[d];
  };
  for (Matter& matter : scene.matter) std::for_each(matter.points.begin(), matter.points.end(), move);
  for (Boundary& b : scene.boundaries) move(b.center);
  return scene;
}

template <int D>
std::vector<twin::Particle<D>> run(const Scene& scene, int steps) {
  World world(scene, 2);
  for (int n = 0; n < steps; ++n) world.step();
  return particles<D>(world);
}

// Sums are taken in another order, so round-off differs: 1e-16 per operation, and plastic flow and contact amplify it.
template <int D>
void turning_commutes(const Turn& R, Kernel kernel, Transfer transfer) {
  Scene scene = nine_laws(D, Precision::float64);
  scene.step.kernel = kernel, scene.step.transfer = transfer;
  const int steps = 40;
  auto expected = run<D>(scene, steps);
  const twin::Mat<D> Q = R.topLeftCorner<D, D>();
  for (auto& p : expected) p.x = Q * p.x, p.v = Q * p.v, p.C = Q * p.C * Q.transpose(), p.F = Q * p.F * Q.transpose();
  const Difference d = difference(run<D>(turned(R, scene), steps), expected);
  EXPECT_LT(d.position, 1e-10);
  EXPECT_LT(d.velocity, 1e-9);
  EXPECT_LT(d.deformation, 1e-9);
}

TEST(TurnedWorld, GivesTurnedResult) {
  Turn about_x, about_y, about_z;
  about_x << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  about_y << 0, 0, 1, 0, 1, 0, -1, 0, 0;
  about_z << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  for (Kernel kernel : {Kernel::linear, Kernel::quadratic, Kernel::compact})
    for (Transfer transfer : {Transfer::pic, Transfer::apic, Transfer::mls}) {
      SCOPED_TRACE(testing::Message() << int(kernel) << int(transfer));
      turning_commutes<2>(about_z, kernel, transfer);
      turning_commutes<2>(about_z * about_z * about_z, kernel, transfer);
      turning_commutes<3>(about_x, kernel, transfer);
    }
  turning_commutes<3>(about_y, Kernel::quadratic, Transfer::mls);
  turning_commutes<3>(about_z, Kernel::quadratic, Transfer::mls);
}

// The cell is a power of two, so a shift by whole cells is exact, but x / h - floor(x / h) loses the digits of the
// shift: 1e5 cells leave 1e-11 of a cell in double.
template <int D>
void moving_commutes(const Vec3& cells, double tolerance) {
  const Scene scene = nine_laws(D, Precision::float64);
  Vec3 shift = {0, 0, 0};
  for (int d = 0; d < D; ++d) shift[d] = cells[d] * scene.step.cell;
  // the same rounding of the initial positions in both worlds
  const Scene there = moved(scene, shift), here = moved(there, {-shift[0], -shift[1], -shift[2]});
  auto expected = run<D>(here, 30);
  for (auto& p : expected) p.x += vector<D>(shift);
  const Difference d = difference(run<D>(there, 30), expected);
  EXPECT_LT(d.position, tolerance);
  EXPECT_LT(d.velocity, 10 * tolerance);
  EXPECT_LT(d.deformation, 10 * tolerance);
}

TEST(MovedWorld, GivesMovedResult) {
  moving_commutes<2>({7, -13, 0}, 1e-12);
  moving_commutes<3>({-5, 3, 101}, 1e-12);
}

TEST(MovedWorld, FarFromTheOriginToo) {
  moving_commutes<2>({1e5, -1e5, 0}, 1e-8);
  moving_commutes<3>({1e5, 3e5, -1e5}, 1e-8);
}

TEST(Range, MatterThatLeavesIsANamedError) {
  for (Precision precision : {Precision::float32, Precision::float64})
    for (int dimension : {2, 3})
      for (double side : {-1.0, 1.0}) {
        Scene scene = empty_scene(dimension, 1, 1, precision);
        add(scene, "spark", elastic(1e3, 0), {{side * 524200, 0.3, dimension == 3 ? 0.3 : 0.0}}, 0.5).velocity = {
            side * 0.9, 0, 0};
        World world(scene, 1);
        std::string text;
        for (int n = 0; n < 200 && text.empty(); ++n) {
          const std::uint64_t hash = world.state_hash();
          const double time = world.time();
          try {
            world.step();
          } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::out_of_range) << error.what();
            EXPECT_EQ(world.state_hash(), hash);
            EXPECT_EQ(world.time(), time);
            text = error.what();
          }
        }
        EXPECT_NE(text.find("range"), std::string::npos) << text;
      }
}

TEST(Range, FarMatterIsRefused) {
  Scene scene = empty_scene(3, 0.01, 1e-3);
  add(scene, "far", elastic(1e3, 0), {{1e5, 0, 0}}, 0.01);
  error_of(
      [&] {
        World world(scene, 1);
        world.step();
      },
      ErrorCode::out_of_range);
  scene.matter[0].points = {{0, -1e300, 0}};
  error_of(
      [&] {
        World world(scene, 1);
        world.step();
      },
      ErrorCode::out_of_range);
}

}  // namespace
}  // namespace pliant::test

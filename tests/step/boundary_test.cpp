// Grid boundaries: S5 Eqs. 102-107 on single nodes, every shape, inside out, in motion.
#include "step/support.h"
#include "step/traps.h"

namespace pliant::test {
namespace {

using Condition = Boundary::Condition;
using Kind = Boundary::Kind;

constexpr double h = 1e-4;

// One unstressed particle gives its velocity to every node it touches; where the particle is some cells deep in a
// boundary all of these nodes are projected, and it gets their velocity back.
Vec3 velocity_after_a_step(int dimension, const Boundary& boundary, const Vec3& x, const Vec3& v,
                           Kernel kernel = Kernel::quadratic) {
  Scene scene = empty_scene(dimension, h, 1e-6);
  scene.step.kernel = kernel;
  add(scene, "probe", elastic(1e3, 0.2), {x}, h / 2).velocity = v;
  scene.boundaries.push_back(boundary);
  World world(scene, 1);
  world.step();
  const auto after = numbers(world, "probe", Attribute::velocity);
  return {after[0], after[1], dimension == 3 ? after[2] : 0};
}

Eigen::Vector3d eigen(const Vec3& v) { return {v[0], v[1], v[2]}; }
Vec3 plain(const Eigen::Vector3d& v) { return {v[0], v[1], v[2]}; }

// S5 Eqs. 102-107 with epsilon = 0
Eigen::Vector3d projected(const Eigen::Vector3d& v, const Eigen::Vector3d& n, double c) {
  const double l_n = v.dot(n);
  const Eigen::Vector3d v_t = v - l_n * n;
  const double l_t = v_t.norm();
  const double l_t_new = std::max(l_t + c * std::min(l_n, 0.0), 0.0);
  return l_t_new / l_t * v_t + std::max(l_n, 0.0) * n;
}

struct Random {
  std::mt19937_64 engine{11};
  double operator()() { return 2 * double(engine() >> 11) / double(1ull << 53) - 1; }
  Eigen::Vector3d vector(int dimension) {
    const double x = (*this)(), y = (*this)(), z = (*this)();
    return {x, y, dimension == 3 ? z : 0.0};
  }
};

TEST(FrictionProjection, IsThatOfThePaper) {
  Random random;
  int stuck = 0, slid = 0, left = 0;
  for (int n = 0; n < 300; ++n) {
    const int dimension = n % 2 ? 2 : 3;
    const Kernel kernel = Kernel(n % 3);
    const Eigen::Vector3d normal = random.vector(dimension).normalized(), v = random.vector(dimension);
    const Eigen::Vector3d x = 1e-2 * random.vector(dimension);
    const double c = 1 + random();
    const Boundary wall = plane(plain(x + 3.01 * h * normal), plain(normal), c);
    const Eigen::Vector3d after = eigen(velocity_after_a_step(dimension, wall, plain(x), plain(v), kernel));
    const Eigen::Vector3d expected = projected(v, normal, c);
    // a few eps, and the epsilon of Eq. 104, which may be up to 1e-12 m^2/s^2 for tangential speeds above .1 m/s
    EXPECT_LT((after - expected).norm(), 1e-11) << n;
    (v.dot(normal) > 0 ? left : expected.norm() < 1e-12 ? stuck : slid) += 1;
  }
  EXPECT_GT(std::min({stuck, slid, left}), 20);
}

TEST(FrictionProjection, InFloat) {
  Scene scene = empty_scene(2, h, 1e-6, Precision::float32);
  add(scene, "probe", elastic(1e3, 0.2), {{0, 0, 0}}, h / 2).velocity = {1, -0.5, 0};
  scene.boundaries.push_back(plane({0, 0.01, 0}, {0, 1, 0}, 0.4));
  World world(scene, 1);
  world.step();
  const auto v = numbers(world, "probe", Attribute::velocity);
  EXPECT_NEAR(v[0], 0.8, 1e-6);
  EXPECT_NEAR(v[1], 0, 1e-6);
}

TEST(FrictionProjection, ATangentOfZeroIsHarmless) {
  for (Condition condition : {Condition::stick, Condition::slip, Condition::separate}) {
    const Vec3 v = velocity_after_a_step(3, plane({0, 0, 0.01}, {0, 0, 1}, 0.5, condition), {0, 0, 0}, {0, 0, -1});
    EXPECT_EQ(v, (Vec3{0, 0, 0}));
    const Vec3 rest = velocity_after_a_step(3, plane({0, 0, 0.01}, {0, 0, 1}, 0.5, condition), {0, 0, 0}, {0, 0, 0});
    EXPECT_EQ(rest, (Vec3{0, 0, 0}));
  }
}

TEST(Condition, StickSlipSeparate) {
  const Vec3 into = {1, 0.5, -2}, away = {1, 0.5, 2};
  const auto after = [](Condition condition, const Vec3& v, double friction) {
    return eigen(velocity_after_a_step(3, plane({0, 0, 0.01}, {0, 0, 1}, friction, condition), {0, 0, 0}, v));
  };
  EXPECT_LT(after(Condition::stick, into, 0).norm(), 1e-14);
  EXPECT_LT(after(Condition::stick, away, 0).norm(), 1e-14);
  EXPECT_LT((after(Condition::slip, into, 0) - Eigen::Vector3d(1, 0.5, 0)).norm(), 1e-13);
  EXPECT_LT((after(Condition::slip, away, 0) - Eigen::Vector3d(1, 0.5, 0)).norm(), 1e-13);
  EXPECT_LT((after(Condition::separate, into, 0) - Eigen::Vector3d(1, 0.5, 0)).norm(), 1e-13);
  EXPECT_LT((after(Condition::separate, away, 0) - Eigen::Vector3d(1, 0.5, 2)).norm(), 1e-13);
  // friction takes .25 * 2 m/s of the tangential sqrt(1.25) m/s
  const double kept = 1 - 0.5 / std::sqrt(1.25);
  EXPECT_LT((after(Condition::slip, into, 0.25) - kept * Eigen::Vector3d(1, 0.5, 0)).norm(), 1e-11);
  EXPECT_LT((after(Condition::separate, into, 0.25) - kept * Eigen::Vector3d(1, 0.5, 0)).norm(), 1e-11);
  EXPECT_LT((after(Condition::separate, away, 0.25) - Eigen::Vector3d(1, 0.5, 2)).norm(), 1e-13);
}

// a place on the surface of a boundary, and the outward normal there
struct Spot {
  std::string what;
  int dimension;
  Boundary boundary;
  Eigen::Vector3d surface, normal;
};

std::vector<Spot> spots() {
  std::vector<Spot> all;
  const Eigen::Vector3d c(0.3, -0.2, 0.1), flat(0.3, -0.2, 0);
  Boundary b;
  b.at = Boundary::At::nodes;
  b.name = "shape", b.friction = 0.3, b.center = plain(c);
  // sphere and disc of radius .5
  b.kind = Kind::sphere, b.radius = 0.5;
  const Eigen::Vector3d n = Eigen::Vector3d(1, -2, 2) / 3, n2 = Eigen::Vector3d(-0.6, 0.8, 0);
  all.push_back({"sphere", 3, b, c + 0.5 * n, n});
  // box 1 x .6 x .4, turned by 30 degrees about z; spots on faces off their middles
  b.kind = Kind::box, b.size = {1, 0.6, 0.4};
  b.rotation = {std::cos(M_PI / 12), 0, 0, std::sin(M_PI / 12)};
  const Eigen::Matrix3d R = Eigen::AngleAxisd(M_PI / 6, Eigen::Vector3d::UnitZ()).toRotationMatrix();
  all.push_back({"box x", 3, b, c + R * Eigen::Vector3d(0.5, 0.1, -0.05), R.col(0)});
  all.push_back({"box -y", 3, b, c + R * Eigen::Vector3d(0.2, -0.3, 0.05), -R.col(1)});
  all.push_back({"box z", 3, b, c + R * Eigen::Vector3d(-0.1, 0.05, 0.2), R.col(2)});
  Boundary rectangle = b;
  rectangle.center = plain(flat);
  all.push_back({"rectangle x", 2, rectangle, flat + R * Eigen::Vector3d(0.5, 0.1, 0), R.col(0)});
  all.push_back({"rectangle -y", 2, rectangle, flat + R * Eigen::Vector3d(0.2, -0.3, 0), -R.col(1)});
  // cylinder of radius .5 and length .8 about a tilted axis: side and cap
  b = Boundary();
  b.at = Boundary::At::nodes;
  b.name = "shape", b.friction = 0.3, b.center = plain(c), b.kind = Kind::cylinder, b.radius = 0.5, b.length = 0.8;
  const Eigen::Vector3d axis = n, out = n.cross(Eigen::Vector3d::UnitX()).normalized();
  b.normal = plain(axis);
  all.push_back({"cylinder side", 3, b, c + 0.2 * axis + 0.5 * out, out});
  all.push_back({"cylinder cap", 3, b, c - 0.4 * axis + 0.1 * out, -axis});
  Boundary disc;
  disc.at = Boundary::At::nodes;
  disc.name = "shape", disc.friction = 0.3, disc.center = plain(flat), disc.kind = Kind::sphere, disc.radius = 0.5;
  all.push_back({"disc", 2, disc, flat + 0.5 * n2, n2});
  // plane
  Boundary wall = plane(plain(c), plain(n), 0.3);
  all.push_back({"plane", 3, wall, c, n});
  return all;
}

// The cell is 5000 times smaller than the shapes, so that their normals turn by no more than 1e-3 between the nodes of
// one particle.
TEST(Shape, ProjectsJustInsideAndLeavesJustOutside) {
  for (const Spot& spot : spots())
    for (bool inside_out : {false, true}) {
      SCOPED_TRACE(spot.what + (inside_out ? " inside out" : ""));
      Boundary boundary = spot.boundary;
      boundary.inside_out = inside_out;
      const Eigen::Vector3d normal = inside_out ? Eigen::Vector3d(-spot.normal) : spot.normal;
      Eigen::Vector3d v = -normal + 0.9 * normal.unitOrthogonal();
      if (spot.dimension == 2) v = -normal + 0.9 * Eigen::Vector3d(-normal[1], normal[0], 0);
      const Vec3 solid = plain(spot.surface - 3 * h * normal), free = plain(spot.surface + 3 * h * normal);
      const Eigen::Vector3d stopped = eigen(velocity_after_a_step(spot.dimension, boundary, solid, plain(v)));
      EXPECT_LT((stopped - projected(v, normal, 0.3)).norm(), 2e-3) << stopped.transpose();
      const Eigen::Vector3d untouched = eigen(velocity_after_a_step(spot.dimension, boundary, free, plain(v)));
      EXPECT_LT((untouched - v).norm(), 1e-13) << untouched.transpose();
    }
}

// What is dropped onto or into each shape stays on its side. Only nodes inside a boundary feel it, and the first of
// them may be a cell below the surface: soft matter sinks in by up to that.
TEST(Shape, KeepsABlobOut) {
  for (int dimension : {2, 3})
    for (Kind kind : {Kind::sphere, Kind::box, Kind::cylinder}) {
      if (dimension == 2 && kind == Kind::cylinder) continue;
      const double cell = 0.05;
      Scene scene = empty_scene(dimension, cell, 2e-3);
      scene.step.substeps = 0;
      scene.step.gravity = dimension == 2 ? Vec3{0, -9.81, 0} : Vec3{0, 0, -9.81};
      Boundary obstacle;
      obstacle.at = Boundary::At::nodes;
      obstacle.name = "obstacle", obstacle.kind = kind, obstacle.radius = 0.3, obstacle.length = 2;
      obstacle.size = {0.6, 0.6, 0.6}, obstacle.normal = {0, 1, 0};
      scene.boundaries.push_back(obstacle);
      const Vec3 top = dimension == 2 ? Vec3{0.02, 0.5, 0} : Vec3{0.02, 0.01, 0.5};
      add(scene, "blob", elastic(5e3, 0.3), ball(dimension, top, 0.15, cell / 2), cell / 2);
      World world(scene, 2);
      double depth = 0, touched = 0;
      for (int n = 0; n < 200; ++n) {
        const StepReport& report = world.step();
        touched += std::abs(report.boundary_impulses[0][dimension - 1]);
        const auto x = numbers(world, "blob", Attribute::position);
        for (std::size_t p = 0; p < x.size() / dimension; ++p) {
          const double* at = &x[p * dimension];
          const double height = at[dimension - 1];
          double distance = std::max(std::abs(at[0]), std::abs(height)) - 0.3;
          if (kind != Kind::box)
            distance = std::hypot(at[0], height, dimension == 3 && kind == Kind::sphere ? at[1] : 0) - 0.3;
          depth = std::max(depth, -distance);
        }
      }
      EXPECT_LT(depth, 1.25 * cell) << dimension << int(kind);
      EXPECT_GT(touched, 0.1) << dimension << int(kind);
    }
}

TEST(Shape, InsideOutKeepsMatterIn) {
  for (int dimension : {2, 3})
    for (Kind kind : {Kind::sphere, Kind::box, Kind::cylinder}) {
      if (dimension == 2 && kind == Kind::cylinder) continue;
      const double cell = 0.05;
      Scene scene = empty_scene(dimension, cell, 2e-3);
      scene.step.substeps = 0;
      scene.step.gravity = dimension == 2 ? Vec3{5, -9.81, 0} : Vec3{5, 0, -9.81};
      Boundary vessel;
      vessel.at = Boundary::At::nodes;
      vessel.name = "vessel", vessel.kind = kind, vessel.radius = 0.3, vessel.length = 0.6, vessel.inside_out = true;
      vessel.size = {0.6, 0.6, 0.6};
      scene.boundaries.push_back(vessel);
      add(scene, "blob", elastic(5e3, 0.3), ball(dimension, {0, 0, 0}, 0.15, cell / 2), cell / 2).velocity = {1, 1, 0};
      World world(scene, 2);
      for (int n = 0; n < 300; ++n) world.step();
      const auto x = numbers(world, "blob", Attribute::position);
      for (double number : x) EXPECT_LT(std::abs(number), 0.3 + 1.25 * cell) << dimension << int(kind);
    }
}

// in the frame of a moving wall everything is as with a wall at rest
TEST(MovingBoundary, CarriesMatterAlong) {
  for (Condition condition : {Condition::stick, Condition::slip, Condition::separate}) {
    const Vec3 u = {0.3, 0.1, 0.5}, v = {1, 0.5, -2};
    Boundary wall = plane({0, 0, 0.01}, {0, 0, 1}, 0.2, condition);
    const Vec3 still = velocity_after_a_step(3, wall, {0, 0, 0}, {v[0] - u[0], v[1] - u[1], v[2] - u[2]});
    wall.velocity = u;
    const Vec3 moving = velocity_after_a_step(3, wall, {0, 0, 0}, v);
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(moving[d], still[d] + u[d], 1e-12);
  }
}

// a piston at constant speed reaches the particle when it should, and its speed can be changed
TEST(MovingBoundary, Moves) {
  Scene scene = empty_scene(2, 0.01, 1e-3);
  // soft and with damping, so that it does not bounce
  scene.step.transfer = Transfer::pic;
  add(scene, "probe", elastic(1e-3, 0.2), {{0.5, 0.003, 0}}, 0.005);
  scene.boundaries.push_back(plane({0, 0, 0}, {1, 0, 0}, 0, Condition::separate));
  scene.boundaries.back().velocity = {1, 0, 0};
  World world(scene, 1);
  const auto speed = [&] { return numbers(world, "probe", Attribute::velocity)[0]; };
  while (world.time() < 0.48) {
    world.step();
    ASSERT_EQ(speed(), 0) << world.time();
  }
  while (world.time() < 0.53) world.step();
  EXPECT_NEAR(speed(), 1, 1e-3);
  // the piston stops: the probe flies on, and meets it again if it turns back
  world.set_boundary_velocity("plane", {0, 0, 0});
  while (world.time() < 0.63) world.step();
  EXPECT_NEAR(speed(), 1, 1e-3);
  EXPECT_NEAR(numbers(world, "probe", Attribute::position)[0], 0.63, 0.02);
  error_of([&] { world.set_boundary_velocity("nobody", {0, 0, 0}); }, ErrorCode::bad_input);
}

}  // namespace
}  // namespace pliant::test

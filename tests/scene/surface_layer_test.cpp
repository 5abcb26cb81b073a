// Particles on the surface of a shape.
#include "scene/sampled_shapes.h"

namespace pliant {

using namespace geometry;
using namespace scene;

namespace {

using namespace test;
using Method = Sampling::Method;

// points with about half the volume are on the surface, the others half a spacing below it
TEST(SurfaceLayer, OnTheSurfaceOrBelow) {
  for (const auto& [kind, dimension] : cases)
    for (const Method method : {Method::lattice, Method::poisson}) {
      const Shape shape = make_shape(kind, dimension);
      const double spacing = 0.02;
      const Samples samples = sample(shape, make_sampling(method, dimension, true), 2 * spacing, dimension);
      const double inner = *std::max_element(samples.volumes.begin(), samples.volumes.end());
      std::size_t on_surface = 0;
      for (std::size_t i = 0; i < samples.positions.size(); ++i) {
        const double depth = exact_depth(shape, samples.positions[i], dimension);
        if (samples.volumes[i] < inner) {
          ASSERT_GE(samples.volumes[i], inner / 8 * (1 - 1e-14));
          ASSERT_NEAR(depth, 0, 1e-15);
          ++on_surface;
        } else {
          ASSERT_GE(depth, spacing / 2 - 1e-15);
        }
      }
      EXPECT_GT(on_surface, 50u);
      EXPECT_LT(on_surface, samples.positions.size());
    }
}

// sum of m x^2 of the particles, each a cube of its volume
TEST(SurfaceLayer, TurnsAsTheSolidDoes) {
  Shape ball, rod, box;
  ball.kind = Kind::sphere;
  rod.kind = Kind::cylinder;
  rod.radius = 0.3;
  box.size = {0.4, 0.5, 0.6};
  const double pi = std::numbers::pi;
  const std::pair<Shape, double> cases[] = {{ball, 4.0 / 3 * pi * 0.125 * 0.6 * 0.25},
                                            {rod, pi * 0.09 * (0.09 / 2 + 1.0 / 12)},
                                            {box, 0.12 * (0.16 + 0.25 + 0.36) / 12}};
  for (const auto& [shape, expected] : cases)
    for (const Method method : {Method::lattice, Method::poisson})
      for (double cell : {0.1, 0.05}) {
        const Samples samples = sample(shape, make_sampling(method, 3, true), cell, 3);
        double sum = 0;
        for (std::size_t i = 0; i < samples.positions.size(); ++i) {
          const Point p = to_point(samples.positions[i]);
          sum += samples.volumes[i] * (dot(p, p) + std::pow(samples.volumes[i], 2.0 / 3) / 4);
        }
        // exact but for the iteration for the cubes' own part
        EXPECT_NEAR(sum, expected, 1e-12 * expected) << int(shape.kind) << " " << cell;
      }
}

// from every place of the surface, the next point is near, and no two of them are crowded
TEST(SurfaceLayer, IsEven) {
  const double spacing = 0.02;
  for (const auto& [kind, dimension] : cases) {
    Shape shape = make_shape(kind, dimension);
    const Samples samples = sample(shape, make_sampling(Method::lattice, dimension, true), 2 * spacing, dimension);
    std::vector<Vec3> on_surface;
    for (std::size_t i = 0; i < samples.positions.size(); ++i)
      if (samples.volumes[i] < 0.75 * samples.volumes.back()) on_surface.push_back(samples.positions[i]);
    EXPECT_GT(least_distance(on_surface), 0.45 * spacing) << int(kind);
    // walk from inside outwards to find places of the surface
    Random random(4);
    double largest = 0;
    for (int n = 0; n < 2000; ++n) {
      const double reach = 1.0;
      Point direction = Point::zero();
      for (int i = 0; i < dimension; ++i) direction[i] = 2 * random.uniform() - 1;
      double from = 0, to = reach / norm(direction);
      const auto at = [&](double t) { return to_vec3(to_point(shape.center) + t * direction); };
      for (int k = 0; k < 50; ++k)
        (exact_depth(shape, at(0.5 * (from + to)), dimension) > 0 ? from : to) = 0.5 * (from + to);
      double gap = HUGE_VAL;
      for (const Vec3& q : on_surface) gap = std::min(gap, distance(at(from), q));
      largest = std::max(largest, gap);
    }
    EXPECT_LT(largest, 1.2 * spacing) << int(kind) << " " << dimension;
  }
}

TEST(SurfaceLayer, SphereIsRound) {
  for (const double spacing : {0.2, 0.1, 0.05}) {
    Shape ball;
    ball.kind = Kind::sphere;
    ball.center = {0.4, 0.5, 0.6};
    const Samples samples = sample(ball, make_sampling(Method::poisson, 3, true), 2 * spacing, 3);
    Random random(8);
    for (int n = 0; n < 2000; ++n) {
      Point direction;
      do
        for (int i = 0; i < 3; ++i) direction[i] = 2 * random.uniform() - 1;
      while (norm(direction) > 1 || norm(direction) < 0.1);
      const Vec3 place = to_vec3(to_point(ball.center) + (ball.radius / norm(direction)) * direction);
      double gap = HUGE_VAL;
      for (const Vec3& p : samples.positions)
        if (std::fabs(distance(p, ball.center) - ball.radius) < 1e-12) gap = std::min(gap, distance(p, place));
      ASSERT_LT(gap, 1.5 * spacing);
    }
  }
}

TEST(SurfaceLayer, BoxHasItsCorners) {
  Shape box;
  box.size = {0.4, 0.2, 0.3};
  const Samples samples = sample(box, make_sampling(Method::lattice, 3, true), 0.1, 3);
  // surface: all sites of a lattice of 9 x 5 x 7 but the inner 7 x 3 x 5; inside: those
  EXPECT_EQ(samples.positions.size(), 9u * 5 * 7);
  for (int n = 0; n < 8; ++n) {
    const Vec3 corner = {n & 1 ? 0.2 : -0.2, n & 2 ? 0.1 : -0.1, n & 4 ? 0.15 : -0.15};
    EXPECT_EQ(std::count(samples.positions.begin(), samples.positions.end(), corner), 1);
  }
  EXPECT_NEAR(least_distance(samples.positions), 0.05, 1e-15);
}

// a plate thinner than a spacing has nothing inside
TEST(SurfaceLayer, ThinPlate) {
  Shape plate;
  plate.size = {1, 1, 0.01};
  for (const Method method : {Method::lattice, Method::poisson}) {
    const Samples samples = sample(plate, make_sampling(method, 3, true), 0.2, 3);
    EXPECT_EQ(samples.positions.size(), 2u * 11 * 11);
    EXPECT_NEAR(sum(samples.volumes), 0.01, 1e-14);
  }
}

}  // namespace
}  // namespace pliant

// Distance to primitive shapes: the foot of the normal lies on the surface, and no point of the surface is closer.
#include "geometry/distance.h"

#include "geometry/surfaces.h"

#include <gtest/gtest.h>

namespace pliant {

using namespace geometry;

namespace {

constexpr double eps = 2.3e-16;

std::string told(const RigidShape& s, const Vec& x) {
  return "kind " + std::to_string(int(s.kind)) + " size " + std::to_string(s.size[0]) + " " +
         std::to_string(s.size[1]) + " " + std::to_string(s.size[2]) + " at " + std::to_string(x[0]) + " " +
         std::to_string(x[1]) + " " + std::to_string(x[2]);
}

// points near and far, on axes and planes of symmetry, on edges
Vec random_query(Random& random, const RigidShape& shape) {
  const double pick = random.uniform();
  if (pick < 0.3) return random_on_surface(shape, random) + 1e-3 * random_in(random, 1);
  Vec x = random_in(random, pick < 0.4 ? 30 : 1.2);
  for (int i = 0; i < 3; ++i)
    if (random.uniform() < 0.15) x[i] = 0;
  return x;
}

double slack_of(const Vec& x) { return 20 * eps * (1 + norm(x)); }

TEST(Distance, FootOfTheNormalLiesOnTheSurface) {
  Random random(1);
  for (const RigidShape& shape : primitives())
    for (int n = 0; n < 3000; ++n) {
      const Vec x = random_query(random, shape);
      const ShapeDistance d = distance(shape, x);
      EXPECT_NEAR(norm(d.normal), 1, 8 * eps) << told(shape, x);
      const Vec foot = x - d.phi * d.normal;
      // an ellipsoid's equation counts in half axes: a round-off of x is that of x / (least half axis)
      const bool is_ellipsoid = shape.kind == Kind::ellipsoid;
      const double unit = is_ellipsoid ? std::min({shape.size[0], shape.size[1], shape.size[2]}) : 1;
      EXPECT_NEAR(equation(shape, foot), 0, slack_of(x) / unit) << told(shape, x);
      const double side = equation(shape, x);
      if (std::fabs(side) > slack_of(x) / unit) {
        EXPECT_EQ(d.phi < 0, side < 0) << told(shape, x);
      }
    }
}

TEST(Distance, InsideOutIsTheOtherSide) {
  Random random(6);
  const Pose pose = {{{0.1, -0.2, 0.3}}, frame_along({{0.6, 0, 0.8}})};
  for (const RigidShape& shape : primitives()) {
    RigidShape hollow = shape;
    hollow.inside_out = true;
    double x[3][37], phi[37], normal[3][37];
    for (auto& row : x)
      for (double& coordinate : row) coordinate = random_in(random, 1.2)[0];
    distances<double>(hollow, pose, 37, {{x[0], x[1], x[2]}}, phi, {{normal[0], normal[1], normal[2]}});
    for (int p = 0; p < 37; ++p) {
      const ShapeDistance d = distance(shape, pose, {{x[0][p], x[1][p], x[2][p]}});
      EXPECT_NEAR(phi[p], -d.phi, 1e-12);
      for (int i = 0; i < 3; ++i) EXPECT_NEAR(normal[i][p], -d.normal[i], 1e-6);
      EXPECT_EQ(distance(hollow, pose, {{x[0][p], x[1][p], x[2][p]}}).phi, -d.phi);
    }
    const Bounds bounds = world_bounds(hollow, pose);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isinf(bounds.lower[i]) && std::isinf(bounds.upper[i]));
  }
}

TEST(Distance, NoPointOfTheSurfaceIsCloser) {
  Random random(2);
  for (const RigidShape& shape : primitives()) {
    std::vector<Vec> surface(3000);
    for (Vec& p : surface) p = random_on_surface(shape, random);
    for (int n = 0; n < 300; ++n) {
      const Vec x = random_query(random, shape);
      const double depth = std::fabs(distance(shape, x).phi);
      double least = HUGE_VAL;
      for (const Vec& p : surface) least = std::min(least, norm(x - p));
      EXPECT_GE(least, depth - slack_of(x)) << told(shape, x);
    }
  }
}

TEST(Distance, NormalIsTheGradient) {
  Random random(3);
  const double h = 1e-5;
  for (const RigidShape& shape : primitives()) {
    int checked = 0;
    for (int n = 0; n < 400; ++n) {
      const Vec x = random_in(random, 1.2);
      const Vec normal = distance(shape, x).normal;
      Vec gradient;
      double turn = 0;
      for (int i = 0; i < 3; ++i) {
        Vec step = Vec::zero();
        step[i] = h;
        const ShapeDistance ahead = distance(shape, x + step), behind = distance(shape, x - step);
        gradient[i] = (ahead.phi - behind.phi) / (2 * h);
        turn = std::max({turn, norm(ahead.normal - normal), norm(behind.normal - normal)});
      }
      // edges and medial axes have no gradient; elsewhere a normal that turns by t within h leaves an error of about
      // t^2, and round-off of phi leaves eps / h
      if (turn > 1e-2) continue;
      ++checked;
      EXPECT_LT(norm(gradient - normal), 2 * turn * turn + 1e-9) << told(shape, x);
    }
    EXPECT_GT(checked, 200);
  }
}

TEST(Distance, ChangesNoFasterThanThePoint) {
  Random random(4);
  for (const RigidShape& shape : primitives())
    for (int n = 0; n < 3000; ++n) {
      const Vec x = random_query(random, shape), y = x + between(random, 0, 0.2) * random_direction(random);
      EXPECT_LE(std::fabs(distance(shape, x).phi - distance(shape, y).phi), norm(x - y) + slack_of(x))
          << told(shape, x);
    }
}

TEST(Distance, KnownValues) {
  const auto phi = [](const RigidShape& shape, const Vec& x) { return distance(shape, x).phi; };
  EXPECT_EQ(phi(shape_of(Kind::plane), {{5, -3, -0.25}}), -0.25);
  EXPECT_EQ(phi(shape_of(Kind::sphere, 2), {{0, 0, 0}}), -2);
  EXPECT_EQ(phi(shape_of(Kind::capsule, 1, 2), {{0, 0, 1}}), -1);
  EXPECT_EQ(phi(shape_of(Kind::capsule, 1, 2), {{3, 0, 6}}), 4);
  EXPECT_EQ(phi(shape_of(Kind::cylinder, 1, 2), {{0, 0, 0}}), -1);
  EXPECT_EQ(phi(shape_of(Kind::cylinder, 3, 2), {{0, 0, 0}}), -2);
  EXPECT_EQ(phi(shape_of(Kind::cylinder, 1, 2), {{0, 4, 6}}), 5);
  EXPECT_EQ(phi(shape_of(Kind::box, 1, 2, 3), {{0, 0, 0}}), -1);
  EXPECT_EQ(phi(shape_of(Kind::box, 1, 2, 3), {{4, 6, 0}}), 5);
  EXPECT_EQ(phi(shape_of(Kind::box, 1, 2, 3), {{1, 2, 3}}), 0);
  // along the axes of an ellipsoid, outside and (for the least) inside
  const RigidShape egg = shape_of(Kind::ellipsoid, 3, 1, 2);
  EXPECT_NEAR(phi(egg, {{5, 0, 0}}), 2, 1e-15);
  EXPECT_NEAR(phi(egg, {{0, -5, 0}}), 4, 1e-15);
  EXPECT_NEAR(phi(egg, {{0, 0, 5}}), 3, 1e-15);
  EXPECT_NEAR(phi(egg, {{0, 0, 0}}), -1, 1e-15);
  EXPECT_NEAR(phi(egg, {{0, 0.75, 0}}), -0.25, 1e-15);
}

// every place where a formula may divide by nothing
TEST(Distance, UnitNormalsWherePhiHasNoGradient) {
  std::vector<RigidShape> shapes = primitives();
  shapes.push_back(shape_of(Kind::ellipsoid, 1, 1e-6, 1e-9));
  shapes.push_back(shape_of(Kind::ellipsoid, 1e-9, 1, 1));
  for (const RigidShape& shape : shapes)
    for (const double a : {0.0, 1e-300, -1e-18, 1e-9, -0.3, 0.5, 1e9})
      for (const double b : {0.0, -1e-300, 1e-15, -0.2, 0.9})
        for (const double c : {0.0, 1e-160, -1e-12, 0.7, -0.01}) {
          const Vec x = {{a, b, c}};
          const ShapeDistance d = distance(shape, x);
          EXPECT_NEAR(norm(d.normal), 1, 8 * eps) << told(shape, x);
          EXPECT_TRUE(std::isfinite(d.phi)) << told(shape, x);
        }
}

TEST(Distance, EllipsoidOfEqualAxesIsASphere) {
  Random random(5);
  const RigidShape egg = shape_of(Kind::ellipsoid, 0.3, 0.3, 0.3), ball = shape_of(Kind::sphere, 0.3);
  for (int n = 0; n < 2000; ++n) {
    const Vec x = random_in(random, 1);
    const ShapeDistance a = distance(egg, x), b = distance(ball, x);
    EXPECT_NEAR(a.phi, b.phi, 8 * eps);
    EXPECT_LT(norm(a.normal - b.normal), 1e-14);
  }
}

TEST(Distance, TurnsWithTheFrame) {
  Random random(6);
  for (const RigidShape& shape : primitives()) {
    const Pose pose = random_pose(random);
    for (int n = 0; n < 200; ++n) {
      const Vec x = random_in(random, 1.2);
      const ShapeDistance here = distance(shape, x);
      const ShapeDistance there = distance(shape, pose, pose.position + pose.rotation * x);
      EXPECT_NEAR(here.phi, there.phi, 1e-14) << told(shape, x);
      // inside, round-off may choose the other side of a medial axis; outside, normals turn by at most dx / phi
      if (here.phi > 0.05) {
        EXPECT_LT(norm(there.normal - pose.rotation * here.normal), 1e-12) << told(shape, x);
      }
    }
  }
}

// packs against the plain twin
template <class S>
void compare_packs(double tolerance) {
  Random random(7);
  for (const RigidShape& shape : primitives())
    for (const std::size_t count : {0, 1, 3, 4, 7, 8, 9, 64, 301}) {
      const bool is_upright = count < 8 || count == 301;
      const Pose pose = is_upright ? Pose{Vec::zero(), Matrix<double, 3>::identity()} : random_pose(random);
      std::vector<S> rows[7];
      for (auto& row : rows) row.assign(count + 1, S(-77));
      for (std::size_t p = 0; p < count; ++p) {
        Vec local = p == 0 ? Vec::zero() : random_in(random, 1);
        for (int i = 0; i < 3; ++i)
          if (random.uniform() < 0.15) local[i] = 0;
        const Vec x = pose.position + pose.rotation * local;
        for (int i = 0; i < 3; ++i) rows[i][p] = S(x[i]);
      }
      distances<S>(shape, pose, count, {{rows[0].data(), rows[1].data(), rows[2].data()}}, rows[6].data(),
                   {{rows[3].data(), rows[4].data(), rows[5].data()}});
      for (int i = 3; i < 7; ++i) EXPECT_EQ(rows[i][count], S(-77));
      for (std::size_t p = 0; p < count; ++p) {
        const Vec x = {{double(rows[0][p]), double(rows[1][p]), double(rows[2][p])}};
        const Vec normal = {{double(rows[3][p]), double(rows[4][p]), double(rows[5][p])}};
        const ShapeDistance plain = distance(shape, pose, x);
        EXPECT_NEAR(rows[6][p], plain.phi, tolerance) << told(shape, x);
        EXPECT_NEAR(norm(normal), 1, tolerance) << told(shape, x);
        // a normal may come from the other side of a medial axis; then a step along it gains as much
        const double gain = distance(shape, pose, x + 1e-3 * normal).phi - plain.phi;
        if (norm(normal - plain.normal) > 100 * tolerance) {
          EXPECT_NEAR(gain, 1e-3, 1e-5) << told(shape, x);
        }
      }
    }
}

TEST(Distance, PacksOfDoubles) { compare_packs<double>(2e-15); }
TEST(Distance, PacksOfFloats) { compare_packs<float>(1e-6); }  // eight round-offs of coordinates up to 2

TEST(Distance, WorldBoundsAreTight) {
  Random random(8);
  for (const RigidShape& shape : primitives()) {
    if (shape.kind == Kind::plane) continue;
    const Pose pose = random_pose(random);
    const Bounds bounds = world_bounds(shape, pose);
    Vec lower = {{1e9, 1e9, 1e9}}, upper = {{-1e9, -1e9, -1e9}};
    double farthest = 0;
    for (int n = 0; n < 20000; ++n) {
      const Vec p = random_on_surface(shape, random), x = pose.position + pose.rotation * p;
      farthest = std::max(farthest, norm(p));
      for (int i = 0; i < 3; ++i) {
        lower[i] = std::min(lower[i], x[i]);
        upper[i] = std::max(upper[i], x[i]);
      }
    }
    for (int i = 0; i < 3; ++i) {
      // 20,000 points come this close to the extremes
      EXPECT_LE(bounds.lower[i], lower[i] + 1e-14);
      EXPECT_GE(bounds.upper[i], upper[i] - 1e-14);
      EXPECT_GE(bounds.lower[i], lower[i] - 0.02);
      EXPECT_LE(bounds.upper[i], upper[i] + 0.02);
    }
    EXPECT_LE(farthest, bounding_radius(shape) * (1 + 1e-14));
    EXPECT_GE(farthest, bounding_radius(shape) - 0.02);
  }
}

}  // namespace
}  // namespace pliant

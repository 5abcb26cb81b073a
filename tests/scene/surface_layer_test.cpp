// Particles on the surface of a shape.
#include "scene/sampled_shapes.h"

namespace pliant {

using namespace geometry;
using namespace scene;

namespace {

using namespace test;
using Method = Sampling::Method;

// the vertices of the surface come first, then those inside, half a spacing below it
TEST(SurfaceLayer, OnTheSurfaceFirstThenBelow) {
  for (const auto& [kind, dimension] : cases)
    for (const Method method : {Method::lattice, Method::poisson}) {
      const Shape shape = make_shape(kind, dimension);
      const double spacing = 0.02;
      const Samples samples = sample(shape, make_sampling(method, dimension, true), 2 * spacing, dimension);
      std::size_t on_surface = 0;
      while (on_surface < samples.positions.size() &&
             std::fabs(exact_depth(shape, samples.positions[on_surface], dimension)) < 1e-15)
        ++on_surface;
      for (std::size_t i = on_surface; i < samples.positions.size(); ++i)
        ASSERT_GE(exact_depth(shape, samples.positions[i], dimension), spacing / 2 - 1e-15);
      EXPECT_GT(on_surface, 50u);
      EXPECT_LT(on_surface, samples.positions.size());
      EXPECT_EQ(samples.areas.size(), dimension == 3 ? on_surface : 0);
      EXPECT_EQ(samples.facing.size(), samples.areas.size());
      for (const auto& t : samples.triangles)
        for (const std::uint32_t v : t) ASSERT_LT(v, on_surface);
    }
}

// volume, centre and second moments of the particles are those of the shape: by closed forms in its frame, turned
TEST(SurfaceLayer, MomentsAreThoseOfTheShape) {
  for (const Kind kind : {Kind::box, Kind::sphere, Kind::cylinder, Kind::capsule})
    for (const Method method : {Method::lattice, Method::poisson})
      for (const double cell : {0.11, 0.06, 0.031}) {
        const Shape shape = make_shape(kind, 3);
        const Samples samples = sample(shape, make_sampling(method, 3, true), cell, 3);
        const double V = exact_volume(shape, 3), r = shape.radius, l = shape.length;
        const double ends = 4 * pi / 3 * r * r * r, rod = V - ends;
        double own[3] = {V * r * r / 5, V * r * r / 5, V * r * r / 5};
        for (std::size_t d = 0; d < 3 && kind == Kind::box; ++d) own[d] = V * shape.size[d] * shape.size[d] / 12;
        if (kind == Kind::cylinder) own[0] = own[1] = V * r * r / 4, own[2] = V * l * l / 12;
        if (kind == Kind::capsule) {
          own[0] = own[1] = rod * r * r / 4 + ends * r * r / 5;
          own[2] = rod * l * l / 12 + ends * (r * r / 5 + 3 * r * l / 8 + l * l / 4);
        }
        const auto& [w, x, y, z] = shape.rotation;
        Point first = Point::zero();
        double second[3][3] = {};
        for (std::size_t i = 0; i < samples.positions.size(); ++i) {
          const Point p = rotate({w, -x, -y, -z}, to_point(samples.positions[i]) - to_point(shape.center));
          first += samples.volumes[i] * p;
          for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) second[a][b] += samples.volumes[i] * p[a] * p[b];
        }
        // round-off
        EXPECT_NEAR(sum(samples.volumes), V, 1e-12 * V);
        EXPECT_LT(norm(first), 1e-12 * V);
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b)
            EXPECT_NEAR(second[a][b], a == b ? own[a] : 0, 1e-11 * V) << int(kind) << " " << cell;
        // and nobody has much more or less than its neighbours
        const std::size_t n = samples.areas.size();
        const auto [least, most] =
            std::minmax_element(samples.volumes.begin() + std::ptrdiff_t(n), samples.volumes.end());
        EXPECT_LT(*most, 2 * *least) << int(kind) << " " << cell;
      }
}

// on a grid the particles' mass, spread by the kernel, has the second moments of the shape; no mass is lost or moved sideways
TEST(SurfaceLayer, MassTurnsOnAGridAsTheShapeDoes) {
  for (const Kind kind : {Kind::box, Kind::sphere, Kind::cylinder, Kind::capsule}) {
    const Shape shape = make_shape(kind, 3);
    const double cell = 0.031, smear = kernel_smear(Kernel::quadratic, cell);
    const Samples samples = sample(shape, make_sampling(Method::lattice, 3, true), cell, 3, 20'000'000, false, smear);
    ASSERT_EQ(samples.masses.size(), samples.volumes.size());
    double sums[2][7] = {};
    for (std::size_t i = 0; i < samples.positions.size(); ++i) {
      const Point p = to_point(samples.positions[i]) - to_point(shape.center);
      EXPECT_GT(samples.masses[i], 0.3 * samples.volumes[i]);
      for (int of = 0; of < 2; ++of) {
        const double m = of == 0 ? samples.volumes[i] : samples.masses[i];
        sums[of][0] += m;
        for (int d = 0; d < 3; ++d) sums[of][1 + d] += m * p[d], sums[of][4 + d] += m * (p[d] * p[d] + of * smear);
      }
    }
    // Newton's method ends at changes of 1e-12
    for (int k = 0; k < 7; ++k) EXPECT_NEAR(sums[1][k], sums[0][k], 1e-9 * sums[0][0]) << int(kind) << k;
  }
}

// where it is thinner than the smear, mass moves as far as it may and stays positive
TEST(SurfaceLayer, MassOfThinPlatesStaysPositive) {
  Shape shape = make_shape(Kind::box, 3);
  shape.size = {0.5, 0.4, 0.03};
  const Samples samples = sample(shape, make_sampling(Method::lattice, 3, true), 0.03, 3, 20'000'000, false,
                                 kernel_smear(Kernel::quadratic, 0.03));
  ASSERT_EQ(samples.masses.size(), samples.volumes.size());
  double volume = 0, mass = 0;
  for (std::size_t i = 0; i < samples.masses.size(); ++i) {
    EXPECT_GT(samples.masses[i], 0.1 * samples.volumes[i]);
    volume += samples.volumes[i], mass += samples.masses[i];
  }
  EXPECT_NEAR(mass, volume, 1e-12 * volume);
}

// from every place of the surface, the next point is near, and no two of them are crowded
TEST(SurfaceLayer, IsEven) {
  const double spacing = 0.02;
  for (const auto& [kind, dimension] : cases) {
    Shape shape = make_shape(kind, dimension);
    const Samples samples = sample(shape, make_sampling(Method::lattice, dimension, true), 2 * spacing, dimension);
    std::vector<Vec3> on_surface;
    for (std::size_t i = 0; i < samples.positions.size(); ++i)
      if (std::fabs(exact_depth(shape, samples.positions[i], dimension)) < 1e-15)
        on_surface.push_back(samples.positions[i]);
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

// a plate half a cell thick has its second moments too: something is inside
TEST(SurfaceLayer, ThinPlate) {
  Shape plate;
  plate.size = {1, 1, 0.1};
  for (const Method method : {Method::lattice, Method::poisson}) {
    const Samples samples = sample(plate, make_sampling(method, 3, true), 0.2, 3);
    EXPECT_GT(samples.positions.size(), samples.areas.size());
    EXPECT_NEAR(sum(samples.volumes), 0.1, 1e-14);
    double across = 0;
    for (std::size_t i = 0; i < samples.positions.size(); ++i)
      across += samples.volumes[i] * samples.positions[i][2] * samples.positions[i][2];
    EXPECT_NEAR(across, 0.1 * 0.1 * 0.1 / 12, 1e-12);
  }
}

}  // namespace
}  // namespace pliant

// Shapes become particles: how many, where, and with which volume.
#include "scene/sampling.h"

#include "scene/errors.h"
#include "scene/sampled_shapes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace pliant {

using namespace geometry;
using namespace scene;

namespace {

using namespace test;
using Method = Sampling::Method;

TEST(Random, KnownNumbers) {
  // from another implementation of splitmix64 and xoshiro256++, in arbitrary integers
  Random random(1);
  EXPECT_EQ(random.bits(), 14971601782005023387u);
  EXPECT_EQ(random.bits(), 13781649495232077965u);
  EXPECT_EQ(random.bits(), 1847458086238483744u);
}

TEST(Sampling, Volume) {
  for (const auto& [kind, dimension] : cases) {
    const Shape shape = make_shape(kind, dimension);
    EXPECT_NEAR(volume(shape, dimension), exact_volume(shape, dimension), 1e-15);
  }
}

TEST(Sampling, VolumesSumToTheShape) {
  for (const auto& [kind, dimension] : cases)
    for (const Method method : {Method::lattice, Method::poisson})
      for (const bool layer : {false, true}) {
        const Shape shape = make_shape(kind, dimension);
        const Samples samples = sample(shape, make_sampling(method, dimension, layer), 0.05, dimension);
        ASSERT_EQ(samples.positions.size(), samples.volumes.size());
        const double exact = exact_volume(shape, dimension);
        EXPECT_NEAR(sum(samples.volumes), exact, 1e-12 * exact);
        EXPECT_GT(*std::min_element(samples.volumes.begin(), samples.volumes.end()), 0);
      }
}

TEST(Sampling, AllPointsAreInside) {
  for (const auto& [kind, dimension] : cases)
    for (const Method method : {Method::lattice, Method::poisson})
      for (const double jitter : {0.0, 1.0}) {
        const Shape shape = make_shape(kind, dimension);
        Sampling sampling = make_sampling(method, dimension);
        sampling.jitter = jitter;
        for (const Vec3& p : sample(shape, sampling, 0.03, dimension).positions) {
          // the round-off of turning and moving
          ASSERT_GE(exact_depth(shape, p, dimension), -1e-15);
          ASSERT_TRUE(dimension == 3 || p[2] == 0);
        }
      }
}

TEST(Sampling, Counts) {
  for (const auto& [kind, dimension] : cases)
    for (const double cell : {0.1, 0.04}) {
      const Shape shape = make_shape(kind, dimension);
      const Sampling lattice = make_sampling(Method::lattice, dimension);
      const double wanted = exact_volume(shape, dimension) * lattice.particles_per_cell / std::pow(cell, dimension);
      // rounding to whole layers: half a layer of the sides, which are 5 spacings or more
      const double on_lattice = double(sample(shape, lattice, cell, dimension).positions.size());
      EXPECT_NEAR(on_lattice, wanted, 0.15 * wanted) << int(kind) << " " << cell;
      double mean = 0;
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        Sampling poisson = make_sampling(Method::poisson, dimension);
        poisson.seed = seed;
        mean += double(sample(shape, poisson, cell, dimension).positions.size()) / 3;
      }
      // the sampler tries shifts until it is within 1 %, or a point
      EXPECT_NEAR(mean, wanted, std::max(0.015 * wanted, 1.5)) << int(kind) << " " << cell;
    }
}

TEST(Sampling, EstimateIsNearTheCount) {
  for (const auto& [kind, dimension] : cases)
    for (const Method method : {Method::lattice, Method::poisson})
      for (const bool layer : {false, true}) {
        const Shape shape = make_shape(kind, dimension);
        const Sampling sampling = make_sampling(method, dimension, layer);
        const double count = double(sample(shape, sampling, 0.03, dimension).positions.size());
        const double estimate = double(estimate_count(shape, sampling, 0.03, dimension));
        // with a surface layer the half spacing below it is counted twice
        EXPECT_NEAR(estimate, count, (layer ? 0.2 : 0.05) * count) << int(kind) << " " << dimension << " " << layer;
      }
}

// thin and tiny shapes: at least one layer, at least one particle, and the estimate knows
TEST(Sampling, ThinAndTinyShapes) {
  Sampling lattice = make_sampling(Method::lattice, 3), poisson = make_sampling(Method::poisson, 3);
  Shape plate;
  plate.size = {0.4, 0.4, 1e-6};
  EXPECT_EQ(sample(plate, lattice, 0.02, 3).positions.size(), 1600u);
  EXPECT_EQ(estimate_count(plate, lattice, 0.02, 3), 1600u);
  for (const Kind kind : {Kind::cylinder, Kind::capsule}) {
    Shape rod;
    rod.kind = kind;
    rod.radius = 1e-6;
    rod.length = 0.4;
    EXPECT_EQ(sample(rod, lattice, 0.02, 3).positions.size(), 40u);
    EXPECT_NEAR(double(estimate_count(rod, lattice, 0.02, 3)), 40, 1);
    EXPECT_NEAR(sum(sample(rod, lattice, 0.02, 3).volumes), exact_volume(rod, 3), 1e-12 * exact_volume(rod, 3));
  }
  for (const auto& [kind, dimension] : cases)
    for (const Sampling& sampling : {lattice, poisson}) {
      const Samples samples = sample(make_shape(kind, dimension), sampling, 100, dimension);
      ASSERT_EQ(samples.positions.size(), 1u);
      EXPECT_EQ(samples.positions[0], make_shape(kind, dimension).center);
    }
  // between one and two spacings across
  for (double radius = 0.5; radius < 2; radius += 0.01) {
    Shape ball;
    ball.kind = Kind::sphere;
    ball.radius = radius;
    ASSERT_GE(sample(ball, lattice, 2, 3).positions.size(), 1u) << radius;
    ASSERT_GE(sample(ball, poisson, 2, 3).positions.size(), 1u) << radius;
  }
}

// --- lattice ---

TEST(Lattice, BoxIsFilledWallToWall) {
  Shape box;
  box.center = {1, 2, 3};
  box.size = {0.2, 0.205, 0.3};
  const Samples samples = sample(box, make_sampling(Method::lattice, 3), 0.02, 3);
  ASSERT_EQ(samples.positions.size(), 20u * 21 * 30);
  Vec3 lower = samples.positions[0], upper = lower, mean = {0, 0, 0};
  for (const Vec3& p : samples.positions)
    for (std::size_t i = 0; i < 3; ++i) {
      lower[i] = std::min(lower[i], p[i]);
      upper[i] = std::max(upper[i], p[i]);
      mean[i] += p[i] / double(samples.positions.size());
    }
  const double layers[3] = {20, 21, 30};
  for (std::size_t i = 0; i < 3; ++i) {
    const double half_step = 0.5 * box.size[i] / layers[i];
    EXPECT_NEAR(lower[i], box.center[i] - box.size[i] / 2 + half_step, 1e-15);
    EXPECT_NEAR(upper[i], box.center[i] + box.size[i] / 2 - half_step, 1e-15);
    // a sum of 12,600 numbers
    EXPECT_NEAR(mean[i], box.center[i], 1e-12);
  }
}

TEST(Lattice, SpacingInRoundShapes) {
  Shape ball;
  ball.kind = Kind::sphere;
  ball.radius = 0.1;
  const Samples samples = sample(ball, make_sampling(Method::lattice, 3), 0.03, 3);
  EXPECT_NEAR(least_distance(samples.positions), 0.015, 1e-16);
  Point mean = Point::zero();
  for (const Vec3& p : samples.positions) mean += to_point(p);
  // mirror images cancel up to round-off
  EXPECT_LT(norm(mean), 1e-12);
}

TEST(Lattice, Jitter) {
  Shape box;
  Sampling sampling = make_sampling(Method::lattice, 3);
  const Samples still = sample(box, sampling, 0.2, 3);
  sampling.jitter = 0.4;
  const Samples moved = sample(box, sampling, 0.2, 3);
  ASSERT_EQ(still.positions.size(), moved.positions.size());
  double largest = 0;
  for (std::size_t k = 0; k < still.positions.size(); ++k)
    for (std::size_t i = 0; i < 3; ++i)
      largest = std::max(largest, std::fabs(still.positions[k][i] - moved.positions[k][i]));
  // 0.2 of the spacing 0.1 each way; of 3,000 offsets the largest is within 1 % of it
  EXPECT_LE(largest, 0.02);
  EXPECT_GT(largest, 0.0198);
}

TEST(Sampling, SeedsRepeatAndDiffer) {
  for (const Method method : {Method::lattice, Method::poisson}) {
    Sampling sampling = make_sampling(method, 3);
    sampling.jitter = 0.5;
    const Shape shape = make_shape(Kind::capsule, 3);
    const Samples first = sample(shape, sampling, 0.05, 3), again = sample(shape, sampling, 0.05, 3);
    EXPECT_EQ(first.positions, again.positions);
    EXPECT_EQ(first.volumes, again.volumes);
    sampling.seed = 2;
    EXPECT_NE(first.positions, sample(shape, sampling, 0.05, 3).positions);
  }
}

// --- Poisson disks ---

// the same on every platform, up to round-off: these numbers are from the first build
TEST(Poisson, KnownPoints) {
  const Samples solid = sample(Shape{}, make_sampling(Method::poisson, 3), 0.2, 3);
  const Samples plane = sample(Shape{}, make_sampling(Method::poisson, 2), 0.02, 2);
  ASSERT_EQ(solid.positions.size(), 1005u);
  ASSERT_EQ(plane.positions.size(), 9984u);
  const Vec3 expected[2] = {{0.026401628308808, 0.484069682472672, 0.044763959746168},
                            {0.295566648615921, 0.394929404375908, 0}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(solid.positions.back()[i], expected[0][i], 1e-12);
    EXPECT_NEAR(plane.positions.back()[i], expected[1][i], 1e-12);
  }
}

// longer than the tile that the pattern repeats, so that its seams are in it
TEST(Poisson, LeastDistance) {
  Shape bar;
  bar.size = {6, 0.8, 0.8};
  Shape sheet;
  sheet.size = {8, 8, 1};
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    Sampling sampling = make_sampling(Method::poisson, 3);
    sampling.seed = seed;
    EXPECT_GE(least_distance(sample(bar, sampling, 0.2, 3).positions), 0.8 * 0.1);
    sampling.particles_per_cell = 4;
    EXPECT_GE(least_distance(sample(sheet, sampling, 0.2, 2).positions), 0.75 * 0.1);
  }
}

// no place inside is far from all points
TEST(Poisson, NoHoles) {
  const Samples samples = sample(Shape{}, make_sampling(Method::poisson, 3), 0.2, 3);
  Random random(7);
  double largest = 0;
  for (int n = 0; n < 5000; ++n) {
    const Vec3 p = {0.7 * random.uniform() - 0.35, 0.7 * random.uniform() - 0.35, 0.7 * random.uniform() - 0.35};
    double gap = HUGE_VAL;
    for (const Vec3& q : samples.positions) gap = std::min(gap, distance(p, q));
    largest = std::max(largest, gap);
  }
  // a full packing has none beyond the least distance of 0.83 spacings; darts leave small ones
  EXPECT_LT(largest, 1.05 * 0.1);
}

// eight eighths of a ball get the same number
TEST(Poisson, OctantsAreEven) {
  Shape ball;
  ball.kind = Kind::sphere;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Sampling sampling = make_sampling(Method::poisson, 3);
    sampling.seed = seed;
    const Samples samples = sample(ball, sampling, 0.1, 3);
    double counts[8] = {};
    for (const Vec3& p : samples.positions) counts[(p[0] > 0) + 2 * (p[1] > 0) + 4 * (p[2] > 0)] += 1;
    const double expected = double(samples.positions.size()) / 8;
    double chi_square = 0;
    for (const double count : counts) chi_square += (count - expected) * (count - expected) / expected;
    // independent points exceed 14 in one of 20 cases; points that keep a distance are far more even
    EXPECT_LT(chi_square, 5);
  }
}

// density of neighbours at a distance, against that of independent points
TEST(Poisson, RadialDistribution) {
  const Samples samples = sample(Shape{}, make_sampling(Method::poisson, 3), 0.1, 3);
  const double spacing = 0.05, width = 0.1;
  std::vector<double> pairs(40, 0);
  int centers = 0;
  for (const Vec3& p : samples.positions) {
    // away from the walls, so that all neighbours are there
    if (std::max({std::fabs(p[0]), std::fabs(p[1]), std::fabs(p[2])}) > 0.5 - 4 * spacing) continue;
    ++centers;
    for (const Vec3& q : samples.positions) {
      const auto bin = std::size_t(distance(p, q) / spacing / width);
      if (&p != &q && bin < pairs.size()) pairs[bin] += 1;
    }
  }
  for (std::size_t bin = 0; bin < pairs.size(); ++bin) {
    const double inner = double(bin) * width, outer = inner + width;
    const double g = pairs[bin] / centers / (4 * pi / 3 * (std::pow(outer, 3) - std::pow(inner, 3)));
    EXPECT_TRUE(outer > 0.8 || g == 0);
    // no shell of neighbours is crowded, and beyond two spacings all is even
    EXPECT_LT(g, 3);
    EXPECT_TRUE(inner < 2 || std::fabs(g - 1) < 0.1) << inner << " " << g;
  }
}

// --- limits ---

TEST(Sampling, TooManyParticles) {
  for (const auto& [kind, dimension] : cases)
    for (const Method method : {Method::lattice, Method::poisson})
      for (const bool layer : {false, true}) {
        Sampling sampling = make_sampling(method, dimension, layer);
        sampling.particles_per_cell = 1e30;
        const Shape shape = make_shape(kind, dimension);
        expect_error(ErrorCode::too_large, {"particles", "limit is 20000000", "larger cell"},
                     [&] { sample(shape, sampling, 0.02, dimension); });
      }
  Shape cube;
  expect_error(ErrorCode::too_large, {"1e+12 particles"},
               [&] { sample(cube, make_sampling(Method::lattice, 3), 2e-4, 3); });
  EXPECT_EQ(estimate_count(cube, make_sampling(Method::lattice, 3), 0.2, 3), 1000u);
  EXPECT_NO_THROW(sample(cube, make_sampling(Method::lattice, 3), 0.2, 3, 1000));
  expect_error(ErrorCode::too_large, {"1000 particles", "limit is 999"},
               [&] { sample(cube, make_sampling(Method::lattice, 3), 0.2, 3, 999); });
  // thin rods hold little volume but many layers
  Shape rod;
  rod.size = {1e9, 1e-9, 1e-9};
  for (const bool layer : {false, true})
    expect_error(ErrorCode::too_large, {"particles"},
                 [&] { sample(rod, make_sampling(Method::lattice, 3, layer), 0.02, 3); });
  expect_error(ErrorCode::too_large, {"tiles"}, [&] { sample(rod, make_sampling(Method::poisson, 3), 0.02, 3); });
}

TEST(Sampling, BadCalls) {
  Shape shape;
  const Sampling sampling = make_sampling(Method::lattice, 3);
  expect_error(ErrorCode::bad_input, {"dimension is 4"}, [&] { sample(shape, sampling, 0.1, 4); });
  shape.size[1] = 0;
  expect_error(ErrorCode::bad_input, {"volume of 0 m^3", "larger sizes"}, [&] { sample(shape, sampling, 0.1, 3); });
  shape.size[1] = std::numeric_limits<double>::quiet_NaN();
  expect_error(ErrorCode::bad_input, {"volume of nan m^3"}, [&] { sample(shape, sampling, 0.1, 3); });
  shape.kind = Kind::capsule;
  expect_error(ErrorCode::bad_input, {"capsule", "2-D", "disc"}, [&] { volume(shape, 2); });
  shape.kind = Kind(17);
  expect_error(ErrorCode::bad_input, {"kind 17"}, [&] { volume(shape, 3); });
  Sampling unknown;
  unknown.method = Method(5);
  expect_error(ErrorCode::bad_input, {"method 5"}, [&] { sample(Shape{}, unknown, 0.1, 3); });
}

}  // namespace
}  // namespace pliant

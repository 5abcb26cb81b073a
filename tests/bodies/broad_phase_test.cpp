// The broad phase names every particle that is near a shape, and few others.
#include "bodies/broad_phase.h"

#include "core/parallel.h"
#include "geometry/distance_field.h"
#include "geometry/mugs.h"
#include "geometry/surfaces.h"

#include <gtest/gtest.h>

namespace pliant {

using namespace geometry;
using namespace bodies;

namespace {

// particles of a cube of edge 2, sorted by cells of 1/8
template <class S>
std::vector<std::array<S, 4>> sorted_particles(int count, int dimension) {
  Random random(1);
  std::vector<std::array<S, 4>> points(static_cast<std::size_t>(count));
  for (auto& p : points) {
    for (int i = 0; i < 3; ++i) p[std::size_t(i)] = i < dimension ? S(between(random, -1, 1)) : S(99);
    p[3] = S(77);  // something else
  }
  const auto key = [](const auto& p) {
    return (int(p[0] * 8 + 8) * 100 + int(p[1] * 8 + 8)) * 100 + int(p[2] * 8 + 8);
  };
  std::stable_sort(points.begin(), points.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return points;
}

struct Bodies {
  std::vector<RigidShape> shapes = primitives();
  std::vector<PosedShape> posed;

  Bodies() {
    Random random(2);
    Workers workers(0);
    RigidShape mug = {Kind::mesh, {}, nullptr};
    mug.field = std::make_shared<DistanceField>(
        DistanceField::build(mug_mesh(24), "mug", {2e-3, std::size_t(64) << 20}, workers));
    shapes.push_back(mug);
    for (RigidShape& shape : shapes)
      for (double& s : shape.size) s *= 0.3;
    for (int n = 0; n < 4; ++n)
      for (const RigidShape& shape : shapes) posed.push_back({&shape, random_pose(random)});
  }
};

const Bodies& all_bodies() {
  static const Bodies bodies;
  return bodies;
}

template <class S>
void expect_complete(int dimension) {
  const Bodies& bodies = all_bodies();
  const auto points = sorted_particles<S>(10'000, dimension);
  const double margin = 0.01;
  Workers workers(2);
  BroadPhase broad;
  broad.build<S>({points[0].data(), 4, points.size(), dimension}, workers);
  EXPECT_EQ(broad.groups(), (points.size() + BroadPhase::group_size - 1) / BroadPhase::group_size);
  std::vector<TouchCandidate> found;
  broad.query(bodies.posed, margin, found);

  std::vector<std::vector<bool>> named(bodies.posed.size(), std::vector<bool>(points.size()));
  std::size_t pairs = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const TouchCandidate& c = found[k];
    ASSERT_LT(c.begin, c.end);
    ASSERT_LE(c.end, points.size());
    // fixed order, neighbours joined
    if (k > 0) {
      const TouchCandidate& last = found[k - 1];
      EXPECT_TRUE(c.shape > last.shape || (c.shape == last.shape && c.begin > last.end));
    }
    if (bodies.posed[c.shape].shape->kind != Kind::plane) pairs += c.end - c.begin;
    for (std::size_t p = c.begin; p < c.end; ++p) named[c.shape][p] = true;
  }
  std::size_t touching = 0, missed = 0;
  for (std::size_t s = 0; s < bodies.posed.size(); ++s)
    for (std::size_t p = 0; p < points.size(); ++p) {
      const Vec x = {{double(points[p][0]), double(points[p][1]), dimension == 3 ? double(points[p][2]) : 0.0}};
      if (distance(*bodies.posed[s].shape, bodies.posed[s].pose, x).phi >= margin) continue;
      ++touching;
      missed += !named[s][p];
    }
  EXPECT_EQ(missed, 0u);
  EXPECT_GT(touching, 1000u);
  // small shapes: few pairs of all
  EXPECT_LT(double(pairs), 0.2 * double(points.size() * bodies.posed.size()));
}

TEST(BroadPhase, NamesAllThatTouchFloat) { expect_complete<float>(3); }
TEST(BroadPhase, NamesAllThatTouchDouble) { expect_complete<double>(3); }
TEST(BroadPhase, NamesAllThatTouchInAPlane) { expect_complete<float>(2); }

TEST(BroadPhase, BoxesThatAreGiven) {
  const RigidShape ball = shape_of(Kind::sphere, 0.1), floor = shape_of(Kind::plane);
  const Matrix<double, 3> upright = Matrix<double, 3>::identity();
  const std::vector<PosedShape> posed = {{&ball, {{{5.5, 0.5, 0.5}}, upright}},
                                         {&floor, {{{0, 0, 0.25}}, upright}},
                                         {&ball, {{{5.95, 0.5, 0.5}}, upright}}};
  std::vector<Bounds> boxes;
  std::vector<std::uint32_t> begins = {0};
  for (int g = 0; g < 11; ++g) {
    boxes.push_back({{{double(g), 0, 0}}, {{g + 1.0, 1, 1}}});
    begins.push_back(begins.back() + std::uint32_t(10 + g));
  }
  BroadPhase broad;
  broad.build(boxes, begins);
  std::vector<TouchCandidate> found = {{9, 9, 9}};
  broad.query(posed, 0.1, found);
  const std::vector<TouchCandidate> expected = {
      {0, begins[5], begins[6]}, {1, begins[0], begins[11]}, {2, begins[5], begins[7]}};
  EXPECT_EQ(found, expected);
  broad.query({}, 0.1, found);
  EXPECT_TRUE(found.empty());
  broad.build({}, begins = {0});
  broad.query(posed, 0.1, found);
  EXPECT_TRUE(found.empty());
}

// a corner of a rotated long box's own box holds nothing of it
TEST(BroadPhase, TheMiddleOfAGroupIsLookedAt) {
  const double c = std::sqrt(0.5);
  const RigidShape stick = shape_of(Kind::box, 10, 0.1, 0.1);
  const std::vector<PosedShape> posed = {{&stick, {Vec::zero(), {{c, -c, 0, c, c, 0, 0, 0, 1}}}}};
  const std::vector<Bounds> boxes = {{{{5, -6, -0.1}}, {{6, -5, 0.1}}}, {{{5, 5, -0.1}}, {{6, 6, 0.1}}}};
  const std::vector<std::uint32_t> begins = {0, 7, 20};
  BroadPhase broad;
  broad.build(boxes, begins);
  std::vector<TouchCandidate> found;
  broad.query(posed, 0.1, found);
  EXPECT_EQ(found, (std::vector<TouchCandidate>{{0, 7, 20}}));
}

}  // namespace
}  // namespace pliant

// Boundaries as partners of contact: the sides of one that keeps matter inside are its surface, seen from inside.
#include "contact/boundary_sides.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace pliant {

using namespace bodies;
using namespace contact;

namespace {

Boundary boundary(Boundary::Kind kind, bool inside_out) {
  Boundary b;
  b.name = "tank";
  b.kind = kind;
  b.at = Boundary::At::surfaces;
  b.center = {0.3, -0.2, 0.1};
  b.normal = {0.3, -0.5, 0.8};
  b.size = {0.4, 0.6, 0.5};
  b.radius = 0.3;
  b.length = 0.7;
  b.rotation = {0.5, 0.5, -0.1, std::sqrt(0.49)};
  b.inside_out = inside_out;
  return b;
}

GeomPaths paths_of(const Scene& scene, std::vector<BoundaryShape>& shapes) {
  GeomPaths paths;
  std::vector<BoundaryMotion> motions;
  for (const Boundary& b : scene.boundaries) {
    shapes.push_back(boundary_shape(b, 3));
    motions.push_back({{{b.center[0], b.center[1], b.center[2]}}, Vector<double, 3>::zero()});
  }
  add_boundaries(scene, shapes, paths);
  place_boundaries(shapes, motions, 0, paths);
  return paths;
}

class Sides : public testing::TestWithParam<std::tuple<Boundary::Kind, bool>> {};

TEST_P(Sides, AreTheSurfaceSeenFromMatter) {
  const auto [kind, inside_out] = GetParam();
  Scene scene;
  scene.boundaries = {boundary(kind, inside_out)};
  std::vector<BoundaryShape> shapes;
  const GeomPaths paths = paths_of(scene, shapes);
  const Vector<double, 3> center = {{0.3, -0.2, 0.1}};
  std::mt19937 random(2);
  std::uniform_real_distribution<> place(-0.6, 0.6);
  int checked = 0;
  for (int n = 0; n < 4000; ++n) {
    const Vector<double, 3> x = center + Vector<double, 3>{{place(random), place(random), place(random)}};
    const ShapeDistance whole = distance(shapes[0], center, x);
    if (whole.phi < 0) continue;  // where matter may be
    double least = 1e300;
    Vector<double, 3> normal = Vector<double, 3>::zero();
    for (const GeomPath& p : paths)
      if (const ShapeDistance d = distance(p.geom.shape, p.now, x); d.phi < least) least = d.phi, normal = d.normal;
    EXPECT_NEAR(least, whole.phi, 1e-14);
    EXPECT_NEAR(dot(normal, whole.normal), 1, 1e-12);
    ++checked;
  }
  EXPECT_GT(checked, 100);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Sides,
                         testing::Combine(testing::Values(Boundary::Kind::plane, Boundary::Kind::box,
                                                          Boundary::Kind::sphere, Boundary::Kind::cylinder),
                                          testing::Bool()));

TEST(Sides, HaveNamesNumbersAndConditions) {
  Scene scene;
  scene.boundaries = {boundary(Boundary::Kind::box, true), boundary(Boundary::Kind::cylinder, true),
                      boundary(Boundary::Kind::sphere, false), boundary(Boundary::Kind::plane, false)};
  scene.boundaries[1].name = "well", scene.boundaries[1].condition = Boundary::Condition::slip;
  scene.boundaries[2].name = "ball", scene.boundaries[2].condition = Boundary::Condition::stick;
  scene.boundaries[3].name = "nodes", scene.boundaries[3].at = Boundary::At::nodes;
  std::vector<BoundaryShape> shapes;
  const GeomPaths paths = paths_of(scene, shapes);
  ASSERT_EQ(paths.size(), 10u);
  EXPECT_EQ(paths.ids(), 10u);
  std::vector<std::string> names;
  for (const GeomPath& p : paths) names.push_back(p.geom.name);
  EXPECT_EQ(names, (std::vector<std::string>{"tank/-x", "tank/+x", "tank/-y", "tank/+y", "tank/-z", "tank/+z",
                                             "well/-z", "well/+z", "well/round", "ball"}));
  EXPECT_FALSE(paths[0].geom.pulls);
  EXPECT_TRUE(paths[6].geom.pulls && !paths[6].geom.sticks);
  EXPECT_TRUE(paths[9].geom.pulls && paths[9].geom.sticks);
}

}  // namespace
}  // namespace pliant

// What a contact is given by the solid that it meets.
#include "contact/partners.h"

#include "core/parallel.h"
#include "geometry/distance_field.h"
#include "geometry/mugs.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {

using namespace bodies;
using namespace contact;

namespace {

constexpr double cell = 0.01;

Scene scene_with_a_box() {
  Scene scene;
  scene.step.cell = cell;
  Material rubber;
  rubber.name = "rubber";
  rubber.law = Law::neo_hookean;
  scene.materials = {rubber};
  Matter cube;
  cube.name = "cube";
  cube.material = "rubber";
  scene.matter = {cube};
  Boundary wall;
  wall.name = "wall";
  wall.kind = Boundary::Kind::box;
  scene.boundaries = {wall};
  return scene;
}

// A box of these half edges, at an odd place and angle, and what touches its side x > 0 at (y, z).
class ABox {
 public:
  ABox(double x, double y, double z) : half_{{x, y, z}} {
    Geom geom;
    geom.shape = {RigidShape::Kind::box, {x, y, z}, nullptr};
    geom.boundary = 0;
    paths_.add_boundary(geom, pose_);
  }

  ContactData touched_at(double y, double z) const {
    const Scene scene = scene_with_a_box();
    FoundContact found = {};
    found.memory = -1;
    found.normal = pose_.rotation * Vec3d{{1, 0, 0}};
    found.position = pose_.position + pose_.rotation * Vec3d{{half_[0], y, z}};
    return GeomPartners(scene, scene.materials, paths_).describe(found, {0, 1e-4, 1.0}, nullptr, 1e-3);
  }

 private:
  static Mat3d turned() {
    const double c = std::cos(0.4), s = std::sin(0.4), c2 = std::cos(0.9), s2 = std::sin(0.9);
    return Mat3d{{c, -s, 0, s, c, 0, 0, 0, 1}} * Mat3d{{1, 0, 0, 0, c2, -s2, 0, s2, c2}};
  }
  Pose pose_ = {{{0.123, -0.456, 0.0789}}, turned()};
  Vec3d half_;
  GeomPaths paths_;
};

// A point on an edge looks along another face, which is in the box as well as out of it: it was taken for that of a wall
// without thickness, with springs a thousand times as stiff. Two soft cubes beside a heavy one took 20,000 iterations.
TEST(Partners, ASolidIsAsThickAtItsEdges) {
  const double half = 3 * cell;
  const ABox box(half, half, half);
  for (const double off : {-1e-12, 0.0, 1e-12, 1e-6 * cell})
    for (const double z : {0.0, -half, half})
      EXPECT_GT(box.touched_at(half + off, z).stop_depth, 1.0) << off << " " << z;
}

// The stop lies at a quarter of a wall: of its middle and of its edges.
TEST(Partners, AThinWallHasAStop) {
  const double half = 0.25 * cell;
  const ABox box(half, 3 * cell, 3 * cell);
  // a thousandth of a cell is what thickness is known by, and its bisection ends within 1/1000 of it
  for (const double y : {0.0, 3 * cell})
    EXPECT_NEAR(box.touched_at(y, 0).stop_depth, 0.25 * 2 * half, 2e-3 * cell) << y;
}

// Seen from a ball's centre the surface of a mesh lies where its field has it, to within a tolerance. Contacts on the wall of a
// mug were taken for those of a wall without thickness here and there, and water in it never came to rest.
TEST(Partners, AMeshIsAsThickAsItsWall) {
  const double tolerance = 1e-4, wall = 3e-3;
  Workers workers{1};
  const Mesh mesh = mug_mesh();
  Geom geom;
  geom.shape = {RigidShape::Kind::mesh, {0.04, 0.04, 0.1}, nullptr};
  geom.shape.field = std::make_shared<const DistanceField>(
      DistanceField::build(mesh, "mug", {tolerance, std::size_t(256) << 20}, workers));
  geom.boundary = 0;
  GeomPaths paths;
  paths.add_boundary(geom, {Vec3d::zero(), Mat3d::identity()});
  const Scene scene = scene_with_a_box();
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    FoundContact found = {};
    found.memory = -1;
    const Vec3d on = (1.0 / 3) * (mesh.corner(t, 0) + mesh.corner(t, 1) + mesh.corner(t, 2));
    found.position = on + 0.25 * cell * distance(geom.shape, on).normal;
    const ShapeDistance d = distance(geom.shape, found.position);
    found.gap = d.phi, found.normal = d.normal;
    const ContactData c = GeomPartners(scene, scene.materials, paths).describe(found, {0, 1e-4, 1.0}, nullptr, 1e-3);
    // both surfaces are known to within a tolerance
    EXPECT_GT(c.stop_depth, 0.25 * (wall - 4 * tolerance)) << t;
  }
}

}  // namespace
}  // namespace pliant

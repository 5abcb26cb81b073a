// Contact of a surface by its vertices against dense quadrature of the exact shape: a solid pressed rigidly into a plane
// whose pressure is k times the depth. Over the face of the solid that looks at the plane this is k times the overlap.
#include "contact/piece_surface.h"
#include "core/random.h"
#include "geometry/triangle_surface.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {

using namespace geometry;

namespace {

using Vec = Vector<double, 3>;

struct Pressed {
  double force = 0;          // over k
  Vec moment = Vec::zero();  // about the solid's origin, over k, without the common factor n
};

// by columns along the plane's normal n through the solid: each gives its depth times its area
Pressed dense(const Solid& solid, const Vec& n, double plane) {
  const Vec helper = std::fabs(n[0]) < 0.7 ? Vec{{1, 0, 0}} : Vec{{0, 1, 0}};
  const Vec u = (1 / norm(cross(n, helper))) * cross(n, helper), v = cross(n, u);
  const double reach = 0.5 * norm(solid.upper() - solid.lower());
  const int count = 300;
  const double step = 2 * reach / count;
  Pressed sum;
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j) {
      const Vec foot = (step * (i + 0.5) - reach) * u + (step * (j + 0.5) - reach) * v;
      // the lowest point of the column, if it is below the plane: these solids are convex
      if (!solid.deeper(foot + (plane - 1e-9) * n, 0)) continue;
      double in = plane, out = -reach;
      for (int k = 0; k < 40; ++k) (solid.deeper(foot + (0.5 * (in + out)) * n, 0) ? in : out) = 0.5 * (in + out);
      const double push = (plane - in) * step * step;
      sum.force += push;
      sum.moment += push * foot;
    }
  return sum;
}

// vertices below the plane, each with the area that faces it
Pressed by_vertices(const contact::PieceSurface& piece, const std::vector<Point>& vertices, const Vec& n,
                    double plane) {
  const double F[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  Pressed sum;
  for (std::uint32_t i = 0; i < vertices.size(); ++i) {
    const double depth = plane - dot(vertices[i], n);
    if (!(depth > 0)) continue;
    const double push = depth * contact::facing_area(piece, i, F, n);
    sum.force += push;
    sum.moment += push * (vertices[i] - dot(vertices[i], n) * n);
  }
  return sum;
}

TEST(SurfaceContact, ForceAndMomentAreThoseOfTheExactShape) {
  Random random(11);
  for (const Shape::Kind kind : {Shape::Kind::box, Shape::Kind::sphere, Shape::Kind::cylinder, Shape::Kind::capsule}) {
    Shape shape;
    shape.kind = kind;
    shape.size = {0.2, 0.17, 0.23};
    shape.radius = 0.1;
    shape.length = 0.15;
    const Solid solid(shape, 3);
    for (const double cell : {0.04, 0.02}) {
      const TriangleSurface surface = triangle_surface(solid, cell / 3);
      contact::PieceSurface piece;
      piece.areas = surface.areas;
      piece.facing = surface.facing;
      for (int pose = 0; pose < 8; ++pose) {
        Vec n;
        do
          for (int d = 0; d < 3; ++d) n[d] = 2 * random.uniform() - 1;
        while (norm(n) > 1 || norm(n) < 0.2);
        n = (1 / norm(n)) * n;
        if (pose == 0) n = {{0, 0, 1}};  // flat
        double lowest = 0;
        for (const Point& p : surface.vertices) lowest = std::min(lowest, dot(p, n));
        const double depth = (0.03 + 0.03 * random.uniform()), plane = lowest + depth;
        const Pressed exact = dense(solid, n, plane), ours = by_vertices(piece, surface.vertices, n, plane);
        // Within, the sum is the trapezium rule on triangles of size s. At the waterline, whose length is at most the
        // outline's, about 0.8 m, the pressure has a kink inside of triangles: s^2/8 of slope 1. At rims and edges
        // vertices join faces that look elsewhere, up to s/4 of the depth; and sides that do not face the plane count
        // a twentieth of their depth.
        const double s = cell / 3, line = 0.8;
        const double bound = line * (s * (s + depth) / 4 + 0.05 * depth * depth / 2);
        EXPECT_NEAR(ours.force, exact.force, bound) << int(kind) << " " << cell << " pose " << pose;
        EXPECT_LT(norm(ours.moment - exact.moment), 0.15 * bound) << int(kind) << " " << cell << " pose " << pose;
        // not a mere bound: finer than a tenth
        EXPECT_NEAR(ours.force, exact.force, 0.1 * exact.force);
      }
    }
  }
}

// a cube that lies flat: corners count a third of their faces, so the sum is exact
TEST(SurfaceContact, AFlatFaceIsExact) {
  Shape shape;
  shape.size = {0.2, 0.17, 0.23};
  const TriangleSurface surface = triangle_surface(Solid(shape, 3), 0.013);
  contact::PieceSurface piece;
  piece.areas = surface.areas;
  piece.facing = surface.facing;
  const Pressed ours = by_vertices(piece, surface.vertices, {{0, 0, 1}}, -0.115 + 0.001);
  EXPECT_NEAR(ours.force, 0.001 * 0.2 * 0.17, 1e-16);
  EXPECT_LT(norm(ours.moment), 1e-17);
}

}  // namespace
}  // namespace pliant

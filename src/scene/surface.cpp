// Points spread evenly on the surface of a solid, in its own frame.
#include "geometry/surface.h"
#include "core/stop.h"
#include "geometry/near_points.h"
#include "scene/fill.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pliant::scene {

namespace {

using std::numbers::pi;

// turn from one point of a Fibonacci spiral to the next, rad
constexpr double golden_angle = pi * (3 - 2.23606797749978969);

std::int64_t round_up_to(double value, std::int64_t least) {
  return std::max(std::int64_t(std::llround(value)), least);
}

// on the unit sphere, from the north to the south pole
std::vector<Point> spiral_on_sphere(std::int64_t count) {
  std::vector<Point> points;
  for (std::int64_t i = 0; i < count; ++i) {
    check_stop_at(std::size_t(i));
    const double z = 1 - (2 * double(i) + 1) / double(count);
    const double r = std::sqrt((1 - z) * (1 + z)), angle = golden_angle * double(i);
    const Point p = {{r * std::cos(angle), r * std::sin(angle), z}};
    points.push_back((1 / norm(p)) * p);
  }
  return points;
}

std::vector<Point> cover_sphere(double radius, double spacing) {
  std::vector<Point> points = spiral_on_sphere(round_up_to(4 * pi * radius * radius / (spacing * spacing), 4));
  for (Point& p : points) p = radius * p;
  return points;
}

// Points on a circle of radius 1 about the axis z, turned by a part of the step between them
std::vector<Point> ring(std::int64_t count, double turn) {
  std::vector<Point> points;
  for (std::int64_t i = 0; i < count; ++i) {
    const double angle = 2 * pi * (double(i) + turn) / double(count);
    points.push_back({{std::cos(angle), std::sin(angle), 0}});
  }
  return points;
}

// `count` rings at even heights, each turned by half a step against the next
void add_rings(std::vector<Point>& points, double radius, double bottom, double top, std::int64_t count,
               double spacing) {
  const std::int64_t around = round_up_to(2 * pi * radius / spacing, 3);
  for (std::int64_t k = 0; k < count; ++k) {
    check_stop();
    const double part = count > 1 ? double(k) / double(count - 1) : 0.5;
    for (const Point& p : ring(around, 0.5 * double(k % 2)))
      points.push_back({{radius * p[0], radius * p[1], bottom + part * (top - bottom)}});
  }
}

std::vector<Point> cover_cylinder(const Shape& shape, double spacing) {
  const double half = 0.5 * shape.length;
  std::vector<Point> points;
  add_rings(points, shape.radius, -half, half, round_up_to(shape.length / spacing, 1) + 1, spacing);
  // the ends within half a spacing of the rim: a sunflower
  const double inner = shape.radius - 0.5 * spacing;
  const std::int64_t count = inner > 0 ? round_up_to(pi * inner * inner / (spacing * spacing), 1) : 0;
  for (const double z : {-half, half})
    for (std::int64_t i = 0; i < count; ++i) {
      check_stop_at(std::size_t(i));
      const double r = inner * std::sqrt((double(i) + 0.5) / double(count)), angle = golden_angle * double(i);
      points.push_back({{r * std::cos(angle), r * std::sin(angle), z}});
    }
  return points;
}

std::vector<Point> cover_capsule(const Shape& shape, double spacing) {
  const double half = 0.5 * shape.length;
  std::vector<Point> points = cover_sphere(shape.radius, spacing);
  for (Point& p : points) p[2] += p[2] > 0 ? half : -half;
  // half a step from both half spheres
  const std::int64_t count = round_up_to(shape.length / spacing, 1);
  const double margin = 0.5 * shape.length / double(count);
  add_rings(points, shape.radius, -half + margin, half - margin, count, spacing);
  return points;
}

// the outer sites of a lattice that includes corners and edges
std::vector<Point> cover_box(const Vec3& size, double spacing, int dimension) {
  std::array<std::int64_t, 3> last = {0, 0, 0};
  for (std::size_t i = 0; i < std::size_t(dimension); ++i) last[i] = round_up_to(size[i] / spacing, 1);
  std::vector<Point> points;
  for (std::int64_t z = 0; z <= last[2]; ++z)
    for (std::int64_t y = 0; y <= last[1]; ++y) {
      check_stop();
      const bool outer = y == 0 || y == last[1] || (dimension == 3 && (z == 0 || z == last[2]));
      for (std::int64_t x = 0; x <= last[0]; x += outer ? 1 : last[0])
        points.push_back({{size[0] * (double(x) / double(last[0]) - 0.5), size[1] * (double(y) / double(last[1]) - 0.5),
                           dimension == 3 ? size[2] * (double(z) / double(last[2]) - 0.5) : 0}});
    }
  return points;
}

// Random darts on the triangles, by area, that keep a distance: the least one that leaves about one per spacing^2
std::vector<Point> cover_mesh(const Mesh& mesh, double spacing, Random& random) {
  constexpr double distance_in_spacings = 0.8, darts_per_point = 16;
  const SurfaceDarts surface(mesh);
  NearPoints near(mesh.lower, distance_in_spacings * spacing);
  const std::int64_t darts = round_up_to(darts_per_point * mesh.area / (spacing * spacing), 64);
  for (std::int64_t n = 0; n < darts; ++n) {
    check_stop_at(std::size_t(n));
    const Point dart = surface.next(random).at;
    if (near.find(dart) == NearPoints::none) near.add(dart);
  }
  return near.points();
}

}  // namespace

std::vector<Point> cover_surface(const Solid& solid, double spacing, Random& random) {
  const Shape& shape = solid.shape();
  switch (shape.kind) {
    case Shape::Kind::box: return cover_box(shape.size, spacing, solid.dimension());
    case Shape::Kind::cylinder: return cover_cylinder(shape, spacing);
    case Shape::Kind::capsule: return cover_capsule(shape, spacing);
    case Shape::Kind::mesh: return cover_mesh(solid.tree().mesh(), spacing, random);
    case Shape::Kind::sphere:
    case Shape::Kind::cloth: break;
  }
  if (solid.dimension() == 3) return cover_sphere(shape.radius, spacing);
  std::vector<Point> points = ring(round_up_to(2 * pi * shape.radius / spacing, 3), 0);
  for (Point& p : points) p = shape.radius * p;
  return points;
}

}  // namespace pliant::scene

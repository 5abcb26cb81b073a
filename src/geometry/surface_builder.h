// Puts a surface together from triangles and quads, and shares their areas out to the vertices.
#pragma once

#include "geometry/namespace.h"
#include "geometry/triangle_surface.h"

namespace pliant::geometry {

class SurfaceBuilder {
 public:
  std::uint32_t add_vertex(const Point& p) {
    surface_.vertices.push_back(p);
    surface_.areas.push_back(0);
    surface_.facing.push_back(Point::zero());
    return std::uint32_t(surface_.vertices.size() - 1);
  }

  void add_triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    surface_.triangles.push_back({a, b, c});
    const Point area = area_of(a, b, c);
    for (const std::uint32_t v : {a, b, c}) share(v, (1.0 / 3) * area);
  }

  // flat: a quarter for each corner, which two triangles would not give
  void add_quad(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    surface_.triangles.push_back({a, b, c});
    surface_.triangles.push_back({a, c, d});
    const Point area = area_of(a, b, c) + area_of(a, c, d);
    for (const std::uint32_t v : {a, b, c, d}) share(v, 0.25 * area);
  }

  // areas as they are, but for a factor with which they sum to this
  TriangleSurface finish(double area) {
    double sum = 0;
    for (const double a : surface_.areas) sum += a;
    for (double& a : surface_.areas) a *= area / sum;
    for (Point& f : surface_.facing) f = (area / sum) * f;
    return std::move(surface_);
  }

 private:
  Point area_of(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    const std::vector<Point>& x = surface_.vertices;
    return 0.5 * cross(x[b] - x[a], x[c] - x[a]);
  }
  void share(std::uint32_t v, const Point& area) {
    surface_.areas[v] += norm(area);
    surface_.facing[v] += area;
  }

  TriangleSurface surface_;
};

}  // namespace pliant::geometry

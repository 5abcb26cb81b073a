#include "geometry/triangle_surface.h"

#include "core/random.h"
#include "core/stop.h"
#include "geometry/near_points.h"
#include "geometry/remesh.h"
#include "geometry/surface.h"
#include "geometry/surface_builder.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <unordered_map>

namespace pliant::geometry {
namespace {

using std::numbers::pi;

// how many steps of at most the spacing; what is but a round-off longer is not one more
std::int64_t steps(double length, double spacing, std::int64_t least = 1) {
  return std::max(std::int64_t(std::ceil(length / spacing - 1e-9)), least);
}

// --- box: the outer sites of a lattice, faces of squares ---

class BoxSurface {
 public:
  BoxSurface(const Vec3& size, double spacing) : size_(size) {
    for (std::size_t d = 0; d < 3; ++d) last_[d] = steps(size[d], spacing);
  }

  TriangleSurface make() {
    for (std::size_t d = 0; d < 3; ++d) {
      add_face(d, false);
      add_face(d, true);
    }
    return builder_.finish(2 * (size_[0] * size_[1] + size_[1] * size_[2] + size_[2] * size_[0]));
  }

 private:
  using Site = std::array<std::int64_t, 3>;

  void add_face(std::size_t d, bool upper) {
    const std::size_t u = (d + 1) % 3, v = (d + 2) % 3;
    Site site;
    site[d] = upper ? last_[d] : 0;
    const auto at = [&](std::int64_t i, std::int64_t j) {
      site[u] = i;
      site[v] = j;
      return vertex(site);
    };
    for (std::int64_t i = 0; i < last_[u]; ++i) {
      check_stop();
      for (std::int64_t j = 0; j < last_[v]; ++j) {
        const std::uint32_t a = at(i, j), b = at(i + 1, j), c = at(i + 1, j + 1), e = at(i, j + 1);
        if (upper)
          builder_.add_quad(a, b, c, e);
        else
          builder_.add_quad(a, e, c, b);
      }
    }
  }

  std::uint32_t vertex(const Site& s) {
    const std::int64_t key = s[0] + (last_[0] + 1) * (s[1] + (last_[1] + 1) * s[2]);
    const auto known = number_.find(key);
    if (known != number_.end()) return known->second;
    Point p;
    for (std::size_t d = 0; d < 3; ++d) p[int(d)] = size_[d] * (double(s[d]) / double(last_[d]) - 0.5);
    return number_[key] = builder_.add_vertex(p);
  }

  Vec3 size_;
  Site last_;
  SurfaceBuilder builder_;
  std::unordered_map<std::int64_t, std::uint32_t> number_;
};

// --- sphere: the faces of an icosahedron, each cut into n^2 triangles, put onto the sphere ---

class BallSurface {
 public:
  BallSurface(double radius, std::int64_t n) : radius_(radius), n_(n) {
    // three golden rectangles
    const double g = 0.5 * (1 + std::sqrt(5.0));
    for (int d = 0; d < 3; ++d)
      for (const double one : {-1.0, 1.0})
        for (const double golden : {-g, g}) {
          Point p = Point::zero();
          p[(d + 1) % 3] = one;
          p[(d + 2) % 3] = golden;
          corners_.push_back((1 / norm(p)) * p);
          add(corners_.back());
        }
  }

  TriangleSurface make() {
    const double edge = edge_length();
    for (std::uint32_t a = 0; a < 12; ++a)
      for (std::uint32_t b = a + 1; b < 12; ++b)
        for (std::uint32_t c = b + 1; c < 12; ++c) {
          if (!joined(a, b, edge) || !joined(b, c, edge) || !joined(c, a, edge)) continue;
          const bool outward = dot(corners_[a], cross(corners_[b], corners_[c])) > 0;
          add_face(a, outward ? b : c, outward ? c : b);
        }
    return builder_.finish(4 * pi * radius_ * radius_);
  }

 private:
  double edge_length() const {
    double least = 2;
    for (std::size_t b = 1; b < 12; ++b) least = std::min(least, norm(corners_[b] - corners_[0]));
    return least;
  }
  bool joined(std::uint32_t a, std::uint32_t b, double edge) const {
    return norm(corners_[b] - corners_[a]) < 1.1 * edge;
  }
  std::uint32_t add(const Point& p) { return builder_.add_vertex((radius_ / norm(p)) * p); }

  // numbers of the n - 1 points between two corners, from the one of smaller number on
  std::uint32_t between(std::uint32_t a, std::uint32_t b, std::int64_t step) {
    if (a > b) return between(b, a, n_ - step);
    const auto known = edges_.find({a, b});
    if (known != edges_.end()) return known->second + std::uint32_t(step - 1);
    std::uint32_t first = 0;
    for (std::int64_t k = 1; k < n_; ++k) {
      const std::uint32_t v = add(double(n_ - k) * corners_[a] + double(k) * corners_[b]);
      if (k == 1) first = v;
    }
    edges_[{a, b}] = first;
    return first + std::uint32_t(step - 1);
  }

  // i steps from a to b, j from a to c
  std::uint32_t vertex(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::int64_t i, std::int64_t j) {
    const std::int64_t k = n_ - i - j;
    if (k == n_) return a;
    if (i == n_) return b;
    if (j == n_) return c;
    if (j == 0) return between(a, b, i);
    if (i == 0) return between(a, c, j);
    if (k == 0) return between(b, c, j);
    return add(double(k) * corners_[a] + double(i) * corners_[b] + double(j) * corners_[c]);
  }

  void add_face(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    std::vector<std::uint32_t> row, next;
    for (std::int64_t i = 0; i <= n_; ++i) row.push_back(vertex(a, b, c, i, 0));
    for (std::int64_t j = 1; j <= n_; ++j) {
      check_stop();
      next.clear();
      for (std::int64_t i = 0; i <= n_ - j; ++i) next.push_back(vertex(a, b, c, i, j));
      for (std::size_t i = 0; i < next.size(); ++i) {
        builder_.add_triangle(row[i], row[i + 1], next[i]);
        if (i + 1 < next.size()) builder_.add_triangle(row[i + 1], next[i + 1], next[i]);
      }
      row.swap(next);
    }
  }

  double radius_;
  std::int64_t n_;
  std::vector<Point> corners_;
  SurfaceBuilder builder_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> edges_;
};

// as many as one vertex per spacing^2 asks for: 10 n^2 + 2
std::int64_t cuts_of_ball(double radius, double spacing) { return steps(std::sqrt(0.4 * pi) * radius, spacing); }

// --- bodies of revolution: rings about the axis z from the lower to the upper pole ---

struct Ring {
  double radius, z;
  std::int64_t count;  // 1: a pole
  double turn;         // of its first vertex, as a part of the step between two
};

class RingSurface {
 public:
  void add(const Ring& ring) {
    check_stop();
    const auto first = next_;
    for (std::int64_t i = 0; i < ring.count; ++i) {
      const double angle = 2 * pi * (double(i) + ring.turn) / double(ring.count);
      next_ = builder_.add_vertex({{ring.radius * std::cos(angle), ring.radius * std::sin(angle), ring.z}}) + 1;
    }
    if (first > 0) zip(last_, first_of_last_, ring, first);
    last_ = ring;
    first_of_last_ = first;
  }
  TriangleSurface finish(double area) { return builder_.finish(area); }

 private:
  // goes around both at once, along the shorter of the two diagonals
  void zip(const Ring& a, std::uint32_t first_a, const Ring& b, std::uint32_t first_b) {
    const auto angle = [](const Ring& ring, std::int64_t i) { return (double(i) + ring.turn) / double(ring.count); };
    const auto number = [](const Ring& ring, std::uint32_t first, std::int64_t i) {
      return first + std::uint32_t(i % ring.count);
    };
    const std::int64_t last_i = a.count > 1 ? a.count : 0, last_j = b.count > 1 ? b.count : 0;
    for (std::int64_t i = 0, j = 0; i < last_i || j < last_j;) {
      const double by_a = std::fabs(angle(a, i + 1) - angle(b, j)), by_b = std::fabs(angle(b, j + 1) - angle(a, i));
      const std::uint32_t at_a = number(a, first_a, i), at_b = number(b, first_b, j);
      if (j == last_j || (i < last_i && by_a <= by_b))
        builder_.add_triangle(at_a, number(a, first_a, ++i), at_b);
      else
        builder_.add_triangle(at_a, number(b, first_b, ++j), at_b);
    }
  }

  SurfaceBuilder builder_;
  Ring last_ = {};
  std::uint32_t first_of_last_ = 0, next_ = 0;
};

double half_turn(std::int64_t k) { return 0.5 * double(k % 2); }

// ends: rings of 6, 12, 18, ... vertices; the rim has as many as the rings of the side
TriangleSurface cylinder_surface(const Shape& shape, double spacing) {
  const double r = shape.radius, half = 0.5 * shape.length;
  const std::int64_t rings = steps(2 * pi * r / 6, spacing), along = steps(shape.length, spacing);
  RingSurface surface;
  surface.add({0, -half, 1, 0});
  for (std::int64_t k = 1; k < rings; ++k) surface.add({r * double(k) / double(rings), -half, 6 * k, 0});
  for (std::int64_t k = 0; k <= along; ++k)
    surface.add({r, half * (2 * double(k) / double(along) - 1), 6 * rings, half_turn(k)});
  for (std::int64_t k = rings - 1; k > 0; --k) surface.add({r * double(k) / double(rings), half, 6 * k, 0});
  surface.add({0, half, 1, 0});
  return surface.finish(2 * pi * r * (r + shape.length));
}

TriangleSurface capsule_surface(const Shape& shape, double spacing) {
  const double r = shape.radius, half = 0.5 * shape.length;
  const std::int64_t bows = steps(0.5 * pi * r, spacing, 2), along = steps(shape.length, spacing);
  const std::int64_t around = steps(2 * pi * r, spacing, 6);
  const auto bow = [&](std::int64_t k, double side) {
    const double angle = 0.5 * pi * double(k) / double(bows);
    const double count = std::round(double(around) * std::sin(angle));
    return Ring{r * std::sin(angle), side * (half + r * std::cos(angle)),
                std::max(std::int64_t(count), std::int64_t(5)), half_turn(k)};
  };
  RingSurface surface;
  surface.add({0, -half - r, 1, 0});
  for (std::int64_t k = 1; k < bows; ++k) surface.add(bow(k, -1));
  for (std::int64_t k = 0; k <= along; ++k)
    surface.add({r, half * (2 * double(k) / double(along) - 1), around, half_turn(k + bows)});
  for (std::int64_t k = bows - 1; k > 0; --k) surface.add(bow(k, 1));
  surface.add({0, half + r, 1, 0});
  return surface.finish(2 * pi * r * (2 * r + shape.length));
}

// Random darts on the triangles, by area, that keep a distance: the least one that leaves about one per spacing^2
TriangleSurface darts_on(const Mesh& mesh, double spacing) {
  constexpr double distance_in_spacings = 0.8, darts_per_point = 16;
  Random random(1);
  const SurfaceDarts darts(mesh);
  NearPoints near(mesh.lower, distance_in_spacings * spacing);
  TriangleSurface surface;
  const std::int64_t count = steps(darts_per_point * mesh.area / (spacing * spacing), 1, 64);
  for (std::int64_t n = 0; n < count; ++n) {
    check_stop_at(std::size_t(n));
    const auto [t, at] = darts.next(random);
    if (near.find(at) != NearPoints::none) continue;
    near.add(at);
    const Point a = mesh.corner(t, 0);
    const Point normal = cross(mesh.corner(t, 1) - a, mesh.corner(t, 2) - a);
    surface.facing.push_back((1 / std::max(norm(normal), 1e-300)) * normal);
  }
  surface.vertices = near.points();
  const double each = mesh.area / double(surface.vertices.size());
  surface.areas.assign(surface.vertices.size(), each);
  for (Point& f : surface.facing) f = each * f;
  return surface;
}

TriangleSurface mesh_surface(const Mesh& mesh, double spacing) {
  const TriangleMesh remeshed = remesh({mesh.vertices, mesh.triangles}, spacing);
  if (remeshed.triangles.empty()) return darts_on(mesh, spacing);
  SurfaceBuilder builder;
  for (const Point& p : remeshed.vertices) builder.add_vertex(p);
  for (const auto& [a, b, c] : remeshed.triangles) builder.add_triangle(a, b, c);
  return builder.finish(mesh.area);
}

}  // namespace

TriangleSurface triangle_surface(const Solid& solid, double spacing) {
  const Shape& shape = solid.shape();
  switch (shape.kind) {
    case Shape::Kind::box: return BoxSurface(shape.size, spacing).make();
    case Shape::Kind::cylinder: return cylinder_surface(shape, spacing);
    case Shape::Kind::capsule: return capsule_surface(shape, spacing);
    case Shape::Kind::mesh: return mesh_surface(solid.tree().mesh(), spacing);
    case Shape::Kind::sphere:
    case Shape::Kind::cloth: break;
  }
  return BallSurface(shape.radius, cuts_of_ball(shape.radius, spacing)).make();
}

double expected_vertices(const Solid& solid, double spacing) {
  const Point size = solid.upper() - solid.lower();
  // edges and thin rods count by length
  return solid.surface_area() / (spacing * spacing) + (size[0] + size[1] + size[2]) / spacing + 12;
}

}  // namespace pliant::geometry

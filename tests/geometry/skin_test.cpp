// Skins of particles: closed, flat where a lattice is, of the volume of what is in them; surface nets of closed forms.
#include "geometry/skin.h"

#include "core/random.h"
#include "geometry/means_near.h"
#include "geometry/surface_net.h"
#include "pliant/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

namespace pliant {

using namespace geometry;

namespace {

using Triangles = std::vector<std::array<std::uint32_t, 3>>;
using std::numbers::pi;
constexpr double spacing = 0.01;

template <class Inside>
std::vector<Point> lattice(int n, const Inside& inside) {
  std::vector<Point> points;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        const Point p = spacing * Point{{i + 0.5, j + 0.5, k + 0.5}};
        if (inside(p)) points.push_back(p);
      }
  return points;
}

std::vector<Point> block(int n) {
  return lattice(n, [](const Point&) { return true; });
}

Skin skin(const std::vector<Point>& points) {
  return skin_of(points, std::vector<double>(points.size(), spacing * spacing * spacing));
}

double volume(const std::vector<Point>& vertices, const Triangles& triangles) {
  double sum = 0;
  for (const auto& t : triangles) sum += dot(vertices[t[0]], cross(vertices[t[1]], vertices[t[2]])) / 6;
  return sum;
}

double volume_ratio(const std::vector<Point>& points) {
  const Skin s = skin(points);
  return volume(s.vertices, s.triangles) / (double(points.size()) * spacing * spacing * spacing);
}

// how often each edge is walked; each must be walked as often back
std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges(const Triangles& triangles) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> walked;
  for (const auto& t : triangles)
    for (std::size_t i = 0; i < 3; ++i) ++walked[{t[i], t[(i + 1) % 3]}];
  for (const auto& [edge, times] : walked) {
    const auto back = walked.find({edge.second, edge.first});
    EXPECT_TRUE(back != walked.end() && back->second == times);
  }
  return walked;
}

long euler(std::size_t vertices, const Triangles& triangles) {
  const auto walked = edges(triangles);
  for (const auto& [edge, times] : walked) EXPECT_EQ(times, 1);
  return long(vertices) - long(walked.size() / 2) + long(triangles.size());
}

// a field of the distance below a sphere; within a block of nodes, cut off below 0
BlockField sphere_field(const Point& center, double radius) {
  BlockField field;
  const Node low = {-20, -20, -20}, high = {20, 20, 20};
  field.cover(low, high);
  field.make_room();
  field.for_rows(low, high, [&](float* values, const Node& n, std::int32_t count) {
    for (std::int32_t i = 0; i < count; ++i)
      values[i] = float(20 + radius - norm(Point{{double(n[0]), double(n[1]), double(n[2] + i)}} - center));
  });
  return field;
}

TEST(SurfaceNet, OfADistanceIsASphere) {
  const Point center = {{0.3, -1.2, 2.7}};
  const double radius = 12.4;
  const TriangleMesh net = surface_net(sphere_field(center, radius), 20);
  EXPECT_EQ(euler(net.vertices.size(), net.triangles), 2);
  // the mean of points on the sphere within a cell is inside by at most 1/8 of its diagonal squared over the radius
  for (const Point& v : net.vertices) EXPECT_NEAR(norm(v - center), radius, 3.0 / 8 / radius);
  EXPECT_NEAR(volume(net.vertices, net.triangles), 4 * pi / 3 * std::pow(radius, 3),
              0.01 * 4 * pi / 3 * std::pow(radius, 3));
}

TEST(SurfaceNet, OfNothingIsNothing) {
  BlockField field;
  EXPECT_TRUE(surface_net(field, 0.5f).triangles.empty());
  field.cover({0, 0, 0}, {3, 3, 3});
  field.make_room();
  EXPECT_EQ(field.block_count(), 1u);
  EXPECT_TRUE(surface_net(field, 0.5f).triangles.empty());
  EXPECT_EQ(field.at({99, -99, 0}), 0.0f);
}

TEST(Skin, OfABlockHasItsVolumeAndFlatFaces) {
  const std::vector<Point> points = block(18);
  const Skin s = skin(points);
  EXPECT_EQ(euler(s.vertices.size(), s.triangles), 2);
  // edges are round: 12 edges of 18 spacings lose some .4 square spacings each
  EXPECT_NEAR(volume_ratio(points), 1, 0.02);
  double farthest = 0;
  for (std::size_t v = 0; v < s.vertices.size(); ++v) {
    const Point& p = s.vertices[v];
    EXPECT_NEAR(norm(s.normals[v]), 1, 1e-12);
    if (std::min({p[0], p[1], 18 * spacing - p[0], 18 * spacing - p[1]}) < 3 * spacing) continue;
    const double off = std::min(std::abs(p[2]), std::abs(p[2] - 18 * spacing));
    farthest = std::max(farthest, off);
    EXPECT_GT(std::abs(s.normals[v][2]), 0.9999);
  }
  // a face of the lattice: the ripple of a spline that is 5/4 of a spacing wide
  EXPECT_LT(farthest, 2e-3 * spacing);
}

TEST(Skin, OfABallHasItsVolumeAndNoHole) {
  const Point center = spacing * Point{{13, 13, 13}};
  const double radius = 11.3 * spacing;
  const std::vector<Point> points = lattice(26, [&](const Point& p) { return norm(p - center) < radius; });
  const Skin s = skin(points);
  EXPECT_EQ(euler(s.vertices.size(), s.triangles), 2);
  EXPECT_NEAR(volume_ratio(points), 1, 0.02);
  for (std::size_t v = 0; v < s.vertices.size(); ++v) {
    const Point out = s.vertices[v] - center;
    // a ball of cubes has steps of half a spacing
    EXPECT_NEAR(norm(out), radius, 0.5 * spacing);
    EXPECT_GT(dot(out, s.normals[v]), 0.93 * norm(out));
  }
}

TEST(Skin, OfDisorderedParticlesIsClosedAndHasTheirVolume) {
  Random random(5);
  std::vector<Point> points = block(14);
  for (Point& p : points)
    p += 0.6 * spacing * Point{{random.uniform() - 0.5, random.uniform() - 0.5, random.uniform() - 0.5}};
  const Skin s = skin(points);
  edges(s.triangles);
  EXPECT_NEAR(volume_ratio(points), 1, 0.05);
}

TEST(Skin, ShowsDropsThreadsAndSheetsOfSingleParticles) {
  std::vector<Point> drop = {{{0.3, 0.2, 0.1}}}, thread, sheet;
  for (int i = 0; i < 30; ++i) thread.push_back({{i * spacing, 0.003, 0.004}});
  for (int i = 0; i < 900; ++i) sheet.push_back({{i % 30 * spacing, i / 30 * spacing, 0.004}});
  // as thin as the kernel: not of the right volume, but not far from it, wherever the grid is
  EXPECT_NEAR(volume_ratio(drop), 0.8, 0.35);
  EXPECT_NEAR(volume_ratio(thread), 1, 0.3);
  EXPECT_NEAR(volume_ratio(sheet), 1, 0.3);
  for (const auto& points : {drop, thread, sheet}) {
    const Skin s = skin(points);
    EXPECT_EQ(euler(s.vertices.size(), s.triangles), 2);
  }
}

TEST(Skin, HasNoHoleWhereMatterIsStretched) {
  // a slab of four layers, pulled to three times its width: without closing it falls into 12 slices
  std::vector<Point> points;
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 24; ++j)
      for (int k = 0; k < 4; ++k) points.push_back(spacing * Point{{3.0 * i, 1.0 * j, k / 3.0}});
  const Skin s = skin(points);
  EXPECT_EQ(euler(s.vertices.size(), s.triangles), 2);
}

TEST(Skin, IsMadeOfAsManyPiecesAsTheMatterEvenFarApart) {
  std::vector<Point> points = block(10);
  for (const Point& p : block(10)) points.push_back(p + Point{{300, -2, 40}});
  const Skin s = skin(points);
  EXPECT_EQ(euler(s.vertices.size(), s.triangles), 4);
  // ten spacings wide: round edges are a larger part of them
  EXPECT_NEAR(volume_ratio(points), 1, 0.05);
}

TEST(Skin, HasTheSameBitsAgain) {
  const std::vector<Point> points = block(7);
  const Skin a = skin(points), b = skin(points);
  ASSERT_EQ(a.triangles, b.triangles);
  for (std::size_t v = 0; v < a.vertices.size(); ++v)
    for (int d = 0; d < 3; ++d) ASSERT_EQ(a.vertices[v][d], b.vertices[v][d]);
}

TEST(Skin, RefusesWhatHasNone) {
  EXPECT_TRUE(skin({}).triangles.empty());
  const std::vector<Point> points = block(1), nowhere = {{{0, std::nan(""), 0}}}, far = {{{1e6, 0, 0}}};
  EXPECT_THROW(skin(nowhere), Error);
  EXPECT_THROW(skin(far), Error);
  EXPECT_THROW(skin_of(points, std::vector<double>{0}), Error);
  EXPECT_THROW(skin_of(points, std::vector<double>{1}, 5), Error);
}

TEST(MeansNear, AreThoseOfASumOverAll) {
  Random random(3);
  std::vector<Point> points, places;
  std::vector<double> values;
  for (int i = 0; i < 300; ++i) {
    points.push_back({{random.uniform(), random.uniform(), random.uniform()}});
    values.push_back(random.uniform());
  }
  for (int i = 0; i < 50; ++i) places.push_back({{random.uniform(), random.uniform(), 2 * random.uniform()}});
  const double distance = 0.2;
  const std::vector<double> means = means_near(points, values, places, distance);
  for (std::size_t i = 0; i < places.size(); ++i) {
    double sum = 0, total = 0;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const double q = norm(points[k] - places[i]) / distance;
      const double weight = q < 1 ? (1 - q * q) * (1 - q * q) : 0;
      sum += weight * values[k];
      total += weight;
    }
    EXPECT_NEAR(means[i], total > 0 ? sum / total : 0, 1e-12);
  }
}

}  // namespace

}  // namespace pliant

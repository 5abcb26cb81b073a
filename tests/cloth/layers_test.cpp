// Layers that have passed through each other in a step are put back to their sides; nothing else is moved.
#include "cloth/layers.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>

namespace pliant {

using namespace cloth;

namespace {

class Dice {
 public:
  double between(double low, double high) { return std::uniform_real_distribution<>(low, high)(engine_); }
  Vec vector(double size) { return {{between(-size, size), between(-size, size), between(-size, size)}}; }

 private:
  std::mt19937 engine_{3};
};

Vec gap_of(const Between& between, const Vec x[4]) {
  Vec gap = Vec::zero();
  for (int k = 0; k < 4; ++k) gap += between.weight[k] * x[k];
  return gap;
}

TEST(Nearest, NoPointOfATriangleIsNearerToAVertex) {
  Dice dice;
  for (int trial = 0; trial < 300; ++trial) {
    const Vec x[4] = {dice.vector(2), dice.vector(1), dice.vector(1), dice.vector(1)};
    const double least = norm(gap_of(vertex_and_triangle(x), x));
    const int n = 40;
    double sampled = 1e300;
    for (int i = 0; i <= n; ++i)
      for (int j = 0; i + j <= n; ++j) {
        const double u = double(i) / n, v = double(j) / n;
        sampled = std::min(sampled, norm(x[0] - ((1 - u - v) * x[1] + u * x[2] + v * x[3])));
      }
    EXPECT_LE(least, sampled + 1e-12);
    // samples are 1/40 of an edge apart, which is at most 2 sqrt(3) long
    EXPECT_GE(least, sampled - 0.09);
  }
}

TEST(Nearest, NoPointsOfTwoEdgesAreNearer) {
  Dice dice;
  int inside = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Vec x[4] = {dice.vector(1), dice.vector(1), dice.vector(1), dice.vector(1)};
    const Between between = two_edges(x);
    double sampled = 1e300;
    int at = 0, n = 40;
    for (int k = 0; k < (n + 1) * (n + 1); ++k) {
      const double s = double(k % (n + 1)) / n, t = double(k / (n + 1)) / n;
      const double d = norm((1 - s) * x[0] + s * x[1] - (1 - t) * x[2] - t * x[3]);
      if (d < sampled) sampled = d, at = k;
    }
    const int i = at % (n + 1), j = at / (n + 1);
    if (between.inside) {
      ++inside;
      EXPECT_LE(norm(gap_of(between, x)), sampled + 1e-12);
      EXPECT_GE(norm(gap_of(between, x)), sampled - 0.09);
    } else {
      // an end is nearest, up to the spacing of the samples
      EXPECT_LE(std::min({i, n - i, j, n - j}), 1);
    }
  }
  EXPECT_GT(inside, 30);
}

TEST(Bins, FindAllThatMeetABoxOnce) {
  Dice dice;
  std::vector<Box> boxes;
  for (int i = 0; i < 500; ++i) {
    const Vec center = dice.vector(1);
    // points, lines and boxes
    const Vec half = {{dice.between(0, 0.4) * (i % 2), dice.between(0, 0.4) * (i % 3), dice.between(0, 0.4) * (i % 5)}};
    boxes.push_back({center - half, center + half});
  }
  Bins bins;
  bins.fill(0.3, boxes.size(), [&](std::size_t i) { return boxes[i]; });
  int met = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const Vec center = dice.vector(1), half = {{0.2, 0.5, dice.between(0, 0.4)}};
    const Box box = {center - half, center + half};
    std::vector<int> times(boxes.size());
    bins.near(box, [&](std::uint32_t i) { ++times[i]; });
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      EXPECT_EQ(times[i], int(meet(box, boxes[i])));
      met += times[i];
    }
  }
  EXPECT_GT(met, 1000);
}

TEST(Bins, ALongBoxDoesNotFillTheMemory) {
  std::vector<Box> boxes = {{{{0, 0, 0}}, {{1000, 1000, 1000}}}};
  for (int i = 0; i < 10; ++i) boxes.push_back({{{0.1 * i, 0, 0}}, {{0.1 * i, 0, 0}}});
  Bins bins;
  bins.fill(0.01, boxes.size(), [&](std::size_t i) { return boxes[i]; });
  EXPECT_LT(bins.bytes(), 1u << 20);
  std::vector<std::uint32_t> met;
  bins.near({{{0.25, 0, 0}}, {{0.45, 0, 0}}}, [&](std::uint32_t i) { met.push_back(i); });
  EXPECT_EQ(met, (std::vector<std::uint32_t>{0, 4, 5}));
}

// two sheets, one above the other, with particles in the order of their numbers
class Pile {
 public:
  static constexpr double spacing = 0.01, thickness = 0.001;
  static constexpr std::uint32_t side = 9;  // vertices

  // the spacing of the upper sheet is that of the lower one / fineness
  explicit Pile(double gap, int threads = 1, std::uint32_t fineness = 1) : workers_(threads) {
    const std::uint32_t sides[2] = {side, fineness * (side - 1) + 1};
    std::size_t total = 0;
    for (const std::uint32_t n : sides) total += n * n + 2 * (n - 1) * (n - 1);
    points.resize(total);
    for (int k = 0; k < 2; ++k) add_sheet(k, k * gap, sides[k]);
    for (std::size_t i = 0; i < points.size(); ++i) points[i].id = IdOf<double>(i);
    for (int k = 0; k < 2; ++k) {
      steps_.emplace_back(*sheets_[std::size_t(k)], Cloth<double>{}, groups_[std::size_t(k)]);
      steps_.back().on_sorted(points, workers_);
      layers.add(*sheets_[std::size_t(k)]);
    }
  }

  void look() { layers.look(steps_, points, workers_); }
  void part() { layers.part(steps_, points, workers_); }
  std::size_t vertex(int sheet, std::size_t v) const { return groups_[std::size_t(sheet)].begin + v; }
  std::size_t count() const { return sheets_[0]->vertices; }

  // the least height of a vertex of the upper sheet over a triangle of the lower one, m
  double clearance() const {
    double least = 1e300;
    for (std::size_t v = 0; v < count(); ++v)
      for (const Element<double>& e : sheets_[0]->elements) {
        Vec x[4] = {place(1, v), place(0, e.corner[0]), place(0, e.corner[1]), place(0, e.corner[2])};
        const double z = x[0][2];
        x[0][2] = 0;
        Vec flat[4] = {x[0], x[1], x[2], x[3]};
        for (Vec& y : flat) y[2] = 0;
        const Between below = vertex_and_triangle(flat);
        if (norm(gap_of(below, flat)) < 1e-12) least = std::min(least, z + gap_of(below, x)[2]);
      }
    return least;
  }

  // pairs of a vertex and a triangle without a corner in common, every one with every other, by their distances
  std::vector<double> all_vertex_distances() const {
    std::vector<double> distances;
    for (int k = 0; k < 4; ++k) {
      const Sheet<double>&over = *sheets_[std::size_t(k / 2)], &below = *sheets_[std::size_t(k % 2)];
      const double reach = 0.35 * (over.shortest_height + below.shortest_height);
      for (std::uint32_t v = 0; v < over.vertices; ++v)
        for (const Element<double>& e : below.elements) {
          if (k / 2 == k % 2 && (v == e.corner[0] || v == e.corner[1] || v == e.corner[2])) continue;
          const Vec x[4] = {place(k / 2, v), place(k % 2, e.corner[0]), place(k % 2, e.corner[1]),
                            place(k % 2, e.corner[2])};
          const double distance = norm(gap_of(vertex_and_triangle(x), x));
          if (distance <= reach) distances.push_back(distance);
        }
    }
    std::sort(distances.begin(), distances.end());
    return distances;
  }

  Layers<double> layers;
  Buffer<Point<3, double>> points;

 private:
  Vec place(int sheet, std::size_t v) const {
    const double* x = points[vertex(sheet, v)].x;
    return {{x[0], x[1], x[2]}};
  }
  void add_sheet(int number, double z, std::uint32_t n) {
    SheetMesh mesh;
    const double step = spacing * (side - 1) / (n - 1);
    // the upper one is turned and shifted a little, so that vertices are not above vertices
    for (std::uint32_t i = 0; i < n * n; ++i) {
      const double x = step * (i % n), y = step * (i / n);
      mesh.vertices.push_back({x + number * (0.1 * y + 0.003), y - number * (0.1 * x - 0.004), z});
    }
    for (std::uint32_t j = 0; j + 1 < n; ++j)
      for (std::uint32_t i = 0; i + 1 < n; ++i) {
        const std::uint32_t a = n * j + i;
        mesh.triangles.push_back({a, a + 1, a + n});
        mesh.triangles.push_back({a + 1, a + n + 1, a + n});
      }
    Matter matter;
    matter.shape.thickness = thickness;
    Material silk;
    silk.law = Law::cloth;
    sheets_.push_back(std::make_unique<Sheet<double>>(make_sheet<double>(mesh, matter, silk, 0)));
    const std::size_t total = n * n + mesh.triangles.size(), begin = groups_.empty() ? 0 : groups_.back().end;
    groups_.push_back({begin, begin + total});
    for (std::size_t i = 0; i < total; ++i) {
      points[begin + i].mass = 1 + 0.1 * double(i % 7);
      for (int d = 0; d < 3; ++d) points[begin + i].x[d] = i < n * n ? mesh.vertices[i][std::size_t(d)] : 0.0;
    }
  }

  Workers workers_;
  std::vector<std::unique_ptr<Sheet<double>>> sheets_;
  std::vector<Group> groups_;
  std::vector<ClothStep<double>> steps_;
};

TEST(Layers, AFlatSheetIsNotNearItself) {
  Pile pile(0.02);
  pile.look();
  EXPECT_TRUE(pile.layers.pairs().empty());
}

TEST(Layers, AFineSheetIsNotNearItselfBesideACoarseOne) {
  Pile pile(0.02, 1, 2);
  pile.look();
  EXPECT_TRUE(pile.layers.pairs().empty());
}

TEST(Layers, FindWhatASearchOfAllFinds) {
  for (const std::uint32_t fineness : {1u, 2u, 3u}) {
    Pile pile(0.0025, 1, fineness);
    Dice dice;
    for (auto& point : pile.points)
      for (int d = 0; d < 3; ++d) point.x[d] += dice.between(-0.001, 0.001);
    pile.look();
    std::vector<double> found;
    for (const NearPair& pair : pile.layers.pairs())
      if (pair.weight[0] == 1) found.push_back(pair.distance);  // of two edges it is smaller
    std::sort(found.begin(), found.end());
    const std::vector<double> all = pile.all_vertex_distances();
    ASSERT_EQ(found.size(), all.size()) << fineness;
    EXPECT_GT(found.size(), 100u);
    // the same sums in the same order
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NEAR(found[i], all[i], 1e-15) << fineness;
  }
}

TEST(Layers, ThoseThatPassedArePutBackToTheirSide) {
  Pile pile(0.002);
  pile.look();
  EXPECT_FALSE(pile.layers.pairs().empty());
  for (std::size_t v = 0; v < pile.count(); ++v) pile.points[pile.vertex(1, v)].x[2] -= 0.0025;
  Vec before = Vec::zero(), after = Vec::zero();
  const auto add = [&](Vec& sum) {
    for (std::size_t k = 0; k < 2 * pile.count(); ++k) {
      const auto& p = pile.points[pile.vertex(int(k % 2), k / 2)];
      for (int d = 0; d < 3; ++d) sum[d] += p.mass * p.x[d];
    }
  };
  add(before);
  ASSERT_LT(pile.clearance(), 0);
  pile.part();
  add(after);
  // what is left for the next step: 5 % of the thickness
  EXPECT_GT(pile.clearance(), 0.95 * Pile::thickness);
  // round-off of some hundred sums of about 1 kg m
  for (int d = 0; d < 3; ++d) EXPECT_NEAR(before[d], after[d], 1e-12);
}

TEST(Layers, WhatStaysApartIsNotTouched) {
  Pile pile(0.002);
  pile.look();
  for (std::size_t v = 0; v < pile.count(); ++v) pile.points[pile.vertex(1, v)].x[2] -= 0.0009;
  std::vector<double> before;
  for (std::size_t v = 0; v < pile.count(); ++v) before.push_back(pile.points[pile.vertex(1, v)].x[2]);
  pile.part();
  for (std::size_t v = 0; v < pile.count(); ++v) EXPECT_EQ(before[v], pile.points[pile.vertex(1, v)].x[2]);
}

TEST(Layers, ThoseThatAreTooNearPartSlowly) {
  Pile pile(0.2 * Pile::thickness);
  pile.look();
  pile.part();
  // a quarter of the thickness in a step, less at most the 5 % that are left for the next, and more where pushes add up
  EXPECT_GT(pile.clearance(), 0.4 * Pile::thickness);
  EXPECT_LT(pile.clearance(), 0.5 * Pile::thickness);
}

TEST(Layers, ThreadsDoNotMatter) {
  Pile one(0.002, 1), three(0.002, 3);
  for (Pile* pile : {&one, &three}) {
    pile->look();
    for (std::size_t v = 0; v < pile->count(); ++v)
      pile->points[pile->vertex(1, v)].x[2] -= 0.002 + 1e-5 * double(v % 9);
    pile->part();
  }
  for (std::size_t i = 0; i < one.points.size(); ++i)
    for (int d = 0; d < 3; ++d) EXPECT_EQ(one.points[i].x[d], three.points[i].x[d]);
}

}  // namespace
}  // namespace pliant

// Order of particles, blocks and slots against brute force.
#include "grid/layout.h"

#include "core/error.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <tuple>

namespace pliant {

using namespace grid;

namespace {

template <int D>
Buffer<Point<D, float>> random_points(std::size_t count, float spread, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> place(-spread, spread);
  Buffer<Point<D, float>> points;
  points.allocate(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (int d = 0; d < D; ++d) points[i].x[d] = place(random);
    points[i].id = std::uint32_t(i);
  }
  return points;
}

template <int D>
std::array<int, D> cell_of(const Point<D, float>& p, float h) {
  std::array<int, D> c;
  for (int d = 0; d < D; ++d) c[d] = int(std::floor(p.x[d] * (1 / h) - 0.5f));
  return c;
}

// (group, block, cell in block): what the order goes by
template <int D>
auto sort_key(const Point<D, float>& p, float h, const std::vector<Group>& groups) {
  std::size_t group = 0;
  while (p.id >= groups[group].end) ++group;
  std::array<int, D> block, local;
  const auto c = cell_of<D>(p, h);
  for (int d = 0; d < D; ++d) {
    block[d] = c[d] >> 2;
    local[d] = c[d] & 3;
  }
  return std::tuple(group, block, local);
}

template <int D>
void check_order(int threads) {
  const float h = 0.1f;
  const auto points = random_points<D>(3000, 2, 1);
  const std::vector<Group> groups = {{0, 1000}, {1000, 1001}, {1001, 3000}};
  Workers workers(threads);
  Layout<D, float> layout;
  layout.build(points, groups, h, workers);
  Buffer<Point<D, float>> sorted;
  sorted.allocate(points.size());
  layout.reorder(points, sorted, workers);
  // a stable sort by the key is the one right answer
  std::vector<std::uint32_t> expected(points.size());
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = std::uint32_t(i);
  std::stable_sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) {
    return sort_key<D>(points[a], h, groups) < sort_key<D>(points[b], h, groups);
  });
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(sorted[i].id, expected[i]) << i;
  // every cell range of every block holds just its particles
  std::size_t seen = 0;
  for (const auto& block : layout.blocks)
    for (auto k = block.segment_begin; k < block.segment_end; ++k) {
      const Segment& segment = layout.segments[layout.block_segments[k]];
      for (int c = 0; c < block_nodes<D>; ++c)
        for (auto i = layout.cell_starts[segment.first_cell + c]; i < layout.cell_starts[segment.first_cell + c + 1];
             ++i) {
          const auto cell = cell_of<D>(sorted[i], h);
          int local = 0;
          for (int d = 0; d < D; ++d) {
            ASSERT_EQ(cell[d] >> 2, block.coord[d]);
            local = local * 4 + (cell[d] & 3);
          }
          ASSERT_EQ(local, c);
          ASSERT_GE(i, groups[segment.group].begin);
          ASSERT_LT(i, groups[segment.group].end);
          ++seen;
        }
    }
  EXPECT_EQ(seen, points.size());
}

TEST(Layout, OrderIsAStableSortForAnyNumberOfThreads) {
  for (int threads : {1, 2, 3, 8}) {
    check_order<2>(threads);
    check_order<3>(threads);
  }
}

TEST(Layout, SlotsAndBlocksPointAtEachOther) {
  const auto points = random_points<3>(500, 3, 2);
  Workers workers(1);
  Layout<3, float> layout;
  layout.build(points, {{0, 500}}, 0.1f, workers);
  for (std::size_t b = 0; b < layout.blocks.size(); ++b)
    for (int n = 0; n < 27; ++n) {
      const Slot<3>& slot = layout.slots[std::size_t(layout.blocks[b].slots[n])];
      const int offset[3] = {n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
      for (int d = 0; d < 3; ++d) ASSERT_EQ(slot.coord[d], layout.blocks[b].coord[d] + offset[d]);
      ASSERT_EQ(slot.blocks[26 - n], std::int32_t(b));
    }
}

TEST(Layout, TheWholeRangeOfTheGridWorks) {
  auto points = random_points<3>(2, 1, 3);
  Workers workers(1);
  Layout<3, float> layout;
  for (float corner : {-500000.f, 500000.f}) {
    for (int d = 0; d < 3; ++d) points[0].x[d] = corner;
    layout.build(points, {{0, 2}}, 1.f, workers);
    ASSERT_EQ(layout.blocks.size(), 2u);
    const std::size_t far = corner < 0 ? 0 : 1;
    for (int d = 0; d < 3; ++d) EXPECT_EQ(layout.blocks[far].coord[d], int(std::floor((corner - 0.5f) / 4)));
  }
}

TEST(Layout, LeavingTheRangeIsANamedError) {
  auto points = random_points<2>(10, 1, 4);
  Workers workers(1);
  Layout<2, float> layout;
  points[7].x[1] = 600000;
  try {
    layout.build(points, {{0, 10}}, 1.f, workers);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_range);
    EXPECT_NE(std::string(error.what()).find("particle 7"), std::string::npos) << error.what();
  }
  points[7].x[1] = NAN;
  try {
    layout.build(points, {{0, 10}}, 1.f, workers);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_finite);
  }
}

}  // namespace
}  // namespace pliant

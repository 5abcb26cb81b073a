// Points in cells as wide as the distance that matters, so that those near a place are in 27 cells.
#pragma once

#include "geometry/namespace.h"
#include "geometry/point.h"

#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace pliant::geometry {

class NearPoints {
 public:
  static constexpr std::uint32_t none = ~0u;

  NearPoints(const Point& origin, double distance) : origin_(origin), distance_(distance) {}

  // the first point that was added within the distance of p, or none
  std::uint32_t find(const Point& p) const {
    const Cell cell = cell_of(p);
    std::uint32_t first = none;
    for (int n = 0; n < 27; ++n) {
      const auto [from, to] = cells_.equal_range({cell[0] + n % 3 - 1, cell[1] + n / 3 % 3 - 1, cell[2] + n / 9 - 1});
      for (auto other = from; other != to; ++other)
        if (other->second < first && norm(p - points_[other->second]) <= distance_) first = other->second;
    }
    return first;
  }

  void add(const Point& p) {
    cells_.emplace(cell_of(p), std::uint32_t(points_.size()));
    points_.push_back(p);
  }

  const std::vector<Point>& points() const { return points_; }

 private:
  using Cell = std::array<std::int64_t, 3>;

  struct Hash {
    std::size_t operator()(const Cell& cell) const {
      std::uint64_t h = 0;
      for (const std::int64_t c : cell) h = (h ^ (h >> 29) ^ std::uint64_t(c)) * 0x9e3779b97f4a7c15u;
      return std::size_t(h ^ (h >> 32));
    }
  };

  Cell cell_of(const Point& p) const {
    Cell cell;
    for (int i = 0; i < 3; ++i) cell[std::size_t(i)] = std::int64_t(std::floor((p[i] - origin_[i]) / distance_));
    return cell;
  }

  Point origin_;
  double distance_;
  std::vector<Point> points_;
  std::unordered_multimap<Cell, std::uint32_t, Hash> cells_;
};

}  // namespace pliant::geometry

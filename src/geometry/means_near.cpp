#include "geometry/means_near.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace pliant::geometry {

namespace {

using Cell = std::array<std::int32_t, 3>;

// numbers of points, sorted by the cells that they are in
class PointsInCells {
 public:
  PointsInCells(std::span<const Point> points, double edge) : edge_(edge), cells_(points.size()) {
    for (std::uint32_t i = 0; i < points.size(); ++i) cells_[i] = {key(cell_of(points[i])), i};
    std::sort(cells_.begin(), cells_.end());
  }

  // calls at(number) for each point of the 27 cells around p
  template <class At>
  void visit(const Point& p, const At& at) const {
    const Cell c = cell_of(p);
    for (std::int32_t row = 0; row < 9; ++row) {
      // cells above each other follow each other
      const std::uint64_t first = key({c[0] + row / 3 - 1, c[1] + row % 3 - 1, c[2] - 1});
      auto entry = std::lower_bound(cells_.begin(), cells_.end(), Entry{first, 0});
      for (; entry != cells_.end() && entry->first <= first + 2; ++entry) at(entry->second);
    }
  }

 private:
  using Entry = std::pair<std::uint64_t, std::uint32_t>;  // key of the cell, number of the point
  static constexpr std::int32_t farthest = (1 << 20) - 2;

  // what is farther away is in the outermost cells
  Cell cell_of(const Point& p) const {
    Cell cell;
    for (int d = 0; d < 3; ++d)
      cell[std::size_t(d)] = std::int32_t(std::floor(std::clamp(p[d] / edge_, double(-farthest), double(farthest))));
    return cell;
  }
  static std::uint64_t key(const Cell& cell) {
    std::uint64_t key = 0;
    for (const std::int32_t c : cell) key = key << 21 | std::uint64_t(c + farthest + 1);
    return key;
  }

  double edge_;
  std::vector<Entry> cells_;
};

}  // namespace

std::vector<double> means_near(std::span<const Point> points, std::span<const double> values,
                               std::span<const Point> places, double distance) {
  const PointsInCells cells(points, distance);
  std::vector<double> means(places.size(), 0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    double sum = 0, total = 0;
    cells.visit(places[i], [&](std::uint32_t number) {
      const Point away = points[number] - places[i];
      const double left = std::max(0.0, 1 - dot(away, away) / (distance * distance)), weight = left * left;
      sum += weight * values[number];
      total += weight;
    });
    if (total > 0) means[i] = sum / total;
  }
  return means;
}

}  // namespace pliant::geometry

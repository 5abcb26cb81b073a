// Poisson-disk sampling. A periodic tile of points that keep a least distance r is made once (Bridson's algorithm:
// darts around known points until there is no room), then laid out over space at a random shift, and cut to the region.
// The tile has no boundary, so the density is even up to the surface, and thin parts get their share.
#include "core/error.h"
#include "core/stop.h"
#include "scene/fill.h"

#include <algorithm>
#include <cmath>

namespace pliant::scene {

namespace {

// points along an edge of the tile, about: as many as the region needs, within these bounds
constexpr double min_tile_edge = 8;
constexpr double max_tile_edge[2] = {64, 24};
// points per r^D that a full tile has, about
constexpr double packing[2] = {0.7, 0.7};
// darts around a point before it is given up
constexpr int darts_per_point = 30;
// shifts to try for a number of points that is within this part of the wanted one
constexpr int shift_count = 16;
constexpr double count_tolerance = 0.01;
constexpr double max_tiles = 1e7;

// points in the unit cube (square), repeated along each axis
struct Tile {
  int dimension;
  std::vector<Point> points;
};

double power(double x, int dimension) { return dimension == 2 ? x * x : x * x * x; }
double root(double x, int dimension) { return dimension == 2 ? std::sqrt(x) : std::cbrt(x); }

// A grid over the periodic tile, so fine that a cell holds one point at most. A rim of cells around it holds copies of
// the points at the far side, so that a search sees them without wrapping.
class TileGrid {
 public:
  TileGrid(double distance, int dimension) : squared_(distance * distance), dimension_(dimension) {
    count_ = int(std::ceil(std::sqrt(double(dimension)) / distance)) + 1;
    rim_ = int(std::ceil(distance * count_));
    width_ = count_ + 2 * rim_;
    slots_.assign(std::size_t(power(width_, dimension)), -1);
    find_offsets(distance * count_);
  }

  bool has_room(const Point& p) const {
    const std::int32_t* slot = slots_.data() + place(p);
    for (const std::ptrdiff_t offset : offsets_) {
      if (slot[offset] < 0) continue;
      const Point between = copies_[std::size_t(slot[offset])] - p;
      if (dot(between, between) < squared_) return false;
    }
    return true;
  }

  void insert(const Point& p) {
    points_.push_back(p);
    const int last_z = dimension_ == 3 ? 1 : 0;
    for (int z = -last_z; z <= last_z; ++z)
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) insert_copy(p + Point{{double(x), double(y), double(z)}});
  }

  const std::vector<Point>& points() const { return points_; }

 private:
  // the neighbours that may hold a point within reach, nearest first
  void find_offsets(double reach) {
    std::vector<std::array<int, 3>> steps;
    const auto gap = [](int step) { return double(std::max(std::abs(step) - 1, 0)); };
    const int far_z = dimension_ == 3 ? rim_ : 0;
    for (int z = -far_z; z <= far_z; ++z)
      for (int y = -rim_; y <= rim_; ++y)
        for (int x = -rim_; x <= rim_; ++x)
          if (gap(x) * gap(x) + gap(y) * gap(y) + gap(z) * gap(z) < reach * reach) steps.push_back({x, y, z});
    std::stable_sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) {
      return a[0] * a[0] + a[1] * a[1] + a[2] * a[2] < b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
    });
    for (const auto& [x, y, z] : steps) offsets_.push_back((std::ptrdiff_t(z) * width_ + y) * width_ + x);
  }

  void insert_copy(const Point& p) {
    for (int i = 0; i < dimension_; ++i) {
      const double cell = std::floor(p[i] * count_) + rim_;
      if (cell < 0 || cell >= width_) return;
    }
    slots_[place(p)] = std::int32_t(copies_.size());
    copies_.push_back(p);
  }

  std::size_t place(const Point& p) const {
    std::size_t place = 0;
    for (int i = dimension_ - 1; i >= 0; --i)
      place = place * std::size_t(width_) + std::size_t(std::floor(p[i] * count_) + rim_);
    return place;
  }

  double squared_;
  int dimension_, count_, rim_, width_;
  std::vector<std::ptrdiff_t> offsets_;
  std::vector<std::int32_t> slots_;
  std::vector<Point> points_, copies_;
};

// evenly from the shell between one and two distances around a point, wrapped into the tile
Point throw_dart(const Point& around, double distance, int dimension, Random& random) {
  Point step = Point::zero();
  double squared = 0;
  while (squared < 1 || squared > 4) {
    for (int i = 0; i < dimension; ++i) step[i] = 4 * random.uniform() - 2;
    squared = dot(step, step);
  }
  Point dart = around + distance * step;
  for (int i = 0; i < dimension; ++i) {
    dart[i] -= std::floor(dart[i]);
    // a tiny negative number rounds up to 1
    if (dart[i] >= 1) dart[i] = 0;
  }
  return dart;
}

Tile make_tile(double points_along_edge, int dimension, Random& random) {
  const double distance = root(packing[dimension - 2], dimension) / points_along_edge;
  TileGrid grid(distance, dimension);
  Point first = Point::zero();
  for (int i = 0; i < dimension; ++i) first[i] = random.uniform();
  grid.insert(first);
  std::vector<std::size_t> active = {0};
  while (!active.empty()) {
    check_stop();
    const std::size_t pick = random.below(active.size());
    const Point around = grid.points()[active[pick]];
    bool found = false;
    for (int n = 0; n < darts_per_point && !found; ++n) {
      const Point dart = throw_dart(around, distance, dimension, random);
      if (!grid.has_room(dart)) continue;
      active.push_back(grid.points().size());
      grid.insert(dart);
      found = true;
    }
    if (found) continue;
    active[pick] = active.back();
    active.pop_back();
  }
  return {dimension, grid.points()};
}

// copies of the tile that touch the box of a region: first and last along each axis
struct TileRange {
  std::array<std::int64_t, 3> first = {0, 0, 0}, last = {0, 0, 0};
};

TileRange find_tiles(const Solid& solid, const Point& shift, double edge) {
  TileRange range;
  double count = 1;
  for (int i = 0; i < solid.dimension(); ++i) {
    const double first = std::floor((solid.lower()[i] - shift[i]) / edge);
    const double last = std::floor((solid.upper()[i] - shift[i]) / edge);
    count *= last - first + 1;
    if (!(count <= max_tiles)) {
      fail(ErrorCode::too_large,
           "the box around the shape is {:g} tiles of {:g} m, the limit is {:g}; use a larger cell or a smaller shape",
           count, edge, max_tiles);
    }
    range.first[i] = std::int64_t(first);
    range.last[i] = std::int64_t(last);
  }
  return range;
}

// the points of all copies that are in the region
std::vector<Point> cut(const Region& region, const Tile& tile, const Point& shift, double edge) {
  const Solid& solid = region.solid;
  const TileRange range = find_tiles(solid, shift, edge);
  const double radius = 0.5 * edge * std::sqrt(double(tile.dimension)) * (1 + 1e-9);
  std::vector<Point> points;
  for (std::int64_t z = range.first[2]; z <= range.last[2]; ++z)
    for (std::int64_t y = range.first[1]; y <= range.last[1]; ++y)
      for (std::int64_t x = range.first[0]; x <= range.last[0]; ++x) {
        check_stop();
        const Point corner = shift + edge * Point{{double(x), double(y), double(z)}};
        const double half = 0.5 * edge;
        if (solid.farther(corner + Point{{half, half, tile.dimension == 2 ? 0 : half}}, radius)) continue;
        for (const Point& p : tile.points) {
          const Point placed = corner + edge * p;
          if (region.contains(placed)) points.push_back(placed);
        }
      }
  return points;
}

}  // namespace

std::vector<Point> fill_poisson(const Region& region, double spacing, Random& random) {
  const int dimension = region.solid.dimension();
  const Point size = region.solid.upper() - region.solid.lower();
  const double across = std::max({size[0], size[1], size[2]}) / spacing;
  const Tile tile = make_tile(std::clamp(across, min_tile_edge, max_tile_edge[dimension - 2]), dimension, random);
  const double edge = spacing * root(double(tile.points.size()), dimension);
  const double wanted = region.solid.volume() / power(spacing, dimension);
  std::vector<Point> best;
  for (int n = 0; n < shift_count; ++n) {
    Point shift = Point::zero();
    for (int i = 0; i < dimension; ++i) shift[i] = edge * random.uniform();
    std::vector<Point> points = cut(region, tile, shift, edge);
    const auto error = [&](const std::vector<Point>& p) { return std::fabs(double(p.size()) - wanted); };
    if (n == 0 || error(points) < error(best)) best = std::move(points);
    // below its surface the volume of a solid is not known, so any number is good
    if (region.depth > 0 || error(best) <= std::max(count_tolerance * wanted, 0.5)) break;
  }
  return best;
}

}  // namespace pliant::scene

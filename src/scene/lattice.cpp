#include "core/error.h"
#include "core/stop.h"
#include "scene/fill.h"

#include <algorithm>
#include <cmath>

namespace pliant::scene {

namespace {

constexpr double max_columns = 1e8;
constexpr int jitter_tries = 8;

// places along each axis: start + i step, i < count
struct Lattice {
  std::array<std::int64_t, 3> count = {1, 1, 1};
  Point start = Point::zero(), step = Point::zero();

  Point site(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return {{start[0] + double(x) * step[0], start[1] + double(y) * step[1], start[2] + double(z) * step[2]}};
  }
};

bool fits_axis(Shape::Kind kind, int axis) {
  return kind == Shape::Kind::box || (kind == Shape::Kind::cylinder && axis == 2);
}

Lattice make_lattice(const Region& region, double spacing) {
  const Solid& solid = region.solid;
  const Point lower = solid.lower(), upper = solid.upper();
  Lattice lattice;
  for (int i = 0; i < solid.dimension(); ++i) {
    const double size = upper[i] - lower[i] - 2 * region.depth;
    const double count = std::max(std::round(size / spacing), 1.0);
    lattice.step[i] = fits_axis(solid.kind(), i) ? size / count : spacing;
    lattice.start[i] = 0.5 * (lower[i] + upper[i]) - 0.5 * (count - 1) * lattice.step[i];
    lattice.count[std::size_t(i)] = std::int64_t(std::min(count, 1e15));
  }
  const double columns = double(lattice.count[0]) * double(lattice.count[1]);
  if (solid.kind() == Shape::Kind::mesh && columns > max_columns) {
    fail(ErrorCode::too_large,
         "the box around the mesh is {:g} lattice columns of {:g} m, the limit is {:g}; use a larger cell or a smaller "
         "mesh",
         columns, spacing, max_columns);
  }
  return lattice;
}

std::vector<Point> sites_inside(const Region& region, const Lattice& lattice) {
  std::vector<Point> sites;
  for (std::int64_t z = 0; z < lattice.count[2]; ++z)
    for (std::int64_t y = 0; y < lattice.count[1]; ++y)
      for (std::int64_t x = 0; x < lattice.count[0]; ++x) {
        check_stop_at(std::size_t(x));
        const Point site = lattice.site(x, y, z);
        if (region.contains(site)) sites.push_back(site);
      }
  return sites;
}

// the same for a mesh: each column meets all triangles once
std::vector<Point> sites_in_columns(const Region& region, const Lattice& lattice) {
  const MeshTree& tree = region.solid.tree();
  std::vector<Point> sites;
  std::vector<MeshTree::Crossing> crossings;
  for (std::int64_t y = 0; y < lattice.count[1]; ++y)
    for (std::int64_t x = 0; x < lattice.count[0]; ++x) {
      check_stop();
      const Point foot = lattice.site(x, y, 0);
      tree.crossings(foot[0], foot[1], crossings);
      // down from the top, the winding number is the sum of the signs passed
      int winding = 0;
      std::size_t passed = 0;
      for (std::int64_t z = lattice.count[2] - 1; z >= 0; --z) {
        check_stop_at(std::size_t(z));
        const Point site = lattice.site(x, y, z);
        while (passed < crossings.size() && crossings[passed].z > site[2]) winding += crossings[passed++].sign;
        if (winding > 0 && (region.depth <= 0 || !tree.near(site, region.depth))) sites.push_back(site);
      }
    }
  return sites;
}

// a point whose every offset would leave the region stays where it is
void move_randomly(std::vector<Point>& points, const Region& region, const Point& range, Random& random) {
  for (Point& p : points) {
    check_stop_at(std::size_t(&p - points.data()));
    for (int n = 0; n < jitter_tries; ++n) {
      Point moved = p;
      for (int i = 0; i < region.solid.dimension(); ++i) moved[i] += range[i] * (random.uniform() - 0.5);
      if (!region.contains(moved)) continue;
      p = moved;
      break;
    }
  }
}

}  // namespace

std::vector<Point> fill_lattice(const Region& region, double spacing, double jitter, Random& random) {
  const Point size = region.solid.upper() - region.solid.lower();
  for (int i = 0; i < region.solid.dimension(); ++i)
    if (size[i] <= 2 * region.depth) return {};
  const Lattice lattice = make_lattice(region, spacing);
  const bool is_mesh = region.solid.kind() == Shape::Kind::mesh;
  std::vector<Point> points = is_mesh ? sites_in_columns(region, lattice) : sites_inside(region, lattice);
  if (jitter > 0) move_randomly(points, region, jitter * lattice.step, random);
  return points;
}

}  // namespace pliant::scene

// Particles as points of contact: which of them are near which geoms, how they move with the grid, how much surface each
// stands for.
#pragma once

#include "contact/detect.h"
#include "contact/namespace.h"
#include "contact/rows.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace pliant::contact {

// matter in the middle of a substep: the grid has velocities without contact
template <class S>
struct MatterNow {
  const Layout<3, S>& layout;
  Grid<3, S>& grid;
  const Buffer<Point<3, S>>& points;
  SearchReach reach;
  double time;  // s, for texts
  // where contact sees the particles, if not where the grid does
  const Buffer<Point<3, S>>* seen = nullptr;
  const Buffer<ParticleVelocity<3, S>>* shifts = nullptr;  // from there, in their v
};

template <class S>
class ParticlePoints {
 public:
  ParticlePoints(Kernel kernel, double cell) : kernel_(kernel), cell_(cell) {}

  // who touches, by group; must outlive this
  void set_pieces(std::span<const PieceSurface> pieces) {
    pieces_ = pieces;
    finder_.set_pieces(pieces);
  }
  // to be called whenever the particles were put in order
  void on_sorted(const Layout<3, S>& layout, const Buffer<Point<3, S>>& points) {
    finder_.on_sorted(layout, points, cell_);
  }

  // who may touch, and their rows
  void find(const MatterNow<S>& matter, const GeomPaths& paths, const std::vector<ContactMemory>& memory,
            const MemoryIndex& index, Workers& workers) {
    const SeenPoints<S> seen(matter.seen ? *matter.seen : matter.points, matter.shifts);
    finder_.find(seen, paths, matter.reach, memory, index, workers, found_);
    rows_.weigh({kernel_, cell_, matter.layout, matter.grid, matter.points}, finder_, found_, workers);
  }
  std::size_t size() const { return found_.size(); }
  const FoundContact& found(std::size_t i) const { return found_[i]; }
  const WeightRow& row(std::size_t i) const { return rows_[i]; }
  double mobility(std::size_t i, const MatterNow<S>& matter) const { return rows_.mobility(i, matter.grid); }
  std::size_t group(std::size_t i, const MatterNow<S>& matter) const {
    return matter.layout.segments[found_[i].segment].group;
  }
  // m, of the ball's radius after dt, on a grid with the velocities of its end: its skin and its centre have gone their ways
  double radius_after(std::size_t i, double dt, Grid<3, S>& grid) const {
    const FoundContact& f = found_[i];
    const WeightRow& row = rows_[i];
    double grows = 0;
    for (int k = 0; k < row.count; ++k) {
      const Node<S>& node = grid.node(row.numbers[k]);
      const Vec v = {{double(node.a[0]), double(node.a[1]), double(node.a[2])}};
      grows += (row.inner[k] - row.weights[k]) * dot(v, f.normal);
    }
    return std::clamp(f.radius + dt * grows, 0.0, f.full_radius);
  }
  bool thins(std::size_t i, const MatterNow<S>& matter) const {
    const std::size_t g = group(i, matter);
    return g < pieces_.size() && pieces_[g].thins;
  }
  // m^2, of the matter's surface that it stands for
  double area(std::size_t i, const MatterNow<S>& matter) const {
    const Point<3, S>& p = matter.points[found_[i].particle];
    const std::size_t g = group(i, matter);
    if (g < pieces_.size() && !pieces_[g].areas.empty())
      return facing_area(pieces_[g], found_[i].id - pieces_[g].begin, p.F, found_[i].normal);
    const double edge = std::cbrt(double(p.volume));
    return edge * edge;
  }
  std::size_t bytes() const { return finder_.bytes(); }

 private:
  Kernel kernel_;
  double cell_;
  std::span<const PieceSurface> pieces_;
  ContactFinder<S> finder_;
  ParticleRows<S> rows_;
  std::vector<FoundContact> found_;
};

}  // namespace pliant::contact

#include "step/walls_near.h"

#include "geometry/distance.h"

#include <cmath>

namespace pliant::step {
namespace {

// cells: nodes are up to 1.5 away from the particle, and their kernels reach as far again
constexpr double reach = 3;
// cells: where it is looked whether a wall is flat, and by how much its distance may differ there
constexpr double beside = 2.5, bent = 0.3;
// cells: so near to a solid is at it
constexpr double touching = 0.05;

}  // namespace

void SolidWalls::choose(const Vec& center, double radius, implicit::NearSolids& near) const {
  near.count = 0;
  for (std::size_t k = 0; k < solids_.size(); ++k) {
    const GeomPath& path = solids_[k];
    const Vec local = transpose(path.now.rotation) * (center - path.now.position);
    if (geometry::distance_at_least(path.geom.shape, local) > radius + reach * h_) continue;
    if (near.count < implicit::NearSolids::most) near.numbers[near.count++] = int(k);
  }
}

// Does the way from x run into another solid? What the wall is like beyond does not matter.
bool SolidWalls::is_hidden(const implicit::NearSolids& near, int self, const Vec& x, const Vec& way) const {
  const double length = norm(way), small = touching * h_;
  for (double t = 0; t < length;) {
    double free = length;
    for (int k = 0; k < near.count; ++k) {
      if (near.numbers[k] == self) continue;
      const GeomPath& other = solids_[std::size_t(near.numbers[k])];
      free = std::fmin(free, geometry::distance(other.geom.shape, other.now, x + (t / length) * way).phi);
    }
    if (free < small) return true;
    t += free;
  }
  return false;
}

bool SolidWalls::is_flat(const implicit::NearSolids& near, int self, const Vec& x, double phi,
                         const Vec& normal) const {
  const GeomPath& path = solids_[std::size_t(self)];
  const Matrix<double, 3> frame = geometry::frame_along(normal);
  for (int axis = 0; axis < 2; ++axis)
    for (const double side : {-1.0, 1.0}) {
      Vec off = Vec::zero();
      off[axis] = side * beside * h_;
      const geometry::ShapeDistance there = geometry::distance(path.geom.shape, path.now, x + frame * off);
      if (std::fabs(there.phi - phi) > bent * h_ && !is_hidden(near, self, x, frame * off)) return false;
    }
  return true;
}

int SolidWalls::find(const implicit::NearSolids& near, const Vec& x, implicit::Wall* walls) const {
  int count = 0;
  for (int k = 0; k < near.count && count < implicit::Wall::most; ++k) {
    const GeomPath& path = solids_[std::size_t(near.numbers[k])];
    const geometry::ShapeDistance d = geometry::distance(path.geom.shape, path.now, x);
    if (d.phi < reach * h_ && is_flat(near, near.numbers[k], x, d.phi, d.normal))
      walls[count++] = {d.normal, d.phi / h_};
  }
  return count;
}

}  // namespace pliant::step

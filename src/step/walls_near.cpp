#include "step/walls_near.h"

#include "geometry/distance.h"

#include <cmath>

namespace pliant::step {
namespace {

// cells: nodes are up to 1.5 away from the particle, and their kernels reach as far again
constexpr double reach = 3;
// cells: where it is looked whether a wall is flat, and by how much its distance may differ there
constexpr double beside = 1.5, bent = 0.3;

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

bool SolidWalls::is_flat(const GeomPath& path, const Vec& x, double phi, const Vec& normal) const {
  const Matrix<double, 3> frame = geometry::frame_along(normal);
  for (int axis = 0; axis < 2; ++axis)
    for (const double side : {-1.0, 1.0}) {
      Vec off = Vec::zero();
      off[axis] = side * beside * h_;
      const geometry::ShapeDistance there = geometry::distance(path.geom.shape, path.now, x + frame * off);
      if (std::fabs(there.phi - phi) > bent * h_) return false;
    }
  return true;
}

int SolidWalls::find(const implicit::NearSolids& near, const Vec& x, implicit::Wall* walls) const {
  int count = 0;
  for (int k = 0; k < near.count && count < implicit::Wall::most; ++k) {
    const GeomPath& path = solids_[std::size_t(near.numbers[k])];
    const geometry::ShapeDistance d = geometry::distance(path.geom.shape, path.now, x);
    if (d.phi < reach * h_ && is_flat(path, x, d.phi, d.normal)) walls[count++] = {d.normal, d.phi / h_};
  }
  return count;
}

}  // namespace pliant::step

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
// of a distance, by how much that to a mesh may be off
constexpr double field_errs = 0.25;

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
bool SolidWalls::is_hidden(const Place& place, int self, const Vec& way) const {
  const double length = norm(way), small = touching * h_;
  // who is further away than the way is long cannot be in it
  int others[implicit::NearSolids::most], count = 0;
  double t = length;
  for (int k = 0; k < place.near.count; ++k) {
    if (k == self || place.phi[k] > length * (1 + field_errs) + small) continue;
    others[count++] = place.near.numbers[k];
    t = std::fmin(t, place.phi[k]);
  }
  if (t < small) return true;
  while (t < length) {
    double free = length;
    for (int k = 0; k < count; ++k) {
      const GeomPath& other = solids_[std::size_t(others[k])];
      free = std::fmin(free, geometry::distance(other.geom.shape, other.now, place.x + (t / length) * way).phi);
    }
    if (free < small) return true;
    t += free;
  }
  return false;
}

// Does another solid stand before the nearest point of this one?
bool SolidWalls::is_behind(const Place& place, int self, const Vec& normal) const {
  const double length = place.phi[self];
  for (int k = 0; k < place.near.count; ++k) {
    if (k == self || place.phi[k] > length * (1 + field_errs)) continue;
    const GeomPath& other = solids_[std::size_t(place.near.numbers[k])];
    for (double t = place.phi[k], free = t; t < length; t += std::fmax(free, touching * h_)) {
      free = geometry::distance(other.geom.shape, other.now, place.x - t * normal).phi;
      if (free < 0) return true;
    }
  }
  return false;
}

bool SolidWalls::is_flat(const Place& place, int self, const Vec& normal) const {
  const GeomPath& path = solids_[std::size_t(place.near.numbers[self])];
  const Matrix<double, 3> frame = geometry::frame_along(normal);
  for (int axis = 0; axis < 2; ++axis)
    for (const double side : {-1.0, 1.0}) {
      Vec off = Vec::zero();
      off[axis] = side * beside * h_;
      const geometry::ShapeDistance there = geometry::distance(path.geom.shape, path.now, place.x + frame * off);
      if (std::fabs(there.phi - place.phi[self]) > bent * h_ && !is_hidden(place, self, frame * off)) return false;
    }
  return true;
}

int SolidWalls::find(const implicit::NearSolids& near, const Vec& x, implicit::Wall* walls) const {
  double phi[implicit::NearSolids::most];
  Vec normal[implicit::NearSolids::most];
  for (int k = 0; k < near.count; ++k) {
    const GeomPath& path = solids_[std::size_t(near.numbers[k])];
    const geometry::ShapeDistance d = geometry::distance(path.geom.shape, path.now, x);
    phi[k] = d.phi, normal[k] = d.normal;
  }
  int count = 0;
  const Place place = {near, x, phi};
  for (int k = 0; k < near.count && count < implicit::Wall::most; ++k)
    if (phi[k] < reach * h_ && !is_behind(place, k, normal[k]) && is_flat(place, k, normal[k]))
      walls[count++] = {normal[k], phi[k] / h_};
  return count;
}

}  // namespace pliant::step

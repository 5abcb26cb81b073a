// Where solids meet: a wall that stands on a floor, two tables side by side. What one covers of another is no surface, and
// nothing touches it there: so nothing catches at a seam, and nothing slips into it.
#pragma once

#include "bodies/geom_paths.h"
#include "contact/namespace.h"
#include "solve/contact_problem.h"

#include <span>
#include <vector>

namespace pliant::contact {

// cells, how far matter may have come in between two solids that meet
inline constexpr double seam_reach = 0.1;

class Seams {
 public:
  // which solids touch which, where they are now, and rest against each other; cell in m
  void find(const GeomPaths& paths, double cell);
  bool any(std::size_t path) const { return begins_[path] < begins_[path + 1]; }

  // Of the surface that no other solid covers; phi is endless where there is none near. x and normal in the solid's frame.
  // A face of a box or a cylinder that is covered counts as if the solid went on behind it.
  ShapeDistance distance(const GeomPaths& paths, std::size_t path, const Vec3d& x) const;

 private:
  bool inside_other(const GeomPaths& paths, std::size_t path, const Vec3d& x) const;
  bool continued(const GeomPaths& paths, std::size_t path, const Vec3d& at, const Vec3d& normal) const;
  bool covered(const GeomPaths& paths, std::size_t path, const Vec3d& at, const Vec3d& normal) const;

  double cell_ = 0;
  std::vector<std::uint32_t> begins_ = {0}, neighbours_;  // by path
  std::vector<Bounds> bounds_;
};

}  // namespace pliant::contact

// The bodies of a world as moving obstacles for the grid: one way, matter does not push back.
#pragma once

#include "bodies/geom_paths.h"
#include "grid/obstacle.h"
#include "pliant/scene.h"
#include "step/namespace.h"

#include <span>
#include <vector>

namespace pliant::step {

// one geom
class GeomObstacle : public Obstacle {
 public:
  GeomObstacle(const GeomPath& path, double friction) : path_(path), friction_(friction) {}

  bool is_near(const Vec& center, double radius) const override;
  ObstacleAt at(const Vec& x) const override;
  double friction() const override { return friction_; }

 private:
  const GeomPath& path_;
  double friction_;
};

// one obstacle for each path, in their order
class BodyObstacles {
 public:
  BodyObstacles(const GeomPaths& paths, const Scene& scene);

  std::span<const Obstacle* const> obstacles() const { return pointers_; }

 private:
  std::vector<GeomObstacle> geoms_;
  std::vector<const Obstacle*> pointers_;
};

}  // namespace pliant::step

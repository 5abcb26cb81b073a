// The bodies of a world as moving obstacles for matter: one way, matter does not push back.
//
// During a step of the bodies each geom goes from its pose before to its pose after, at constant linear and angular
// velocity; the substeps of matter see it on its way.
#pragma once

#include "bodies/bodies.h"
#include "bodies/distance.h"
#include "core/parallel.h"
#include "grid/obstacle.h"
#include "pliant/scene.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace pliant {

// one geom
class GeomObstacle : public Obstacle {
 public:
  GeomObstacle(int geom, const RigidShape& shape, double friction);

  int geom() const { return geom_; }
  void set_path(const Pose& before, const Pose& after, double dt);
  void move_to(double part);  // 0: before, 1: after

  bool is_near(const Vec& center, double radius) const override;
  ObstacleAt at(const Vec& x) const override;
  double friction() const override { return friction_; }

 private:
  int geom_;
  RigidShape shape_;
  double friction_, reach_;  // reach: of a ball around the geom's origin
  Pose before_, now_;
  Vec velocity_, turning_;  // m/s, rad/s, constant during a step of the bodies
  double dt_ = 1;
};

class BodyObstacles {
 public:
  // geoms that MuJoCo lets collide; others are only to be looked at. Meshes get a distance field.
  BodyObstacles(const Bodies& bodies, const Scene& scene, Workers& workers);

  void remember_poses(const Bodies& bodies);         // before the step of the bodies
  void take_paths(const Bodies& bodies, double dt);  // after it
  void move_to(double part);

  std::span<const Obstacle* const> obstacles() const { return pointers_; }
  int geom(std::size_t i) const { return geoms_[i].geom(); }              // of obstacle i, its number in the model
  std::size_t geom_count() const { return geom_count_; }                  // of the model
  const std::vector<std::string>& warnings() const { return warnings_; }  // of loading

 private:
  std::vector<GeomObstacle> geoms_;
  std::vector<const Obstacle*> pointers_;
  std::vector<Pose> before_;
  std::size_t geom_count_;
  std::vector<std::string> warnings_;
};

}  // namespace pliant

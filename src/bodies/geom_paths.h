// The geoms that matter can touch, on their way through a step: each moves from its pose at constant linear and angular
// velocity.
#pragma once

#include "bodies/bodies.h"
#include "bodies/geoms.h"
#include "bodies/namespace.h"
#include "geometry/distance.h"

#include <span>
#include <vector>

namespace pliant::bodies {

struct GeomPath {
  Geom geom;
  double reach = 0;  // m, of a ball around the geom's origin
  Pose before, now;
  Pose from_center = {};  // of a boundary's side, for the boundary's centre at the origin
  Vector<double, 3> velocity = Vector<double, 3>::zero();  // m/s, of the geom's origin
  Vector<double, 3> turning = Vector<double, 3>::zero();   // rad/s

  Vector<double, 3> velocity_at(const Vector<double, 3>& x) const {
    return velocity + cross(turning, x - now.position);
  }
  Pose pose_after(double seconds) const;  // counted from `now`
};

struct BoundaryPlace {
  Vector<double, 3> center, turned;     // m, rad
  Vector<double, 3> velocity, turning;  // m/s, rad/s
};

class GeomPaths {
 public:
  GeomPaths() = default;
  GeomPaths(const Bodies& bodies, const GeomOptions& options, Workers& workers);

  // Boundaries come after the geoms of bodies. Pose: for the boundary's centre at the origin.
  void add_boundary(Geom geom, const Pose& pose);
  // Paths of boundary b start here: its centre, how far it has turned since (a rotation vector), and how it moves.
  void place_boundary(int b, const BoundaryPlace& place);

  // where the geoms are; paths start here
  void remember_poses(const Bodies& bodies);
  // paths that end where the geoms are now, after dt
  void lead_to_poses(const Bodies& bodies, double dt);
  // paths by the bodies' velocities; where a geom has been put elsewhere since remember_poses (a mocap body has no
  // velocity) it gets there in dt
  void follow_velocities(const Bodies& bodies, double dt);
  void move_to(double seconds);  // since the start of the paths

  std::size_t size() const { return paths_.size(); }
  const GeomPath& operator[](std::size_t i) const { return paths_[i]; }
  auto begin() const { return paths_.begin(); }
  auto end() const { return paths_.end(); }

  std::size_t geoms_in_model() const { return in_model_; }
  // geoms have ids below this, those of boundaries too
  std::size_t ids() const { return in_model_ + boundary_sides_; }
  const std::vector<std::string>& warnings() const { return warnings_; }  // of loading

 private:
  std::span<GeomPath> of_bodies() { return {paths_.data(), paths_.size() - boundary_sides_}; }

  std::vector<GeomPath> paths_;
  std::size_t in_model_ = 0, boundary_sides_ = 0;
  std::vector<std::string> warnings_;
};

}  // namespace pliant::bodies

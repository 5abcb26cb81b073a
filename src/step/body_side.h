// The bodies' side of a step: they move first, by MuJoCo; matter then sees them on their way.
#pragma once

#include "bodies/bodies.h"
#include "bodies/motion.h"
#include "pliant/world.h"
#include "step/body_obstacles.h"

#include <memory>
#include <string>
#include <vector>

namespace pliant {

struct Assembly;

class BodySide {
 public:
  // the scene's bodies, at home
  BodySide(const Scene& scene, Workers& workers);
  // a user's own model and data, as they are; its timestep must be the scene's dt
  BodySide(const Scene& scene, const SharedBodies& bodies, Workers& workers);

  // the bodies' step from this time on, towards the targets of the motion at its end, and the paths of the obstacles in
  // it
  void advance(double time);
  // back to before the last advance
  void undo();

  Bodies& bodies() { return bodies_; }
  BodyObstacles& obstacles() { return obstacles_; }
  std::vector<std::string> take_warnings();

  // what MuJoCo holds now, as numbers to be saved; after writing into them call state_replaced
  std::vector<double>& state();
  void state_replaced();

 private:
  BodySide(const Scene& scene, const Assembly& assembly, Workers& workers);
  BodySide(const Scene& scene, Bodies&& bodies, std::vector<std::string> warnings, Workers& workers);

  Bodies bodies_;
  BodyObstacles obstacles_;
  MotionPlayer motion_;
  std::vector<std::string> warnings_;  // of loading, told in the first report
  BodiesState before_, saved_;
  double dt_;
  bool has_matter_;
};

}  // namespace pliant

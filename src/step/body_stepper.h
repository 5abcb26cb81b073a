// The bodies in a step.
//
//   one_way  the bodies step first; matter then sees them on their way
//   async    matter steps first, against bodies that keep the velocities they have; then the bodies step, pushed by
//            what matter lost
//   strong   the same, but matter's step knows how the bodies will answer
#pragma once

#include "bodies/bodies.h"
#include "bodies/geom_paths.h"
#include "contact/wrenches.h"
#include "step/body_obstacles.h"
#include "step/inputs.h"
#include "step/model.h"
#include "step/namespace.h"
#include "step/outcome.h"

#include <memory>
#include <span>

namespace pliant::step {

class BodyStepper {
 public:
  // works in this data, which holds what a step starts from; nullptr: in one of its own
  // `paths` of what matter can touch
  BodyStepper(const BodyModel& model, const Scene& scene, GeomPaths& paths, std::shared_ptr<mjData> data);

  // a step begins here, in so many equal parts
  void start(const BodiesState& now, const Inputs& inputs, int parts);
  // before the part of matter that starts at this time
  void begin(double time, std::span<const MotionHold> holds);
  // After it; the impulses on what the paths are of, none if one way. Forces may stop more motions. Wrenches of the
  // outcome are those of the whole step.
  void finish(std::span<const GeomImpulse> impulses, std::span<MotionHold> holds, Outcome& outcome);

  // what the next step starts from; a data that was given holds it itself
  void save_to(BodiesState& next) const {
    if (own_data_) bodies_.save_to(next);
  }

  Bodies& bodies() { return bodies_; }
  const BodyObstacles& obstacles() const { return obstacles_; }

 private:
  void take_wrenches(std::span<const GeomImpulse> impulses, std::vector<Wrench>& sum);

  const BodyModel& model_;
  const BodiesState* start_ = nullptr;  // of the step that has begun
  bool own_data_;
  Bodies bodies_;
  GeomPaths& paths_;
  BodyObstacles obstacles_;
  std::vector<Wrench> part_wrenches_;
  double dt_;      // s, of a step
  int parts_ = 1;  // of the step that has begun
  int parts_done_ = 0;
  double part_dt_, end_ = 0;  // s, of the part that has begun
  bool has_matter_, one_way_, strong_;
};

}  // namespace pliant::step

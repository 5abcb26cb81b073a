// The bodies' side of a step.
//
//   one_way  the bodies step first; matter then sees them on their way
//   async    matter steps first, against bodies that keep the velocities they have; then the bodies step, pushed by
//   what
//            matter lost
//   strong   the same, but matter's step knows how the bodies will answer
#pragma once

#include "bodies/bodies.h"
#include "bodies/geom_paths.h"
#include "bodies/motion.h"
#include "contact/contact_step.h"
#include "pliant/contact.h"
#include "pliant/world.h"
#include "step/body_obstacles.h"

#include <memory>
#include <span>
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

  // A step begins, in so many equal parts of matter and bodies
  void start(int parts);
  // before the part of matter that starts at this time
  void begin(double time, std::span<const MotionHold> holds);
  // after it; the impulses on the geoms of `paths`, none if one way. Forces may stop more motions.
  void finish(std::span<const GeomImpulse> impulses, std::span<MotionHold> holds);
  // after the last part
  void end();
  // back to before the last start
  void undo();

  Bodies& bodies() { return bodies_; }
  GeomPaths& paths() { return paths_; }
  const BodyObstacles& obstacles() const { return obstacles_; }
  std::vector<std::string> take_warnings();
  std::size_t hold_count() const { return motion_.hold_count(); }

  // by number of the body; of the last step
  const std::vector<Wrench>& wrenches() const { return wrenches_; }
  Taxels taxels(const std::string& geom, int rows, int columns, std::span<const Touch> touches) const;

  // what MuJoCo holds now, as numbers to be saved; after writing into them call state_replaced
  std::vector<double>& state();
  void state_replaced();

 private:
  BodySide(const Scene& scene, const Assembly& assembly, Workers& workers);
  BodySide(const Scene& scene, Bodies&& bodies, std::vector<std::string> warnings, Workers& workers);
  void take_wrenches(std::span<const GeomImpulse> impulses);
  void put_back_timestep();

  Bodies bodies_;
  GeomPaths paths_;
  BodyObstacles obstacles_;
  MotionPlayer motion_;
  std::vector<std::string> warnings_;  // of loading, told in the first report
  BodiesState before_, saved_;
  std::vector<Wrench> wrenches_, next_wrenches_, part_wrenches_;
  double dt_;                 // s, of a step
  int parts_ = 1;             // of the step that has begun
  double part_dt_, end_ = 0;  // s, of the part that has begun
  double timestep_ = 0;       // s, the model's own
  bool has_matter_, one_way_, strong_;
};

}  // namespace pliant

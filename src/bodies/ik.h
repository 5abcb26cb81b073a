// Cartesian waypoints of a gripper, turned into targets for the servos of the arm that carries it.
#pragma once

#include "bodies/bodies.h"
#include "bodies/namespace.h"
#include "pliant/scene.h"

#include <vector>

namespace pliant::bodies {

struct ReachOptions {
  double spacing = 0.02;    // s, between the targets along a path; the site is on its straight line at each
  double tolerance = 1e-6;  // m and rad, at each target
  int iterations = 200;     // of damped least squares, for one target
};

// Each gripper motion is replaced by one actuator motion for each position servo on a hinge or slide between the world
// and the site; the other motions are passed on. The search for the first waypoint starts from the joints that `start`
// has now (its home), every later one from the one before, and joints and controls stay in their ranges. Targets are
// those at which the servo gives no force, so a servo that carries weight hangs below by weight / gain unless the model
// compensates gravity.
//
// Throws Error(bad_input): unknown site, a site that no servo moves, or a waypoint out of reach, with its number, its
// time and the remaining error.
std::vector<Motion> plan_grippers(const std::vector<Motion>& motions, const Bodies& start,
                                  const ReachOptions& options = {});

}  // namespace pliant::bodies

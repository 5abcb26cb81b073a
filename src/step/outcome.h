// What is read after a step, and not needed for the next one.
#pragma once

#include "geometry/shape.h"
#include "pliant/contact.h"
#include "pliant/report.h"
#include "step/namespace.h"
#include "step/plan.h"

#include <vector>

namespace pliant::step {

struct Outcome {
  StepReport report;
  Plan plan;                              // that the step was taken with
  std::vector<Touch> contacts;            // particles and geoms that touched
  std::vector<Wrench> wrenches;           // on the bodies, by number; mean over the step
  std::vector<Wrench> boundary_wrenches;  // about their centres; of those at nodes the force alone
  std::vector<Pose> geom_poses;           // of the geoms that matter can touch, where the step (or its last part) began
};

}  // namespace pliant::step

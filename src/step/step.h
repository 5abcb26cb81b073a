// One step of a world.
#pragma once

#include "step/state.h"
#include "step/workspace.h"

namespace pliant {

// A step, or one of the equal parts of a strong step.
struct StepPart {
  double dt;          // s, of the part
  bool first = true;  // contacts are counted and noted from here
  bool may_be_cut = false;
};

// Advances `now` by the part's dt into `next`. `now` is never touched. Throws Error if the step fails.
template <int D, class S>
void step(const Model<S>& model, const StepPart& part, const State<D, S>& now, State<D, S>& next, Workspace<D, S>& work,
          StepReport& report);

}  // namespace pliant

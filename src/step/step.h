// A step of a world, as a function.
#pragma once

#include "step/namespace.h"
#include "step/inputs.h"
#include "step/outcome.h"
#include "step/state.h"
#include "step/workspace.h"

namespace pliant::step {

// Advances `now` by the scene's dt into `next`. Neither `now` nor the inputs are touched. Throws Error if the step
// fails or is stopped (Error(interrupted), core/stop.h); `next` and `outcome` then mean nothing. outcome.report.before is left as it is given.
template <int D, class S>
void step(const Model<S>& model, const Inputs& inputs, const State<D, S>& now, State<D, S>& next, Outcome& outcome,
          Workspace<D, S>& work);

}  // namespace pliant::step

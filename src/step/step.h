// A step of a world, as a function.
#pragma once

#include "step/inputs.h"
#include "step/namespace.h"
#include "step/outcome.h"
#include "step/state.h"
#include "step/workspace.h"

namespace pliant::step {

// Advances `now` by the scene's dt into `next`. Neither `now` nor the inputs are touched. Throws Error if the step
// fails or is stopped (core/stop.h); `next` and `outcome` then mean nothing, and `work` is of no use any more.
// outcome.report.before is left as it is given.
template <int D, class S>
void step(const Model<S>& model, const Inputs& inputs, const State<D, S>& now, State<D, S>& next, Outcome& outcome,
          Workspace<D, S>& work);

}  // namespace pliant::step

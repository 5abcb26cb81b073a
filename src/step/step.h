// One step of a world.
#pragma once

#include "step/state.h"
#include "step/workspace.h"

namespace pliant {

// Advances `now` by StepOptions::dt into `next`. `now` is never touched. Throws Error if the step fails.
template <int D, class S>
void step(const Model<S>& model, const State<D, S>& now, State<D, S>& next, Workspace<D, S>& work, StepReport& report);

}  // namespace pliant

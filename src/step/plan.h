// How a step is cut into substeps, and these into inner steps of cloth.
#pragma once

#include "step/model.h"
#include "step/namespace.h"
#include "step/state.h"

namespace pliant::step {

struct Plan {
  int substeps = 1;      // of an explicit step
  double max_drift = 1;  // cells, that particles may drift between sorts
  int inner = 1;         // of cloth, in each substep
  int bends = 1;         // how often in them hinges act
  int parts = 1;         // of a strong step, each a whole step of matter and bodies
};

// for a step from `now`; groups that are `touching` have their loss (touching.h). Error(too_fast) if more than
// max_substeps are needed
template <int D, class S>
Plan make_plan(const Model<S>& model, const State<D, S>& now, const std::vector<char>& touching);

// that many substeps, with the inner steps that they need; no inner steps (1): forces go with the momenta
template <class S>
Plan plan_with(const Model<S>& model, int substeps, double max_drift);

}  // namespace pliant::step

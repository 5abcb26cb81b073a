// How a step is cut into substeps, and these into inner steps of cloth.
#pragma once

#include "step/model.h"
#include "step/state.h"

namespace pliant {

struct Plan {
  int substeps;
  double max_drift;  // cells, that particles may drift between sorts
  int inner = 1;     // of cloth, in each substep
  int bends = 1;     // how often in them hinges act
};

// Error(too_fast) if more than max_substeps are needed; pin_speed: m/s
template <int D, class S>
Plan make_plan(const Model<S>& model, const State<D, S>& now, double pin_speed);

// that many substeps, with the inner steps that they need; no inner steps (1): forces go with the momenta
template <class S>
Plan plan_with(const Model<S>& model, int substeps, double max_drift);

}  // namespace pliant

// How a step is cut into substeps, and these into inner steps of cloth.
#pragma once

#include "step/body_pace.h"
#include "step/model.h"
#include "step/namespace.h"
#include "step/state.h"

#include <optional>
#include <vector>

namespace pliant::step {

struct Plan {
  int substeps = 1;      // of an explicit step
  double max_drift = 1;  // cells, that particles may drift between sorts; 0: sorted in every substep
  int inner = 1;         // of cloth, in each substep
  int bends = 1;         // how often in them hinges act
  int parts = 1;         // each a whole step of matter and bodies
  int shaken_body = -1;  // too light for what it touches, even in these parts
  int window = 1;  // substeps from one transfer of velocities to the next; in between particles strain (Pass::strain)
};

// what a plan looks at, and scratch
struct PlanWork {
  std::vector<char> touching;  // by group: it touches something at the start of the step or part, and has its loss
  PaceWork pace;
  const std::vector<double>* own_waves = nullptr;  // m/s, by group, of particles with an E of their own
};

// for a step from `now`; work.touching is given (touching.h). Error(too_fast) if more than max_substeps are needed
template <int D, class S>
Plan make_plan(const Model<S>& model, const State<D, S>& now, PlanWork& work);

// The same step in at least twice as many parts, if bodies need them to follow what presses on them in this state
// (body_pace.h): that of the start, or the end that it led to, where they have just met.
template <int D, class S>
std::optional<Plan> with_pace_of(const Model<S>& model, const State<D, S>& state, Plan plan, PlanWork& work);

// that many substeps, with the inner steps that they need; no inner steps (1): forces go with the momenta
template <class S>
Plan plan_with(const Model<S>& model, int substeps, double max_drift);

}  // namespace pliant::step

// A step, or one of its equal parts: what its stages work on.
#pragma once

#include "step/inputs.h"
#include "step/namespace.h"
#include "step/outcome.h"
#include "step/plan.h"
#include "step/stage_clock.h"
#include "step/workspace.h"

namespace pliant::step {

template <int D, class S>
struct StepPart {
  const Model<S>& model;
  const Inputs& inputs;
  const State<D, S>& now;
  State<D, S>& next;
  Outcome& outcome;
  StepReport& report;  // of the part
  Workspace<D, S>& work;
  Plan plan;
  double dt;                // s, of the part
  bool is_first = true;     // contacts are counted and noted from here
  bool may_be_cut = false;  // if it fails, the step is taken in smaller parts

  // in the course of it
  SweepStep<D, S> sweep_step = {};
  GridStep<D, S> grid_step = {};
  double drift = 0;      // cells, since the last sort, at most
  double last_move = 0;  // cells, in the last substep, at most
  double strays = 0;     // part of the particles, in the last sweep

  SweepJob<D, S> sweep_job(Pass pass) { return {pass, sweep_step, work.layout, work.grid, next.particles}; }
};

// matter over the part, in the order of its stages; throws Error
template <int D, class S>
void explicit_step(StepPart<D, S>& part);
template <int D, class S>
void strong_step(StepPart<D, S>& part);

// the stages that both share

template <int D, class S>
void prepare(StepPart<D, S>& part);
template <int D, class S>
void sort_into_next(StepPart<D, S>& part);
template <int D, class S>
void on_sorted(StepPart<D, S>& part);
// after a pass over all particles; Error(too_fast) names the block and the substep
template <int D, class S>
void on_swept(StepPart<D, S>& part, Pass pass, const SweepReport& report, int substep);
template <int D, class S>
void finish(StepPart<D, S>& part);

}  // namespace pliant::step

// What an explicit step went through, for those who go back along it (gradient/).
#pragma once

#include "grid/boundary_nodes.h"
#include "grid/layout.h"
#include "grid/particles.h"
#include "step/namespace.h"

#include <memory>
#include <vector>

namespace pliant::step {

template <int D, class S>
struct SubstepRecord {
  std::shared_ptr<const Layout<D, S>> layout;
  Buffer<Point<D, S>> points;      // when the substep began, in the order of the layout
  Buffer<Node<S>> nodes;           // velocities after gravity and masses, before solids act
  std::vector<BoundaryNode> held;  // nodes inside solids, in the order in which these act

  std::size_t bytes() const { return points.bytes() + nodes.bytes() + held.capacity() * sizeof(BoundaryNode); }
};

template <int D, class S>
struct StepRecord {
  S dt;                                       // of a substep
  Buffer<ParticleVelocity<D, S>> velocities;  // when the step began, in the order of the first layout
  std::vector<Matrix<S, D>> actuations;       // by group
  std::vector<double> shear_viscosities;      // by group
  std::vector<SubstepRecord<D, S>> substeps;

  std::size_t bytes() const;
};

template <int D, class S>
struct StepPart;

// the start of a step, after it is prepared; a substep whose momenta are in the arenas
template <int D, class S>
void begin_record(const StepPart<D, S>& part, StepRecord<D, S>& record);
template <int D, class S>
void record_substep(StepPart<D, S>& part, int substep, StepRecord<D, S>& record);

}  // namespace pliant::step

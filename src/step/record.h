// What an explicit step went through, for those who go back along it (gradient/). Points are not copied: while a step is
// recorded, each of its sweeps reads the points of one substep and writes those of the next.
#pragma once

#include "grid/boundary_nodes.h"
#include "grid/layout.h"
#include "grid/particles.h"
#include "step/namespace.h"
#include "step/own_moduli.h"

#include <memory>
#include <vector>

namespace pliant::step {

template <int D, class S>
struct SubstepRecord {
  const Layout<D, S>* layout = nullptr;  // in which particles take velocities
  Buffer<Point<D, S>> points;            // when the substep began, in the order of the layout
  Buffer<Node<S>> nodes;                 // velocities that particles take, and masses
  std::vector<BoundaryNode> held;        // nodes inside solids, in the order in which these act
  std::vector<Vec> before;               // velocities that these met
  std::vector<std::uint8_t> overhangs;   // by block: where its particles reach, see Grid::take

  std::size_t bytes() const {
    return points.bytes() + nodes.bytes() + held.capacity() * (sizeof(BoundaryNode) + sizeof(Vec)) +
           overhangs.capacity();
  }
};

// May be used again for another step: what it holds is then written over, without asking for memory.
template <int D, class S>
struct StepRecord {
  S dt;                                       // of a substep
  Buffer<ParticleVelocity<D, S>> velocities;  // when the step began, in the order of the first layout
  std::vector<Matrix<S, D>> actuations;       // by group
  std::vector<double> shear_viscosities;      // by group
  std::shared_ptr<const OwnModuli<S>> own_moduli;
  std::vector<SubstepRecord<D, S>> substeps;

  std::vector<std::unique_ptr<Layout<D, S>>> layouts;  // of the substeps
  std::size_t layouts_used = 0;

  std::size_t bytes() const;
};

template <int D, class S>
struct StepPart;

// the start of a step, after it is prepared
template <int D, class S>
void begin_record(const StepPart<D, S>& part);
// its first order of particles
template <int D, class S>
void record_start(const StepPart<D, S>& part);
// instead of the grid's own momenta to velocities: these, and who is inside of solids
template <int D, class S>
void record_nodes(StepPart<D, S>& part, int substep);
// particles were sorted again: from `old_layout` to the present one
template <int D, class S>
void record_order(StepPart<D, S>& part, int substep, const Layout<D, S>& old_layout);

// where the points are in a substep, and where it leaves them: in the record, if there is one
template <int D, class S>
Buffer<Point<D, S>>& points_in(StepPart<D, S>& part, int substep);

}  // namespace pliant::step

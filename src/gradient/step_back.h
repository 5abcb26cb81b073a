// An explicit step backwards: from derivatives of a loss by the state after it to those by the state before it and by all
// that acted in it. Plain loops over the particles of each block, for every kernel, transfer, law and number; packs
// (sweep_back.h) where they will do.
#pragma once

#include "gradient/bars.h"
#include "gradient/grid_back.h"
#include "gradient/namespace.h"
#include "gradient/sweep_back.h"
#include "step/model.h"
#include "step/record.h"

#include <memory>
#include <span>

namespace pliant::gradient {

// derivatives by the particles, in the order of their ids
template <int D, class S>
using PointBars = Buffer<PointBar<D, S>>;

template <int D, class S>
class StepBack {
 public:
  // plain: never in packs
  StepBack(const Model<S>& model, Workers& workers, bool plain);
  ~StepBack();

  // Through a recorded step. `bars` has derivatives by the state after the step and gets those by the state before it;
  // derivatives by mass, volume and law, and those of `step`, are added. Error(not_finite) names substep, particle and
  // quantity.
  void go_back(const StepRecord<D, S>& record, PointBars<D, S>& bars, StepBar<D>& step);

  std::size_t bytes() const;

 private:
  using Record = SubstepRecord<D, S>;
  struct Arenas;  // of one thread
  void take_nodes(const Record& r);
  void gather_back(const StepRecord<D, S>& record, const Record& r);
  void scatter_back(const StepRecord<D, S>& record, const Record& r, StepBar<D>& step);
  void gather_again(const Record& r, const Record& next);
  void reorder(const Buffer<Point<D, S>>& from, const Buffer<Point<D, S>>& to);
  void check_finite(const Record& r, std::size_t substep) const;
  template <class F>
  void for_blocks(const Layout<D, S>& layout, const F& f);

  const Model<S>& model_;
  Workers& workers_;
  Kernel kernel_;
  Transfer transfer_;
  S h_;
  Grid<D, S> velocities_, node_bars_;
  GridBack<D, S> grid_back_;
  PointBars<D, S> bars_, spare_;  // in the order of the record
  Buffer<ParticleVelocity<D, S>> flow_, spare_flow_;
  Buffer<std::uint32_t> place_;        // by id
  std::vector<PieceBar<D>> segments_;  // by segment of the layout
  std::vector<std::unique_ptr<Arenas>> arenas_;
  std::unique_ptr<SweepBack<D, S>> packs_;  // nullptr: plain loops
};

}  // namespace pliant::gradient

// An explicit step backwards in packs: quadratic kernel, MLS, laws without memory. One pass over all blocks goes back
// through the scatter of one substep and the gather of the one before, in between a particle stays in the first cache.
// StepBack is the slow twin.
#pragma once

#include "gradient/bars.h"
#include "gradient/grid_back.h"
#include "gradient/namespace.h"
#include "step/model.h"
#include "step/record.h"

#include <memory>

namespace pliant::gradient {

// whether this is for steps of the model
template <class S>
bool goes_in_packs(const Model<S>& model);

template <int D, class S>
class SweepBack {
 public:
  SweepBack(const Model<S>& model, Workers& workers);
  ~SweepBack();

  // as StepBack
  void go_back(const StepRecord<D, S>& record, Buffer<PointBar<D, S>>& bars, StepBar<D>& step);
  std::size_t bytes() const;

 private:
  using Record = SubstepRecord<D, S>;
  // Derivatives in a record of the shape of a particle, so that batches load and store them: x, F and mass are what they
  // say, `plastic` is by mu, `volume` by lambda.
  using Bar = Point<D, S>;
  struct Scratch;  // of one thread
  struct Job;
  void run(const Job& job);
  void run_block(const Job& job, std::size_t b, Scratch& s);
  void run_segment(const Job& job, std::uint32_t segment, Scratch& s);
  void run_batch(const Job& job, std::uint32_t segment, std::uint32_t first, int count, Scratch& s);
  void gather(Scratch& s);
  void scatter_back(const Job& job, std::uint32_t segment, Scratch& s);
  void gather_back(Scratch& s);
  void take_from(const Buffer<PointBar<D, S>>& bars, const Record& r);
  void give_to(Buffer<PointBar<D, S>>& bars, const Record& r) const;
  void reorder(const Record& before, const Record& r);
  void check_finite(const Record& r, std::size_t substep) const;

  const Model<S>& model_;
  Workers& workers_;
  S h_;
  Grid<D, S> node_bars_, sums_;
  GridBack<D, S> grid_back_;
  Buffer<Bar> bars_, spare_;
  Buffer<ParticleVelocity<D, S>> flow_bars_;
  std::vector<PieceBar<D>> segments_;  // by segment of the layout
  std::vector<char> bad_;              // by block
  std::vector<std::unique_ptr<Scratch>> scratch_;
};

}  // namespace pliant::gradient

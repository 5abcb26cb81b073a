// An explicit step backwards in packs: 3-D, quadratic kernel, MLS, laws without memory. One pass over all blocks goes back
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
template <int D, class S>
bool goes_in_packs(const Model<S>& model);

template <class S>
class SweepBack {
 public:
  SweepBack(const Model<S>& model, Workers& workers);
  ~SweepBack();

  // as StepBack
  void go_back(const StepRecord<3, S>& record, Buffer<PointBar<3, S>>& bars, StepBar<3>& step);
  std::size_t bytes() const;

 private:
  using Record = SubstepRecord<3, S>;
  // Derivatives in a record of the shape of a particle, so that batches load and store them: x, F and mass are what they
  // say, `plastic` is by mu, `volume` by lambda.
  using Bar = Point<3, S>;
  enum class Pass { gather_again, gather, scatter, scatter_gather };
  struct Scratch;  // of one thread
  struct Job;
  void run(const Job& job);
  void run_block(const Job& job, std::size_t b, Scratch& s);
  void run_batch(const Job& job, std::uint32_t segment, std::uint32_t first, int count, Scratch& s);
  void gather(const Job& job, std::uint32_t first, int count, Scratch& s);
  void move(Scratch& s);
  void scatter_back(const Job& job, std::uint32_t segment, std::uint32_t first, int count, Scratch& s);
  template <class L>
  void stress_back_of(const L& law, const Job& job, std::uint32_t segment, Scratch& s);
  void gather_back(const Job& job, Scratch& s);
  void take_from(const Buffer<PointBar<3, S>>& bars, const Record& r);
  void give_to(Buffer<PointBar<3, S>>& bars, const Record& r) const;
  void reorder(const Record& from, const Record& to);
  void check_finite(const Record& r, std::size_t substep) const;

  const Model<S>& model_;
  Workers& workers_;
  S h_;
  Grid<3, S> velocities_, node_bars_, sums_;
  GridBack<3, S> grid_back_;
  Buffer<Bar> bars_, spare_;
  Buffer<ParticleVelocity<3, S>> flows_, flow_bars_, spare_flows_;
  Buffer<std::uint32_t> place_;        // by id
  std::vector<PieceBar<3>> segments_;  // by segment of the layout
  std::vector<char> bad_;              // by block
  std::vector<std::unique_ptr<Scratch>> scratch_;
};

}  // namespace pliant::gradient

// The steps of a run, for going back along them: all that was said for each of them, and as much of their way as a budget
// of bytes allows. First the whole way of every step is kept. When that is too much, states at every 2nd, 4th, 8th, ...
// step are, from which pieces of the run are taken again, with the same bits.
#pragma once

#include "gradient/namespace.h"
#include "gradient/record_pool.h"
#include "step/step.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace pliant::gradient {

template <int D, class S>
class History {
 public:
  using Pool = RecordPool<D, S>;
  // memory: bytes for states and records, which come from the pool and go there in the end
  History(std::shared_ptr<const Model<S>> model, Workers& workers, std::size_t memory, std::shared_ptr<Pool> pool);
  ~History();

  // A step from `now` begins. The answer is where it should note its way, or nullptr.
  StepRecord<D, S>* begin_step(const Inputs& inputs, const State<D, S>& now);
  // it went well, with this plan
  void end_step(const Plan& plan);

  std::size_t steps() const { return steps_.size(); }
  std::size_t bytes() const { return record_bytes_ + checkpoint_bytes(); }
  const Plan& plan(std::size_t step) const { return steps_[step].plan; }
  // of the first step; it cannot be set while a tape records
  const std::shared_ptr<const std::vector<Elasticity>>& elasticity() const { return steps_.front().inputs.elasticity; }
  const std::vector<double>& masses() const { return masses_; }  // kg, of the particles, by id

  // f(step, its record) for all steps from the last to `first`
  using Visit = std::function<void(std::size_t, const StepRecord<D, S>&)>;
  void for_each_back(std::size_t first, const Visit& f);

 private:
  // what a state is besides particles, and what acted
  struct Step {
    Inputs inputs;
    Plan plan;
    double time, max_speed;
    std::uint64_t steps;
    std::vector<BoundaryMotion> boundaries;
  };
  State<D, S> state_of(std::size_t step, const StepRecord<D, S>& record) const;
  std::size_t state_bytes() const;
  std::size_t checkpoint_bytes() const { return checkpoints_.size() * state_bytes(); }
  std::size_t room_for_records() const;
  std::size_t room_for_checkpoints() const;
  std::size_t record_bytes(std::size_t first, std::size_t last) const;
  void to_checkpoints();
  void thin();
  void run(std::size_t step, const State<D, S>& now, State<D, S>& next, StepRecord<D, S>* record);
  void back_through(std::size_t begin, std::size_t end, const State<D, S>& start, std::size_t first, std::size_t room,
                    const Visit& f);

  std::shared_ptr<const Model<S>> model_;
  Workers& workers_;
  std::size_t memory_;
  std::vector<double> masses_;
  std::vector<Step> steps_;
  std::optional<Step> pending_;
  std::shared_ptr<Pool> pool_;
  std::vector<typename Pool::Record> records_;  // of all steps, while they fit
  bool keeps_all_ = true;
  std::size_t record_bytes_ = 0, substep_bytes_ = 0;  // of all records; of the largest substep
  int most_substeps_ = 1;                             // of a step
  std::size_t stride_ = 1;                            // of the checkpoints
  std::map<std::size_t, State<D, S>> checkpoints_;    // before these steps
  std::unique_ptr<Workspace<D, S>> work_;             // in which steps are taken again
  std::vector<StepRecord<D, S>> again_;               // of steps that are
};

}  // namespace pliant::gradient

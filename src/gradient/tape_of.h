// A tape of one dimension and precision: the history of a run, and the way back along it.
#pragma once

#include "gradient/history.h"
#include "gradient/namespace.h"
#include "gradient/parameters.h"
#include "gradient/step_back.h"
#include "gradient/tape_impl.h"

namespace pliant::gradient {

template <int D, class S>
class TapeOf : public Tape::Impl {
 public:
  // Error(bad_input) if the model's step has no adjoint
  TapeOf(std::shared_ptr<const Model<S>> model, int threads, std::size_t memory, bool plain,
         std::shared_ptr<RecordPool<D, S>> pool);

  History<D, S>& history() { return history_; }
  std::size_t steps() const override { return history_.steps(); }
  std::size_t memory() const override { return history_.bytes(); }
  std::vector<Plan> plans() const override;
  std::vector<Gradient> backward(std::span<const std::vector<LossSeed>> losses, std::size_t last,
                                 const std::function<void(std::size_t, std::size_t)>& progress,
                                 const AtStep& at_step) override;

 private:
  struct Loss;  // on its way back
  PointBars<D, S> no_bars();
  void add_seed(const LossSeed& seed, PointBars<D, S>& bars) const;
  void check_seed(const LossSeed& seed) const;
  void tell(const AtStep& at_step, StepGradient found, Loss& loss) const;
  double by_value(std::size_t actuator, const StepBar<D>& step) const;
  void through(std::size_t step, const StepRecord<D, S>& record, Loss& loss);
  GradientNorms norms_of(const PointBars<D, S>& bars);
  Gradient gradient_of(const Loss& loss);
  PieceGradient piece_gradient(std::size_t piece, const Loss& loss);
  PieceSums list_particles(std::size_t piece, const Loss& loss, PieceGradient& r);

  std::shared_ptr<const Model<S>> model_;
  Workers workers_;
  History<D, S> history_;
  StepBack<D, S> step_back_;
  std::vector<PointBars<D, S>> spare_bars_;  // of losses that have gone back, for the next ones
};

}  // namespace pliant::gradient

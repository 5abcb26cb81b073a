#include "gradient/history.h"

#include "core/error.h"

namespace pliant::gradient {

template <int D, class S>
History<D, S>::History(std::shared_ptr<const Model<S>> model, Workers& workers, std::size_t memory,
                       std::shared_ptr<Pool> pool)
    : model_(std::move(model)), workers_(workers), memory_(memory), pool_(std::move(pool)) {
  // one state to begin from, one on the way, and the shortest way there is
  const std::size_t least = 2 * state_bytes() + model_->particle_count() * sizeof(Point<D, S>);
  if (memory < least)
    fail(ErrorCode::too_large, "a tape of {} bytes does not hold one step of {} particles; give it at least {} bytes",
         memory, model_->particle_count(), least);
}

template <int D, class S>
History<D, S>::~History() {
  for (auto& record : records_) pool_->give(std::move(record));
}

template <int D, class S>
std::size_t History<D, S>::state_bytes() const {
  return model_->particle_count() * (sizeof(Point<D, S>) + sizeof(ParticleVelocity<D, S>));
}

template <int D, class S>
StepRecord<D, S>* History<D, S>::begin_step(const Inputs& inputs, const State<D, S>& now) {
  if (masses_.empty()) {
    masses_.resize(now.particles.size());
    for (const Point<D, S>& p : now.particles.points) masses_[std::size_t(p.id)] = double(p.mass);
  }
  pending_ = Step{inputs, {}, now.time, now.max_speed, now.steps, now.boundaries};
  if (!keeps_all_) {
    if (steps_.size() % stride_ == 0) checkpoints_[steps_.size()] = now;
    return nullptr;
  }
  // one that failed left its own
  records_.resize(steps_.size());
  records_.push_back(pool_->take());
  return records_.back().get();
}

template <int D, class S>
void History<D, S>::end_step(const Plan& plan) {
  pending_->plan = plan;
  most_substeps_ = std::max(most_substeps_, plan.substeps);
  steps_.push_back(std::move(*pending_));
  pending_.reset();
  if (keeps_all_) {
    const std::size_t bytes = records_.back()->bytes();
    record_bytes_ += bytes;
    substep_bytes_ = std::max(substep_bytes_, bytes / std::size_t(plan.substeps) + 1);
    if (record_bytes_ > memory_) to_checkpoints();
  } else {
    thin();
  }
}

// A record begins with the particles of its step in the order of its first sort, which sorting them again does not
// change: from there the step gives the same bits.
template <int D, class S>
State<D, S> History<D, S>::state_of(std::size_t step, const StepRecord<D, S>& record) const {
  State<D, S> state;
  const Step& s = steps_[step];
  state.time = s.time;
  state.steps = s.steps;
  state.max_speed = s.max_speed;
  state.boundaries = s.boundaries;
  state.particles.points = record.substeps.front().points;
  state.particles.velocities = record.velocities;
  return state;
}

// half of all, if the longest step can still be recorded
template <int D, class S>
std::size_t History<D, S>::room_for_checkpoints() const {
  const std::size_t for_a_step = std::size_t(most_substeps_) * substep_bytes_ + 2 * state_bytes();
  return std::min(memory_ / 2, memory_ > for_a_step ? memory_ - for_a_step : 0);
}

template <int D, class S>
void History<D, S>::to_checkpoints() {
  keeps_all_ = false;
  const std::size_t most = std::max<std::size_t>(1, room_for_checkpoints() / state_bytes());
  while ((steps_.size() + stride_ - 1) / stride_ > most) stride_ *= 2;
  for (std::size_t k = 0; k < records_.size(); k += stride_) checkpoints_[k] = state_of(k, *records_[k]);
  records_.clear();
  record_bytes_ = 0;
}

template <int D, class S>
void History<D, S>::thin() {
  while (checkpoint_bytes() > room_for_checkpoints() && checkpoints_.size() > 1) {
    stride_ *= 2;
    std::erase_if(checkpoints_, [&](const auto& c) { return c.first % stride_ != 0; });
  }
}

template <int D, class S>
std::size_t History<D, S>::record_bytes(std::size_t first, std::size_t last) const {
  std::size_t substeps = 0;
  for (std::size_t k = first; k < last; ++k) substeps += std::size_t(steps_[k].plan.substeps);
  return substeps * substep_bytes_;
}

template <int D, class S>
std::size_t History<D, S>::room_for_records() const {
  return memory_ > checkpoint_bytes() + state_bytes() ? memory_ - checkpoint_bytes() - state_bytes() : 0;
}

template <int D, class S>
void History<D, S>::run(std::size_t step, const State<D, S>& now, State<D, S>& next, StepRecord<D, S>* record) {
  if (!work_) work_ = std::make_unique<Workspace<D, S>>(*model_, workers_);
  work_->given_plan = steps_[step].plan;
  work_->record = record;
  Outcome outcome;
  try {
    step::step(*model_, steps_[step].inputs, now, next, outcome, *work_);
  } catch (...) {
    work_.reset();
    throw;
  }
}

// Steps [begin, end), the first of which starts in `start`: all at once if their records fit, otherwise the later half
// first.
template <int D, class S>
void History<D, S>::back_through(std::size_t begin, std::size_t end, const State<D, S>& start, std::size_t first,
                                 std::size_t room, const Visit& f) {
  if (end <= first) return;
  const std::size_t needed = record_bytes(begin, end);
  if (needed > room && end - begin == 1)
    fail(
        ErrorCode::too_large,
        "step {} has {} substeps, whose way takes {} bytes, and {} are left; give the tape at least {} bytes of memory",
        begin, steps_[begin].plan.substeps, needed, room, memory_ + needed - room);
  State<D, S> now = start, next;
  if (needed <= room) {
    if (again_.size() < end - begin) again_.resize(end - begin);
    for (std::size_t k = begin; k < end; ++k) {
      run(k, now, next, &again_[k - begin]);
      std::swap(now, next);
    }
    for (std::size_t k = end; k-- > std::max(begin, first);) f(k, again_[k - begin]);
    return;
  }
  again_.clear();
  // where there is no room for one more state, all but the last step is taken again for each step
  const std::size_t for_a_step = std::size_t(most_substeps_) * substep_bytes_;
  const bool narrow = room < for_a_step + state_bytes();
  const std::size_t middle = narrow ? end - 1 : (begin + end) / 2;
  for (std::size_t k = begin; k < middle; ++k) {
    run(k, now, next, nullptr);
    std::swap(now, next);
  }
  next = {};
  back_through(middle, end, now, first, narrow ? room : room - state_bytes(), f);
  now = {};
  again_.clear();
  back_through(begin, middle, start, first, room, f);
}

template <int D, class S>
void History<D, S>::for_each_back(std::size_t first, const Visit& f) {
  if (keeps_all_) {
    for (std::size_t k = steps_.size(); k-- > first;) f(k, *records_[k]);
    return;
  }
  std::size_t end = steps_.size();
  for (auto c = checkpoints_.rbegin(); c != checkpoints_.rend() && end > first; end = c->first, ++c)
    if (c->first < end) back_through(c->first, end, c->second, first, room_for_records(), f);
  again_.clear();
}

template class History<2, float>;
template class History<2, double>;
template class History<3, float>;
template class History<3, double>;

}  // namespace pliant::gradient

#include "cloth/sheets.h"

#include <cmath>

namespace pliant::cloth {

template <class S>
Sheets<S>::Sheets(const std::vector<ModelSheet<S>>& sheets) {
  for (const ModelSheet<S>& s : sheets) {
    steps_.emplace_back(s.sheet, s.law, s.group);
    layers_.add(s.sheet);
    inner_steps_.add_sheet(s.sheet, std::uint32_t(s.matter), s.group);
  }
}

template <class S>
void Sheets<S>::start(double dt, double substep, int inner) {
  inner_ = inner;
  dt_ = dt;
  substep_ = substep;
  now_.resize(pins_.size());
  impulses_.assign(pins_.size(), Vec::zero());
}

template <class S>
void Sheets<S>::on_sorted(const Layout<3, S>& layout, const Buffer<Point<3, S>>& points, Workers& workers) {
  for (ClothStep<S>& step : steps_) step.on_sorted(points, workers);
  if (inner_ > 1) inner_steps_.on_sorted(layout);
}

template <class S>
void Sheets<S>::hold(double done, Particles<3, S>& particles) {
  for (std::size_t k = 0; k < pins_.size(); ++k) {
    const PinPath& pin = pins_[k];
    now_[k] = {pin.held, pin.from + done * (pin.to - pin.from), (1 / dt_) * (pin.to - pin.from)};
  }
  for (ClothStep<S>& step : steps_) step.hold(now_, particles, impulses_);
}

template <class S>
void Sheets<S>::push_off(Particles<3, S>& particles, Workers& workers) {
  hold(0, particles);
  if (!steps_.empty()) layers_.look(steps_, particles.points, workers);
  if (inner_ > 1) return;
  for (ClothStep<S>& step : steps_) {
    step.stress(particles.points, workers);
    step.push(substep_, particles, workers, impulses_);
  }
}

template <class S>
void Sheets<S>::run_inner(const FrozenSubstep<S>& substep, std::span<Vec> solids, Workers& workers) {
  inner_steps_.run(substep, steps_, {impulses_, solids}, workers);
}

template <class S>
void Sheets<S>::shift_points(const Buffer<Point<3, S>>& points, Buffer<Point<3, S>>& to, Workers& workers) const {
  to.resize(points.size());
  workers.for_each(points.size(), 4096, [&](std::size_t p) { to[p] = points[p]; });
  for (std::size_t k = 0; k < steps_.size(); ++k) steps_[k].shift(inner_steps_.sheet(k), to, workers);
}

template <class S>
void Sheets<S>::advance(double done, bool is_last, Particles<3, S>& particles, Workers& workers) {
  for (std::size_t k = 0; k < steps_.size() && inner_ > 1; ++k)
    steps_[k].take_shifts(inner_steps_.sheet(k), particles.points, workers);
  hold(done, particles);
  if (is_last) layers_.part(steps_, particles.points, workers);
  for (ClothStep<S>& step : steps_) {
    step.follow(particles.points, workers);
    if (!is_last && inner_ == 1) step.push(substep_, particles, workers, impulses_);
  }
}

template <class S>
double Sheets<S>::bending_energy(const Buffer<Point<3, S>>& points, Workers& workers) {
  double sum = 0;
  for (ClothStep<S>& step : steps_) {
    step.on_sorted(points, workers);
    sum += step.bending_energy(points, workers);
  }
  return sum;
}

template <class S>
double Sheets<S>::pin_speed(double dt) const {
  double speed = 0;
  for (const PinPath& pin : pins_) speed = max(speed, speed_of(pin, dt));
  return speed;
}

template <class S>
std::size_t Sheets<S>::bytes() const {
  std::size_t sum = layers_.bytes() + inner_steps_.bytes();
  for (const ClothStep<S>& step : steps_) sum += step.bytes();
  return sum;
}

template class Sheets<float>;
template class Sheets<double>;

}  // namespace pliant::cloth

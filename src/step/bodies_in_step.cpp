#include "step/bodies_in_step.h"

namespace pliant::step {

void BodiesInStep::read(Bodies& bodies, double dt) {
  dt_ = dt;
  before_.assign(bodies.velocity(), bodies.velocity() + bodies.dofs());
  const bool implicit = bodies.takes_damping_implicitly();
  bodies.mass_matrix(plain_mass_);
  if (implicit)
    bodies.implicit_mass_matrix(mass_);
  else
    mass_ = plain_mass_;
  bodies.free_velocity(implicit ? Bodies::Damping::as_integrator : Bodies::Damping::explicit_forces, free_);
  acceleration_.resize(before_.size());
}

double BodiesInStep::evaluate(std::span<const double> w, std::span<double> gradient) {
  const std::size_t n = dofs();
  for (std::size_t i = 0; i < n; ++i) acceleration_[i] = (w[i] - before_[i]) / dt_;
  cost_.evaluate(acceleration_);
  const std::vector<double>& smooth = cost_.smooth_acceleration();
  double value = dt_ * dt_ * cost_.value();
  for (std::size_t i = 0; i < n; ++i) {
    double pull = 0, plain = 0;
    for (std::size_t j = 0; j < n; ++j) {
      pull += mass_[i * n + j] * (w[j] - free_[j]);
      plain += plain_mass_[i * n + j] * (acceleration_[j] - smooth[j]);
    }
    value += 0.5 * ((w[i] - free_[i]) * pull - dt_ * dt_ * (acceleration_[i] - smooth[i]) * plain);
    gradient[i] = pull + dt_ * (cost_.gradient()[i] - plain);
  }
  return value;
}

void BodiesInStep::hessian(std::span<double> out) {
  const std::vector<double>& whole = cost_.hessian();
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = mass_[k] + whole[k] - plain_mass_[k];
}

}  // namespace pliant::step

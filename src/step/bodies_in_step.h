// The bodies in the strong step.
#pragma once

#include "bodies/cost.h"
#include "solve/strong_problem.h"
#include "step/namespace.h"

#include <vector>

namespace pliant::step {

// MuJoCo's cost of its step, as a function of the velocity w at the end:
//   1/2 |w - w*|^2_M + dt^2 s(J (w - w^n) / dt - a_ref),
// where w* and M take damping and servos as the integrator does
class BodiesInStep : public BodyCost {
 public:
  BodiesInStep(Bodies& bodies, double dt) : cost_(bodies) { read(bodies, dt); }
  // of the step that begins now, after forward()
  void take(Bodies& bodies, double dt) {
    cost_.take(bodies);
    read(bodies, dt);
  }

  std::size_t dofs() const override { return before_.size(); }
  double evaluate(std::span<const double> w, std::span<double> gradient) override;
  void hessian(std::span<double> out) override;

 private:
  void read(Bodies& bodies, double dt);

  StepCost cost_;
  double dt_ = 0;
  std::vector<double> before_, free_, mass_, plain_mass_, acceleration_;
};

}  // namespace pliant::step

// All sheets of a world during a step, and the pins that hold them.
#pragma once

#include "cloth/inner_steps.h"
#include "cloth/layers.h"
#include "cloth/namespace.h"

#include <cmath>

namespace pliant::cloth {

// a sheet of the model and the particles that it is
template <class S>
struct ModelSheet {
  std::size_t matter;  // number of the piece of matter
  Group group;
  Cloth<S> law;
  Sheet<S> sheet;
};

// a pin during one step: offsets from where it was at time 0, m
struct PinPath {
  bool held = false;
  Vec from = Vec::zero(), to = Vec::zero();
};

// m/s, largest component of its velocity in a step of dt; 0 if it holds nothing
inline double speed_of(const PinPath& pin, double dt) {
  double speed = 0;
  for (int d = 0; d < 3 && pin.held; ++d) speed = max(speed, std::fabs(pin.to[d] - pin.from[d]) / dt);
  return speed;
}

template <class S>
class Sheets {
 public:
  explicit Sheets(const std::vector<ModelSheet<S>>& sheets);

  bool empty() const { return steps_.empty(); }
  // to be set before a step; by pin of the scene
  std::vector<PinPath>& pins() { return pins_; }

  // s, of the step and of a substep; inner steps in a substep, 1: none, forces go to the grid with the momenta
  void start(double dt, double substep, int inner);
  void on_sorted(const Layout<3, S>& layout, const Buffer<Point<3, S>>& points, Workers& workers);
  // before the first momenta go to the grid
  void push_off(Particles<3, S>& particles, Workers& workers);
  // inner steps; solids[k] += impulse of boundary k on matter, then of the obstacles
  void run_inner(const FrozenSubstep<S>& substep, std::span<Vec> solids, Workers& workers);
  // where particles must be for their velocities to lead them to the end of the inner steps, `to`
  void shift_points(const Buffer<Point<3, S>>& points, Buffer<Point<3, S>>& to, Workers& workers) const;
  // after velocities have come from the grid and particles have moved; `done`: part of the step that is over then
  void advance(double done, bool is_last, Particles<3, S>& particles, Workers& workers);

  double bending_energy(const Buffer<Point<3, S>>& points, Workers& workers);  // J, of any order of particles
  double pin_speed(double dt) const;                                           // m/s, largest component
  double shift() const { return inner_ > 1 ? inner_steps_.shift() : 0; }       // m, see InnerSteps, of the last substep
  std::span<const Vec> impulses() const { return impulses_; }                  // N s on the sheets in the step, by pin
  std::size_t bytes() const;

 private:
  void hold(double done, Particles<3, S>& particles);

  std::vector<ClothStep<S>> steps_;
  Layers<S> layers_;
  InnerSteps<S> inner_steps_;
  int inner_ = 1;
  std::vector<PinPath> pins_;
  std::vector<PinNow> now_;
  std::vector<Vec> impulses_;
  double dt_ = 0, substep_ = 0;
};

}  // namespace pliant::cloth

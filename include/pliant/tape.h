// Gradients of a run: derivatives of a loss by all that the run was made of.
#pragma once

#include "pliant/world.h"

#include <functional>
#include <map>

namespace pliant {

// Where a loss looks, and its derivative by what it sees there.
struct LossSeed {
  std::size_t step = 0;                       // the state after this step of the tape, the first is 0
  Attribute attribute = Attribute::position;  // position, velocity, affine, deformation_gradient or plastic
  std::string matter;
  // by id, row after row; with `same`, one row that is of every particle
  std::vector<double> values;
  bool same = false;
  std::vector<std::size_t> particles;  // those that it is of, by id within the piece; empty: all
};

// Derivatives of one loss. Those of particles are by id within the piece, row after row.
struct PieceGradient {
  std::vector<double> positions, velocities, affine, deformation_gradients, plastic;  // of the first state
  std::vector<double> masses;
  std::map<std::string, double> material;                   // by the parameters that its law reads, and density
  std::map<std::string, std::vector<double>> of_particles;  // E and nu of each
  std::vector<std::array<double, 9>> actuation;             // by step, as set_actuation takes it
};
struct BoundaryGradient {
  double friction = 0;
  std::vector<Vec3> velocity;  // by step
};
struct GradientNorms {
  double positions = 0, velocities = 0, deformation_gradients = 0;
};
struct Gradient {
  std::map<std::string, PieceGradient> matter;
  std::map<std::string, BoundaryGradient> boundaries;
  std::map<std::string, std::vector<double>> actuators;  // by step
  Vec3 gravity = {0, 0, 0};
  std::vector<GradientNorms> norms;  // of the derivatives by the state before each step
};

// Of one step and loss, on the way back: derivatives by what acted in the step. By then all later steps have been gone
// through.
struct StepGradient {
  std::size_t loss, step;
  std::map<std::string, std::array<double, 9>> matter;  // by stresses, as set_actuation takes them
  std::map<std::string, double> actuators;              // by values of actuators
};
// What is told of it. The answer is what the loss has besides by the state that the step began with, by way of a
// controller that saw it; the step of these seeds is not read.
using AtStep = std::function<std::vector<LossSeed>(const StepGradient&)>;

// Records the steps that a world takes. While it does, matter cannot be set and states cannot be restored.
class Tape {
 public:
  // memory: bytes for states and ways; less means that pieces of the run are taken again on the way back. Error(bad_input)
  // for scenes whose step has no adjoint, which says why. plain: by plain loops alone, against which tests compare.
  Tape(World& world, std::size_t memory, bool plain = false);
  ~Tape();
  Tape(Tape&&) noexcept;
  Tape& operator=(Tape&&) noexcept;

  // Steps from now on have the substeps that the steps of another tape had, one by one: runs that differ by a little then
  // differ smoothly.
  void follow(const Tape& other);
  void end();  // of recording; what was recorded stays
  bool is_recording() const;
  std::size_t steps() const;
  std::size_t memory() const;  // bytes that it holds

  // The gradients of several losses, one list of seeds each, with one way back for all. last: only through so many steps,
  // 0: all. `progress` is told how many of the steps are done, `at_step` what each gave.
  std::vector<Gradient> backward(std::span<const std::vector<LossSeed>> losses, std::size_t last = 0,
                                 const std::function<void(std::size_t, std::size_t)>& progress = nullptr,
                                 const AtStep& at_step = nullptr);

  class Impl;

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace pliant

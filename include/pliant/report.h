// What a step says about itself.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace pliant {

// Sums over all matter, in double. Angular momentum is about the origin; in 2-D only its third number is used.
struct Balance {
  double mass = 0;                                     // kg
  std::array<double, 3> momentum = {0, 0, 0};          // kg m/s
  std::array<double, 3> angular_momentum = {0, 0, 0};  // kg m^2/s
  double kinetic_energy = 0;                           // J
  double elastic_energy = 0;                           // J
  double gravity_energy = 0;                           // J, zero at the origin
  double volume = 0;                                   // m^3
};

struct StageTime {
  const char* stage;
  double seconds;
};

struct StepReport {
  double time = 0;                // s, at the end of the step
  int substeps = 0;               // of the strong step: the parts that it was taken in
  int inner_steps = 1;            // of cloth, in each substep
  int sorts = 0;                  // how often particles were put in order
  double max_speed = 0;           // m/s, largest component of a particle's velocity seen in the step
  double strays = 0;              // part of the particles that left their cell between sorts, mean over substeps
  std::size_t blocks = 0;         // active blocks of the grid
  double contacts = 0;            // particles held by bodies, mean over the substeps
  std::size_t most_contacts = 0;  // and the most in a substep
  int iterations = 0;             // of the contact solver, in all substeps
  int linear_iterations = 0;      // of conjugate gradients inside of them; strong
  double residual = 0;            // of the contact solver, relative, the worst of the substeps
  // How well Coulomb's law holds, of the contacts that were solved for (docs/contact.md); the worst of the substeps.
  double cone_excess = 0;           // friction beyond mu times the normal impulse, over the largest normal impulse
  double signorini_residual = 0;    // normal impulse that is not the spring's, over the largest
  double penetration = 0;           // m, the deepest overlap at the end of a substep
  double friction_dissipation = 0;  // J, that contacts slipped away, in the step
  std::vector<StageTime> stages;    // wall time by stage
  Balance before, after;            // filled in if StepOptions::balance
  std::array<double, 3> gravity_impulse = {0, 0, 0};     // N s, in the step
  std::vector<std::array<double, 3>> boundary_impulses;  // N s on matter, one per boundary
  std::vector<std::array<double, 3>> pin_impulses;       // N s on matter, one per pin, in the order of the scene
  std::vector<std::array<double, 3>> body_impulses;      // N s on matter, one per geom of the bodies
  std::vector<std::string> warnings;
};

}  // namespace pliant

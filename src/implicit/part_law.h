// The laws on four particles at a time, as functions of the velocity gradient at the end of the step. All in double:
// the outer residual of a solve must not see the rounding of the particles' own numbers.
#pragma once

#include "implicit/matter_operator.h"
#include "material/laws.h"

namespace pliant {

using Part = Wide<double>;
using PartMatrix = Matrix<Part, 3>;

// at the start of the step
struct PartState {
  PartMatrix F;         // elastic deformation gradient
  PartMatrix rotation;  // R0 of linear_corotated
  Part volume;          // rest volume, m^3; 0 in empty lanes
  Part plastic;
};

// of one piece of matter during a step
struct PartStep {
  double dt, inv_h;
  bool actuated;
  Matrix<double, 3> actuation;  // stress in the material frame, Pa
  Matrix<double, 3> pull;       // its part without negative eigenvalues
  const AnyLaw<double>* law;
};

// energy of the step, J, and its derivative by the gradient l in cells, kg m/s
struct PartImpulse {
  Part energy;
  PartMatrix moment;
};

// of F = (1 + dt grad v) F_start: elastic, actuated and viscous
PartImpulse part_impulse(const PartStep& step, const PartState& state, const PartMatrix& l);

// the rows of differential_rows.h there, without negative eigenvalues
void part_differential(const PartStep& step, const PartState& state, const PartMatrix& l, Differential kind,
                       Part* rows);

// what kind the law's rows are
Differential differential_kind(const AnyLaw<double>& law, bool actuated);

}  // namespace pliant

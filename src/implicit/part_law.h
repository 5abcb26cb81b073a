// The laws on one register of particles at a time, as functions of the velocity gradient at the end of the step.
// Energies and impulses are taken in double: the outer residual of a solve must not see any rounding.
#pragma once

#include "implicit/matter_operator.h"
#include "implicit/namespace.h"
#include "material/laws.h"
#include "pliant/scene.h"

namespace pliant::implicit {

using Part = Wide<double>;
using PartMatrix = Matrix<Part, 3>;

// at the start of the step
template <class P>
struct PartState : StepStart<P> {
  P volume;           // rest volume, m^3; 0 in empty lanes
  Matrix<P, 3> turn;  // m/s, in cells: what the stretch of a turn adds to the symmetric part of l (README.md)
  Matrix<P, 3> spin;  // m/s, in cells: skew part of the velocity gradient at the start
  P excess;           // kg: inertia of spin that a particle of this volume has not, and the nodes have
  P drag;             // kg, 2 dt V viscosity / h^2: of the loss of shear
};

// of one piece of matter during a step
struct PartStep {
  double dt, inv_h;
  bool actuated;
  bool flows;                   // stresses are those after the return mapping
  bool turned;                  // stretches are those without the turn of the step
  Matrix<double, 3> actuation;  // stress in the material frame, Pa
  Matrix<double, 3> pull;       // its part without negative eigenvalues
  AnyLaw<double> law;
  AnyLaw<float> narrow_law;
};

// energy of the step, J, and its derivative by the gradient l in cells, kg m/s
struct PartImpulse {
  Part energy;
  PartMatrix moment;
};

// of F = (1 + dt grad v) F_start: elastic or flowing, actuated and viscous, and of spin
PartImpulse part_impulse(const PartStep& step, const PartState<Part>& state, const PartMatrix& l);

// which rows are wanted
struct RowsWanted {
  Differential kind;
  bool positive;  // without negative eigenvalues
};

// the rows of differential_rows.h there
template <class P>
void part_differential(const PartStep& step, const PartState<P>& state, const Matrix<P, 3>& l, RowsWanted wanted,
                       P* rows);

// what a law is in an implicit step (material/law.h)
bool tells_turns(const AnyLaw<double>& law);
bool is_about_start(const AnyLaw<double>& law);
bool yields_by_pressure(const AnyLaw<double>& law);
// whether it flows within the step
bool flows_in_step(PlasticFlow flow, const AnyLaw<double>& law);

// |dev strain| beyond which matter with this F flows
Part yield_strain(const AnyLaw<double>& law, const PartMatrix& F, const Part& plastic);

// F at the end of a step of this gradient in cells
PartMatrix stretched_by(const PartStep& step, const PartState<Part>& state, const PartMatrix& l);

// what kind the law's rows are
Differential differential_kind(const PartStep& step);

}  // namespace pliant::implicit

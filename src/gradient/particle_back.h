// The law's part of a substep backwards, one particle at a time: the adjoints of grid/advance.h.
#pragma once

#include "gradient/bars.h"
#include "gradient/namespace.h"
#include "grid/particles.h"
#include "grid/point_transfer.h"
#include "material/laws.h"
#include "material/moduli.h"

namespace pliant::gradient {

// what the particles of a piece have in common in a step
template <int D, class S>
struct PieceStep {
  S dt;
  Matrix<S, D> actuation;
  S shear_viscosity;
  const Moduli<S>* moduli = nullptr;  // by id, where particles have their own
};

// whether a law has all that is needed here
template <class S>
bool goes_back(const AnyLaw<S>& law);

// F <- return mapping of (1 + dt grad v) F. `bar` has derivatives by F and the plastic number after it and gets those
// before it; the answer is the derivative by grad v.
template <int D, class S>
Matrix<S, D> advect_back(const AnyLaw<S>& law, S dt, const Point<D, S>& p, const Matrix<S, D>& gradient,
                         PointBar<D, S>& bar);

// dt V tau
template <int D, class S>
Matrix<S, D> stress_impulse_of(const AnyLaw<S>& law, const PieceStep<D, S>& step, const Point<D, S>& p,
                               const Matrix<S, D>& C);

// from the derivative by dt V tau to those by F, C, plastic number and law, which are added to `bar`, and by what
// the piece has in common
template <int D, class S>
void stress_impulse_back(const AnyLaw<S>& law, const PieceStep<D, S>& step, const Point<D, S>& p, const Matrix<S, D>& C,
                         const Matrix<S, D>& impulse_bar, PointBar<D, S>& bar, PieceBar<D>& piece);

}  // namespace pliant::gradient

// What happens to a particle between the grid's velocities and its next momentum: it moves, F follows the flow, the law
// maps F back and gives the stress.
#pragma once

#include "grid/batch.h"
#include "grid/namespace.h"
#include "material/laws.h"
#include "material/moduli.h"

namespace pliant::grid {

template <int D, class S>
struct AdvanceStep {
  S dt;
  S speed_limit;           // m/s: a particle may not be faster
  Matrix<S, D> actuation;  // stress in the material frame, Pa
  bool actuated;
  S shear_viscosity = 0;              // Pa s, of the loss of matter that touches
  bool gradient_is_affine;            // grad v is C, not a row of its own
  bool cloth_acts = true;             // see SweepStep
  bool strains = false;               // F goes by the batch's strain, to which dt grad v adds
  bool stays = false;                 // the way goes into the batch's shift, not into x; stress is that of where x was
  bool large;                         // laws with a flow of their own follow it
  const Moduli<S>* moduli = nullptr;  // by id, of a piece whose particles have their own
};

template <class S>
struct AdvanceResult {
  Wide<S> max_speed = 0;  // largest component, lane by lane
  bool bad = false;       // some particle is too fast or not finite
};

// x += dt v, F = (I + dt grad v) F, return mapping
template <int D, class S>
AdvanceResult<S> advect(const AnyLaw<S>& law, const AdvanceStep<D, S>& step, Batch<D, S>& batch);

// whether F changes for good in passes in which particles stay
template <class S>
bool flows_in_windows(const AnyLaw<S>& law) {
  return std::visit([]<class L>(const L&) { return L::flows_in_windows; }, law);
}

// impulse = dt V tau
template <int D, class S>
void stress_impulse(const AnyLaw<S>& law, const AdvanceStep<D, S>& step, Batch<D, S>& batch);

}  // namespace pliant::grid

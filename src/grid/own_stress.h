// The stress of particles with an E and a nu of their own: `stress_impulse` (advance.h) goes here for them.
#pragma once

#include "grid/advance.h"
#include "grid/namespace.h"

namespace pliant::grid {

// impulse = dt V tau; step.moduli is given
template <int D, class S>
void own_stress_impulse(const AnyLaw<S>& law, const AdvanceStep<D, S>& step, Batch<D, S>& batch);

}  // namespace pliant::grid

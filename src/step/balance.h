// Mass, momenta, energies and volume of all matter.
#pragma once

#include "step/namespace.h"
#include "step/state.h"
#include "step/workspace.h"

namespace pliant::step {

// summed in pieces of fixed size, in order: the same bits for any number of threads
template <int D, class S>
Balance balance(const Model<S>& model, const State<D, S>& state, Workspace<D, S>& work);

}  // namespace pliant::step

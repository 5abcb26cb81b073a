// The state that a world starts with.
#pragma once

#include "step/inputs.h"
#include "step/model.h"
#include "step/state.h"
#include "world/namespace.h"
#include "world/sampled.h"

namespace pliant::world {

// Particles where they were sampled. Their places are kept in model.first.
template <int D, class S>
State<D, S> first_state(Model<S>& model, const Sampled& sampled);

// the same again, from a later state of that model
template <int D, class S>
State<D, S> first_state(const Model<S>& model, const State<D, S>& later);

template <class S>
Inputs first_inputs(const Model<S>& model);

}  // namespace pliant::world

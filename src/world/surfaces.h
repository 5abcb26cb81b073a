// The surface of a piece of matter as people read it.
#pragma once

#include "pliant/world.h"
#include "step/model.h"
#include "step/state.h"
#include "world/namespace.h"

#include <span>

namespace pliant::world {

// empty if piece g has none; touches are those of the step that led to the state
template <int D, class S>
Surface surface_of(const Model<S>& model, std::size_t g, const State<D, S>& state, std::span<const Touch> touches);

}  // namespace pliant::world

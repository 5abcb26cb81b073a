// Particles of a world by piece of matter: reading them where they are, and writing them.
#pragma once

#include "pliant/world.h"
#include "step/model.h"
#include "step/state.h"
#include "world/namespace.h"

#include <span>

namespace pliant::world {

template <int D, class S>
View view_of(const State<D, S>& state, const Group& group, Attribute attribute);

// Values of one attribute of all particles of piece g, by id. Error(bad_input, out_of_range) for another number of them,
// and for what no particle can have; then nothing has changed.
template <int D, class S>
void set_values(const Model<S>& model, std::size_t g, Attribute attribute, std::span<const double> values,
                State<D, S>& state);

}  // namespace pliant::world

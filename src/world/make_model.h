// From a scene to what is constant in it: particles in their places, laws, sheets, bodies.
#pragma once

#include "pliant/world.h"
#include "step/model.h"
#include "world/namespace.h"
#include "world/sampled.h"

namespace pliant::world {

// Bodies are the scene's, or a user's own. Throws Error for motions without a target, and for what loading refuses.
template <class S>
Model<S> make_model(const Scene& scene, const Sampled& sampled, const SharedBodies& bodies, Workers& workers);

// the scene's own bodies, as a user would give them; empty if it has none
SharedBodies assemble_bodies(const Scene& scene);

}  // namespace pliant::world

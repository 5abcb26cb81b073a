// What a snapshot and the world that it is restored into must agree in.
#pragma once

#include "world/namespace.h"
#include "world/sampled.h"

#include <string>
#include <string_view>

typedef struct mjModel_ mjModel;

namespace pliant::world {

// A scene's keys that give a state its meaning, with what its files hold, as text: "key <tab> value" by line.
//
// Left out, so that they may differ between save and restore: how a step is taken (`step`, but for cell, kernel and
// transfer), `name`, `duration`, `max_particles`, `max_memory`, `record`, `expect`, and where files lie. In place of a
// file stands what came of it: the particles that a mesh was filled with, the compiled model of the bodies.
std::string identity_of(const Scene& scene, const Sampled& sampled, const mjModel* bodies);

// what can be printed of a text from outside: one line, not long
std::string printable(std::string_view text);

// The first difference, in words: "contact.friction is 0.5 in the snapshot, 0.3 here"; empty: there is none. `saved`
// may hold anything.
std::string difference(const std::string& saved, const std::string& here);

}  // namespace pliant::world

// The particles of a scene before they get their precision.
#pragma once

#include "scene/sampling.h"
#include "scene/sheet_mesh.h"
#include "world/namespace.h"

#include <string>

namespace pliant::world {

struct Sampled {
  std::vector<Samples> matter;
  std::vector<SheetMesh> sheets;  // by piece of matter; empty for what is not cloth
  std::size_t count = 0;
  std::vector<std::string> warnings;
};

// throws Error(bad_input) for matter without particles, Error(too_large) for too many
Sampled sample_all(const Scene& scene);

}  // namespace pliant::world

// What a compiled model is, as lines: a file of the same name may have another content by now.
#pragma once

#include "bodies/namespace.h"
#include "scene/scene_lines.h"

typedef struct mjModel_ mjModel;

namespace pliant::bodies {

// Counts, names and what decides how the bodies move and touch, as "bodies.compiled.geom_size". Options (timestep,
// gravity, solver), colours, cameras and the places of files are left out.
std::vector<SceneLine> model_lines(const mjModel* model);

}  // namespace pliant::bodies

// What is wrong with a scene beyond its single values: names that are used but not there, order of times, and so on.
#pragma once

#include "scene/namespace.h"
#include "scene/scene_keys_reader.h"

namespace pliant::scene {

void check_meaning(const Scene& scene, const SceneMarks& marks, Findings& findings);

}  // namespace pliant::scene

// The tables of docs/scene_files.md.
#pragma once

#include "scene/namespace.h"

#include <string>
#include <vector>

namespace pliant::scene {

struct SceneKeyTable {
  std::string name;  // "scene", "materials", ..., "quantities"
  std::string markdown;
};
std::vector<SceneKeyTable> scene_key_tables();

}  // namespace pliant::scene

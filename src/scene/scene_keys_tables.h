// The tables of docs/scene_files.md.
#pragma once

#include <string>
#include <vector>

namespace pliant {

struct SceneKeyTable {
  std::string name;  // "scene", "materials", ..., "quantities"
  std::string markdown;
};
std::vector<SceneKeyTable> scene_key_tables();

}  // namespace pliant

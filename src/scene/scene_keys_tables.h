// The tables of docs/scene_files.md.
#pragma once

#include <string>
#include <vector>

namespace pliant {

struct KeyTable {
  std::string name;  // "scene", "materials", ..., "quantities"
  std::string markdown;
};
std::vector<KeyTable> scene_key_tables();

}  // namespace pliant

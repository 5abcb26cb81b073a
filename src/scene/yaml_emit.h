// Writes a tree as YAML that people like to read.
#pragma once

#include "scene/namespace.h"
#include "scene/yaml_tree.h"

namespace pliant::scene {

// A scalar that is `quoted` is a text and gets quotes where it needs them; any other is written as it is. Throws
// Error(bad_input) for a text that YAML cannot hold.
std::string emit_yaml(const YamlNode& map);

}  // namespace pliant::scene

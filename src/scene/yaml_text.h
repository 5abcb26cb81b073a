// What a text must be before a YAML parser may see it.
#pragma once

#include "scene/namespace.h"
#include "scene/yaml_tree.h"

namespace pliant::scene {

// false, with a finding, for a text that is too large, not UTF-8, starts with a byte order mark, holds control
// characters or is indented with tabs
bool check_yaml_text(const std::string& text, int source, const YamlLimits& limits, Findings& findings);

// the length of the UTF-8 character at `at`, 0 if there is none
std::size_t utf8_length(std::string_view text, std::size_t at);

}  // namespace pliant::scene

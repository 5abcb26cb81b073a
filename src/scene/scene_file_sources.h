// The texts that make up a scene: the file, what it includes, and overrides; and the files that they may name.
#pragma once

#include "scene/namespace.h"
#include "scene/yaml_tree.h"

#include <filesystem>

namespace pliant::scene {

class SceneSources {
 public:
  SceneSources(const std::filesystem::path& folder, const SceneFileOptions& options, Findings& findings);

  // the file with all that it includes and overrides; false, with findings, if it cannot be read
  bool read_file(const std::string& path, YamlNode& tree);
  bool read_text(const std::string& yaml, const std::string& file, YamlNode& tree);

  // A path that can be opened for a file that a node names: from the folder of the text that the node stands in, or
  // from the folder of models. Empty, with a finding that names `part`, if there is none or it lies outside.
  std::string find_file(const YamlNode& node, const std::string& part) const;

  // whether a file may be opened, by its place
  bool is_allowed(const std::filesystem::path& path) const;

 private:
  bool parse(const std::string& yaml, int source, YamlNode& tree);
  bool include(YamlNode& tree, int source);
  bool include_one(const YamlNode& name, YamlNode& base);
  bool override_all(YamlNode& tree);

  std::filesystem::path folder_;  // of the scene
  const SceneFileOptions& options_;
  Findings& findings_;
  YamlBudget budget_;
  std::vector<std::filesystem::path> folders_;  // of each source
  std::vector<std::filesystem::path> chain_;    // files that are being read, each included by the one before
  int files_ = 0;
};

// puts `over` on top of `base`: maps are merged, anything else is replaced
void merge_yaml(YamlNode& base, YamlNode over);

// Sets tree.key.key = value; the text of the value is YAML. A list's things are found by name or by number from 1.
// False and a finding if there is no such place.
bool set_yaml(YamlNode& tree, const std::string& dotted_key, YamlNode value, Findings& findings);

}  // namespace pliant::scene

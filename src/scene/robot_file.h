// What the files of robots ask for, found before MuJoCo opens them: files that they name and may not, and amounts that
// no machine has. They are untrusted, as the scene is.
#pragma once

#include "scene/namespace.h"
#include "scene/xml_tags.h"
#include "scene/yaml_tree.h"

#include <filesystem>
#include <functional>
#include <map>
#include <set>

namespace pliant::scene {

struct RobotLimits {
  XmlLimits xml{};
  std::size_t all_xml_bytes = std::size_t(64) << 20;  // of all robots of a scene
  std::size_t asset_bytes = std::size_t(256) << 20;   // of one mesh, texture or height field
  int depth = 8;                                      // of files that include or attach others
  int files = 64;                                     // of XML, of one robot
  int assets = 5'000;                                 // of all robots of a scene
  double parts = 1e6;                                 // of all robots of a scene, replicas written out
  double per_part = 1e4;                              // user values for each part; key frames
};

struct RobotRules {
  // whether a file may be opened, by its place
  std::function<bool(const std::filesystem::path&)> is_allowed;
  bool allow_outside = false;
  std::size_t max_memory = 0;  // bytes
  RobotLimits limits{};
};

// what the robots of a scene have asked for so far
struct RobotTotals {
  double parts = 0, bytes = 0;
  std::size_t xml_bytes = 0;
  int assets = 0;
  std::set<std::string> good_assets;
  bool said_parts = false, said_bytes = false, said_assets = false;
};

// All robots of one scene. Findings start with `part`: "body 'arm'".
class RobotFiles {
 public:
  RobotFiles(RobotRules rules, Findings& findings) : rules_(std::move(rules)), findings_(findings) {}

  // a file that several bodies use is told of once
  void check_file(const std::string& path, const std::string& part);
  // `mark` is where the text stands
  void check_text(const std::string& text, const YamlMark& mark, const std::string& part);

 private:
  RobotRules rules_;
  Findings& findings_;
  RobotTotals totals_;
  std::map<std::string, double> parts_of_;  // of files that were checked
};

}  // namespace pliant::scene

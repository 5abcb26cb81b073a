#include "scene/scene_file_sources.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <map>

namespace pliant::scene {

namespace fs = std::filesystem;

namespace {

constexpr int deepest_include = 8, most_files = 64;

// the real place of a file, links followed
fs::path real_path(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? fs::path() : real;
}

bool is_below(const fs::path& path, const fs::path& folder) {
  if (path.empty() || folder.empty()) return false;
  const auto [rest, end] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return rest == folder.end() || rest->empty();
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool read_bytes(const fs::path& path, const YamlMark& mark, const YamlLimits& limits, Findings& findings,
                std::string& bytes) {
  std::error_code error;
  if (!is_file(path)) {
    findings.add(mark, "the file is missing or not a regular file", "check the path");
    return false;
  }
  // one byte more than the limit is enough for the refusal
  const std::uintmax_t size = std::min<std::uintmax_t>(fs::file_size(path, error), limits.file_bytes + 1);
  if (!error) bytes.resize(std::size_t(size));
  std::ifstream stream(path, std::ios::binary);
  if (!error) stream.read(bytes.data(), std::streamsize(size));
  if (error || !stream) {
    findings.add(mark, "the file cannot be read", "check its permissions");
    return false;
  }
  return true;
}

// The file says first that it is a scene, and of which version.
bool check_version(const YamlNode& tree, int source, Findings& findings) {
  const YamlMark start = {source, 1, 1};
  const std::string cure = "make its first line 'pliant: 1'";
  if (tree.kind == YamlNode::Kind::null) {
    findings.add(start, "the file is empty", cure);
    return false;
  }
  if (!tree.is_map()) {
    findings.add(start, fmt::format("the file is {}, not a map of keys and values", kind_text(tree)), cure);
    return false;
  }
  const YamlNode* version = tree.find("pliant");
  if (!version || tree.keys[0].text != "pliant") {
    findings.add(version ? version->mark : start, "the file does not start with its version", cure);
  } else if (!version->is_scalar() || version->text != "1") {
    findings.add(version->mark, fmt::format("the version of the file is {}", kind_text(*version)),
                 "write 'pliant: 1', or get a newer Pliant");
  }
  return true;
}

}  // namespace

SceneSources::SceneSources(const fs::path& folder, const SceneFileOptions& options, Findings& findings)
    : folder_(folder), options_(options), findings_(findings) {}

bool SceneSources::is_allowed(const fs::path& path) const {
  if (options_.allow_outside) return true;
  const fs::path real = real_path(path);
  const bool in_models = !options_.models.empty() && is_below(real, real_path(options_.models));
  return in_models || is_below(real, real_path(folder_.empty() ? fs::path(".") : folder_));
}

std::string SceneSources::find_file(const YamlNode& node, const std::string& part) const {
  const fs::path name(node.text);
  fs::path path = (folders_[std::size_t(node.mark.source)] / name).lexically_normal();
  const std::string prefix = "models/";
  if (!is_file(path) && !options_.models.empty() && node.text.rfind(prefix, 0) == 0) {
    path = (fs::path(options_.models) / node.text.substr(prefix.size())).lexically_normal();
  }
  const bool has_place = !real_path(path).empty();
  if (has_place && !is_allowed(path)) {
    findings_.add(node.mark, fmt::format("{}: file '{}' lies outside the scene's folder", part, shown(node.text)),
                  "move it below the folder of the scene, or allow files outside");
    return {};
  }
  if (!is_file(path)) {
    findings_.add(
        node.mark, fmt::format("{}: file '{}' does not exist", part, shown(node.text)),
        "check its name: it is looked up from the folder of the scene, models/... also among Pliant's models");
    return {};
  }
  return path.string();
}

bool SceneSources::parse(const std::string& yaml, int source, YamlNode& tree) {
  if (!parse_yaml(yaml, source, budget_, findings_, tree) || !check_version(tree, source, findings_)) return false;
  return include(tree, source);
}

bool SceneSources::include(YamlNode& tree, int source) {
  const YamlNode* given = tree.find("include");
  if (!given) return true;
  const YamlNode names = *given;
  YamlNode base;
  base.kind = YamlNode::Kind::map;
  base.mark = {source, 1, 1};
  if (names.is_list()) {
    for (const YamlNode& name : names.items) {
      if (!include_one(name, base)) return false;
    }
  } else if (!include_one(names, base)) {
    return false;
  }
  merge_yaml(base, std::move(tree));
  base.mark = {source, 1, 1};
  tree = std::move(base);
  return true;
}

bool SceneSources::include_one(const YamlNode& name, YamlNode& base) {
  if (!name.is_scalar() || name.text.empty()) {
    findings_.add(name.mark, fmt::format("include is {}", kind_text(name)), "give the name of a file");
    return false;
  }
  const std::string path = find_file(name, "include");
  if (path.empty()) return false;
  const fs::path real = real_path(path);
  if (std::find(chain_.begin(), chain_.end(), real) != chain_.end()) {
    findings_.add(name.mark, fmt::format("file '{}' includes itself, directly or by way of others", shown(name.text)),
                  "remove one of the includes");
    return false;
  }
  if (int(chain_.size()) > deepest_include || ++files_ > most_files) {
    findings_.add(
        name.mark,
        fmt::format("includes are nested more than {} deep or are more than {} files", deepest_include, most_files),
        "include fewer files");
    return false;
  }
  YamlNode tree;
  if (!read_file(path, tree)) return false;
  merge_yaml(base, std::move(tree));
  return true;
}

bool SceneSources::read_file(const std::string& path, YamlNode& tree) {
  const int source = findings_.add_source(path);
  folders_.push_back(fs::path(path).parent_path());
  std::string bytes;
  if (!read_bytes(path, {source, 1, 1}, budget_.limits, findings_, bytes)) return false;
  chain_.push_back(real_path(path));
  const bool good = parse(bytes, source, tree);
  chain_.pop_back();
  if (!good || !chain_.empty()) return good;
  return override_all(tree);
}

bool SceneSources::read_text(const std::string& yaml, const std::string& file, YamlNode& tree) {
  const int source = findings_.add_source(file);
  folders_.push_back(folder_);
  return parse(yaml, source, tree) && override_all(tree);
}

bool SceneSources::override_all(YamlNode& tree) {
  for (const auto& [key, yaml] : options_.overrides) {
    const int source = findings_.add_source(fmt::format("--set {}={}", shown(key), shown(yaml)));
    folders_.push_back(folder_);
    YamlNode value;
    if (parse_yaml(yaml, source, budget_, findings_, value)) {
      value.mark.source = source;
      set_yaml(tree, key, std::move(value), findings_);
    }
  }
  return true;
}

}  // namespace pliant::scene

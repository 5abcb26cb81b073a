// Turns a scene into YAML: all that is not at its default.
#include "core/error.h"
#include "pliant/scene_file.h"
#include "scene/scene_keys_lister.h"
#include "scene/yaml_emit.h"

#include <filesystem>

namespace pliant::scene {

namespace {

namespace fs = std::filesystem;

class KeyWriter final : public Keys {
 public:
  KeyWriter(fs::path folder, fs::path models) : folder_(std::move(folder)), models_(std::move(models)) {
    open_.push_back({map_node(), "", ""});
    put("pliant", plain("1"));
  }

  YamlNode finish() { return std::move(open_.back().node); }

  void number(const Key& key, double& value, const Range&) override { put_if_needed(key, number_text(value)); }
  void integer(const Key& key, std::uint64_t& value, std::uint64_t, std::uint64_t) override {
    put_if_needed(key, fmt::format("{}", value));
  }
  void flag(const Key& key, bool& value) override { put_if_needed(key, value ? "true" : "false"); }
  void word(const Key& key, std::string& value) override {
    if (!value.empty()) put(key.name, words(value));
  }
  void name_of(const Key& key, std::string& value, NameOf) override { word(key, value); }
  void file(const Key& key, std::string& value, const Names&) override {
    if (!value.empty()) put(key.name, words(file_text(value)));
  }
  void choice(const Key& key, int& value, const Names& names) override {
    if (value < 0 || std::size_t(value) >= names.size()) {
      fail(ErrorCode::bad_input, "{}: choice {} does not exist; give a known one", key.name, value);
    }
    const std::string& text = names[std::size_t(value)];
    if (key.required || !is_standard(key, text)) put(key.name, plain(text));
  }
  void vector(const Key& key, Vec3& value, const Range&) override {
    const bool is_default = is_standard(key, vector_text(value, 3));
    if (key.applies && (key.required || key.always || !is_default)) put(key.name, plain(vector_text(value, dimension)));
  }
  void pair(const Key& key, Pair& value, const Range&) override { put_if_needed(key, pair_text(value)); }
  void rotation(const Key& key, Quaternion& value) override { put_if_needed(key, rotation_text(value)); }
  void points(const Key& key, std::vector<Vec3>& value) override {
    if (value.empty()) return;
    YamlNode list;
    list.kind = YamlNode::Kind::list;
    for (const Vec3& point : value) list.items.push_back(plain(vector_text(point, dimension)));
    nodes_ += 3 * value.size();
    put(key.name, std::move(list));
  }

  bool enter(const Key& key) override {
    if (!key.applies) return false;
    open_.push_back({map_node(), key.name, path() + key.name + "."});
    return true;
  }
  bool enter_kind(const Key& key, bool is_it) override {
    if (!is_it) return false;
    enter(key);
    open_.back().keep = true;
    return true;
  }
  bool kind_name(const Key& key, bool is_it, std::string& value, NameOf) override {
    if (is_it) put(key.name, words(value));
    return is_it;
  }
  void leave() override {
    Open done = std::move(open_.back());
    open_.pop_back();
    if (done.node.items.empty() && !done.keep) return;
    if (open_.back().node.is_list()) {
      open_.back().node.items.push_back(std::move(done.node));
      ++nodes_;
    } else {
      put(done.name, std::move(done.node));
    }
  }
  void end_kinds(const char*, bool) override {}

  std::size_t nodes() const { return nodes_; }

 protected:
  std::size_t begin_things(const Key& key, const char*, bool named, std::size_t count) override {
    Open open = {map_node(), key.name, path() + key.name + ".*."};
    if (!named) open.node.kind = YamlNode::Kind::list;
    open_.push_back(std::move(open));
    return count;
  }
  bool begin_thing(std::size_t, std::string* name) override {
    open_.push_back({map_node(), name ? *name : "", path(), true});
    return true;
  }
  void end_things() override { leave(); }

 private:
  // a map or list that is being filled
  struct Open {
    YamlNode node;
    std::string name, path;
    bool keep = false;  // even if it is empty
  };

  static YamlNode map_node() {
    YamlNode node;
    node.kind = YamlNode::Kind::map;
    return node;
  }
  static YamlNode plain(const std::string& text) {
    YamlNode node;
    node.kind = YamlNode::Kind::scalar;
    node.text = text;
    return node;
  }
  static YamlNode words(const std::string& text) {
    YamlNode node = plain(text);
    node.quoted = true;
    return node;
  }

  const std::string& path() const { return open_.back().path; }

  bool is_standard(const Key& key, const std::string& text) const {
    const auto found = standards_.find(path() + key.name);
    return found != standards_.end() && found->second == text;
  }

  void put(const std::string& name, YamlNode node) {
    // a vector is four or five nodes more
    nodes_ += 6;
    open_.back().node.keys.push_back({name, {}});
    open_.back().node.items.push_back(std::move(node));
  }

  void put_if_needed(const Key& key, const std::string& text) {
    if (key.applies && (key.required || key.always || !is_standard(key, text))) put(key.name, plain(text));
  }

  // from the folder of the scene or of the models
  std::string file_text(const std::string& file) const {
    const auto below = [&](const fs::path& folder) {
      const fs::path relative = folder.empty() ? fs::path() : fs::path(file).lexically_relative(folder);
      return relative.empty() || *relative.begin() == ".." ? std::string() : relative.string();
    };
    const std::string in_folder = below(folder_), in_models = below(models_);
    return !in_folder.empty() ? in_folder : !in_models.empty() ? "models/" + in_models : file;
  }

  fs::path folder_, models_;
  std::map<std::string, std::string> standards_ = key_standards();
  std::vector<Open> open_;
  std::size_t nodes_ = 0;
};

}  // namespace

}  // namespace pliant::scene

namespace pliant {

using namespace scene;

std::string to_yaml(const Scene& scene, const std::string& folder, const std::string& models) {
  KeyWriter writer(folder, models);
  Scene copy = scene;
  scene_keys(writer, copy);
  const std::string text = emit_yaml(writer.finish());
  const YamlLimits limits;
  if (writer.nodes() > limits.nodes || text.size() > limits.file_bytes) {
    fail(ErrorCode::too_large,
         "the scene has about {} values and {} bytes, a scene file up to {} and {}; keep points in "
         "Python",
         writer.nodes(), text.size(), limits.nodes, limits.file_bytes);
  }
  return text;
}

}  // namespace pliant

#include "scene/scene_lines.h"

#include "core/hash.h"
#include "scene/scene_keys_lister.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace pliant::scene {
namespace {

constexpr std::size_t longest_words = 80;

// one line, whatever is in it
std::string line_of(const std::string& words) {
  const bool plain = std::none_of(words.begin(), words.end(), [](char c) { return std::uint8_t(c) < 32; });
  if (plain && words.size() <= longest_words) return words;
  return hash_text(words.data(), words.size(), words.size(), "characters");
}

class LineWalker final : public Keys {
 public:
  std::vector<SceneLine> lines;

  void number(const Key& key, double& value, const Range&) override { put(key, number_text(value)); }
  void integer(const Key& key, std::uint64_t& value, std::uint64_t, std::uint64_t) override {
    put(key, fmt::format("{}", value));
  }
  void flag(const Key& key, bool& value) override { put(key, value ? "true" : "false"); }
  void word(const Key& key, std::string& value) override { put(key, line_of(value)); }
  void name_of(const Key& key, std::string& value, NameOf) override { word(key, value); }
  void file(const Key& key, std::string& value, const Names&) override { word(key, value); }
  void choice(const Key& key, int& value, const Names& names) override {
    const bool is_known = value >= 0 && std::size_t(value) < names.size();
    put(key, is_known ? names[std::size_t(value)] : fmt::format("choice {}", value));
  }
  void vector(const Key& key, Vec3& value, const Range&) override { put(key, vector_text(value, 3)); }
  void pair(const Key& key, Pair& value, const Range&) override { put(key, pair_text(value)); }
  void rotation(const Key& key, Quaternion& value) override { put(key, rotation_text(value)); }
  void points(const Key& key, std::vector<Vec3>& value) override {
    if (!value.empty()) put(key, hash_text(value.data(), value.size() * sizeof(Vec3), value.size(), "points"));
  }

  bool enter(const Key& key) override {
    if (key.applies) open_.push_back(here() + key.name + ".");
    return key.applies;
  }
  bool enter_kind(const Key& key, bool is_it) override { return is_it && enter(key); }
  bool kind_name(const Key& key, bool is_it, std::string& value, NameOf) override {
    if (is_it) put(key, line_of(value));
    return is_it;
  }
  void leave() override { open_.pop_back(); }
  void end_kinds(const char*, bool) override {}

 protected:
  std::size_t begin_things(const Key& key, const char*, bool, std::size_t count) override {
    open_.push_back(here() + key.name);
    return count;
  }
  bool begin_thing(std::size_t number, std::string* name) override {
    open_.push_back(here() + (name ? "." + line_of(*name) : fmt::format("[{}]", number)) + ".");
    return true;
  }
  void end_things() override { leave(); }

 private:
  const std::string& here() const { return open_.back(); }
  void put(const Key& key, std::string value) {
    if (key.applies) lines.push_back({here() + key.name, std::move(value)});
  }

  std::vector<std::string> open_ = {""};
};

}  // namespace

std::string hash_text(const void* data, std::size_t bytes, std::size_t count, const char* called) {
  return fmt::format("{} {}, hash {:016x}", count, called, hash_bytes(data, bytes));
}

std::vector<SceneLine> scene_lines(const Scene& scene) {
  LineWalker walker;
  Scene copy = scene;
  scene_keys(walker, copy);
  return std::move(walker.lines);
}

std::string difference(const std::vector<SceneLine>& a, const std::string& in_a, const std::vector<SceneLine>& b,
                       const std::string& in_b) {
  if (a == b) return "";
  std::map<std::string, std::string> values;
  for (const SceneLine& line : b) values[line.key] = line.value;
  for (const SceneLine& line : a) {
    const auto found = values.find(line.key);
    if (found == values.end())
      return fmt::format("{} is {} in {}, and not there in {}", line.key, line.value, in_a, in_b);
    if (found->second != line.value)
      return fmt::format("{} is {} in {}, {} in {}", line.key, line.value, in_a, found->second, in_b);
    values.erase(found);
  }
  if (!values.empty()) {
    const auto& [key, value] = *values.begin();
    return fmt::format("{} is {} in {}, and not there in {}", key, value, in_b, in_a);
  }
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
    if (a[i].key != b[i].key) return fmt::format("{} stands where {} has {}", a[i].key, in_b, b[i].key);
  return "";
}

bool same_scene(const Scene& a, const Scene& b) { return scene_lines(a) == scene_lines(b); }

}  // namespace pliant::scene

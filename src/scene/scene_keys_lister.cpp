#include "scene/scene_keys_lister.h"

#include <fmt/core.h>

#include <cmath>

namespace pliant::scene {

namespace {

class KeyLister final : public Keys {
 public:
  KeyInfo root;

  void number(const Key& key, double& value, const Range& range) override {
    add(key, KeyInfo::Type::number, number_text(value)).range = range;
  }
  void integer(const Key& key, std::uint64_t& value, std::uint64_t from, std::uint64_t to) override {
    add(key, KeyInfo::Type::integer, fmt::format("{}", value)).range = {double(from), double(to)};
  }
  void flag(const Key& key, bool& value) override { add(key, KeyInfo::Type::flag, value ? "true" : "false"); }
  void word(const Key& key, std::string& value) override { add(key, KeyInfo::Type::word, value); }
  void name_of(const Key& key, std::string& value, NameOf) override { add(key, KeyInfo::Type::word, value); }
  void file(const Key& key, std::string& value, const Names& endings) override {
    add(key, KeyInfo::Type::word, value).choices = endings;
  }
  void choice(const Key& key, int& value, const Names& names) override {
    add(key, KeyInfo::Type::choice, value < 0 ? "" : names[std::size_t(value)]).choices = names;
  }
  void vector(const Key& key, Vec3& value, const Range& range) override {
    add(key, KeyInfo::Type::vector, vector_text(value, 3)).range = range;
  }
  void pair(const Key& key, Pair& value, const Range& range) override {
    add(key, KeyInfo::Type::pair, pair_text(value)).range = range;
  }
  void rotation(const Key& key, Quaternion& value) override {
    add(key, KeyInfo::Type::rotation, rotation_text(value));
    const Key rpy = {.name = "rpy",
                     .unit = "degrees",
                     .what = "roll, pitch, yaw about the fixed axes x, y, z",
                     .standard = key.standard,
                     .only_for = key.only_for};
    add(rpy, KeyInfo::Type::rpy, "");
  }
  void points(const Key& key, std::vector<Vec3>&) override { add(key, KeyInfo::Type::points, "").is_kind = true; }

  bool enter(const Key& key) override {
    add(key, KeyInfo::Type::map, "");
    path_.push_back(here().inside.size() - 1);
    return true;
  }
  bool enter_kind(const Key& key, bool) override {
    add(key, KeyInfo::Type::map, "").is_kind = true;
    path_.push_back(here().inside.size() - 1);
    return true;
  }
  bool kind_name(const Key& key, bool, std::string&, NameOf) override {
    add(key, KeyInfo::Type::word, "").is_kind = true;
    return true;
  }
  void leave() override { path_.pop_back(); }
  void end_kinds(const char*, bool) override {}

 protected:
  // one thing stands for all
  std::size_t begin_things(const Key& key, const char*, bool named, std::size_t) override {
    add(key, named ? KeyInfo::Type::named : KeyInfo::Type::listed, "");
    return 1;
  }
  bool begin_thing(std::size_t, std::string*) override {
    path_.push_back(here().inside.size() - 1);
    return true;
  }
  void end_things() override {}

 private:
  KeyInfo& here() {
    KeyInfo* level = &root;
    for (const std::size_t place : path_) level = &level->inside[place];
    return *level;
  }

  KeyInfo& add(const Key& key, KeyInfo::Type type, const std::string& standard) {
    KeyInfo info;
    info.type = type;
    info.name = key.name;
    info.unit = key.unit;
    info.what = key.what;
    info.standard = standard;
    info.shown_default = key.required ? "" : key.standard ? key.standard : standard;
    info.required = key.required;
    info.only_for = key.only_for;
    here().inside.push_back(std::move(info));
    return here().inside.back();
  }

  std::vector<std::size_t> path_;
};

void flatten(const KeyInfo& info, const std::string& path, std::map<std::string, std::string>& result) {
  for (const KeyInfo& key : info.inside) {
    const std::string name = path + key.name;
    const bool has_things = key.type == KeyInfo::Type::named || key.type == KeyInfo::Type::listed;
    result[name] = key.standard;
    flatten(key, name + (has_things ? ".*." : "."), result);
  }
}

}  // namespace

KeyInfo list_keys() {
  KeyLister lister;
  Scene scene;
  scene_keys(lister, scene);
  return lister.root;
}

std::map<std::string, std::string> key_standards() {
  std::map<std::string, std::string> result;
  flatten(list_keys(), "", result);
  return result;
}

std::string number_text(double value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value > 0 ? ".inf" : "-.inf";
  return fmt::format("{}", value);
}

std::string pair_text(const Pair& value) {
  return fmt::format("[{}, {}]", number_text(value[0]), number_text(value[1]));
}

std::string vector_text(const Vec3& value, int dimension) {
  const bool is_plane = dimension == 2 && value[2] == 0 && !std::signbit(value[2]);
  const std::string x = number_text(value[0]), y = number_text(value[1]), z = number_text(value[2]);
  return is_plane ? fmt::format("[{}, {}]", x, y) : fmt::format("[{}, {}, {}]", x, y, z);
}

std::string rotation_text(const Quaternion& q) {
  return fmt::format("[{}, {}, {}, {}]", number_text(q[0]), number_text(q[1]), number_text(q[2]), number_text(q[3]));
}

}  // namespace pliant::scene

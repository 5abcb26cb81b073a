// Every key of a scene file is named once, in scene_keys.cpp. A walk along the keys reads them from YAML, writes them,
// or lists them for the schema and the manual.
#pragma once

#include "material/parameter.h"
#include "pliant/scene.h"
#include "scene/namespace.h"

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace pliant::scene {

using Quaternion = std::array<double, 4>;
using Pair = std::array<double, 2>;

// What the manual and errors say of a key.
struct Key {
  const char* name;
  const char* unit = "";
  const char* what = "";
  bool required = false;
  bool always = false;             // written even if it has its default
  const char* standard = nullptr;  // what the manual says in place of the default
  bool applies = true;             // false: it may not be given here, because ...
  const char* only_for = "";       // ... it is for this: "law liquid"
};

inline constexpr Range any_number = {};
inline constexpr Range positive = {0, 1e300, true};
inline constexpr Range not_negative = {0, 1e300};

// where a name must be known
enum class NameOf { material, matter, boundary, body, partner, body_part, measured, pin, actuator };

using Names = std::vector<std::string>;

class Keys {
 public:
  virtual ~Keys() = default;
  bool reads = false;  // values are filled in
  int dimension = 3;   // of the scene

  virtual void number(const Key& key, double& value, const Range& range) = 0;
  virtual void integer(const Key& key, std::uint64_t& value, std::uint64_t from, std::uint64_t to) = 0;
  virtual void flag(const Key& key, bool& value) = 0;
  virtual void word(const Key& key, std::string& value) = 0;
  virtual void name_of(const Key& key, std::string& value, NameOf of) = 0;
  virtual void file(const Key& key, std::string& value, const Names& endings) = 0;
  virtual void choice(const Key& key, int& value, const Names& names) = 0;
  virtual void vector(const Key& key, Vec3& value, const Range& range) = 0;
  virtual void pair(const Key& key, Pair& value, const Range& range) = 0;
  // a quaternion, or the key `rpy` in its place
  virtual void rotation(const Key& key, Quaternion& value) = 0;
  virtual void points(const Key& key, std::vector<Vec3>& value) = 0;

  // a map inside this one; false: it is not there, and is not to be left
  virtual bool enter(const Key& key) = 0;
  // the same for one of several kinds, of which one is given; the last says what they are called together
  virtual bool enter_kind(const Key& key, bool is_it) = 0;
  virtual bool kind_name(const Key& key, bool is_it, std::string& value, NameOf of) = 0;
  virtual void leave() = 0;
  virtual void end_kinds(const char* called, bool required) = 0;

  // things with names: `key: {name: {...}}` or `key: [{name: ..., ...}]`; without: `key: [{...}]`
  template <class Thing>
  void named(const Key& key, const char* called, std::vector<Thing>& things,
             const std::type_identity_t<std::function<void(Keys&, Thing&)>>& keys_of) {
    things.resize(begin_things(key, called, true, things.size()));
    for (std::size_t i = 0; i < things.size(); ++i) {
      if (!begin_thing(i, &things[i].name)) continue;
      keys_of(*this, things[i]);
      leave();
    }
    end_things();
  }
  template <class Thing>
  void listed(const Key& key, const char* called, std::vector<Thing>& things,
              const std::type_identity_t<std::function<void(Keys&, Thing&)>>& keys_of) {
    things.resize(begin_things(key, called, false, things.size()));
    for (std::size_t i = 0; i < things.size(); ++i) {
      if (!begin_thing(i, nullptr)) continue;
      keys_of(*this, things[i]);
      leave();
    }
    end_things();
  }

 protected:
  // how many there are to go through
  virtual std::size_t begin_things(const Key& key, const char* called, bool named, std::size_t count) = 0;
  virtual bool begin_thing(std::size_t number, std::string* name) = 0;
  virtual void end_things() = 0;
};

// one of several, by its number
template <class Enum>
void choose(Keys& keys, const Key& key, Enum& value, const Names& names) {
  int number = int(value);
  keys.choice(key, number, names);
  value = Enum(number);
}

// all keys of a scene but `pliant` and `include`
void scene_keys(Keys& keys, Scene& scene);

}  // namespace pliant::scene

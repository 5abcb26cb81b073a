// The keys of scene files as a tree, for the schema, the manual and the writer.
#pragma once

#include "scene/namespace.h"
#include "scene/scene_keys.h"

#include <map>

namespace pliant::scene {

struct KeyInfo {
  enum class Type { number, integer, flag, word, choice, vector, pair, rotation, rpy, points, map, named, listed };
  Type type = Type::map;
  std::string name, unit, what;
  std::string standard;       // its default, as it would be written
  std::string shown_default;  // what the manual says of it
  bool required = false;
  std::string only_for;
  Range range;
  Names choices;                // also the endings of files
  bool is_kind = false;         // one of several of which one is given
  std::vector<KeyInfo> inside;  // of a map, or of each thing
};

// all keys but `pliant` and `include`
KeyInfo list_keys();

// "matter.*.box.size" -> "[1, 1, 1]"
std::map<std::string, std::string> key_standards();

// values as they are written
std::string number_text(double value);
std::string pair_text(const Pair& value);
std::string vector_text(const Vec3& value, int dimension);
std::string rotation_text(const Quaternion& value);

}  // namespace pliant::scene

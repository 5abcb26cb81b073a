// Fills a scene from a YAML tree and finds everything that is wrong on the way.
#pragma once

#include "scene/namespace.h"
#include "scene/scene_keys.h"
#include "scene/yaml_tree.h"

#include <functional>
#include <map>

namespace pliant::scene {

// where the parts of a scene stand: "matter 'dough'", and "matter 'dough': material"
using SceneMarks = std::map<std::string, YamlMark>;

// a path that can be opened, for a file that the node names; a finding and an empty path if it may not be used
using FindFile = std::function<std::string(const YamlNode& node, const std::string& part)>;

class KeyReader final : public Keys {
 public:
  KeyReader(const YamlNode& root, FindFile find_file, Findings& findings);

  // where each part was found
  const SceneMarks& marks() const { return marks_; }
  // after the last key: what is left in the file is unknown
  void finish() { leave(); }

  void number(const Key& key, double& value, const Range& range) override;
  void integer(const Key& key, std::uint64_t& value, std::uint64_t from, std::uint64_t to) override;
  void flag(const Key& key, bool& value) override;
  void word(const Key& key, std::string& value) override;
  void name_of(const Key& key, std::string& value, NameOf of) override;
  void file(const Key& key, std::string& value, const Names& endings) override;
  void choice(const Key& key, int& value, const Names& names) override;
  void vector(const Key& key, Vec3& value, const Range& range) override;
  void pair(const Key& key, Pair& value, const Range& range) override;
  void rotation(const Key& key, Quaternion& value) override;
  void points(const Key& key, std::vector<Vec3>& value) override;
  bool enter(const Key& key) override;
  bool enter_kind(const Key& key, bool is_it) override;
  bool kind_name(const Key& key, bool is_it, std::string& value, NameOf of) override;
  void leave() override;
  void end_kinds(const char* called, bool required) override;

 protected:
  std::size_t begin_things(const Key& key, const char* called, bool named, std::size_t count) override;
  bool begin_thing(std::size_t number, std::string* name) override;
  void end_things() override;

 private:
  // a map whose keys are being read
  struct Level {
    const YamlNode* map;
    std::string part;     // "matter 'dough'"
    std::string section;  // " in box", or nothing
    Names known;
    Names kinds;  // that the file gives
    Names known_kinds;
  };
  // a list of things that is being read
  struct Things {
    const YamlNode* node;
    std::string called;  // "matter"
    bool named;
  };

  const YamlNode* find(const Key& key);
  void wrong(const YamlNode& node, const Key& key, const std::string& expected);
  void say(const YamlMark& mark, const std::string& message, const std::string& cure);
  bool read_number(const YamlNode& node, const Key& key, const Range& range, double& value);
  bool read_numbers(const YamlNode& node, const Key& key, double* values, std::size_t count);
  bool read_vector(const YamlNode& node, const Key& key, Vec3& value);
  bool read_word(const YamlNode& node, const Key& key, std::string& value);
  void push(const YamlNode& node, const std::string& part, const std::string& section);

  FindFile find_file_;
  Findings& findings_;
  SceneMarks marks_;
  std::vector<Level> levels_;
  std::vector<Things> things_;
};

// the whole text as a number; false if it is none. inf and nan are numbers here.
bool parse_number(const std::string& text, double& value);

// "a number above 0 in Pa"
std::string expected_number(const Key& key, const Range& range);

}  // namespace pliant::scene

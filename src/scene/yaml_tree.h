// A YAML text as a tree whose every node knows its line. The text is untrusted: size, depth, number of nodes and length
// of strings are limited before anything is stored, also where aliases multiply it.
#pragma once

#include "pliant/scene_file.h"
#include "scene/namespace.h"

#include <string>
#include <string_view>
#include <vector>

namespace pliant::scene {

struct YamlLimits {
  std::size_t file_bytes = std::size_t(4) << 20;
  std::size_t string_bytes = std::size_t(1) << 20;
  std::size_t all_bytes = std::size_t(16) << 20;  // of all strings, aliases written out
  std::size_t nodes = 200'000;                    // aliases written out
  int depth = 32;
};

// a place in one of the texts that make up a scene
struct YamlMark {
  int source = 0;
  int line = 1, column = 1;
};

struct YamlKey {
  std::string text;
  YamlMark mark;
};

struct YamlNode {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  bool quoted = false;  // a scalar in quotes, or a block of text
  YamlMark mark;
  std::string text;             // scalar
  std::vector<YamlNode> items;  // of a list; of a map: the values
  std::vector<YamlKey> keys;    // map

  bool is_map() const { return kind == Kind::map; }
  bool is_list() const { return kind == Kind::list; }
  bool is_scalar() const { return kind == Kind::scalar; }
  // null if there is no such key
  const YamlNode* find(std::string_view key) const;
  const YamlKey* find_key(std::string_view key) const;
};

// What was found wrong so far, in which texts.
class Findings {
 public:
  int add_source(const std::string& name);
  const std::string& source(int number) const { return sources_[std::size_t(number)]; }
  void add(const YamlMark& mark, std::string message, std::string cure);
  bool empty() const { return list_.empty(); }
  bool full() const { return list_.size() > most; }
  // in the order of sources and lines
  std::vector<Diagnostic> sorted() const;

 private:
  static constexpr std::size_t most = 100;
  std::vector<std::string> sources_;
  std::vector<std::pair<YamlMark, Diagnostic>> list_;
};

// what is left of the limits, shared by all texts of a scene
struct YamlBudget {
  YamlLimits limits;
  std::size_t nodes = 0, bytes = 0;
};

// An unreadable text gives false and a finding. Keys that are given twice are found and the first is kept.
bool parse_yaml(const std::string& text, int source, YamlBudget& budget, Findings& findings, YamlNode& root);

// what of a word may stand in a message: short, in one line, without control characters
std::string shown(std::string_view text);

// "map", "list", "word"...: what a node is, for messages
std::string kind_text(const YamlNode& node);

}  // namespace pliant::scene

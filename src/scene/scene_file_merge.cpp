// Changes to a tree before it is read: what includes and overrides do.
#include "scene/scene_file_sources.h"
#include "scene/spelling.h"

#include <fmt/core.h>

#include <charconv>
#include <map>

namespace pliant::scene {

namespace {

// the part of a list with this name, or with this number from 1
YamlNode* find_in_list(YamlNode& list, const std::string& name) {
  for (YamlNode& item : list.items) {
    const YamlNode* given = item.is_map() ? item.find("name") : nullptr;
    if (given && given->is_scalar() && given->text == name) return &item;
  }
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_number = error == std::errc() && end == name.data() + name.size();
  return is_number && number >= 1 && number <= list.items.size() ? &list.items[number - 1] : nullptr;
}

// the value of a key of a map, made if it is not there
YamlNode* find_in_map(YamlNode& map, const std::string& name, const YamlMark& mark) {
  for (std::size_t i = 0; i < map.keys.size(); ++i) {
    if (map.keys[i].text == name) return &map.items[i];
  }
  map.keys.push_back({name, mark});
  map.items.emplace_back();
  map.items.back().mark = mark;
  return &map.items.back();
}

}  // namespace

void merge_yaml(YamlNode& base, YamlNode over) {
  if (!base.is_map() || !over.is_map()) {
    base = std::move(over);
    return;
  }
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < base.keys.size(); ++i) places.emplace(base.keys[i].text, i);
  for (std::size_t i = 0; i < over.keys.size(); ++i) {
    const auto found = places.find(over.keys[i].text);
    if (found == places.end()) {
      base.keys.push_back(std::move(over.keys[i]));
      base.items.push_back(std::move(over.items[i]));
    } else {
      base.keys[found->second].mark = over.keys[i].mark;
      merge_yaml(base.items[found->second], std::move(over.items[i]));
    }
  }
}

bool set_yaml(YamlNode& tree, const std::string& dotted_key, YamlNode value, Findings& findings) {
  const YamlMark mark = value.mark;
  YamlNode* place = &tree;
  int depth = 0;
  for (std::size_t at = 0; at <= dotted_key.size();) {
    const std::size_t dot = std::min(dotted_key.find('.', at), dotted_key.size());
    const std::string name = dotted_key.substr(at, dot - at);
    at = dot + 1;
    const bool is_top = ++depth == 1;
    if (name.empty() || depth > 8 || (is_top && (name == "pliant" || name == "include"))) {
      findings.add(mark, fmt::format("'{}' is no key to set", shown(dotted_key)), "give a key like step.dt");
      return false;
    }
    // what is not there is made; the reader knows whether it may be
    if (place->kind == YamlNode::Kind::null) place->kind = YamlNode::Kind::map;
    YamlNode* next = place->is_map()    ? find_in_map(*place, name, mark)
                     : place->is_list() ? find_in_list(*place, name)
                                        : nullptr;
    if (!next) {
      findings.add(
          mark, fmt::format("there is no '{}' to set", shown(dotted_key.substr(0, dot))),
          place->is_list() ? "give a name that is in the list, or a number from 1" : "give a key like step.dt");
      return false;
    }
    place = next;
  }
  *place = std::move(value);
  return true;
}

}  // namespace pliant::scene

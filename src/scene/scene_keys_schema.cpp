// The JSON schema and the manual's tables, from the list of keys.
#include "pliant/scene_file.h"
#include "scene/scene_keys_lister.h"
#include "scene/scene_keys_tables.h"

#include <fmt/core.h>

namespace pliant::scene {

namespace {

using Type = KeyInfo::Type;

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += (c == '"' || c == '\\' ? std::string("\\") : std::string()) + c;
  return result + "\"";
}

std::string joined(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// JSON members, one per line
class Object {
 public:
  explicit Object(std::size_t indent) : indent_(indent) {}
  void add(const std::string& name, const std::string& json) {
    text_.append(text_.empty() ? "" : ",").append(line(indent_ + 2)).append(quoted(name)).append(": ").append(json);
  }
  std::string text() const { return "{" + text_ + line(indent_) + "}"; }

 private:
  static std::string line(std::size_t indent) { return std::string("\n").append(indent, ' '); }
  std::size_t indent_;
  std::string text_;
};

std::string description(const KeyInfo& key) {
  std::string text = key.what;
  if (!key.unit.empty()) text += (text.empty() ? "" : ", ") + key.unit;
  if (!key.only_for.empty()) text += "; for " + key.only_for;
  if (!key.shown_default.empty()) text += "; default " + key.shown_default;
  return text;
}

std::string bounds(const Range& range) {
  std::string text;
  if (range.from > -1e299)
    text += fmt::format(", \"{}\": {}", range.open_from ? "exclusiveMinimum" : "minimum", range.from);
  if (range.to < 1e299) text += fmt::format(", \"{}\": {}", range.open_to ? "exclusiveMaximum" : "maximum", range.to);
  return text;
}

std::string number_list(const Range& range, int least, int most) {
  return fmt::format("{{\"type\": \"array\", \"items\": {{\"type\": \"number\"{}}}, \"minItems\": {}, \"maxItems\": {}",
                     bounds(range), least, most);
}

std::string object_schema(const KeyInfo& map, std::size_t indent, bool is_root, bool has_name);

// without the closing brace
std::string plain_schema(const KeyInfo& key) {
  switch (key.type) {
    case Type::number: return "{\"type\": \"number\"" + bounds(key.range);
    case Type::integer: return "{\"type\": \"integer\"" + bounds(key.range);
    case Type::flag: return "{\"type\": \"boolean\"";
    case Type::word: return "{\"type\": [\"string\", \"number\", \"boolean\"]";
    case Type::vector: return number_list(key.range, 2, 3);
    case Type::pair: return number_list(key.range, 2, 2);
    case Type::rotation: return number_list({}, 4, 4);
    case Type::rpy: return number_list({}, 3, 3);
    case Type::points: return "{\"type\": \"array\", \"minItems\": 1, \"items\": " + number_list({}, 2, 3) + "}";
    default: break;
  }
  std::string names;
  for (const std::string& name : key.choices) {
    const bool is_flag = name == "true" || name == "false";
    names += (names.empty() ? "" : ", ") + (is_flag ? name : quoted(name));
  }
  return "{\"enum\": [" + names + "]";
}

std::string key_schema(const KeyInfo& key, std::size_t indent) {
  if (key.type == Type::map) return object_schema(key, indent, false, false);
  Object object(indent);
  if (key.type == Type::listed) {
    object.add("description", quoted(description(key)));
    object.add("type", quoted("array"));
    object.add("items", object_schema(key, indent + 2, false, false));
    return object.text();
  }
  if (key.type == Type::named) {
    object.add("description", quoted(description(key)));
    object.add("anyOf",
               "[{\"type\": \"object\", \"additionalProperties\": " + object_schema(key, indent + 2, false, false) +
                   "}, {\"type\": \"array\", \"items\": " + object_schema(key, indent + 2, false, true) + "}]");
    return object.text();
  }
  return plain_schema(key) + ", \"description\": " + quoted(description(key)) + "}";
}

std::string object_schema(const KeyInfo& map, std::size_t indent, bool is_root, bool has_name) {
  Object object(indent), properties(indent + 2);
  std::string required, kinds;
  const auto need = [&](const std::string& name) { required += (required.empty() ? "" : ", ") + quoted(name); };
  if (is_root) {
    properties.add("pliant", "{\"const\": 1, \"description\": \"version of the format\"}");
    properties.add("include",
                   "{\"type\": [\"string\", \"array\"], \"description\": \"files whose keys are the base of these\"}");
    need("pliant");
  }
  if (has_name) {
    properties.add("name", "{\"type\": [\"string\", \"number\"]}");
    need("name");
  }
  for (const KeyInfo& key : map.inside) {
    properties.add(key.name, key_schema(key, indent + 4));
    // what is only for some is asked for by the loader
    if (key.required && key.only_for.empty()) need(key.name);
    if (key.is_kind) kinds += (kinds.empty() ? "" : ", ") + fmt::format("{{\"required\": [{}]}}", quoted(key.name));
  }
  if (!is_root && !map.what.empty()) object.add("description", quoted(description(map)));
  object.add("type", quoted("object"));
  object.add("additionalProperties", "false");
  if (!required.empty()) object.add("required", "[" + required + "]");
  if (!kinds.empty()) object.add("oneOf", "[" + kinds + "]");
  object.add("properties", properties.text());
  return object.text();
}

// --- the manual ---

std::string range_text(const Range& range) {
  std::string text;
  if (range.from > -1e299) text += fmt::format("{} {:g}", range.open_from ? "above" : "from", range.from);
  if (range.to < 1e17 && range.to != 2147483647)
    text += fmt::format("{}{} {:g}", text.empty() ? "" : " ", range.open_to ? "to below" : "to", range.to);
  return text;
}

std::string type_text(const KeyInfo& key) {
  switch (key.type) {
    case Type::number: return "number";
    case Type::integer: return "whole number";
    case Type::flag: return "true, false";
    case Type::word: return key.choices.empty() ? "text" : "file, " + joined(key.choices);
    case Type::choice: return joined(key.choices);
    case Type::vector: return "3 numbers";
    case Type::pair: return "2 numbers";
    case Type::rotation: return "4 numbers";
    case Type::rpy: return "3 numbers";
    case Type::points: return "list of 3 numbers";
    case Type::map: return "map";
    case Type::named: return "map of names";
    case Type::listed: break;
  }
  return "list";
}

void add_rows(const KeyInfo& map, const std::string& path, std::string& rows) {
  for (const KeyInfo& key : map.inside) {
    const bool has_things = key.type == Type::named || key.type == Type::listed;
    std::string type = type_text(key);
    if (key.name == std::string("quantity")) type = "see below";
    if (const std::string range = range_text(key.range); !range.empty()) type += ", " + range;
    std::string what = key.what;
    if (!key.only_for.empty()) what += (what.empty() ? "for " : "; for ") + key.only_for;
    const std::string standard = key.required ? "needed" : key.is_kind ? "one of the kinds" : key.shown_default;
    rows += fmt::format("| `{}{}` | {} | {} | {} | {} |\n", path, key.name, type, key.unit, standard, what);
    if (!has_things) add_rows(key, path + key.name + ".", rows);
  }
}

std::string table(const KeyInfo& map, const std::string& path) {
  std::string rows = "| key | takes | unit | default | what |\n|---|---|---|---|---|\n";
  add_rows(map, path, rows);
  return rows;
}

// one table for the scene, and one for each kind of thing in it
void add_tables(const KeyInfo& map, std::vector<SceneKeyTable>& tables) {
  for (const KeyInfo& key : map.inside) {
    const bool has_things = key.type == Type::named || key.type == Type::listed;
    if (has_things) tables.push_back({key.name, table(key, "")});
    add_tables(key, tables);
  }
}

}  // namespace

std::vector<SceneKeyTable> scene_key_tables() {
  const KeyInfo root = list_keys();
  std::vector<SceneKeyTable> tables = {{"scene", table(root, "")}};
  add_tables(root, tables);
  std::string rows = "| quantity | of | unit | what |\n|---|---|---|---|\n";
  static const char* const owners[] = {"", "matter", "body", "joint", "sensor"};
  for (const Quantity& q : expect_quantities()) {
    rows += fmt::format("| `{}` | {} | {} | {} |\n", q.name, owners[int(q.of)], q.unit, q.what);
  }
  tables.push_back({"quantities", rows});
  return tables;
}

}  // namespace pliant::scene

namespace pliant {

using namespace scene;

std::string scene_schema() {
  KeyInfo root = list_keys();
  std::string text = object_schema(root, 0, true, false);
  const std::string head =
      "{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n  \"title\": \"Pliant scene file, version 1\",";
  return head + text.substr(1) + "\n";
}

}  // namespace pliant

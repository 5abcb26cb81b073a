#include "scene/scene_keys_reader.h"

#include "scene/spelling.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

namespace pliant::scene {

namespace {

constexpr std::uint64_t most_shown = 2'000'000'000;

std::string in_unit(const Key& key) { return *key.unit ? fmt::format(" in {}", key.unit) : ""; }

std::string joined(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// what to do about a word that is not among the known ones
std::string meant(const std::string& word, const Names& known) {
  const std::size_t colon = word.find(':');
  if (colon != std::string::npos && std::find(known.begin(), known.end(), word.substr(0, colon)) != known.end()) {
    return "put a space after the colon";
  }
  const std::string near = nearest(word, known);
  if (!near.empty()) return fmt::format("did you mean '{}'?", near);
  return known.empty() ? "remove it" : "use one of " + joined(known);
}

// roll, pitch, yaw about the fixed axes x, y, z
Quaternion from_rpy(const Vec3& degrees) {
  double c[3], s[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const double half = degrees[i] * std::numbers::pi / 360;
    c[i] = std::cos(half);
    s[i] = std::sin(half);
  }
  return {c[0] * c[1] * c[2] + s[0] * s[1] * s[2], s[0] * c[1] * c[2] - c[0] * s[1] * s[2],
          c[0] * s[1] * c[2] + s[0] * c[1] * s[2], c[0] * c[1] * s[2] - s[0] * s[1] * c[2]};
}

}  // namespace

bool parse_number(const std::string& text, double& value) {
  std::string_view word = text;
  const bool negative = !word.empty() && word.front() == '-';
  if (!word.empty() && (word.front() == '+' || word.front() == '-')) word.remove_prefix(1);
  if (word == ".inf" || word == ".Inf" || word == ".INF" || word == "inf") {
    value = std::numeric_limits<double>::infinity();
  } else if (word == ".nan" || word == ".NaN" || word == ".NAN" || word == "nan" || word == "NaN") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    if (word.empty() || (word.front() != '.' && (word.front() < '0' || word.front() > '9'))) return false;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (end != word.data() + word.size()) return false;
    // too large for a double: its place tells which way
    if (error == std::errc::result_out_of_range) {
      const std::size_t e = word.find_first_of("eE");
      const bool small = e != std::string_view::npos && e + 1 < word.size() && word[e + 1] == '-';
      value = small ? 0 : std::numeric_limits<double>::infinity();
    } else if (error != std::errc()) {
      return false;
    }
  }
  if (negative) value = -value;
  return true;
}

std::string expected_number(const Key& key, const Range& range) {
  const bool has_from = range.from > -1e299, has_to = range.to < 1e299;
  std::string text = "a number";
  if (has_from && has_to && !range.open_from && !range.open_to) {
    text += fmt::format(" from {:g} to {:g}", range.from, range.to);
  } else {
    if (has_from) text += fmt::format("{} {:g}", range.open_from ? " above" : " of at least", range.from);
    if (has_to) text += fmt::format("{}{} {:g}", has_from ? " and" : "", range.open_to ? " below" : " up to", range.to);
  }
  return text + in_unit(key);
}

KeyReader::KeyReader(const YamlNode& root, FindFile find_file, Findings& findings)
    : find_file_(std::move(find_file)), findings_(findings) {
  reads = true;
  push(root, "scene", "");
  levels_.back().known = {"pliant", "include"};
}

void KeyReader::push(const YamlNode& node, const std::string& part, const std::string& section) {
  levels_.push_back({&node, part, section, {}, {}, {}});
  if (section.empty()) marks_[part] = node.mark;
}

void KeyReader::say(const YamlMark& mark, const std::string& message, const std::string& cure) {
  findings_.add(mark, fmt::format("{}: {}", levels_.back().part, message), cure);
}

// null if the file does not have the key
const YamlNode* KeyReader::find(const Key& key) {
  Level& level = levels_.back();
  level.known.push_back(key.name);
  const YamlKey* found = level.map->find_key(key.name);
  if (!found) {
    if (key.required && key.applies) {
      say(level.map->mark, fmt::format("key '{}' is missing{}", key.name, level.section),
          fmt::format("add it: {}", *key.what ? key.what : "it is needed"));
    }
    return nullptr;
  }
  if (!key.applies) {
    say(found->mark, fmt::format("'{}' does not apply here{}", key.name, level.section),
        fmt::format("remove it: it is for {}", key.only_for));
    return nullptr;
  }
  const YamlNode* node = &level.map->items[std::size_t(found - level.map->keys.data())];
  marks_[level.part + ": " + key.name] = found->mark;
  return node;
}

void KeyReader::wrong(const YamlNode& node, const Key& key, const std::string& expected) {
  say(node.mark, fmt::format("{} is {}", key.name, kind_text(node)), "give " + expected);
}

bool KeyReader::read_number(const YamlNode& node, const Key& key, const Range& range, double& value) {
  double number = 0;
  if (!node.is_scalar() || node.quoted || !parse_number(node.text, number)) {
    const bool has_more = node.is_scalar() && !node.quoted && std::strtod(node.text.c_str(), nullptr) != 0;
    const bool has_quotes = node.is_scalar() && node.quoted;
    wrong(node, key,
          expected_number(key, range) + (has_more     ? ", and nothing after it"
                                         : has_quotes ? ", without quotes"
                                                      : ""));
    return false;
  }
  if (!std::isfinite(number)) {
    say(node.mark, fmt::format("{} is {}", key.name, shown(node.text)),
        "give a finite number" + expected_number(key, range).substr(8));
    return false;
  }
  if (!range.holds(number)) {
    say(node.mark, fmt::format("{} is {}{}", key.name, shown(node.text), *key.unit ? fmt::format(" {}", key.unit) : ""),
        "give " + expected_number(key, range));
    return false;
  }
  value = number;
  return true;
}

void KeyReader::number(const Key& key, double& value, const Range& range) {
  if (const YamlNode* node = find(key)) read_number(*node, key, range, value);
}

void KeyReader::integer(const Key& key, std::uint64_t& value, std::uint64_t from, std::uint64_t to) {
  const YamlNode* node = find(key);
  if (!node) return;
  std::uint64_t number = 0;
  bool good = node->is_scalar() && !node->quoted;
  if (good) {
    const char *begin = node->text.data(), *end = begin + node->text.size();
    const auto [stop, error] = std::from_chars(begin, end, number);
    good = stop == end && error == std::errc();
    // 1e6 is a whole number too
    double real = 0;
    if (!good && parse_number(node->text, real) && real >= 0 && real <= 1e15 && real == std::floor(real)) {
      number = std::uint64_t(real);
      good = true;
    }
  }
  if (!good || number < from || number > to) {
    const std::string most = to < most_shown || node->text.size() > 9 ? fmt::format("from {} to {}", from, to)
                                                                      : fmt::format("of at least {}", from);
    wrong(*node, key, fmt::format("a whole number {}{}", most, in_unit(key)));
    return;
  }
  value = number;
}

void KeyReader::flag(const Key& key, bool& value) {
  const YamlNode* node = find(key);
  if (!node) return;
  if (node->is_scalar() && !node->quoted && (node->text == "true" || node->text == "false")) {
    value = node->text == "true";
  } else {
    wrong(*node, key, "true or false");
  }
}

bool KeyReader::read_word(const YamlNode& node, const Key& key, std::string& value) {
  if (!node.is_scalar() || node.text.empty()) {
    wrong(node, key, "a text");
    return false;
  }
  value = node.text;
  return true;
}

void KeyReader::word(const Key& key, std::string& value) {
  if (const YamlNode* node = find(key)) read_word(*node, key, value);
}

void KeyReader::name_of(const Key& key, std::string& value, NameOf) { word(key, value); }

void KeyReader::file(const Key& key, std::string& value, const Names& endings) {
  const YamlNode* node = find(key);
  std::string name;
  if (!node || !read_word(*node, key, name)) return;
  const auto ends = [&](const std::string& ending) {
    if (name.size() < ending.size()) return false;
    return std::equal(ending.begin(), ending.end(), name.end() - std::ptrdiff_t(ending.size()),
                      [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? char(b - 'A' + 'a') : b); });
  };
  if (std::none_of(endings.begin(), endings.end(), ends)) {
    wrong(*node, key, "a file that ends in one of " + joined(endings));
    return;
  }
  value = find_file_(*node, levels_.back().part);
}

void KeyReader::choice(const Key& key, int& value, const Names& names) {
  const YamlNode* node = find(key);
  if (!node) return;
  if (!node->is_scalar()) {
    wrong(*node, key, "one of " + joined(names));
    return;
  }
  const auto found = std::find(names.begin(), names.end(), node->text);
  if (found == names.end()) {
    say(node->mark, fmt::format("{} '{}' is not known", key.name, shown(node->text)), meant(node->text, names));
    return;
  }
  value = int(found - names.begin());
}

bool KeyReader::read_numbers(const YamlNode& node, const Key& key, double* values, std::size_t count) {
  if (!node.is_list()) {
    wrong(node, key, fmt::format("a list of {} numbers{}", count, in_unit(key)));
    return false;
  }
  if (node.items.size() != count) {
    say(node.mark, fmt::format("{} has {} numbers", key.name, node.items.size()),
        fmt::format("give {}{}", count, in_unit(key)));
    return false;
  }
  bool good = true;
  for (std::size_t i = 0; i < count; ++i) good &= read_number(node.items[i], key, any_number, values[i]);
  return good;
}

// in 2-D two numbers will do
bool KeyReader::read_vector(const YamlNode& node, const Key& key, Vec3& value) {
  Vec3 numbers = {0, 0, 0};
  const bool is_plane = dimension == 2 && node.is_list() && node.items.size() == 2;
  if (!read_numbers(node, key, numbers.data(), is_plane ? 2 : 3)) return false;
  value = numbers;
  return true;
}

void KeyReader::vector(const Key& key, Vec3& value, const Range& range) {
  const YamlNode* node = find(key);
  Vec3 numbers;
  if (!node || !read_vector(*node, key, numbers)) return;
  for (std::size_t i = 0; i < std::size_t(dimension); ++i) {
    if (!read_number(node->items[i], key, range, numbers[i])) return;
  }
  value = numbers;
}

void KeyReader::pair(const Key& key, Pair& value, const Range& range) {
  const YamlNode* node = find(key);
  Pair numbers;
  if (!node || !read_numbers(*node, key, numbers.data(), 2)) return;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!read_number(node->items[i], key, range, numbers[i])) return;
  }
  value = numbers;
}

void KeyReader::rotation(const Key& key, Quaternion& value) {
  const Key rpy_key = {.name = "rpy", .unit = "degrees", .applies = key.applies, .only_for = key.only_for};
  const YamlNode* node = find(key);
  const YamlNode* rpy = find(rpy_key);
  if (node && rpy) {
    say(rpy->mark, "both rotation and rpy are given", "keep one of them");
    return;
  }
  Vec3 degrees;
  if (rpy && read_numbers(*rpy, rpy_key, degrees.data(), 3)) value = from_rpy(degrees);
  Quaternion q;
  if (!node || !read_numbers(*node, key, q.data(), 4)) return;
  const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(std::fabs(length - 1) <= 1e-6)) {
    const bool usable = length > 1e-3 && length < 1e3;
    say(node->mark, fmt::format("rotation is a quaternion of length {:.7g}", length),
        usable ? fmt::format("give [{:.9g}, {:.9g}, {:.9g}, {:.9g}], or rpy in degrees", q[0] / length, q[1] / length,
                             q[2] / length, q[3] / length)
               : "give one of length 1, or rpy in degrees");
    return;
  }
  value = q;
}

void KeyReader::points(const Key& key, std::vector<Vec3>& value) {
  levels_.back().known_kinds.push_back(key.name);
  const YamlNode* node = find(key);
  if (!node) return;
  levels_.back().kinds.push_back(key.name);
  if (!node->is_list() || node->items.empty()) {
    wrong(*node, key, "a list of points, [[x, y, z], ...]");
    return;
  }
  for (const YamlNode& item : node->items) {
    Vec3 point;
    if (read_vector(item, key, point)) value.push_back(point);
    if (findings_.full()) return;
  }
}

bool KeyReader::enter(const Key& key) {
  const YamlNode* node = find(key);
  if (!node || node->kind == YamlNode::Kind::null) return false;
  if (!node->is_map()) {
    wrong(*node, key, "a map of keys and values");
    return false;
  }
  // the big sections are parts of their own
  const bool is_part = levels_.size() == 1;
  const std::string part = is_part ? key.name : levels_.back().part;
  push(*node, part, is_part ? "" : fmt::format(" in {}", key.name));
  return true;
}

bool KeyReader::enter_kind(const Key& key, bool) {
  levels_.back().known_kinds.push_back(key.name);
  const YamlNode* node = find(key);
  if (!node) return false;
  levels_.back().kinds.push_back(key.name);
  if (!node->is_map()) {
    wrong(*node, key, "a map of keys and values, or {} for the defaults");
    return false;
  }
  push(*node, levels_.back().part, fmt::format(" in {}", key.name));
  return true;
}

bool KeyReader::kind_name(const Key& key, bool, std::string& value, NameOf) {
  levels_.back().known_kinds.push_back(key.name);
  const YamlNode* node = find(key);
  if (!node) return false;
  levels_.back().kinds.push_back(key.name);
  return read_word(*node, key, value);
}

void KeyReader::end_kinds(const char* called, bool required) {
  const Level& level = levels_.back();
  if (level.kinds.size() > 1) {
    say(level.map->mark, fmt::format("it has {} kinds of {}: {}", level.kinds.size(), called, joined(level.kinds)),
        "keep one of them");
  } else if (level.kinds.empty() && required) {
    say(level.map->mark, fmt::format("it has no {}", called), "add one of " + joined(level.known_kinds));
  }
}

void KeyReader::leave() {
  Level& level = levels_.back();
  for (const YamlKey& key : level.map->keys) {
    if (std::find(level.known.begin(), level.known.end(), key.text) != level.known.end()) continue;
    say(key.mark, fmt::format("unknown key '{}'{}", shown(key.text), level.section), meant(key.text, level.known));
    if (findings_.full()) break;
  }
  levels_.pop_back();
}

std::size_t KeyReader::begin_things(const Key& key, const char* called, bool named, std::size_t) {
  const YamlNode* node = find(key);
  static const YamlNode nothing;
  const bool is_empty = !node || node->kind == YamlNode::Kind::null;
  bool good = is_empty || node->is_list() || (named && node->is_map());
  if (!good) wrong(*node, key, named ? "a map of names, or a list" : "a list");
  const std::size_t most = named ? 2000 : 20000;
  if (good && !is_empty && node->items.size() > most) {
    say(node->mark, fmt::format("{} has {} entries, the limit is {}", key.name, node->items.size(), most),
        "keep fewer of them");
    good = false;
  }
  things_.push_back({good && !is_empty ? node : &nothing, called, named});
  return things_.back().node->items.size();
}

bool KeyReader::begin_thing(std::size_t number, std::string* name) {
  const Things& things = things_.back();
  const YamlNode& node = things.node->items[number];
  if (findings_.full()) return false;
  // what the thing is called in messages
  std::string part = fmt::format("{} {}", things.called, number + 1);
  if (levels_.size() > 1 && levels_.back().part != "contact") part = levels_.back().part + ", " + part;
  const YamlNode* given_name = things.named && node.is_map() ? node.find("name") : nullptr;
  if (things.node->is_map()) {
    *name = things.node->keys[number].text;
  } else if (given_name && given_name->is_scalar()) {
    *name = given_name->text;
  }
  if (name && !name->empty()) part = fmt::format("{} '{}'", things.called, shown(*name));
  if (!node.is_map()) {
    findings_.add(node.mark, fmt::format("{} is {}", part, kind_text(node)), "give a map of keys and values");
    return false;
  }
  push(node, part, "");
  if (things.node->is_map()) {
    marks_[part] = things.node->keys[number].mark;
  } else if (things.named) {
    this->word({.name = "name", .what = "each needs its own", .required = true}, *name);
  }
  return true;
}

void KeyReader::end_things() { things_.pop_back(); }

}  // namespace pliant::scene

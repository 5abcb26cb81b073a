#include "scene/xml_tags.h"

#include "scene/yaml_tree.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace pliant::scene {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }
bool starts_name(char c) {
  const auto u = static_cast<unsigned char>(c);
  return (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') || u == '_' || u == ':' || u >= 128;
}
bool continues_name(char c) { return starts_name(c) || (c >= '0' && c <= '9') || c == '.' || c == '-'; }

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return result;
}

// ends the work
struct Stop {
  std::string message, cure;
};

class Scanner {
 public:
  Scanner(std::string_view text, const std::vector<std::string_view>& wanted, const XmlLimits& limits,
          std::vector<XmlTag>& tags)
      : text_(text), wanted_(wanted), limits_(limits), tags_(tags) {}

  int line() const { return line_; }

  void scan_all() {
    if (text_.size() > limits_.file_bytes) {
      throw Stop{fmt::format("it has more than {} bytes", limits_.file_bytes), "make it smaller"};
    }
    if (text_.find('\0') != std::string_view::npos) throw Stop{"it holds a zero byte", "save it as UTF-8 text"};
    while (skip_to('<')) scan_one();
    if (!open_.empty()) {
      line_ = tags_[std::size_t(open_.back())].line;
      throw Stop{fmt::format("element '{}' is not closed", shown(raw_names_.back())), "close it"};
    }
    if (tags_.empty()) throw Stop{"it holds no XML element", "give MJCF or URDF"};
  }

 private:
  void advance(std::size_t count) {
    line_ += int(std::count(text_.begin() + std::ptrdiff_t(at_), text_.begin() + std::ptrdiff_t(at_ + count), '\n'));
    at_ += count;
  }
  bool skip_to(char c) {
    const std::size_t found = text_.find(c, at_);
    advance(std::min(found, text_.size()) - at_);
    return found != std::string_view::npos;
  }
  bool starts_with(std::string_view words) const { return text_.compare(at_, words.size(), words) == 0; }
  char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) advance(1);
  }

  [[noreturn]] void not_xml(const std::string& why) const {
    throw Stop{"this is not XML: " + why, "correct it here or just before"};
  }

  void skip_past(std::string_view end) {
    const std::size_t found = text_.find(end, at_);
    if (found == std::string_view::npos) not_xml(fmt::format("'{}' is missing", end));
    advance(found + end.size() - at_);
  }

  void scan_one() {
    // the longer words first
    const std::pair<std::string_view, std::string_view> skipped[] = {
        {"<?", "?>"}, {"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<!", ">"}};
    for (const auto& [start, end] : skipped) {
      if (!starts_with(start)) continue;
      advance(start.size());
      return skip_past(end);
    }
    advance(1);
    now() == '/' ? scan_end() : scan_start();
  }

  std::string_view take_name() {
    if (!starts_name(now())) not_xml("a name is missing");
    const std::size_t start = at_;
    while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  void scan_end() {
    advance(1);
    const std::string_view name = take_name();
    skip_spaces();
    if (now() != '>') not_xml(fmt::format("'</{}' does not end in '>'", shown(name)));
    if (open_.empty() || raw_names_.back() != name) {
      not_xml(fmt::format("'</{}>' closes what is not open", shown(name)));
    }
    advance(1);
    open_.pop_back();
    raw_names_.pop_back();
  }

  void scan_start() {
    XmlTag tag;
    tag.line = line_;
    tag.parent = open_.empty() ? -1 : open_.back();
    const std::string_view name = take_name();
    tag.name = lower(name);
    if (tags_.size() >= limits_.elements) {
      throw Stop{fmt::format("it has more than {} elements", limits_.elements), "make it smaller"};
    }
    if (int(open_.size()) >= limits_.depth) {
      throw Stop{fmt::format("elements are nested more than {} deep", limits_.depth), "nest them less deep"};
    }
    scan_attributes(tag);
    tags_.push_back(std::move(tag));
    if (now() == '/') {
      advance(2);
      return;
    }
    advance(1);
    open_.push_back(int(tags_.size()) - 1);
    raw_names_.push_back(name);
  }

  // up to '>' or '/>'
  void scan_attributes(XmlTag& tag) {
    names_.clear();
    for (skip_spaces(); now() != '>' && !starts_with("/>"); skip_spaces()) {
      if (!starts_name(now())) not_xml(fmt::format("element '{}' does not end in '>'", shown(tag.name)));
      const std::string_view name = take_name();
      skip_spaces();
      if (now() != '=') not_xml(fmt::format("attribute '{}' has no value", shown(name)));
      advance(1);
      skip_spaces();
      const char quote = now();
      if (quote != '"' && quote != '\'') not_xml(fmt::format("the value of '{}' has no quotes", shown(name)));
      advance(1);
      const std::size_t start = at_;
      if (!skip_to(quote)) not_xml(fmt::format("the value of '{}' has no end", shown(name)));
      const std::string_view value = text_.substr(start, at_ - start);
      advance(1);
      add(tag, name, value);
    }
  }

  void add(XmlTag& tag, std::string_view name, std::string_view value) {
    if (std::find(names_.begin(), names_.end(), name) != names_.end()) {
      not_xml(fmt::format("attribute '{}' is given twice", shown(name)));
    }
    names_.push_back(name);
    if (int(names_.size()) > limits_.attributes) {
      throw Stop{fmt::format("element '{}' has more than {} attributes", shown(tag.name), limits_.attributes),
                 "remove some"};
    }
    if (std::find(wanted_.begin(), wanted_.end(), name) != wanted_.end()) tag.attributes.emplace_back(name, value);
  }

  std::string_view text_;
  const std::vector<std::string_view>& wanted_;
  const XmlLimits& limits_;
  std::vector<XmlTag>& tags_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::vector<int> open_;                    // elements around the place
  std::vector<std::string_view> raw_names_;  // of those
  std::vector<std::string_view> names_;      // attributes of one element
};

void append_utf8(std::uint32_t c, std::string& text) {
  if (c < 0x80) {
    text += char(c);
  } else if (c < 0x800) {
    text += char(0xC0 | (c >> 6));
    text += char(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    text += char(0xE0 | (c >> 12));
    text += char(0x80 | ((c >> 6) & 0x3F));
    text += char(0x80 | (c & 0x3F));
  } else {
    text += char(0xF0 | (c >> 18));
    text += char(0x80 | ((c >> 12) & 0x3F));
    text += char(0x80 | ((c >> 6) & 0x3F));
    text += char(0x80 | (c & 0x3F));
  }
}

// of "amp", "#46", "#x2E"
bool decode_entity(std::string_view entity, std::string& decoded) {
  const std::pair<std::string_view, char> known[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  for (const auto& [name, c] : known) {
    if (entity != name) continue;
    decoded += c;
    return true;
  }
  if (entity.size() < 2 || entity[0] != '#') return false;
  const bool is_hex = entity[1] == 'x';
  const std::string_view digits = entity.substr(is_hex ? 2 : 1);
  std::uint32_t c = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), c, is_hex ? 16 : 10);
  if (error != std::errc() || end != digits.data() + digits.size() || c == 0 || c > 0x10FFFF) return false;
  append_utf8(c, decoded);
  return true;
}

}  // namespace

const std::string* XmlTag::find(std::string_view attribute) const {
  for (const auto& [name, value] : attributes) {
    if (name == attribute) return &value;
  }
  return nullptr;
}

bool read_xml_tags(std::string_view text, const std::vector<std::string_view>& wanted, const XmlLimits& limits,
                   std::vector<XmlTag>& tags, XmlProblem& problem) {
  tags.clear();
  Scanner scanner(text, wanted, limits, tags);
  try {
    scanner.scan_all();
    return true;
  } catch (const Stop& stop) {
    problem = {scanner.line(), stop.message, stop.cure};
    return false;
  }
}

bool decode_xml(std::string_view value, std::string& decoded) {
  decoded.clear();
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '&') {
      decoded += value[i];
      continue;
    }
    const std::size_t end = value.find(';', i);
    if (end == std::string_view::npos || !decode_entity(value.substr(i + 1, end - i - 1), decoded)) return false;
    i = end;
  }
  return true;
}

}  // namespace pliant::scene

#include "scene/yaml_text.h"

#include <fmt/core.h>

namespace pliant::scene {

namespace {

bool starts_with(std::string_view text, std::string_view bytes) { return text.substr(0, bytes.size()) == bytes; }

// a text of two or four bytes per letter
bool is_wide(std::string_view text) {
  if (starts_with(text, "\xFF\xFE") || starts_with(text, "\xFE\xFF")) return true;
  return text.size() >= 4 && ((text[0] == '\0' && text[2] == '\0') || (text[1] == '\0' && text[3] == '\0'));
}

bool check_encoding(std::string_view text, int source, Findings& findings) {
  const YamlMark start = {source, 1, 1};
  if (is_wide(text)) {
    findings.add(start, "the file is UTF-16 or UTF-32", "save it as UTF-8");
    return false;
  }
  if (starts_with(text, "\xEF\xBB\xBF")) {
    findings.add(start, "the file starts with a byte order mark", "save it as UTF-8 without BOM");
    return false;
  }
  return true;
}

bool is_continuation(std::string_view text, std::size_t at) {
  return at < text.size() && (std::uint8_t(text[at]) & 0xC0) == 0x80;
}

bool is_control(char c) { return (std::uint8_t(c) < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7F; }

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto first = std::uint8_t(text[at]);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(text, at + i)) return 0;
  }
  // too long a form, surrogates, beyond the last character
  const auto second = std::uint8_t(text[at + 1]);
  const bool bad = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                   (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return bad ? 0 : length;
}

bool check_yaml_text(const std::string& text, int source, const YamlLimits& limits, Findings& findings) {
  if (text.size() > limits.file_bytes) {
    findings.add({source, 1, 1}, fmt::format("it has {} bytes, the limit is {}", text.size(), limits.file_bytes),
                 "keep large data in meshes, or build the scene in Python");
    return false;
  }
  if (!check_encoding(text, source, findings)) return false;
  YamlMark mark = {source, 1, 1};
  bool in_indent = true;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const std::size_t length = utf8_length(text, at);
    if (length == 0) {
      findings.add(mark, fmt::format("byte 0x{:02X} is not UTF-8", std::uint8_t(c)), "save the file as UTF-8");
      return false;
    }
    if (is_control(c)) {
      findings.add(mark, fmt::format("there is a control character 0x{:02X}", std::uint8_t(c)), "remove it");
      return false;
    }
    if (c == '\t' && in_indent) {
      findings.add(mark, "the line is indented with a tab", "indent with spaces");
      return false;
    }
    in_indent = c == '\n' || (in_indent && c == ' ');
    mark.line += c == '\n' ? 1 : 0;
    mark.column = c == '\n' ? 1 : mark.column + 1;
    at += length;
  }
  return true;
}

}  // namespace pliant::scene

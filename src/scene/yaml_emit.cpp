#include "scene/yaml_emit.h"

#include "core/error.h"
#include "scene/yaml_text.h"

#include <algorithm>

namespace pliant::scene {

namespace {

constexpr std::size_t longest_line = 110;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// a word that no reader of YAML takes for anything else
bool is_plain(const std::string& text) {
  if (text.empty() || !is_letter(text[0])) return false;
  const auto is_good = [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '/' || c == '.' || c == '-';
  };
  if (!std::all_of(text.begin(), text.end(), is_good)) return false;
  std::string lower = text;
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  const std::vector<std::string> taken = {"true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"};
  return std::find(taken.begin(), taken.end(), lower) == taken.end();
}

std::string in_quotes(const std::string& text) {
  std::string result = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    const char c = text[at];
    if (length == 0 || c == '\0') {
      fail(ErrorCode::bad_input, "text '{}' is not UTF-8 or holds NUL; use other letters", shown(text));
    }
    if (c == '"' || c == '\\') {
      result += std::string("\\") + c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (std::uint8_t(c) < 0x20 || c == 0x7F) {
      result += fmt::format("\\x{:02x}", std::uint8_t(c));
    } else {
      result += text.substr(at, length);
    }
    at += length;
  }
  return result + "\"";
}

// several lines that can stand as they are
bool is_block(const std::string& text) {
  if (std::count(text.begin(), text.end(), '\n') < 2 || text.back() != '\n' || text[text.size() - 2] == '\n')
    return false;
  if (text[0] == ' ' || text[0] == '\n') return false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    const bool is_control = length == 1 && text[at] != '\n' && (text[at] < 0x20 || text[at] == 0x7F);
    const bool is_blank_line = text[at] == '\n' && at > 0 && text[at - 1] == ' ';
    if (length == 0 || length > 1 || is_control || is_blank_line) return false;
    at += length;
  }
  return true;
}

std::string scalar_text(const YamlNode& node) {
  if (!node.quoted) return node.text;
  return is_plain(node.text) ? node.text : in_quotes(node.text);
}

std::string key_text(const YamlKey& key) { return is_plain(key.text) ? key.text : in_quotes(key.text); }

// the node in one line, or nothing if it is too long for that
std::string in_line(const YamlNode& node, std::size_t room) {
  if (node.is_scalar() && node.quoted && is_block(node.text)) return {};
  if (node.is_scalar()) return scalar_text(node);
  std::string text = node.is_map() ? "{" : "[";
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::string item = in_line(node.items[i], room);
    text += (i ? ", " : "") + (node.is_map() ? key_text(node.keys[i]) + ": " : "") + item;
    if (item.empty() || text.size() + 1 > room) return {};
  }
  return text + (node.is_map() ? "}" : "]");
}

void emit(const YamlNode& node, std::size_t indent, std::string& out);

// what comes after "key:" or "-"
void emit_value(const YamlNode& node, std::size_t indent, std::string& out) {
  const std::size_t used = out.size() - out.rfind('\n');
  const std::string line =
      in_line(node, node.is_scalar() || used > longest_line ? std::string::npos : longest_line - used);
  if (!line.empty() && (indent > 2 || !node.is_map())) {
    out += " " + line + "\n";
  } else if (node.is_scalar()) {
    out += " |\n";
    for (std::size_t at = 0; at < node.text.size();) {
      const std::size_t end = node.text.find('\n', at) + 1;
      if (end - at > 1) out += std::string(indent, ' ');
      out += node.text.substr(at, end - at);
      at = end;
    }
  } else {
    out += out.back() == '-' && node.is_map() ? " " : "\n";
    emit(node, indent, out);
  }
}

void emit(const YamlNode& node, std::size_t indent, std::string& out) {
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    // the first key of a map in a list stands behind the dash
    const bool after_dash = i == 0 && out.size() >= 2 && out.compare(out.size() - 2, 2, "- ") == 0;
    if (!after_dash) out.append(indent, ' ');
    out += node.is_map() ? key_text(node.keys[i]) + ":" : "-";
    emit_value(node.items[i], indent + 2, out);
  }
}

}  // namespace

std::string emit_yaml(const YamlNode& map) {
  std::string out;
  emit(map, 0, out);
  return out;
}

}  // namespace pliant::scene

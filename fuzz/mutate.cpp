#include "mutate.h"

#include <algorithm>

namespace pliant {

namespace {

constexpr std::size_t longest = 200'000;

const std::vector<std::string>& nasty_tokens() {
  static const std::vector<std::string> tokens = {".nan",
                                                  ".inf",
                                                  "-.inf",
                                                  "1e999",
                                                  "-1e999",
                                                  "1e-999",
                                                  "0",
                                                  "-0",
                                                  "-1",
                                                  "1",
                                                  "2",
                                                  "3",
                                                  "4",
                                                  "0.5",
                                                  "1e300",
                                                  "1e9",
                                                  "99999999999999999999",
                                                  "0x10",
                                                  "1_000",
                                                  "null",
                                                  "~",
                                                  "true",
                                                  "false",
                                                  "yes",
                                                  "[",
                                                  "]",
                                                  "{",
                                                  "}",
                                                  "[]",
                                                  "{}",
                                                  "[[",
                                                  "}}",
                                                  ",",
                                                  ":",
                                                  ": ",
                                                  "- ",
                                                  "? ",
                                                  "&a ",
                                                  "*a",
                                                  "&a [*a]",
                                                  "|",
                                                  ">",
                                                  "|2-",
                                                  "\"",
                                                  "'",
                                                  "\"\\0\"",
                                                  "\"\\x41\"",
                                                  "\"\\uD800\"",
                                                  "!!str ",
                                                  "!x ",
                                                  "%YAML 1.2\n",
                                                  "---\n",
                                                  "...\n",
                                                  "#",
                                                  "\n",
                                                  "\r\n",
                                                  "\t",
                                                  "  ",
                                                  "\xEF\xBB\xBF",
                                                  "\xFF",
                                                  "\xC3\xA9",
                                                  "<<: *a",
                                                  "../",
                                                  "/etc/passwd",
                                                  "models/",
                                                  "include: include_cycle.yaml\n",
                                                  "include: parts/small.yaml\n",
                                                  "pliant: 1\n",
                                                  "dimension: 2\n",
                                                  "a: &a {b: 1}\n",
                                                  "points: [[0, 0, 0]]",
                                                  "box",
                                                  "sphere",
                                                  "mesh",
                                                  "capsule",
                                                  "size",
                                                  "center",
                                                  "rotation",
                                                  "rpy",
                                                  "file",
                                                  "material",
                                                  "matter",
                                                  "bodies",
                                                  "boundaries",
                                                  "motion",
                                                  "waypoints",
                                                  "expect",
                                                  "contact",
                                                  "pairs",
                                                  "step",
                                                  "sampling",
                                                  "name",
                                                  "law",
                                                  "liquid",
                                                  "sand",
                                                  "inside",
                                                  "[0, 0]",
                                                  "[0, 0, 0]",
                                                  "[1, 0, 0, 0]",
                                                  "[1, 2, 3, 4, 5]"};
  return tokens;
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

}  // namespace

// splitmix64
std::uint64_t Mutator::below(std::uint64_t limit) {
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (z ^ (z >> 31)) % limit;
}

std::string Mutator::make(std::uint64_t seed) {
  state_ = seed;
  std::string text = any_text();
  const std::uint64_t changes = below(2) == 0 ? 1 : 1 + below(8);
  for (std::uint64_t i = 0; i < changes; ++i) {
    if (text.empty()) text = any_text();
    if (!text.empty()) change(text);
    if (text.size() > longest) text.resize(longest);
  }
  return text;
}

void Mutator::change(std::string& text) {
  switch (below(9)) {
    case 0: return flip_bit(text);
    case 1: return set_byte(text);
    case 2: return cut(text);
    case 3: return erase(text);
    case 4: return repeat(text);
    case 5: return change_lines(text);
    case 6: return insert_token(text);
    case 7: return splice(text);
    default: return replace_token(text);
  }
}

void Mutator::flip_bit(std::string& text) { text[below(text.size())] ^= char(1 << below(8)); }

void Mutator::set_byte(std::string& text) { text[below(text.size())] = char(below(256)); }

// rarely, or hardly anything would be left to read
void Mutator::cut(std::string& text) {
  if (below(4) == 0) text.resize(below(text.size()));
}

void Mutator::erase(std::string& text) {
  const std::size_t at = below(text.size());
  text.erase(at, 1 + below(30));
}

void Mutator::repeat(std::string& text) {
  const std::size_t at = below(text.size());
  const std::string part = text.substr(at, 1 + below(60));
  // now and then very often
  const std::uint64_t times = below(20) == 0 ? below(3000) : below(4);
  std::string many;
  for (std::uint64_t i = 0; i < times; ++i) many += part;
  text.insert(at, many);
}

void Mutator::change_lines(std::string& text) {
  std::vector<std::string> lines = lines_of(text);
  const std::size_t a = below(lines.size()), b = below(lines.size());
  switch (below(4)) {
    case 0: std::swap(lines[a], lines[b]); break;
    case 1: lines.insert(lines.begin() + std::ptrdiff_t(b), std::string(lines[a])); break;
    case 2: lines.erase(lines.begin() + std::ptrdiff_t(a)); break;
    default: lines[a].insert(0, below(5), ' '); break;
  }
  text.clear();
  for (const std::string& line : lines) text += line;
}

void Mutator::replace_token(std::string& text) {
  std::size_t start = below(text.size());
  while (start < text.size() && !is_word(text[start])) ++start;
  std::size_t end = start;
  while (start > 0 && is_word(text[start - 1])) --start;
  while (end < text.size() && is_word(text[end])) ++end;
  const auto& tokens = nasty_tokens();
  text.replace(start, end - start, tokens[below(tokens.size())]);
}

void Mutator::insert_token(std::string& text) {
  const auto& tokens = nasty_tokens();
  text.insert(below(text.size()), tokens[below(tokens.size())]);
}

void Mutator::splice(std::string& text) {
  const std::vector<std::string> mine = lines_of(text), other = lines_of(any_text());
  if (other.empty()) return;
  const std::size_t from = below(mine.size()), to = below(other.size());
  text.clear();
  for (std::size_t i = 0; i < from; ++i) text += mine[i];
  for (std::size_t i = to; i < other.size(); ++i) text += other[i];
}

}  // namespace pliant

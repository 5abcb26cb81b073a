#include "scene/yaml_tree.h"

#include "scene/yaml_text.h"

#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>

namespace pliant::scene {

namespace {

// ends the parser's work
struct Stop {
  YamlMark mark;
  std::string message, cure;
};

// how much a subtree takes of the limits
struct Weight {
  std::size_t nodes = 0, bytes = 0;
  int height = 0;
};

// A list or map that is not yet closed.
struct Open {
  YamlNode node;
  YAML::anchor_t anchor = 0;
  Weight weight;
  bool has_key = false;  // of a map: its next event is a value
  bool keep = true;      // of a map: that value has a good key
  YamlKey key;
  std::map<std::string, int> lines;  // of the keys
};

// Builds the tree from the parser's events.
class Builder final : public YAML::EventHandler {
 public:
  Builder(int source, YamlBudget& budget, Findings& findings) : source_(source), budget_(budget), findings_(findings) {}

  YamlNode root;
  YamlMark last_quoted;  // the last scalar that is not plain
  bool has_quoted = false;

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) throw Stop{at(mark), "a second document starts here", "keep one document in a file"};
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    YamlNode node;
    node.mark = at(mark);
    // the parser gives the place of what comes next
    if (!open_.empty() && open_.back().has_key) node.mark = open_.back().key.mark;
    close(std::move(node), {1, 0, 1}, anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_tag(mark, tag);
    YamlNode node;
    node.kind = YamlNode::Kind::scalar;
    node.mark = at(mark);
    node.quoted = tag == "!";
    if (node.quoted) {
      last_quoted = node.mark;
      has_quoted = true;
    }
    if (value.size() > budget_.limits.string_bytes) {
      throw Stop{node.mark,
                 fmt::format("a text has {} bytes, the limit is {}", value.size(), budget_.limits.string_bytes),
                 "keep it in a file of its own"};
    }
    if (value.find('\0') != std::string::npos) {
      throw Stop{node.mark, "a text holds the character NUL", "remove \\0 from it"};
    }
    node.text = value;
    close(std::move(node), {1, value.size(), 1}, anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(YamlNode::Kind::list, mark, tag, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    begin(YamlNode::Kind::map, mark, tag, anchor);
  }
  void OnMapEnd() override { end(); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) throw Stop{at(mark), "an alias stands inside what it names", "write it out"};
    const auto& [node, weight] = found->second;
    check_depth(at(mark), weight.height);
    charge(at(mark), weight);
    YamlNode copy = node;
    copy.mark = at(mark);
    place(std::move(copy), weight);
  }

 private:
  YamlMark at(const YAML::Mark& mark) const {
    return {source_, std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1};
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    throw Stop{at(mark), fmt::format("there is a tag '{}'", shown(tag)), "remove it: scene files use no tags"};
  }

  void check_depth(const YamlMark& mark, int height) const {
    if (int(open_.size()) + height <= budget_.limits.depth) return;
    throw Stop{mark, fmt::format("lists and maps are nested more than {} deep", budget_.limits.depth),
               "a scene needs no more than 8"};
  }

  void charge(const YamlMark& mark, const Weight& weight) {
    const YamlLimits& limits = budget_.limits;
    budget_.nodes += weight.nodes;
    budget_.bytes += weight.bytes;
    if (budget_.nodes > limits.nodes) {
      throw Stop{mark, fmt::format("the scene has more than {} values, aliases written out", limits.nodes),
                 "keep large data in meshes, or build the scene in Python"};
    }
    if (budget_.bytes > limits.all_bytes) {
      throw Stop{mark,
                 fmt::format("the texts of the scene have more than {} bytes, aliases written out", limits.all_bytes),
                 "keep them in files of their own"};
    }
  }

  void begin(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    refuse_tag(mark, tag);
    check_depth(at(mark), 1);
    charge(at(mark), {1, 0, 1});
    Open open;
    open.node.kind = kind;
    open.node.mark = at(mark);
    open.anchor = anchor;
    open.weight = {1, 0, 1};
    open_.push_back(std::move(open));
  }

  void end() {
    Open done = std::move(open_.back());
    open_.pop_back();
    remember(done.node, done.weight, done.anchor);
    place(std::move(done.node), done.weight);
  }

  // a node without parts
  void close(YamlNode node, const Weight& weight, YAML::anchor_t anchor) {
    check_depth(node.mark, 0);
    charge(node.mark, weight);
    remember(node, weight, anchor);
    place(std::move(node), weight);
  }

  // what has an anchor is kept for its aliases, and counts twice
  void remember(const YamlNode& node, const Weight& weight, YAML::anchor_t anchor) {
    if (anchor == 0) return;
    charge(node.mark, weight);
    anchors_[anchor] = {node, weight};
  }

  void place(YamlNode node, const Weight& weight) {
    if (open_.empty()) {
      root = std::move(node);
      return;
    }
    Open& parent = open_.back();
    parent.weight.nodes += weight.nodes;
    parent.weight.bytes += weight.bytes;
    parent.weight.height = std::max(parent.weight.height, weight.height + 1);
    if (parent.node.is_list()) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.has_key) {
      take_key(parent, node);
    } else {
      parent.has_key = false;
      if (!parent.keep) return;
      parent.node.keys.push_back(std::move(parent.key));
      parent.node.items.push_back(std::move(node));
    }
  }

  void take_key(Open& parent, YamlNode& node) {
    parent.has_key = true;
    parent.keep = node.is_scalar();
    parent.key = {std::move(node.text), node.mark};
    if (!parent.keep) {
      findings_.add(node.mark, fmt::format("a key is {}", kind_text(node)), "a key must be a word");
      return;
    }
    const auto [before, is_new] = parent.lines.emplace(parent.key.text, node.mark.line);
    if (is_new) return;
    parent.keep = false;
    findings_.add(node.mark,
                  fmt::format("key '{}' is given twice, first in line {}", shown(parent.key.text), before->second),
                  "keep one of them");
  }

  int source_;
  YamlBudget& budget_;
  Findings& findings_;
  int documents_ = 0;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, std::pair<YamlNode, Weight>> anchors_;
};

// the parser takes the end of the text for the end of a quoted scalar
bool is_quote_closed(const std::string& text, const YamlMark& mark) {
  std::size_t at = 0;
  for (int line = 1; line < mark.line; ++line) at = text.find('\n', at) + 1;
  at += std::size_t(mark.column - 1);
  if (at >= text.size() || (text[at] != '"' && text[at] != '\'')) return true;
  const char quote = text[at++];
  for (; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      if (quote == '"' || at + 1 == text.size() || text[at + 1] != quote) return true;
      ++at;
    }
  }
  return false;
}

}  // namespace

const YamlKey* YamlNode::find_key(std::string_view key) const {
  for (const YamlKey& known : keys) {
    if (known.text == key) return &known;
  }
  return nullptr;
}

const YamlNode* YamlNode::find(std::string_view key) const {
  const YamlKey* found = find_key(key);
  return found ? &items[std::size_t(found - keys.data())] : nullptr;
}

int Findings::add_source(const std::string& name) {
  sources_.push_back(name);
  return int(sources_.size()) - 1;
}

void Findings::add(const YamlMark& mark, std::string message, std::string cure) {
  if (list_.size() > most) return;
  if (list_.size() == most) {
    message = fmt::format("there are more than {} errors", most);
    cure = "correct these first";
  }
  list_.push_back({mark, {source(mark.source), mark.line, mark.column, std::move(message), std::move(cure)}});
}

std::vector<Diagnostic> Findings::sorted() const {
  auto list = list_;
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first.source, a.first.line) < std::tie(b.first.source, b.first.line);
  });
  std::vector<Diagnostic> result;
  for (auto& [mark, diagnostic] : list) result.push_back(std::move(diagnostic));
  return result;
}

bool parse_yaml(const std::string& text, int source, YamlBudget& budget, Findings& findings, YamlNode& root) {
  if (!check_yaml_text(text, source, budget.limits, findings)) return false;
  Builder builder(source, budget, findings);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) continue;
  } catch (const Stop& stop) {
    findings.add(stop.mark, stop.message, stop.cure);
    return false;
  } catch (const YAML::Exception& error) {
    const YamlMark mark = {source, std::max(error.mark.line, 0) + 1, std::max(error.mark.column, 0) + 1};
    findings.add(mark, fmt::format("this is not YAML: {}", shown(error.msg)),
                 "check indentation, brackets and quotes here and in the line before");
    return false;
  }
  if (builder.has_quoted && !is_quote_closed(text, builder.last_quoted)) {
    findings.add(builder.last_quoted, "a quote is never closed", "close it");
    return false;
  }
  root = std::move(builder.root);
  return true;
}

std::string shown(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (at >= longest) return result + "...";
    const std::size_t length = utf8_length(text, at);
    const bool plain = length > 0 && std::uint8_t(text[at]) >= 0x20 && text[at] != 0x7F;
    result += plain ? std::string(text.substr(at, length)) : text[at] == '\n' ? " " : "?";
    at += std::max<std::size_t>(length, 1);
  }
  return result;
}

std::string kind_text(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null: return "empty";
    case YamlNode::Kind::list: return node.items.empty() ? "an empty list" : "a list";
    case YamlNode::Kind::map: return node.items.empty() ? "an empty map" : "a map";
    case YamlNode::Kind::scalar: break;
  }
  return fmt::format("'{}'", shown(node.text));
}

}  // namespace pliant::scene

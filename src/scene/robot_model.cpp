#include "scene/robot_model.h"

#include "scene/robot_amounts.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>

namespace pliant::scene {

namespace fs = std::filesystem;

namespace {

constexpr const char* texture_files[] = {"file",     "fileright", "fileleft", "fileup",
                                         "filedown", "filefront", "fileback"};

std::vector<std::string_view> wanted_attributes() {
  std::vector<std::string_view> names = amount_attributes();
  names.insert(names.end(), std::begin(texture_files), std::end(texture_files));
  for (const char* name :
       {"filename", "meshdir", "texturedir", "assetdir", "strippath", "discardvisual", "model", "name"})
    names.push_back(name);
  return names;
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

fs::path real_path(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path : real;
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string ending_of(const std::string& path) {
  std::string ending = fs::path(path).extension().string();
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return ending;
}

}  // namespace

void add_robot_parts(RobotContext& context, const RobotPlace& place, double parts) {
  RobotTotals& totals = context.totals;
  totals.parts += parts;
  if (totals.parts <= context.rules.limits.parts || totals.said_parts) return;
  totals.said_parts = true;
  context.findings.add(place.mark,
                       fmt::format("{}: with it the robots of the scene have {:.3g} parts, the limit is {:.3g}",
                                   context.part, totals.parts, context.rules.limits.parts),
                       "give fewer or smaller robots");
}

RobotPlace RobotModel::place_of(const Document& document, const XmlTag& tag) const {
  if (document.is_text) return {document.mark, true, tag.line};
  return {{document.mark.source, tag.line, 1}, false, tag.line};
}

void RobotModel::say(const RobotPlace& place, const std::string& message, const std::string& cure) {
  const std::string where = place.in_text ? fmt::format("line {} of its text: ", place.line) : "";
  context_.findings.add(place.mark, fmt::format("{}: {}{}", context_.part, where, message), cure);
}

// --- reading ---

void RobotModel::check_file(const std::string& path, const RobotPlace& place) {
  if (read_document(path, 1, place)) check_documents();
  for (std::size_t i = 0; i < read_.size(); ++i) context_.chain.pop_back();
}

void RobotModel::check_text(const std::string& text, const YamlMark& mark) {
  Document document;
  document.mark = mark;
  document.is_text = true;
  if (add_document(text, 1, std::move(document))) check_documents();
  for (std::size_t i = 0; i < read_.size(); ++i) context_.chain.pop_back();
}

// false, with a finding, if the file passes a limit
bool RobotModel::open_file(const std::string& path, const RobotPlace& place, std::string& text) {
  const RobotLimits& limits = context_.rules.limits;
  const std::string name = shown(fs::path(path).filename().string());
  const fs::path real = real_path(path);
  if (std::find(context_.chain.begin(), context_.chain.end(), real) != context_.chain.end()) {
    say(place, fmt::format("file '{}' is named twice, or names itself by way of others", name),
        "include each file once, and none by itself");
    return false;
  }
  if (++context_.files > limits.files) {
    if (context_.files == limits.files + 1) {
      say(place, fmt::format("it is made of more than {} files", limits.files), "include fewer files");
    }
    return false;
  }
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size > limits.xml.file_bytes) {
    say(place, fmt::format("file '{}' has {} bytes, the limit is {}", name, size, limits.xml.file_bytes),
        "make it smaller");
    return false;
  }
  context_.totals.xml_bytes += error ? 0 : std::size_t(size);
  if (context_.totals.xml_bytes > limits.all_xml_bytes) {
    say(place, fmt::format("with it the robots of the scene have more than {} bytes of XML", limits.all_xml_bytes),
        "give fewer or smaller robots");
    return false;
  }
  std::ifstream stream(path, std::ios::binary);
  text.resize(error ? 0 : std::size_t(size));
  stream.read(text.data(), std::streamsize(text.size()));
  if (error || !stream) {
    say(place, fmt::format("file '{}' cannot be read", name), "check its permissions");
    return false;
  }
  context_.chain.push_back(real);
  read_.insert(real);
  return true;
}

bool RobotModel::read_document(const std::string& path, double times, const RobotPlace& place) {
  std::string text;
  if (!open_file(path, place, text)) return false;
  Document document;
  document.folder = fs::path(path).parent_path();
  document.mark = {context_.findings.add_source(path), 1, 1};
  return add_document(text, times, std::move(document));
}

bool RobotModel::add_document(std::string_view text, double times, Document document) {
  XmlProblem problem;
  XmlTag place;
  static const std::vector<std::string_view> wanted = wanted_attributes();
  if (!read_xml_tags(text, wanted, context_.rules.limits.xml, document.tags, problem)) {
    place.line = problem.line;
    say(place_of(document, place), problem.message, problem.cure);
    return false;
  }
  const std::string& root = document.tags[0].name;
  if (documents_.empty() && root != "mujoco" && root != "robot") {
    say(place_of(document, document.tags[0]), fmt::format("its first element is '{}'", shown(root)),
        "give MJCF, which starts with <mujoco>, or URDF, which starts with <robot>");
    return false;
  }
  if (documents_.empty()) is_urdf_ = root == "robot";
  document.times.assign(document.tags.size(), times);
  for (std::size_t i = 0; i < document.tags.size(); ++i) {
    const int parent = document.tags[i].parent;
    if (parent < 0) continue;
    document.times[i] = document.times[std::size_t(parent)] * replicas_of(document.tags[std::size_t(parent)]);
  }
  documents_.push_back(std::move(document));
  const std::size_t number = documents_.size() - 1;
  for (std::size_t i = 0; !is_urdf_ && i < documents_[number].tags.size(); ++i) {
    if (documents_[number].tags[i].name == "include") include(number, i);
  }
  return true;
}

void RobotModel::include(std::size_t number, std::size_t tag) {
  if (context_.findings.full()) return;
  const XmlTag named = documents_[number].tags[tag];
  const RobotPlace place = place_of(documents_[number], named);
  if (!named.find("file")) return say(place, "include names no file", "give it a file");
  const std::string path = find(documents_[number], named, "file", Search::beside);
  if (path.empty()) return;
  if (++depth_ > context_.rules.limits.depth) {
    say(place, fmt::format("includes are nested more than {} deep", context_.rules.limits.depth),
        "include fewer files");
  } else {
    read_document(path, documents_[number].times[tag], place);
  }
  --depth_;
}

// --- checking ---

void RobotModel::check_documents() {
  for (const Document& document : documents_) {
    for (const XmlTag& tag : document.tags) {
      if (tag.name == "compiler") read_compiler(tag);
    }
  }
  if (is_urdf_ && !keeps_) strips_ = true;
  if (mesh_folders_.empty()) mesh_folders_.push_back("");
  if (texture_folders_.empty()) texture_folders_.push_back("");
  for (const Document& document : documents_) {
    for (const XmlTag& tag : document.tags) {
      if (context_.findings.full()) return;
      check_files(document, tag);
    }
  }
  for (const Document& document : documents_) {
    for (std::size_t i = 0; i < document.tags.size() && !context_.findings.full(); ++i) check_amounts(document, i);
  }
}

// several may be given: a file may then lie in any of the folders
void RobotModel::read_compiler(const XmlTag& tag) {
  const auto add = [&](const char* attribute, std::vector<std::string>& folders) {
    const std::string* value = tag.find(attribute);
    std::string folder;
    if (!value) return;
    // what cannot be decoded stays as it is, and no file will be found there
    if (!decode_xml(*value, folder)) folder = *value;
    std::replace(folder.begin(), folder.end(), '\\', '/');
    folders.push_back(folder);
  };
  add("assetdir", mesh_folders_);
  add("assetdir", texture_folders_);
  add("meshdir", mesh_folders_);
  add("texturedir", texture_folders_);
  if (const std::string* strips = tag.find("strippath")) (*strips == "true" ? strips_ : keeps_) = true;
  if (const std::string* discards = tag.find("discardvisual")) has_visuals_ |= *discards != "true";
}

bool RobotModel::is_ignored(const Document& document, const XmlTag& tag) const {
  if (!is_urdf_ || has_visuals_) return false;
  for (int i = tag.parent; i >= 0; i = document.tags[std::size_t(i)].parent) {
    if (document.tags[std::size_t(i)].name == "visual") return true;
  }
  return false;
}

void RobotModel::check_files(const Document& document, const XmlTag& tag) {
  const RobotPlace place = place_of(document, tag);
  if (is_urdf_) {
    if (tag.name != "mesh" || !tag.find("filename") || is_ignored(document, tag)) return;
    return check_asset(place, tag.name, find(document, tag, "filename", Search::mesh));
  }
  if (tag.name == "model" && tag.find("file")) return attach_model(document, tag);
  const bool is_texture = tag.name == "texture";
  for (const char* attribute : texture_files) {
    const bool has_it = tag.find(attribute) && tag.name != "include" && tag.name != "model";
    if (!has_it) continue;
    check_asset(place, tag.name, find(document, tag, attribute, is_texture ? Search::texture : Search::mesh));
  }
}

void RobotModel::attach_model(const Document& document, const XmlTag& tag) {
  const RobotPlace place = place_of(document, tag);
  const std::string path = find(document, tag, "file", Search::beside);
  if (path.empty()) return;
  const std::string ending = ending_of(path);
  if (ending != ".xml" && ending != ".mjcf" && ending != ".urdf" && !context_.rules.allow_outside) {
    return say(place, fmt::format("model file '{}' is not MJCF or URDF", shown(fs::path(path).filename().string())),
               "give a file that ends in .xml, .mjcf or .urdf");
  }
  if (context_.models >= context_.rules.limits.depth) {
    return say(place, fmt::format("models are nested more than {} deep", context_.rules.limits.depth),
               "attach fewer models");
  }
  ++context_.models;
  RobotModel model(context_);
  model.check_file(path, place);
  --context_.models;
  // MuJoCo makes it once, also if nothing attaches it
  parts_ += model.parts();
  const std::string* name = tag.find("name");
  models_[name ? *name : ""] = model.parts();
  largest_model_ = std::max(largest_model_, model.parts());
}

void RobotModel::check_amounts(const Document& document, std::size_t number) {
  const XmlTag& tag = document.tags[number];
  const RobotPlace place = place_of(document, tag);
  const RobotRules& rules = context_.rules;
  RobotTotals& totals = context_.totals;
  RobotAmount amount = amount_of(tag);
  if (!amount.unclear.empty()) {
    return say(place, fmt::format("{} of {} is '{}'", amount.unclear, tag.name, shown(*tag.find(amount.unclear))),
               tag.name == "size" && amount.unclear == "memory" ? "give bytes, like 16M" : "give a number");
  }
  // a model without a name is called by a name that only its file knows
  if (const std::string* model = tag.find("model"); tag.name == "attach" && model) {
    const auto found = models_.find(*model);
    amount.parts += found == models_.end() ? largest_model_ : found->second;
  }
  const double parts = amount.parts * document.times[number];
  parts_ += parts;
  if (std::max(parts, document.times[number] * replicas_of(tag)) > rules.limits.parts && !totals.said_parts) {
    totals.said_parts = true;
    say(place,
        fmt::format("this {} makes {:.3g} parts, the limit is {:.3g}", tag.name,
                    std::max(parts, document.times[number] * replicas_of(tag)), rules.limits.parts),
        "give smaller counts");
  }
  if (amount.per_part > rules.limits.per_part) {
    say(place,
        fmt::format("size asks for {:.3g} key frames or user values, the limit is {:.3g}", amount.per_part,
                    rules.limits.per_part),
        "give smaller numbers");
  }
  add_bytes(place, tag.name, amount.bytes * document.times[number]);
}

void RobotModel::add_bytes(const RobotPlace& place, const std::string& kind, double bytes) {
  RobotTotals& totals = context_.totals;
  totals.bytes += bytes;
  if (totals.bytes <= double(context_.rules.max_memory) || totals.said_bytes) return;
  totals.said_bytes = true;
  say(place,
      fmt::format("with this {} the robots of the scene ask for {:.3g} bytes, max_memory is {}", kind, totals.bytes,
                  context_.rules.max_memory),
      "make it smaller, or raise max_memory");
}

// --- files that are named ---

bool RobotModel::read_name(const RobotPlace& place, const std::string& kind, const std::string& value,
                           std::string& name) {
  const bool is_known = decode_xml(value, name);
  std::replace(name.begin(), name.end(), '\\', '/');
  const bool has_control = std::any_of(name.begin(), name.end(), [](char c) { return c >= 0 && c < ' '; });
  const std::string used = strips_ && !keeps_ && kind != "include" ? last_part(name) : name;
  if (is_known && !has_control && used.size() < 1024 && used.find(':') == std::string::npos && !used.empty())
    return true;
  say(place, fmt::format("{} file '{}' is not the path of a file", kind, shown(value)),
      "give a path from the folder of the robot's file");
  return false;
}

std::vector<fs::path> RobotModel::candidates(const Document& document, const std::string& name, Search search) const {
  std::vector<std::string> folders = {""};
  if (search == Search::mesh) folders = mesh_folders_;
  if (search == Search::texture) folders = texture_folders_;
  std::vector<std::string> names;
  const bool may_strip = search != Search::beside && strips_;
  if (may_strip) names.push_back(last_part(name));
  if (!may_strip || keeps_) names.push_back(name);
  std::vector<fs::path> paths;
  for (const std::string& each : names) {
    for (const std::string& folder : folders) paths.push_back(documents_[0].folder / folder / each);
    if (&document != &documents_[0]) paths.push_back(document.folder / each);
  }
  return paths;
}

std::string RobotModel::find(const Document& document, const XmlTag& tag, std::string_view attribute, Search search) {
  const RobotPlace place = place_of(document, tag);
  std::string name;
  if (!read_name(place, tag.name, *tag.find(attribute), name)) return {};
  const RobotRules& rules = context_.rules;
  RobotTotals& totals = context_.totals;
  if (++totals.assets > rules.limits.assets) {
    if (!totals.said_assets) {
      say(place, fmt::format("the robots of the scene name more than {} files", rules.limits.assets), "name fewer");
    }
    totals.said_assets = true;
    return {};
  }
  std::string found;
  bool has_inside = false, has_outside = false;
  for (const fs::path& path : candidates(document, name, search)) {
    // links are followed after or before the dots are taken out
    const fs::path normal = path.lexically_normal();
    const bool is_inside = rules.is_allowed(path) && rules.is_allowed(normal);
    has_inside |= is_inside;
    has_outside |= !is_inside && (is_there(path) || is_there(normal));
    if (found.empty() && is_file(normal)) found = normal.string();
  }
  const std::string what = fmt::format("{} file '{}'", tag.name, shown(name));
  if (document.is_text && fs::path(name).is_relative() && !rules.allow_outside) {
    say(place, what + " cannot be found: a text has no folder", "keep the robot in a file of its own");
    return {};
  }
  if (has_outside || !has_inside) {
    say(place, what + " lies outside the scene's folder",
        "move it below the folder of the scene, or allow files outside");
    return {};
  }
  if (found.empty()) {
    say(place, what + " does not exist",
        search == Search::beside ? "check its name: it is looked up from the folder of the robot's file"
                                 : "check its name: it is looked up from the folder of the robot's file, "
                                   "and the folder that its compiler names");
  }
  return found;
}

void RobotModel::check_asset(const RobotPlace& place, const std::string& kind, const std::string& path) {
  if (path.empty() || !context_.totals.good_assets.insert(path).second) return;
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size > context_.rules.limits.asset_bytes) {
    return say(place,
               fmt::format("{} file '{}' has {} bytes, the limit is {}", kind,
                           shown(fs::path(path).filename().string()), size, context_.rules.limits.asset_bytes),
               "make it smaller");
  }
  add_bytes(place, kind, asset_memory(path));
}

}  // namespace pliant::scene

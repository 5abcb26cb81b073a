// From a file to a scene: read, override, fill in, check.
#include "pliant/scene_file.h"

#include "core/error.h"
#include "scene/robot_file.h"
#include "scene/scene_file_meaning.h"
#include "scene/scene_file_sources.h"

#include <algorithm>

namespace pliant {

using namespace scene;

namespace {

// where the part stands that the text of an error starts with
YamlMark find_mark(const std::string& text, const SceneMarks& marks, bool is_file_error) {
  YamlMark mark = marks.at("scene");
  std::string part;
  for (const auto& [name, place] : marks) {
    const bool fits = name.size() > part.size() && text.compare(0, name.size(), name) == 0 &&
                      (name.size() == text.size() || text[name.size()] == ':' || text[name.size()] == ' ');
    if (!fits) continue;
    part = name;
    mark = place;
  }
  const auto file = marks.find(part + ": file");
  if (is_file_error && file != marks.end()) return file->second;
  const auto matter = marks.find("scene: matter");
  return part.empty() && matter != marks.end() ? matter->second : mark;
}

void add_error(const Error& error, const SceneMarks& marks, Findings& findings) {
  const std::string text = error.what();
  const std::size_t cut = text.rfind("; ");
  const bool is_file_error = error.code() == ErrorCode::bad_file || text.find("mesh file") != std::string::npos;
  findings.add(find_mark(text, marks, is_file_error), text.substr(0, cut),
               cut == std::string::npos ? "change it" : text.substr(cut + 2));
}

// The checks that all scenes pass. They stop at the first error: after one in a piece of matter, the others are
// checked.
void check_values(Scene scene, const SceneMarks& marks, Findings& findings) {
  constexpr int most = 20;
  for (int i = 0; i < most; ++i) {
    try {
      check(scene);
      return;
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted) throw;
      add_error(error, marks, findings);
      const std::string text = error.what();
      const auto is_blamed = [&](const Matter& m) { return text.rfind(fmt::format("matter '{}': ", m.name), 0) == 0; };
      const auto blamed = std::find_if(scene.matter.begin(), scene.matter.end(), is_blamed);
      if (blamed == scene.matter.end() || scene.matter.size() == 1) return;
      scene.matter.erase(blamed);
    }
  }
}

// What the bodies' own files and texts ask for. They come last: they add their files to the sources of the findings.
void check_robots(const Scene& scene, const SceneMarks& marks, RobotRules rules, Findings& findings) {
  rules.max_memory = scene.max_memory;
  RobotFiles robots(std::move(rules), findings);
  for (const Body& body : scene.bodies) {
    const std::string part = fmt::format("body '{}'", shown(body.name));
    const auto text = marks.find(part + ": text");
    if (findings.full()) return;
    if (!body.file.empty()) robots.check_file(body.file, part);
    if (text != marks.end() && !body.text.empty()) robots.check_text(body.text, text->second, part);
  }
}

// The scene and all that is wrong with it.
struct Loaded {
  Scene scene;
  std::vector<Diagnostic> wrong;
};

Loaded load(const std::string* yaml, const std::string& folder, const std::string& file,
            const SceneFileOptions& options) {
  Loaded loaded;
  Findings findings;
  SceneSources sources(folder, options, findings);
  YamlNode tree;
  const bool is_read = yaml ? sources.read_text(*yaml, file, tree) : sources.read_file(file, tree);
  if (is_read) {
    const auto find_file = [&](const YamlNode& node, const std::string& part) { return sources.find_file(node, part); };
    KeyReader reader(tree, find_file, findings);
    scene_keys(reader, loaded.scene);
    reader.finish();
    if (!findings.full()) check_meaning(loaded.scene, reader.marks(), findings);
    const auto is_allowed = [&](const std::filesystem::path& path) { return sources.is_allowed(path); };
    check_robots(loaded.scene, reader.marks(), {is_allowed, options.allow_outside}, findings);
    if (findings.empty()) check_values(loaded.scene, reader.marks(), findings);
  }
  loaded.wrong = findings.sorted();
  return loaded;
}

Scene scene_or_error(Loaded loaded) {
  if (loaded.wrong.empty()) return std::move(loaded.scene);
  std::string all;
  for (const Diagnostic& diagnostic : loaded.wrong) all.append(all.empty() ? "" : "\n").append(text(diagnostic));
  throw Error(ErrorCode::bad_file, all);
}

std::string folder_of(const std::string& path) { return std::filesystem::path(path).parent_path().string(); }

}  // namespace

std::string text(const Diagnostic& d) {
  // an override has but one line
  const bool has_line = d.file.rfind("--set ", 0) != 0;
  return has_line ? fmt::format("{}:{}: {}; {}", d.file, d.line, d.message, d.cure)
                  : fmt::format("{}: {}; {}", d.file, d.message, d.cure);
}

std::vector<Diagnostic> check_scene_file(const std::string& path, const SceneFileOptions& options) {
  return load(nullptr, folder_of(path), path, options).wrong;
}

Scene load_scene_file(const std::string& path, const SceneFileOptions& options) {
  return scene_or_error(load(nullptr, folder_of(path), path, options));
}

std::vector<Diagnostic> check_scene_text(const std::string& yaml, const std::string& folder, const std::string& file,
                                         const SceneFileOptions& options) {
  return load(&yaml, folder, file, options).wrong;
}

Scene load_scene_text(const std::string& yaml, const std::string& folder, const std::string& file,
                      const SceneFileOptions& options) {
  return scene_or_error(load(&yaml, folder, file, options));
}

}  // namespace pliant

// Scenes as files that people write: YAML, first line `pliant: 1`. Every key: docs/scene_files.md.
#pragma once

#include "pliant/scene.h"

#include <string>
#include <utility>
#include <vector>

namespace pliant {

// What is wrong with a file, where, and what to do about it.
struct Diagnostic {
  std::string file;          // as it was given; "--set KEY=VALUE" for an override
  int line = 1, column = 1;  // from 1
  std::string message;       // "material 'dough': yield is -3 Pa"
  std::string cure;          // "give a number of at least 0"
};

// "file:line: message; cure"
std::string text(const Diagnostic& diagnostic);

struct SceneFileOptions {
  std::string models;          // folder that files named models/... are in; empty: there is none
  bool allow_outside = false;  // files may lie outside the scene's folder and outside `models`
  // key and YAML text, as in {"step.dt", "0.005"}: they replace what the file says, before anything is checked
  std::vector<std::pair<std::string, std::string>> overrides;
};

// Everything that is wrong at once, empty if the file is good. Throws nothing on account of what the file says.
std::vector<Diagnostic> check_scene_file(const std::string& path, const SceneFileOptions& options = {});

// Throws Error(bad_file) with one line for each thing that is wrong.
Scene load_scene_file(const std::string& path, const SceneFileOptions& options = {});

// The same for a text; what it names is looked up in `folder`, and errors call it `file`.
std::vector<Diagnostic> check_scene_text(const std::string& yaml, const std::string& folder, const std::string& file,
                                         const SceneFileOptions& options = {});
Scene load_scene_text(const std::string& yaml, const std::string& folder, const std::string& file,
                      const SceneFileOptions& options = {});

// A text that loads to an equal scene, if it is kept in `folder`. What a kind of shape, boundary or law does not read
// is left out. Throws Error(bad_input, too_large) for what a file cannot say.
std::string to_yaml(const Scene& scene, const std::string& folder = "", const std::string& models = "");

// the JSON schema of scene files, for editors
std::string scene_schema();

// What an expect: check may measure, and what its `of` names.
struct Quantity {
  enum class Of { run, matter, body, joint, sensor };
  const char* name;
  Of of;
  const char* unit;
  const char* what;
};
const std::vector<Quantity>& expect_quantities();

}  // namespace pliant

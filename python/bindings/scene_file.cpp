// Scene files in Python: check, load, write.
#include "pliant/scene_file.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "scene/scene_keys_tables.h"
#include "without_gil.h"

namespace pliant::python {

using namespace scene;

namespace {

using Overrides = std::vector<std::pair<std::string, std::string>>;

SceneFileOptions options_of(const std::string& models, bool allow_outside, const Overrides& overrides) {
  return {models, allow_outside, overrides};
}

void bind_diagnostic(nb::module_& module) {
  nb::class_<Diagnostic>(module, "Diagnostic", "What is wrong with a file, where, and what to do about it.")
      .def_ro("file", &Diagnostic::file, "as it was given; '--set KEY=VALUE' for an override")
      .def_ro("line", &Diagnostic::line, "from 1")
      .def_ro("column", &Diagnostic::column, "from 1")
      .def_ro("message", &Diagnostic::message)
      .def_ro("cure", &Diagnostic::cure)
      .def("__str__", [](const Diagnostic& d) { return text(d); })
      .def("__repr__", [](const Diagnostic& d) { return "<Diagnostic " + text(d) + ">"; });
}

}  // namespace

void bind_scene_file(nb::module_& module) {
  bind_diagnostic(module);
  module.def(
      "load_scene_file",
      [](const std::string& path, const std::string& models, bool allow_outside, const Overrides& overrides) {
        return record_of(
            without_gil([&] { return load_scene_file(path, options_of(models, allow_outside, overrides)); }));
      },
      nb::arg("path"), nb::kw_only(), nb::arg("models") = "", nb::arg("allow_outside") = false,
      nb::arg("overrides") = Overrides{}, "The scene of a file; BadFileError with all that is wrong with it.");
  module.def(
      "load_scene_text",
      [](const std::string& yaml, const std::string& folder, const std::string& file, const std::string& models,
         bool allow_outside, const Overrides& overrides) {
        return record_of(without_gil(
            [&] { return load_scene_text(yaml, folder, file, options_of(models, allow_outside, overrides)); }));
      },
      nb::arg("yaml"), nb::kw_only(), nb::arg("folder") = "", nb::arg("file") = "text", nb::arg("models") = "",
      nb::arg("allow_outside") = false, nb::arg("overrides") = Overrides{},
      "The scene of a text, whose files are looked up in `folder`.");
  module.def(
      "check_scene_file",
      [](const std::string& path, const std::string& models, bool allow_outside, const Overrides& overrides) {
        return without_gil([&] { return check_scene_file(path, options_of(models, allow_outside, overrides)); });
      },
      nb::arg("path"), nb::kw_only(), nb::arg("models") = "", nb::arg("allow_outside") = false,
      nb::arg("overrides") = Overrides{}, "Everything that is wrong with a file, in the order of its lines.");
  nb::borrow<nb::class_<SceneRecord>>(module.attr("Scene"))
      .def(
          "to_yaml",
          [](const SceneRecord& scene, const std::string& folder, const std::string& models) {
            return to_yaml(scene_of(scene), folder, models);
          },
          nb::kw_only(), nb::arg("folder") = "", nb::arg("models") = "",
          "The text of a scene file that loads to an equal scene, if it is kept in `folder`.");
  module.def("scene_schema", &scene_schema, "The JSON schema of scene files.");
  module.def(
      "scene_key_tables",
      [] {
        nb::dict tables;
        for (const SceneKeyTable& table : scene_key_tables()) tables[table.name.c_str()] = table.markdown;
        return tables;
      },
      nb::sig("def scene_key_tables() -> dict[str, str]"), "The tables of docs/scene_files.md.");
}

}  // namespace pliant::python

// Scene files: what they say becomes a scene, a scene becomes the same file again, and what is wrong is told with its
// line.
#include "pliant/scene_file.h"

#include "scene/errors.h"
#include "scene/full_scene.h"
#include "scene/same_scene.h"
#include "scene/scene_keys_lister.h"
#include "scene/scene_keys_tables.h"
#include "scene/yaml_tree.h"

#include <map>
#include <set>
#include <sstream>

namespace pliant {

using namespace geometry;
using namespace scene;

namespace {

namespace fs = std::filesystem;

const fs::path repository = PLIANT_REPOSITORY;

std::string read(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string all_text(const std::vector<Diagnostic>& wrong) {
  std::string all;
  for (const Diagnostic& diagnostic : wrong) all += text(diagnostic) + "\n";
  return all;
}

SceneFileOptions with_models() {
  SceneFileOptions options;
  options.models = (repository / "models").string();
  return options;
}

constexpr const char* small_scene =
    "pliant: 1\n"
    "materials: {jelly: {law: neo_hookean}}\n"
    "matter: {cube: {material: jelly, box: {size: [0.1, 0.1, 0.1]}}}\n";

std::string complaints(const std::string& yaml, const SceneFileOptions& options = {}) {
  return all_text(check_scene_text(yaml, "", "a.yaml", options));
}

TEST(SceneFile, ComesBackToTheLastBit) {
  const TemporaryFolder folder;
  folder.write("tetrahedron.obj", obj_text(tetrahedron(0.1)));
  folder.write("arm.xml", "<mujoco/>");
  const Scene scene = full_scene(folder);
  const std::string folder_name = fs::path(folder.file("x")).parent_path().string();
  const std::string yaml = to_yaml(scene, folder_name);
  EXPECT_EQ(yaml.find(folder_name), std::string::npos) << "a file is not named from the scene's folder";
  const Scene again = load_scene_file(folder.write("scene.yaml", yaml));
  expect_same(scene, again);
  EXPECT_EQ(to_yaml(again, folder_name), yaml);
}

// `body` is what `with` was called before; both are too much
TEST(SceneFile, APairNamesItsPartnerByWithOrBody) {
  const auto pair = [](const std::string& keys) {
    const std::string yaml =
        std::string(small_scene) + "boundaries: {floor: {plane: {}}}\ncontact: {pairs: [{" + keys + "}]}\n";
    return load_scene_text(yaml, "", "a.yaml").contact.pairs[0].partner;
  };
  EXPECT_EQ(pair("with: floor"), "floor");
  EXPECT_EQ(pair("body: floor"), "floor");
  EXPECT_EQ(pair("with: 'fl*'"), "fl*");
  EXPECT_EQ(pair("matter: 'c*', friction: 0.2"), "");
  EXPECT_THROW(pair("with: wall"), Error);
  EXPECT_THROW(pair("with: floor, body: floor"), Error);
}

TEST(SceneFile, APairTakesFromContactWhatItDoesNotSay) {
  const std::string yaml =
      std::string(small_scene) + "contact: {pairs: [{stiffness: 1e8}, {matter: cube, friction: 0.2}], friction: 0.9}\n";
  const Scene scene = load_scene_text(yaml, "", "a.yaml");
  ASSERT_EQ(scene.contact.pairs.size(), 2u);
  Scene said = scene;
  said.contact.pairs = {{"", "", -1, 1e8, -1}, {"cube", "", 0.2, 0, -1}};
  expect_same(scene, said);
  // what a user of C++ wrote as "below 0" stays below 0
  Scene other = scene;
  other.contact.pairs[0].dissipation = other.contact.pairs[0].friction = -7;
  expect_same(load_scene_text(to_yaml(other), "", "a.yaml"), scene);
}

TEST(SceneFile, ComesBackInTwoDimensions) {
  Scene scene;
  scene.dimension = 2;
  scene.step.gravity = {0, -1.0 / 3, 0};
  Material jelly;
  jelly.name = "jelly";
  scene.materials = {jelly};
  Matter box;
  box.name = "box";
  box.material = "jelly";
  box.shape.size = {0.1, 0.2, 1};
  Matter disc = box;
  disc.name = "disc";
  disc.shape = {};
  disc.shape.kind = Shape::Kind::sphere;
  disc.sampling.particles_per_cell = 4;
  scene.matter = {box, disc};
  Boundary floor;
  floor.name = "floor";
  floor.normal = {0, 1, 0};
  scene.boundaries = {floor};
  expect_same(scene, load_scene_text(to_yaml(scene), "", "a.yaml"));
}

// paths of all keys of a file, as "matter.*.box.size"
void collect(const YamlNode& node, const std::string& path, std::set<std::string>& found) {
  const std::set<std::string> named = {"materials", "matter", "matter.*.pins", "actuators", "boundaries", "bodies"};
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::string name = node.is_list() || named.count(path) ? "*" : node.keys[i].text;
    const std::string inner = path.empty() ? name : path + "." + name;
    found.insert(inner);
    collect(node.items[i], inner, found);
  }
}

TEST(SceneFile, WritesAndReadsEveryKey) {
  const TemporaryFolder folder;
  Findings findings;
  YamlBudget budget;
  YamlNode tree;
  ASSERT_TRUE(parse_yaml(to_yaml(full_scene(folder)), findings.add_source("full"), budget, findings, tree));
  std::set<std::string> found;
  collect(tree, "", found);
  for (const auto& [path, standard] : key_standards()) {
    // rpy and the other name of `with` are only read, the scene has its default dimension, and nothing turns one way
    const std::string name = path.substr(path.rfind('.') + 1);
    const bool is_written = name != "rpy" && name != "dimension" && path != "contact.pairs.*.body" &&
                            path != "boundaries.*.angular_velocity";
    EXPECT_EQ(found.count(path), is_written ? 1u : 0u) << path;
  }
}

TEST(SceneFile, ABoundaryThatTurnsComesBack) {
  Scene scene;
  scene.materials = {Material{}};
  scene.materials[0].name = "jelly";
  scene.matter = {Matter{}};
  scene.matter[0].name = "cube", scene.matter[0].material = "jelly";
  scene.boundaries.resize(1);
  scene.boundaries[0].name = "table";
  scene.boundaries[0].angular_velocity = {0, 0.1, -2};
  EXPECT_EQ(load_scene_text(to_yaml(scene), "", "a.yaml").boundaries[0].angular_velocity,
            scene.boundaries[0].angular_velocity);
}

TEST(SceneFile, SchemaIsTheStoredOne) {
  EXPECT_EQ(scene_schema(), read(repository / "scenes" / "scene.schema.json"))
      << "python -c 'import pliant._core as c; print(c.scene_schema(), end=\"\")' > scenes/scene.schema.json";
}

TEST(SceneFile, ManualHasEveryKey) {
  const std::string manual = read(repository / "docs" / "scene_files.md");
  for (const SceneKeyTable& table : scene_key_tables()) {
    EXPECT_NE(manual.find(table.markdown), std::string::npos)
        << "docs/scene_files.md should hold the table of " << table.name << ":\n"
        << table.markdown;
  }
}

TEST(SceneFile, ExamplesOfTheManualAreGood) {
  const std::string manual = read(repository / "docs" / "scene_files.md");
  const std::string open = "```yaml\npliant: 1\n";
  int count = 0;
  for (std::size_t at = manual.find(open); at != std::string::npos; at = manual.find(open, at + 1)) {
    const std::size_t start = at + 8, end = manual.find("```", start);
    EXPECT_EQ(all_text(check_scene_text(manual.substr(start, end - start), "", "example", with_models())), "");
    ++count;
  }
  EXPECT_GE(count, 1);
}

TEST(SceneFile, ScenesOfTheHouseAreGood) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(repository / "scenes")) {
    if (entry.path().extension() != ".yaml") continue;
    EXPECT_EQ(all_text(check_scene_file(entry.path().string(), with_models())), "");
    ++count;
  }
  EXPECT_GE(count, 2);
}

TEST(SceneFile, FourMaterials) {
  const Scene scene = load_scene_file((repository / "scenes" / "four_materials.yaml").string());
  ASSERT_EQ(scene.materials.size(), 4u);
  ASSERT_EQ(scene.matter.size(), 4u);
  EXPECT_EQ(scene.step.dt, 1.0 / 240);
  EXPECT_EQ(scene.materials[3].name, "dough");
  EXPECT_EQ(scene.materials[3].law, Law::hencky);
  EXPECT_EQ(scene.materials[3].yield, 1250);
  EXPECT_EQ(scene.matter[1].shape.kind, Shape::Kind::cylinder);
  EXPECT_TRUE(scene.boundaries[0].inside_out);
}

// --- what is wrong ---

std::string without(std::string text, const std::string& part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part)) text.erase(at, part.size());
  return text;
}

TEST(SceneFile, BadFilesAreRefusedAsStored) {
  const fs::path folder = repository / "tests" / "scene" / "bad_files";
  int count = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    const std::vector<Diagnostic> wrong = check_scene_file(entry.path().string(), with_models());
    fs::path expected = entry.path();
    EXPECT_EQ(without(all_text(wrong), folder.string() + "/"), read(expected.replace_extension(".expected")));
    EXPECT_FALSE(wrong.empty()) << entry.path();
    for (const Diagnostic& d : wrong) EXPECT_TRUE(d.line >= 1 && d.column >= 1 && !d.cure.empty()) << text(d);
    ++count;
  }
  EXPECT_GE(count, 200);
}

TEST(SceneFile, LoadSaysAllAtOnce) {
  const std::string yaml = std::string(small_scene) + "duration: -1\nrecrod: {}\n";
  expect_error(ErrorCode::bad_file,
               {"a.yaml:4: scene: duration is -1 s; give a number above 0 in s\n"
                "a.yaml:5: scene: unknown key 'recrod'; did you mean 'record'?"},
               [&] { load_scene_text(yaml, "", "a.yaml"); });
  expect_error(ErrorCode::bad_file, {"nowhere.yaml:1: the file is missing"}, [] { load_scene_file("nowhere.yaml"); });
  expect_error(ErrorCode::bad_file, {"not a regular file"}, [] { load_scene_file("/"); });
}

TEST(SceneFile, Limits) {
  const std::string start = "pliant: 1\nname: ";
  EXPECT_NE(complaints(start + std::string(5 << 20, 'a')).find("a.yaml:1: it has 5242896 bytes"), std::string::npos);
  EXPECT_NE(complaints(start + std::string(2 << 20, 'a')).find("a.yaml:2: a text has 2097152 bytes"),
            std::string::npos);
  std::string numbers = start + "[0";
  for (int i = 0; i < 300'000; ++i) numbers += ",0";
  EXPECT_NE(complaints(numbers + "]").find("more than 200000 values"), std::string::npos);
  std::string texts = start + "&a \"" + std::string(1 << 20, 'x') + "\"\nb: [";
  for (int i = 0; i < 1000; ++i) texts += "*a, ";
  EXPECT_NE(complaints(texts + "]").find("texts of the scene have more than 16777216 bytes"), std::string::npos);
  std::string things = "pliant: 1\nmaterials:\n";
  for (int i = 0; i < 3000; ++i) things += fmt::format("  m{}: {{law: snow}}\n", i);
  EXPECT_NE(complaints(things).find("materials has 3000 entries, the limit is 2000"), std::string::npos);
}

TEST(SceneFile, NumbersAsPeopleWriteThem) {
  const auto duration = [](const std::string& text) {
    return load_scene_text(std::string(small_scene) + "duration: " + text, "", "a.yaml").duration;
  };
  EXPECT_EQ(duration("2"), 2);
  EXPECT_EQ(duration("2."), 2);
  EXPECT_EQ(duration(".5"), 0.5);
  EXPECT_EQ(duration("+1e-3"), 1e-3);
  EXPECT_EQ(duration("1E2"), 100);
  for (const char* bad : {"0x10", "1_000", "1,5", "1e", "--1", "1 000", "one", "true", "1e-5m", "''", "[]", "-", "."}) {
    EXPECT_NE(complaints(std::string(small_scene) + "duration: " + bad), "") << bad;
  }
  const std::string many = std::string(small_scene) + "max_particles: 1e6";
  EXPECT_EQ(load_scene_text(many, "", "a.yaml").max_particles, 1'000'000u);
}

TEST(SceneFile, Rotations) {
  const std::string yaml =
      "pliant: 1\nmaterials: {jelly: {law: neo_hookean}}\n"
      "matter: {cube: {material: jelly, box: {size: [0.1, 0.1, 0.1], rpy: [90, 0, 90]}}}\n";
  const auto q = load_scene_text(yaml, "", "a.yaml").matter[0].shape.rotation;
  // Rz(90) Rx(90) turns x to y, y to z, z to x: 120 degrees about (1 1 1)
  for (const double x : q) EXPECT_NEAR(x, 0.5, 1e-15);
}

// --- includes and overrides ---

TEST(SceneFile, IncludesAreTheBase) {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("sub"));
  folder.write("sub/base.yaml",
               "pliant: 1\nduration: 3\nname: base\nmaterials:\n  jelly: {law: hencky, E: 5e4, yield: 100}\n"
               "matter: {rock: {material: jelly, mesh: {file: rock.obj}}}\n");
  folder.write("sub/rock.obj", obj_text(tetrahedron(0.1)));
  const std::string file = folder.write(
      "scene.yaml",
      "pliant: 1\ninclude: [sub/base.yaml]\nname: mine\nmaterials:\n  jelly: {E: 6e4}\n  clay: {law: hencky}\n");
  const Scene scene = load_scene_file(file);
  EXPECT_EQ(scene.name, "mine");
  EXPECT_EQ(scene.duration, 3);
  ASSERT_EQ(scene.materials.size(), 2u);
  EXPECT_EQ(scene.materials[0].E, 6e4);
  EXPECT_EQ(scene.materials[0].yield, 100);
  EXPECT_EQ(scene.materials[1].name, "clay");
  // a file is looked up from the text that names it
  EXPECT_EQ(scene.matter[0].shape.mesh_file, folder.file("sub/rock.obj"));
}

TEST(SceneFile, ToleranceIsThatOfTheMethodUnlessGiven) {
  const auto with = [](const std::map<std::string, std::string>& overrides) {
    SceneFileOptions options;
    for (const auto& [key, value] : overrides) options.overrides.push_back({key, value});
    const Scene scene = load_scene_text(small_scene, "", "a.yaml", options);
    // what was not given is not written, so that another method still finds its own
    const Scene again = load_scene_text(to_yaml(scene), "", "again.yaml");
    EXPECT_EQ(again.step.tolerance, scene.step.tolerance);
    EXPECT_EQ(to_yaml(scene).find("tolerance") == std::string::npos, !overrides.contains("step.tolerance"));
    return solver_tolerance(again.step);
  };
  EXPECT_EQ(with({}), 1e-2);
  EXPECT_EQ(with({{"step.method", "one_way"}}), 1e-2);
  EXPECT_EQ(with({{"step.method", "strong"}}), 1e-4);
  EXPECT_EQ(with({{"step.method", "strong"}, {"step.tolerance", "5e-2"}}), 5e-2);
  EXPECT_EQ(with({{"step.tolerance", "1e-3"}}), 1e-3);
}

TEST(SceneFile, Overrides) {
  SceneFileOptions options;
  options.overrides = {{"step.dt", "0.005"},  {"matter.cube.box.size", "[0.2, 0.2, 0.2]"},
                       {"name", "changed"},   {"expect", "[{name: a, of: cube, quantity: mass, min: 1}]"},
                       {"expect.1.min", "2"}, {"expect.a.max", "3"}};
  const Scene scene = load_scene_text(small_scene, "", "a.yaml", options);
  EXPECT_EQ(scene.step.dt, 0.005);
  EXPECT_EQ(scene.matter[0].shape.size[1], 0.2);
  EXPECT_EQ(scene.name, "changed");
  EXPECT_EQ(scene.expect[0].min, 2);
  EXPECT_EQ(scene.expect[0].max, 3);
}

TEST(SceneFile, OverridesAreNamedWhenWrong) {
  const auto wrong = [](const std::string& key, const std::string& value) {
    SceneFileOptions options;
    options.overrides = {{key, value}};
    return complaints(small_scene, options);
  };
  EXPECT_EQ(wrong("step.dt", "-1"), "--set step.dt=-1: step: dt is -1 s; give a number above 0 in s\n");
  EXPECT_EQ(wrong("step.td", "1"), "--set step.td=1: step: unknown key 'td'; did you mean 'dt'?\n");
  EXPECT_EQ(wrong("stp.dt", "1"), "--set stp.dt=1: scene: unknown key 'stp'; did you mean 'step'?\n");
  EXPECT_EQ(
      wrong("step.dt", "[1"),
      "--set step.dt=[1: this is not YAML: end of sequence flow not found; check indentation, brackets and quotes "
      "here and in the line before\n");
  EXPECT_EQ(wrong("materials.jelly.law.E", "1"),
            "--set materials.jelly.law.E=1: there is no 'materials.jelly.law.E' to set; give a key like step.dt\n");
  for (const char* key : {"", ".", "step.", "pliant", "include", "a.b.c.d.e.f.g.h.i"}) EXPECT_NE(wrong(key, "1"), "");
}

// --- files outside ---

TEST(SceneFile, OutsideOnlyIfAllowed) {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("scenes"));
  fs::create_directory(folder.file("models"));
  folder.write("rock.obj", obj_text(tetrahedron(0.1)));
  folder.write("models/rock.obj", obj_text(tetrahedron(0.1)));
  const auto scene = [](const std::string& file) {
    return "pliant: 1\nmaterials: {jelly: {law: neo_hookean}}\nmatter: {rock: {material: jelly, mesh: {file: " + file +
           "}}}\n";
  };
  const std::string up = folder.write("scenes/up.yaml", scene("../rock.obj"));
  EXPECT_NE(all_text(check_scene_file(up)).find("up.yaml:3: matter 'rock': file '../rock.obj' lies outside"),
            std::string::npos);
  SceneFileOptions options;
  options.allow_outside = true;
  EXPECT_EQ(load_scene_file(up, options).matter[0].shape.mesh_file, folder.file("rock.obj"));
  const std::string model = folder.write("scenes/model.yaml", scene("models/rock.obj"));
  EXPECT_NE(all_text(check_scene_file(model)), "");
  options = {};
  options.models = folder.file("models");
  const Scene with_model = load_scene_file(model, options);
  EXPECT_EQ(with_model.matter[0].shape.mesh_file, folder.file("models/rock.obj"));
  EXPECT_NE(to_yaml(with_model, folder.file("scenes"), options.models).find("file: models/rock.obj"),
            std::string::npos);
}

TEST(SceneFile, WhatAFileCannotSay) {
  Scene scene = load_scene_text(small_scene, "", "a.yaml");
  scene.name = "\xff";
  expect_error(ErrorCode::bad_input, {"not UTF-8"}, [&] { to_yaml(scene); });
  scene.name = "many";
  scene.matter[0].points.assign(100'000, {0, 0, 0});
  expect_error(ErrorCode::too_large, {"points"}, [&] { to_yaml(scene); });
  scene.matter[0].points.clear();
  scene.motion = {{Motion::Kind::boundary, "floor", Motion::Path::smooth, {0}, {{1}}}};
  expect_error(ErrorCode::bad_input, {"waypoint 1 needs 3 numbers"}, [&] { to_yaml(scene); });
}

}  // namespace
}  // namespace pliant

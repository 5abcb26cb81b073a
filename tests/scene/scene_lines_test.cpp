// The lines of a scene show every key: whichever value changes, they tell.
#include "scene/scene_lines.h"

#include "scene/scene_keys.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace pliant {

using namespace scene;

namespace {

// goes along the keys and changes one value: the one with a number
class KeyChanger final : public Keys {
 public:
  explicit KeyChanger(int number) : left_(number) {}
  std::string changed;  // the key; empty: there are not so many

  void number(const Key& key, double& value, const Range&) override {
    if (is_it(key)) value = std::nextafter(value, 1e301);
  }
  void integer(const Key& key, std::uint64_t& value, std::uint64_t, std::uint64_t) override {
    // a scene of another dimension has other keys
    if (std::string(key.name) != "dimension" && is_it(key)) value += 1;
  }
  void flag(const Key& key, bool& value) override {
    if (is_it(key)) value = !value;
  }
  void word(const Key& key, std::string& value) override {
    if (is_it(key)) value += "x";
  }
  void name_of(const Key& key, std::string& value, NameOf) override { word(key, value); }
  void file(const Key& key, std::string& value, const Names&) override { word(key, value); }
  void choice(const Key& key, int& value, const Names& names) override {
    if (is_it(key)) value = value > 0 ? value - 1 : std::min(1, int(names.size()) - 1);
  }
  void vector(const Key& key, Vec3& value, const Range&) override {
    if (is_it(key)) value[1] = std::nextafter(value[1], 1e301);
  }
  // of a copy
  void pair(const Key&, Pair&, const Range&) override {}
  void rotation(const Key& key, Quaternion& value) override {
    if (is_it(key)) value[3] = std::nextafter(value[3], 1e301);
  }
  void points(const Key& key, std::vector<Vec3>& value) override {
    if (!value.empty() && is_it(key)) value.back()[2] = std::nextafter(value.back()[2], 1e301);
  }
  bool enter(const Key& key) override { return key.applies; }
  bool enter_kind(const Key&, bool is_it) override { return is_it; }
  bool kind_name(const Key& key, bool is_kind, std::string& value, NameOf) override {
    if (is_kind) word(key, value);
    return is_kind;
  }
  void leave() override {}
  void end_kinds(const char*, bool) override {}

 protected:
  std::size_t begin_things(const Key&, const char*, bool, std::size_t count) override { return count; }
  bool begin_thing(std::size_t, std::string*) override { return true; }
  void end_things() override {}

 private:
  bool is_it(const Key& key) {
    if (!key.applies || left_-- != 0) return false;
    changed = key.name;
    return true;
  }

  int left_;
};

// something of everything
Scene rich_scene() {
  Scene scene;
  scene.name = "rich";
  for (Law law : {Law::hencky, Law::sand, Law::liquid, Law::snow, Law::cloth}) {
    Material material;
    material.name = name(law), material.law = law, material.bending = material.friction = 1;
    scene.materials.push_back(material);
  }
  using Kind = Shape::Kind;
  for (Kind kind : {Kind::box, Kind::sphere, Kind::cylinder, Kind::capsule, Kind::mesh, Kind::cloth}) {
    Matter matter;
    matter.name = "m" + std::to_string(scene.matter.size()), matter.material = "hencky";
    matter.shape.kind = kind, matter.shape.mesh_file = "a.obj";
    scene.matter.push_back(matter);
  }
  Matter loose;
  loose.name = "loose", loose.material = "sand", loose.points = {{1, 2, 3}, {4, 5, 6}}, loose.point_volume = 1e-6;
  loose.pins = {{"pin", {1, 2, 3}, 0.1, 2}};
  scene.matter.push_back(loose);
  for (int kind = 0; kind < 4; ++kind) {
    Boundary boundary;
    boundary.name = "b" + std::to_string(kind), boundary.kind = Boundary::Kind(kind);
    scene.boundaries.push_back(boundary);
  }
  scene.bodies = {{"arm", "arm.xml", "<mujoco/>", {1, 2, 3}, {1, 0, 0, 0}, "other/site"}};
  scene.contact.friction = 0.5;
  scene.contact.pairs = {{"loose", "arm", 0.1, 1, 2}};
  return scene;
}

TEST(SceneLines, ShowEveryKeyThatIsChanged) {
  const Scene scene = rich_scene();
  EXPECT_TRUE(same_scene(scene, scene));
  std::set<std::string> seen;
  int n = 0;
  for (;; ++n) {
    Scene other = scene;
    KeyChanger changer(n);
    scene_keys(changer, other);
    if (changer.changed.empty()) break;
    seen.insert(changer.changed);
    EXPECT_FALSE(same_scene(scene, other)) << changer.changed;
    const std::string words = difference(scene_lines(scene), "a", scene_lines(other), "b");
    // another law has other keys, which may come first
    EXPECT_NE(words.find(changer.changed == "law" ? " is " : changer.changed), std::string::npos) << words;
  }
  EXPECT_GT(n, 150);
  Scene wider = scene;
  wider.matter[5].shape.size[1] = 2;
  EXPECT_EQ(difference(scene_lines(scene), "a", scene_lines(wider), "b"),
            "matter.m5.cloth.size is [1, 1] in a, [1, 2] in b");
  for (const char* key : {"dt", "E", "points", "friction", "until", "attach_to", "rate", "thickness", "condition"})
    EXPECT_TRUE(seen.count(key)) << key;
}

TEST(SceneLines, NameThePlaceInAList) {
  Scene scene, other;
  Motion motion;
  motion.kind = Motion::Kind::actuator, motion.target = "arm/elbow";
  motion.times = {0, 1}, motion.values = {{0}, {1}};
  scene.motion = other.motion = {motion, motion};
  other.motion[1].values[1][0] = 2;
  EXPECT_EQ(difference(scene_lines(scene), "a", scene_lines(other), "b"),
            "motion[1].waypoints[1].value is 1 in a, 2 in b");
  other.motion.pop_back();
  EXPECT_EQ(difference(scene_lines(scene), "a", scene_lines(other), "b"),
            "motion[1].actuator is arm/elbow in a, and not there in b");
}

// the order of pieces of matter is that of their particles
TEST(SceneLines, TellAnotherOrder) {
  Scene scene;
  Material a, b;
  a.name = "a", b.name = "b";
  scene.materials = {a, b};
  Scene other = scene;
  std::swap(other.materials[0], other.materials[1]);
  EXPECT_EQ(difference(scene_lines(scene), "one", scene_lines(other), "two"),
            "materials.a.law stands where two has materials.b.law");
}

// a text with line ends stays in its line
TEST(SceneLines, AreLines) {
  Scene scene;
  scene.bodies.resize(1);
  scene.bodies[0].name = "arm\n", scene.bodies[0].text = "<mujoco>\n</mujoco>";
  for (const SceneLine& line : scene_lines(scene)) {
    EXPECT_EQ((line.key + line.value).find('\n'), std::string::npos) << line.key;
    EXPECT_EQ((line.key + line.value).find('\t'), std::string::npos) << line.key;
  }
}

}  // namespace
}  // namespace pliant

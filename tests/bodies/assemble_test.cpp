#include "bodies/assemble.h"

#include "bodies/names.h"
#include "models.h"

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace pliant::test {

using namespace bodies;

namespace {

const char* const arm =
    R"(<mujoco><option timestep=".01" gravity="0 0 -1" integrator="RK4" cone="elliptic" impratio="7"><flag gravity="disable"/></option>
  <worldbody><geom name="foot" size=".1"/><body name="link" pos="0 0 1"><joint name="hinge" axis="0 1 0"/><geom name="rod" size=".1"/>
    <site name="tool" pos="0 0 .5" euler="90 0 0"/></body></worldbody>
  <actuator><position name="servo" joint="hinge"/></actuator><keyframe><key name="home" qpos=".3" ctrl=".2"/></keyframe></mujoco>)";

Body with_text(const std::string& name, const std::string& text) {
  Body body;
  body.name = name;
  body.text = text;
  return body;
}

// what() of the Error, which must have this code
std::string refusal(const std::vector<Body>& bodies, ErrorCode code, const BodyOptions& options = {}) {
  try {
    assemble(bodies, options);
  } catch (const Error& error) {
    EXPECT_EQ(name(error.code()), std::string(name(code))) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "not refused";
  return "";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("pliant_assemble_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_ / "a");
    std::filesystem::create_directories(path_ / "b");
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

TEST(assemble, parts_have_the_name_of_their_body_and_its_pose) {
  Body left = with_text("left", arm), right = with_text("right", arm);
  left.position = {1, 2, 3};
  right.position = {0, 0, 1};
  right.rotation = {std::sqrt(.5), 0, 0, std::sqrt(.5)};
  const Assembly assembly = assemble({left, right}, {});
  EXPECT_TRUE(assembly.warnings.empty()) << assembly.warnings[0];
  const mjModel* m = assembly.model.get();
  EXPECT_EQ(names_of(m, Part::joint), (std::vector<std::string>{"left/hinge", "right/hinge"}));
  EXPECT_EQ(names_of(m, Part::actuator), (std::vector<std::string>{"left/servo", "right/servo"}));

  Bodies bodies(assembly.model);
  bodies.data()->qpos[0] = bodies.data()->qpos[1] = 0;
  bodies.update_kinematics();
  const int rod = find_part(m, Part::geom, "left/rod"), foot = find_part(m, Part::geom, "left/foot");
  EXPECT_NEAR(bodies.geom_pose(rod).position[2], 4, 1e-15);
  EXPECT_NEAR(bodies.geom_pose(foot).position[1], 2, 1e-15);
  // turned by a quarter about z, the axis y of the joint points along -x
  const int hinge = find_part(m, Part::joint, "right/hinge");
  EXPECT_NEAR(bodies.data()->xaxis[3 * hinge], -1, 1e-15);
}

TEST(assemble, home_of_each_file_is_kept) {
  Bodies bodies(assemble({with_text("left", arm), with_text("right", arm)}, {}).model);
  EXPECT_EQ(bodies.data()->qpos[0], .3);
  EXPECT_EQ(bodies.data()->qpos[1], .3);
  EXPECT_EQ(bodies.data()->ctrl[1], .2);
}

TEST(assemble, a_body_rides_on_a_site) {
  Body hand = with_text("hand", arm);
  hand.attach_to = "arm/tool";
  hand.position = {0, .2, 0};
  const Assembly assembly = assemble({with_text("arm", arm), hand}, {});
  const mjModel* m = assembly.model.get();
  const int link = find_part(m, Part::body, "hand/link"), carrier = find_part(m, Part::body, "arm/link");
  EXPECT_EQ(m->body_parentid[link], carrier);
  // the site is turned by a quarter about x: its y is up, its z is -y; the hand's link is 1 along its z
  EXPECT_NEAR(m->body_pos[3 * link + 1], -1, 1e-12);
  EXPECT_NEAR(m->body_pos[3 * link + 2], .7, 1e-12);
}

TEST(assemble, options_of_the_scene_win_and_the_others_survive) {
  BodyOptions options;
  options.timestep = .004;
  options.gravity = {1, 2, 3};
  options.integrator = Integrator::implicitfast;
  const Assembly assembly = assemble({with_text("arm", arm)}, options);
  const mjOption& o = assembly.model->opt;
  EXPECT_EQ(o.timestep, .004);
  EXPECT_EQ(o.gravity[0], 1);
  EXPECT_EQ(o.gravity[2], 3);
  EXPECT_EQ(o.integrator, mjINT_IMPLICITFAST);
  EXPECT_EQ(o.disableflags & mjDSBL_GRAVITY, 0);
  EXPECT_EQ(o.cone, mjCONE_ELLIPTIC);
  EXPECT_EQ(o.impratio, 7);
}

TEST(assemble, one_body_at_the_origin_moves_as_its_file_bit_for_bit) {
  for (const TestModel& model : ten_models()) {
    Bodies ours = make_bodies(model.text, 2e-3);
    char error[500] = "";
    mjSpec* spec = mj_parseXMLString(model.text, nullptr, error, sizeof error);
    ASSERT_TRUE(spec) << error;
    spec->option.timestep = 2e-3;
    spec->option.integrator = mjINT_IMPLICITFAST;
    Bodies theirs(std::shared_ptr<mjModel>(mj_compile(spec, nullptr), mj_deleteModel));
    mj_deleteSpec(spec);
    for (int i = 0; i < 100; ++i) ours.step();
    for (int i = 0; i < 100; ++i) theirs.step();
    const mjData *a = ours.data(), *b = theirs.data();
    EXPECT_TRUE(std::equal(a->qpos, a->qpos + ours.model()->nq, b->qpos)) << model.name;
    EXPECT_TRUE(std::equal(a->qvel, a->qvel + ours.dofs(), b->qvel)) << model.name;
  }
}

TEST(assemble, no_bodies_make_an_empty_world) { EXPECT_EQ(assemble({}, {}).model->nv, 0); }

TEST(assemble, files_find_their_own_meshes) {
  const Folder folder;
  const std::string tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  const std::string larger = "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  const std::string text =
      "<mujoco><asset><mesh name='m' file='m.obj'/></asset><worldbody><body name='b'><freejoint/>"
      "<geom type='mesh' mesh='m' density='1000'/></body></worldbody></mujoco>";
  folder.write("a/m.obj", tetrahedron);
  folder.write("b/m.obj", larger);
  Body a, b;
  a.name = "a";
  a.file = folder.write("a/it.xml", text);
  b.name = "b";
  b.file = folder.write("b/it.xml", text);
  const Assembly assembly = assemble({a, b}, {});
  EXPECT_NEAR(assembly.model->body_mass[1], 1000. / 6, 1e-4);
  EXPECT_NEAR(assembly.model->body_mass[2], 8000. / 6, 1e-3);
}

std::string urdf(const std::string& ixx, const std::string& mesh) {
  return "<robot name='r'><link name='base'/><link name='l'><inertial><mass value='1'/><inertia ixx='" + ixx +
         "' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>" +
         (mesh.empty() ? "" : "<collision><geometry><mesh filename='" + mesh + "'/></geometry></collision>") +
         "</link><joint name='j' type='revolute'><parent link='base'/><child link='l'/><axis xyz='0 0 1'/>"
         "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>";
}

TEST(assemble, urdf_is_read) {
  const Folder folder;
  Body robot;
  robot.name = "robot";
  robot.file = folder.write("robot.urdf", urdf("1", ""));
  robot.position = {0, 0, 2};
  const Assembly assembly = assemble({robot}, {});
  EXPECT_EQ(names_of(assembly.model.get(), Part::joint), std::vector<std::string>{"robot/j"});

  robot.file = folder.write("ros.urdf", urdf("1", "package://robot/meshes/l.stl"));
  std::string text = refusal({robot}, ErrorCode::bad_file);
  EXPECT_TRUE(has(text, "ros.urdf") && has(text, "package://")) << text;

  robot.file = folder.write("inertia.urdf", urdf("9", ""));
  text = refusal({robot}, ErrorCode::bad_file);
  EXPECT_TRUE(has(text, "inertia.urdf") && has(text, "balanceinertia")) << text;
}

TEST(assemble, bad_files_are_named) {
  const Folder folder;
  Body good = with_text("good", arm), bad;
  bad.name = "bad";
  bad.file = folder / "missing.xml";
  std::string text = refusal({good, bad}, ErrorCode::bad_file);
  EXPECT_TRUE(has(text, "missing.xml") && has(text, "no such file")) << text;

  bad.file = folder.write("mug.stl", "solid");
  EXPECT_TRUE(has(refusal({bad}, ErrorCode::bad_file), "MJCF (.xml)"));

  const std::vector<std::pair<std::string, std::string>> texts = {
      {"<mujoco><worldbody><bod/></worldbody></mujoco>", "line 1"},
      {"<mujoco", "XML"},
      {"", "bad.xml"},
      {"<mujoco><worldbody><body name='light'><joint/></body></worldbody></mujoco>", "mass"},
      {"<mujoco><asset><mesh name='m' file='no.stl'/></asset><worldbody><geom type='mesh' "
       "mesh='m'/></worldbody></mujoco>",
       "no.stl"},
      {"<mujoco><include file='bad.xml'/></mujoco>", "included"},
      {"<mujoco><worldbody><geom name='a' size='1'/><geom name='a' size='1'/></worldbody></mujoco>",
       "repeated name 'a'"},
      {"<mujoco><worldbody><geom size='nan'/></worldbody></mujoco>", "bad.xml"},
      {"<mujoco><worldbody><body><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 "
       "9'/></body></worldbody></mujoco>",
       "no solid"},
  };
  for (const auto& [content, words] : texts) {
    bad.file = folder.write("bad.xml", content);
    text = refusal({good, bad}, ErrorCode::bad_file);
    EXPECT_TRUE(has(text, "bad.xml") && has(text, words)) << text;
  }
}

TEST(assemble, bad_scenes_are_refused_with_a_cure) {
  const Body good = with_text("arm", arm);
  EXPECT_TRUE(has(refusal({good, good}, ErrorCode::bad_input), "two bodies have this name"));
  EXPECT_TRUE(has(refusal({with_text("a/b", arm)}, ErrorCode::bad_input), "must not hold '/'"));
  Body bad = with_text("hand", arm);
  bad.attach_to = "arm/tol";
  EXPECT_TRUE(has(refusal({good, bad}, ErrorCode::bad_input), "did you mean 'arm/tool'?"));
  // a site of a body that comes later
  bad.attach_to = "arm/tool";
  EXPECT_TRUE(has(refusal({bad, good}, ErrorCode::bad_input), "no body before it has"));
  bad = good;
  bad.rotation = {1, 1, 0, 0};
  EXPECT_TRUE(has(refusal({bad}, ErrorCode::bad_input), "unit quaternion"));
  bad = good;
  bad.position[1] = NAN;
  EXPECT_TRUE(has(refusal({bad}, ErrorCode::bad_input), "position"));
  bad = good;
  bad.file = "x.xml";
  EXPECT_TRUE(has(refusal({bad}, ErrorCode::bad_input), "either a file or a text"));
  BodyOptions options;
  options.timestep = 0;
  EXPECT_TRUE(has(refusal({good}, ErrorCode::bad_input, options), "timestep"));
}

TEST(assemble, memory_that_no_machine_has_is_refused) {
  const Body greedy = with_text("arm", "<mujoco><size memory='1000G'/></mujoco>");
  EXPECT_TRUE(has(refusal({greedy}, ErrorCode::too_large), "1.07e+12 bytes"));
}

TEST(assemble, files_that_disagree_are_refused) {
  const Body other = with_text("other", "<mujoco><option cone='pyramidal' solver='CG'/></mujoco>");
  const std::string text = refusal({with_text("arm", arm), other}, ErrorCode::bad_file);
  EXPECT_TRUE(has(text, "cone") && has(text, "same value")) << text;
}

}  // namespace
}  // namespace pliant::test

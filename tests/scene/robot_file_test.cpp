// Files of robots that a scene names: what they name and ask for is found before MuJoCo opens them.
#include "scene/robot_file.h"

#include "geometry/meshes.h"
#include "pliant/scene_file.h"
#include "scene/xml_tags.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace pliant {

using namespace geometry;
using namespace scene;

namespace {

namespace fs = std::filesystem;

const fs::path repository = PLIANT_REPOSITORY;

// a scene in a folder of its own, so that there is an outside
class RobotFile : public testing::Test {
 protected:
  RobotFile() {
    fs::create_directories(folder.file("scene/sub"));
    folder.write("secret.obj", "v 0 0 0\n");
    folder.write("secret.xml", "<mujoco><worldbody/></mujoco>");
    folder.write("scene/part.obj", "v 0 0 0\n");
    folder.write("scene/sub/part2.obj", "v 0 0 0\n");
  }

  void write(const std::string& name, const std::string& xml) { folder.write("scene/" + name, xml); }

  std::string complaints(const std::string& keys, bool allow_outside = false) {
    SceneFileOptions options;
    options.allow_outside = allow_outside;
    const std::string scene =
        "pliant: 1\nmaterials: {jelly: {law: neo_hookean}}\n"
        "matter: {cube: {material: jelly, box: {size: [0.1, 0.1, 0.1]}}}\nbodies: {arm: {" +
        keys + "}}\n";
    const std::string name = folder.file("scene");
    std::string all;
    for (const Diagnostic& d : check_scene_text(scene, name, "a.yaml", options)) {
      std::string line = text(d);
      if (line.rfind(name + "/", 0) == 0) line.erase(0, name.size() + 1);
      all += line + "\n";
    }
    return all;
  }

  // of arm.xml with these elements
  std::string mjcf(const std::string& elements, bool allow_outside = false) {
    write("arm.xml", "<mujoco>\n" + elements + "\n</mujoco>\n");
    return complaints("file: arm.xml", allow_outside);
  }
  std::string mesh(const std::string& file) { return mjcf("<asset><mesh file=\"" + file + "\"/></asset>"); }

  TemporaryFolder folder;
};

void expect_part(const std::string& all, const std::string& part) {
  EXPECT_NE(all.find(part), std::string::npos) << "'" << part << "' is not in: " << all;
}

TEST_F(RobotFile, GoodOnesPass) {
  EXPECT_EQ(mesh("part.obj"), "");
  EXPECT_EQ(mesh("./sub/../part.obj"), "");
  EXPECT_EQ(mesh("sub\\part2.obj"), "");
  EXPECT_EQ(mesh("p&#x61;rt&#46;obj"), "");
  EXPECT_EQ(mjcf("<compiler meshdir='sub'/><asset><mesh file='part2.obj'/></asset>"), "");
  EXPECT_EQ(mjcf("<compiler assetdir='sub'/><asset><texture file='part2.obj'/></asset>"), "");
  EXPECT_EQ(mjcf("<compiler strippath='true'/><asset><mesh file='/far/away/part.obj'/></asset>"), "");
  EXPECT_EQ(mjcf("<!-- <include file='../../x'/> --><![CDATA[<mesh file='/x'/>]]><size memory='16M' nstack='-1'/>"),
            "");
  EXPECT_EQ(mjcf("<worldbody><replicate count='100'><replicate count='100'><geom size='1'/></replicate></replicate>"
                 "</worldbody>"),
            "");
}

// as MuJoCo looks for them: from the folder of the main file, else from that of the included one
TEST_F(RobotFile, IncludedFilesNameFilesFromTwoFolders) {
  write("sub/inner.xml", "<mujoco><asset><mesh file='part.obj'/><mesh file='part2.obj'/></asset></mujoco>");
  write("sub/middle.xml", "<mujoco><include file='inner.xml'/></mujoco>");
  EXPECT_EQ(mjcf("<include file='sub/middle.xml'/>"), "");
  write("sub/inner.xml", "<mujoco>\n<asset>\n<mesh file='none.obj'/></asset></mujoco>");
  EXPECT_EQ(
      mjcf("<include file='sub/middle.xml'/>").rfind("sub/inner.xml:3: body 'arm': mesh file 'none.obj' does not", 0),
      0u);
  // attached models have folders of their own
  write("sub/model.xml", "<mujoco><asset><mesh file='part2.obj'/></asset></mujoco>");
  EXPECT_EQ(mjcf("<compiler meshdir='x'/><asset><model name='m' file='sub/model.xml'/></asset>"), "");
  write("sub/model.xml", "<mujoco><asset><mesh file='part.obj'/></asset></mujoco>");
  expect_part(mjcf("<asset><model name='m' file='sub/model.xml'/></asset>"), "'part.obj' does not exist");
}

TEST_F(RobotFile, OutsideOnlyIfAllowed) {
  const std::string up = "<asset>\n<mesh name=\"a\" file=\"../secret.obj\"/></asset>";
  EXPECT_EQ(mjcf(up),
            "arm.xml:3: body 'arm': mesh file '../secret.obj' lies outside the scene's folder; move it below the "
            "folder of the scene, or allow files outside\n");
  EXPECT_EQ(mjcf(up, true), "");
  const std::string absolute = folder.file("secret.obj");
  for (const char* elements :
       {"<include file='../secret.xml'/>", "<asset><model file='../secret.xml'/></asset>",
        "<asset><texture file='../secret.obj'/></asset>", "<asset><texture fileback='../secret.obj'/></asset>",
        "<asset><hfield file='../secret.obj'/></asset>", "<deformable><skin file='../secret.obj'/></deformable>",
        "<worldbody><flexcomp file='../secret.obj'/></worldbody>", "<INCLUDE file='../secret.xml'/>",
        "<compiler meshdir='..'/><asset><mesh file='secret.obj'/></asset>",
        "<compiler texturedir='&#46;&#x2E;'/><asset><texture file='secret.obj'/></asset>",
        "<asset><mesh file='..&#47;secret.obj'/></asset>", "<asset><mesh file='..\\secret.obj'/></asset>",
        "<asset><mesh file='../none.obj'/></asset>", "<asset><mesh file='/etc/passwd'/></asset>"}) {
    expect_part(mjcf(elements), "lies outside");
  }
  expect_part(mesh(absolute), "lies outside");
  expect_part(mjcf("<compiler meshdir='" + folder.file("") + "'/><asset><mesh file='secret.obj'/></asset>"),
              "lies outside");
  fs::create_symlink("../secret.obj", folder.file("scene/link.obj"));
  expect_part(mesh("link.obj"), "lies outside");
  // any of several folders may be used
  expect_part(mjcf("<compiler meshdir='..'/><compiler meshdir='sub'/><asset><mesh file='secret.obj'/></asset>"),
              "lies outside");
}

TEST_F(RobotFile, NamesThatAreNoPaths) {
  for (const char* name : {"LoadModelFromString:&lt;mujoco/&gt;", "http://a/b.obj", "a&none;.obj", "a&#10;b.obj", "",
                           "&#0;", "C:\\a.obj"}) {
    expect_part(mesh(name), "is not the path of a file");
  }
  expect_part(mesh("/dev/zero"), "lies outside");
  expect_part(mesh("sub"), "does not exist");
}

TEST_F(RobotFile, Urdf) {
  const auto urdf = [&](const std::string& elements, const std::string& around = "collision") {
    write("arm.urdf", "<robot name='a'>\n<link name='b'><" + around + "><geometry>" + elements + "</geometry></" +
                          around + "></link></robot>");
    return complaints("file: arm.urdf");
  };
  EXPECT_EQ(urdf("<mesh filename='part.obj'/>"), "");
  // folders are stripped, and what is only seen is not opened
  EXPECT_EQ(urdf("<mesh filename='package://robot/part.obj'/>"), "");
  EXPECT_EQ(urdf("<mesh filename='../secret.dae'/>", "visual"), "");
  expect_part(urdf("<mesh filename='none.obj'/>"), "arm.urdf:2: body 'arm': mesh file 'none.obj' does not exist");
  const std::string keeps = "<mujoco><compiler strippath='false' discardvisual='false'/></mujoco>";
  expect_part(urdf(keeps + "<mesh filename='../secret.obj'/>"), "lies outside");
  expect_part(urdf(keeps + "<mesh filename='../secret.obj'/>", "visual"), "lies outside");
  expect_part(urdf(keeps + "<mesh filename='package://a/part.obj'/>"), "is not the path of a file");
}

TEST_F(RobotFile, Amounts) {
  const auto body = [&](const std::string& elements) { return mjcf("<worldbody>" + elements + "</worldbody>"); };
  EXPECT_EQ(body("<replicate count='1000000000'><geom/></replicate>"),
            "arm.xml:2: body 'arm': this replicate makes 1e+09 parts, the limit is 1e+06; give smaller counts\n");
  std::string nested = "<geom/>";
  for (int i = 0; i < 5; ++i) nested = "<replicate count='100'>" + nested + "</replicate>";
  expect_part(body(nested), "this replicate makes 1e+08 parts");
  expect_part(body("<composite count='1000 1000 10'/>"), "makes 1e+07 parts");
  expect_part(body("<flexcomp count='1000 1000 10'/>"), "makes 1e+07 parts");
  expect_part(body("<flexcomp cellcount='1000 1000 10'/>"), "makes 1e+07 parts");
  expect_part(body("<replicate count='0x3B9ACA00'><geom/></replicate>"), "count of replicate is '0x3B9ACA00'");
  expect_part(mjcf("<asset><mesh builtin='supersphere' params='100000 1 1'/></asset>"), "makes 1e+10 parts");
  expect_part(mjcf("<asset><mesh builtin='grid' params='1000 1000 1000 1 1 1'/></asset>"), "makes 1e+09 parts");
  expect_part(mjcf("<size memory='1000G'/>"), "ask for 1.07e+12 bytes, max_memory is 8589934592");
  expect_part(mjcf("<size memory='lots'/>"), "memory of size is 'lots'; give bytes, like 16M");
  expect_part(mjcf("<size njmax='1000000'/>"), "ask for 5.2e+13 bytes");
  expect_part(mjcf("<size nkey='2000000'/>"), "size asks for 2e+06 key frames or user values");
  expect_part(mjcf("<asset><hfield nrow='100000' ncol='100000'/></asset>"), "ask for 8e+10 bytes");
  expect_part(mjcf("<asset><texture builtin='flat' width='100000'/></asset>"), "ask for 2.4e+11 bytes");
  expect_part(mjcf("<custom><numeric size='2000000000'/></custom>"), "ask for 1.6e+10 bytes");
  expect_part(mjcf("<sensor><user dim='2000000000'/></sensor>"), "ask for 1.6e+10 bytes");
}

TEST_F(RobotFile, PicturesThatUnpackToMuch) {
  std::string png("\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\1\0\0\0\1\0\0\10\6", 26);
  write("big.png", png);
  expect_part(mjcf("<asset><texture type='2d' file='big.png'/></asset>"), "ask for 1.72e+10 bytes");
}

// each attaches the one before ten times
TEST_F(RobotFile, ModelsThatMultiply) {
  write("m0.xml", "<mujoco><worldbody><body name='b'/></worldbody></mujoco>");
  const auto attach = [](int number, bool with_name) {
    std::string xml = fmt::format("<mujoco><asset><model {} file='m{}.xml'/></asset><worldbody><body name='b'>",
                                  with_name ? "name='m'" : "", number);
    for (int i = 0; i < 10; ++i) xml += fmt::format("<attach model='m' body='b' prefix='{}'/>", i);
    return xml + "</body></worldbody></mujoco>";
  };
  for (int i = 1; i <= 7; ++i) write(fmt::format("m{}.xml", i), attach(i - 1, i % 2 == 0));
  EXPECT_EQ(complaints("file: m4.xml"), "");
  expect_part(complaints("file: m7.xml"), "makes ");
  write("m0.xml", attach(1, true));
  expect_part(complaints("file: m3.xml"), "is named twice, or names itself");
}

TEST_F(RobotFile, ModelsThatAreNotAttached) {
  write("m.xml", "<mujoco><worldbody><replicate count='300000'><geom/></replicate></worldbody></mujoco>");
  std::string models;
  for (int i = 0; i < 4; ++i) models += fmt::format("<model name='{}' file='m.xml'/>", i);
  expect_part(mjcf("<asset>" + models + "</asset>"), "the robots of the scene have 1.2e+06 parts");
}

TEST_F(RobotFile, IncludesThatNeverEnd) {
  expect_part(mjcf("<include file='arm.xml'/>"),
              "arm.xml:2: body 'arm': file 'arm.xml' is named twice, or names itself");
  for (int i = 0; i < 70; ++i) write(fmt::format("i{}.xml", i), fmt::format("<a><include file='i{}.xml'/></a>", i + 1));
  expect_part(mjcf("<include file='i0.xml'/>"), "includes are nested more than 8 deep");
  std::string many;
  for (int i = 0; i < 70; ++i) {
    write(fmt::format("i{}.xml", i), "<a><b/></a>");
    many += fmt::format("<include file='i{}.xml'/>", i);
  }
  expect_part(mjcf(many), "it is made of more than 64 files");
}

TEST_F(RobotFile, LimitsOfXml) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<body>";
  expect_part(mjcf(deep), "nested more than 256 deep");
  std::string wide;
  for (int i = 0; i < 200'000; ++i) wide += "<b/>";
  expect_part(mjcf(wide), "has more than 200000 elements");
  std::string rich = "<geom";
  for (int i = 0; i < 100'000; ++i) rich += fmt::format(" a{}=''", i);
  expect_part(mjcf(rich + "/>"), "more than 200 attributes");
  // a hole, so that it takes no room
  write("arm.xml", "<mujoco/>");
  fs::resize_file(folder.file("scene/arm.xml"), std::uintmax_t(2) << 30);
  expect_part(complaints("file: arm.xml"), "file 'arm.xml' has 2147483648 bytes, the limit is 33554432");
  write("arm.xml", "");
  expect_part(complaints("file: arm.xml"), "it holds no XML element");
  write("huge.obj", "");
  fs::resize_file(folder.file("scene/huge.obj"), std::uintmax_t(2) << 30);
  expect_part(mesh("huge.obj"), "mesh file 'huge.obj' has 2147483648 bytes");
}

TEST_F(RobotFile, Texts) {
  EXPECT_EQ(complaints("text: \"<mujoco><worldbody/></mujoco>\""), "");
  EXPECT_EQ(
      complaints("text: \"<mujoco>\\n<asset><mesh file='part.obj'/></asset></mujoco>\""),
      "a.yaml:4: body 'arm': line 2 of its text: mesh file 'part.obj' cannot be found: a text has no folder; keep "
      "the robot in a file of its own\n");
  EXPECT_EQ(
      complaints("text: \"<mujoco><asset><mesh file='" + folder.file("scene/part.obj") + "'/></asset></mujoco>\""), "");
  expect_part(complaints("text: \"<mujoco><asset><mesh file='/etc/passwd'/></asset></mujoco>\""), "lies outside");
  expect_part(complaints("text: \"<mujoco><worldbody><replicate count='1e9'/></worldbody></mujoco>\""),
              "this replicate makes 1e+09 parts");
  expect_part(complaints("text: hello"), "line 1 of its text: it holds no XML element");
  expect_part(complaints("text: <scene/>"), "its first element is 'scene'");
}

TEST_F(RobotFile, ManyBodiesOfOneFile) {
  std::string geoms;
  for (int i = 0; i < 2000; ++i) geoms += "<geom/>";
  write("arm.xml", "<mujoco>" + geoms + "</mujoco>");
  std::string bodies = "file: arm.xml}";
  for (int i = 0; i < 600; ++i) bodies += fmt::format(", b{}: {{file: arm.xml}}", i);
  bodies.pop_back();
  expect_part(complaints(bodies), "the robots of the scene have 1e+06 parts, the limit is 1e+06");
}

TEST(XmlTags, WhatIsNotXml) {
  const auto problem = [](const std::string& text) {
    std::vector<XmlTag> tags;
    XmlProblem found;
    return read_xml_tags(text, {}, {}, tags, found) ? "" : fmt::format("{}: {}", found.line, found.message);
  };
  EXPECT_EQ(problem("<a b='>' c = \"<d/>\"d='' ><e/>text</a>"), "");
  EXPECT_EQ(problem("\n<a>\n<b></a>"), "3: this is not XML: '</a>' closes what is not open");
  EXPECT_EQ(problem("\n<a>\n"), "2: element 'a' is not closed");
  EXPECT_EQ(problem("<a\n b/>"), "2: this is not XML: attribute 'b' has no value");
  EXPECT_EQ(problem("<a b=c/>"), "1: this is not XML: the value of 'b' has no quotes");
  EXPECT_EQ(problem("<a b='c/>"), "1: this is not XML: the value of 'b' has no end");
  EXPECT_EQ(problem("<a b='' b=''/>"), "1: this is not XML: attribute 'b' is given twice");
  EXPECT_EQ(problem("<a <b/>"), "1: this is not XML: element 'a' does not end in '>'");
  EXPECT_EQ(problem("<a/><!-- "), "1: this is not XML: '-->' is missing");
  EXPECT_EQ(problem("< a/>"), "1: this is not XML: a name is missing");
  EXPECT_EQ(problem("<a/>\n<"), "2: this is not XML: a name is missing");
  EXPECT_EQ(problem(std::string("<a/>\0", 5)), "1: it holds a zero byte");
}

// --- robots that people made ---

std::string complaints_of(const fs::path& folder, int& count) {
  std::string all;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".xml" && entry.path().extension() != ".urdf") continue;
    const std::string yaml = "pliant: 1\nbodies: {robot: {file: " + entry.path().string() + "}}\n";
    for (const Diagnostic& d : check_scene_text(yaml, folder.string(), "a.yaml")) {
      if (d.message.rfind("body", 0) == 0) all += text(d) + "\n";
    }
    ++count;
  }
  return all;
}

TEST(RobotFiles, OfTheHousePass) {
  int count = 0;
  EXPECT_EQ(complaints_of(repository / "models", count), "");
  EXPECT_GE(count, 8);
}

TEST(RobotFiles, OfOthersPass) {
  fs::path folder;
  for (const auto& python : fs::directory_iterator(repository / ".venv/lib"))
    folder = python.path() / "site-packages/gymnasium/envs/mujoco/assets";
  ASSERT_TRUE(fs::is_directory(folder)) << "gymnasium is missing in .venv; run tools/setup";
  int count = 0;
  EXPECT_EQ(complaints_of(folder, count), "");
  EXPECT_GE(count, 10);
}

}  // namespace
}  // namespace pliant

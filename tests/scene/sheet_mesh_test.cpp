// Sheets of cloth: made here, read from files, and refused by name.
#include "scene/sheet_mesh.h"

#include "geometry/meshes.h"
#include "scene/errors.h"

#include <numeric>

namespace pliant {

using namespace geometry;
using namespace scene;

namespace {

Shape sheet(Vec3 size, double spacing) {
  Shape shape;
  shape.kind = Shape::Kind::cloth;
  shape.size = size;
  shape.spacing = spacing;
  return shape;
}

Shape file_sheet(const std::string& file) {
  Shape shape = sheet({1, 1, 1}, 0);
  shape.mesh_file = file;
  return shape;
}

// two triangles of a unit square
Triangles square() {
  Triangles t;
  t.vertices = {{{0, 0, 0}}, {{1, 0, 0}}, {{1, 1, 0}}, {{0, 1, 0}}};
  t.faces = {{0, 1, 2}, {0, 2, 3}};
  return t;
}

TEST(SheetMesh, RectangleHasItsSizeAndMass) {
  Shape shape = sheet({0.4, 0.2, 1}, 0.05);
  shape.center = {1, 2, 3};
  shape.rotation = {std::sqrt(0.5), 0, std::sqrt(0.5), 0};  // a quarter turn about y: x becomes -z
  const SheetMesh mesh = sheet_mesh(shape, 0.1);
  EXPECT_EQ(mesh.vertices.size(), 9u * 5);
  EXPECT_EQ(mesh.triangles.size(), 2u * 8 * 4);
  for (const Vec3& x : mesh.vertices) {
    EXPECT_NEAR(x[0], 1, 1e-15);
    EXPECT_LE(std::fabs(x[1] - 2), 0.1 + 1e-15);
    EXPECT_LE(std::fabs(x[2] - 3), 0.2 + 1e-15);
  }
  const Samples samples = sheet_samples(mesh, 1e-3, 0.5);
  EXPECT_EQ(samples.positions.size(), mesh.vertices.size() + mesh.triangles.size());
  EXPECT_NEAR(std::accumulate(samples.volumes.begin(), samples.volumes.end(), 0.0), 0.4 * 0.2 * 1e-3, 1e-18);
  EXPECT_NEAR(std::accumulate(samples.volumes.begin() + 45, samples.volumes.end(), 0.0), 0.5 * 0.4 * 0.2 * 1e-3, 1e-18);
  // without a spacing: the cell
  EXPECT_EQ(sheet_mesh(sheet({0.4, 0.2, 1}, 0), 0.1).vertices.size(), 5u * 3);
}

TEST(SheetMesh, FilesKeepTheirOrderAndStlIsWelded) {
  const TemporaryFolder folder;
  Shape obj = file_sheet(folder.write("a.obj", obj_text(square())));
  obj.mesh_scale = 0.5;
  const SheetMesh a = sheet_mesh(obj, 0.1);
  const std::vector<Vec3> corners = {{0, 0, 0}, {0.5, 0, 0}, {0.5, 0.5, 0}, {0, 0.5, 0}};
  EXPECT_EQ(a.vertices, corners);
  const std::vector<std::array<std::uint32_t, 3>> faces = {{0, 1, 2}, {0, 2, 3}};
  EXPECT_EQ(a.triangles, faces);
  EXPECT_EQ(sheet_mesh(file_sheet(folder.write("a.stl", ascii_stl_text(square()))), 0.1).vertices.size(), 4u);
}

TEST(SheetMesh, BadFilesAreNamed) {
  const TemporaryFolder folder;
  const auto refused = [&](const Triangles& t, const std::vector<std::string>& said) {
    const Shape shape = file_sheet(folder.write("bad.obj", obj_text(t)));
    expect_error(ErrorCode::bad_file, said, [&] { sheet_mesh(shape, 0.1); });
  };
  Triangles fan = square();
  fan.vertices.push_back({{0.5, 0.5, 1}});
  fan.faces.push_back({0, 2, 4});
  refused(fan, {"bad.obj:10", "more than two triangles", "(0 0 0) to (1 1 0)"});
  Triangles flat = square();
  flat.vertices.push_back({{2, 0, 0}});
  flat.faces.push_back({0, 1, 4});
  refused(flat, {"bad.obj:10", "no area"});
  Triangles folded = square();
  folded.faces.push_back({1, 2, 1});
  refused(folded, {"bad.obj"});
  Triangles lonely = square();
  lonely.vertices.push_back({{2, 0, 0}});
  refused(lonely, {"bad.obj", "vertex 5 at (2 0 0)", "no triangle"});
  Triangles empty = square();
  empty.faces.clear();
  refused(empty, {"bad.obj"});
  expect_error(ErrorCode::too_large, {"particles", "larger spacing"}, [] {
    sheet_mesh(sheet({1, 1, 1}, 1e-3), 0.1, 1000);
  });
}

// a scene with a good sheet
Scene sheet_scene() {
  Scene scene;
  Material cotton;
  cotton.name = "cotton", cotton.law = Law::cloth;
  scene.materials = {cotton};
  Matter matter;
  matter.name = "towel", matter.material = "cotton";
  matter.shape = sheet({0.4, 0.4, 1}, 0.04);
  matter.pins = {{"left", {0, 0, 0}, 0.1}};
  scene.matter = {matter};
  return scene;
}

TEST(SheetMesh, ScenesAreChecked) {
  EXPECT_NO_THROW(check(sheet_scene()));
  const auto refused = [&](auto spoil, const std::vector<std::string>& said) {
    Scene scene = sheet_scene();
    spoil(scene);
    expect_error(ErrorCode::bad_input, said, [&] { check(scene); });
  };
  refused([](Scene& s) { s.materials[0].law = Law::sand; }, {"matter 'towel'", "law sand", "go together"});
  refused([](Scene& s) { s.matter[0].shape.kind = Shape::Kind::box; }, {"matter 'towel'", "law cloth", "go together"});
  refused([](Scene& s) { s.step.method = Method::strong; }, {"matter 'towel'", "strong", "method: async"});
  refused([](Scene& s) { s.matter[0].shape.thickness = 0; }, {"matter 'towel'", "thickness", "0 m"});
  refused([](Scene& s) { s.matter[0].shape.size[1] = -1; }, {"matter 'towel'", "size"});
  refused([](Scene& s) { s.matter[0].pins[0].radius = 0; }, {"matter 'towel', pin 'left'", "radius"});
  refused([](Scene& s) { s.matter[0].pins.push_back(s.matter[0].pins[0]); }, {"pin 'left'", "twice"});
  refused([](Scene& s) { s.materials[0].friction = NAN; }, {"material 'cotton'", "friction"});
  refused([](Scene& s) { s.dimension = 2, s.step.gravity = {0, -9.81, 0}; }, {"matter 'towel'", "3-D only"});
}

}  // namespace
}  // namespace pliant

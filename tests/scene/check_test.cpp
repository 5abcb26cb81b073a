// A scene with one thing wrong gets the named error, and a text with part, value, unit and cure.
#include "pliant/scene.h"

#include "geometry/meshes.h"
#include "scene/errors.h"

#include <functional>
#include <limits>

namespace pliant {

using namespace geometry;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

Scene good_scene(int dimension = 3) {
  Scene scene;
  scene.dimension = dimension;
  if (dimension == 2) scene.step.gravity = {0, -9.81, 0};
  Material jelly;
  jelly.name = "jelly";
  scene.materials = {jelly};
  Matter dough;
  dough.name = "dough";
  dough.material = "jelly";
  dough.sampling.surface_layer = SurfaceLayer::no;  // counts below are those of the volume
  scene.matter = {dough};
  Boundary floor;
  floor.name = "floor";
  floor.normal = dimension == 3 ? Vec3{0, 0, 1} : Vec3{0, 1, 0};
  scene.boundaries = {floor};
  return scene;
}

struct Bad {
  std::function<void(Scene&)> spoil;
  std::vector<std::string> said;
};

void expect_all(const std::vector<Bad>& list, int dimension, ErrorCode code = ErrorCode::bad_input) {
  for (const Bad& bad : list) {
    Scene scene = good_scene(dimension);
    bad.spoil(scene);
    expect_error(code, bad.said, [&] { check(scene); });
  }
}

Shape& shape(Scene& s, Shape::Kind kind) {
  s.matter[0].shape.kind = kind;
  return s.matter[0].shape;
}

Boundary& boundary(Scene& s, Boundary::Kind kind) {
  s.boundaries[0].kind = kind;
  return s.boundaries[0];
}

TEST(CheckScene, GoodScenesPass) {
  for (const int dimension : {2, 3}) {
    EXPECT_NO_THROW(check(good_scene(dimension)));
    Scene scene = good_scene(dimension);
    scene.matter[0].points = {{0, 0, 0}, {1, 1, 0}};
    scene.matter[0].point_volume = 1e-6;
    // a shape that is not used may be anything
    scene.matter[0].shape.size = {-1, nan, 0};
    EXPECT_NO_THROW(check(scene));
    scene.step.substeps = scene.step.max_substeps = 7;
    scene.step.courant = 1;
    scene.boundaries.clear();
    EXPECT_NO_THROW(check(scene));
  }
  // within the tolerance of a unit quaternion
  Scene scene = good_scene();
  scene.matter[0].shape.rotation = {1 + 9e-7, 0, 0, 0};
  EXPECT_NO_THROW(check(scene));
}

TEST(CheckScene, Step) {
  expect_all(
      {
          {[](Scene& s) { s.dimension = 4; }, {"scene", "dimension is 4", "use 2 or 3"}},
          {[](Scene& s) { s.precision = Precision(9); }, {"scene", "precision 9"}},
          {[](Scene& s) { s.step.dt = 0; }, {"step", "dt is 0 s", "positive"}},
          {[](Scene& s) { s.step.dt = nan; }, {"step", "dt is nan s"}},
          {[](Scene& s) { s.step.cell = 0; }, {"step", "cell is 0 m", "positive"}},
          {[](Scene& s) { s.step.cell = inf; }, {"cell is inf m"}},
          {[](Scene& s) { s.step.gravity[1] = nan; }, {"step", "gravity is (0 nan -9.81) m/s^2", "finite"}},
          {[](Scene& s) { s.step.courant = 0; }, {"courant is 0", "up to 1"}},
          {[](Scene& s) { s.step.courant = 1.01; }, {"courant is 1.01"}},
          {[](Scene& s) { s.step.courant = nan; }, {"courant is nan"}},
          {[](Scene& s) { s.step.max_substeps = 0; }, {"max_substeps is 0", "1 or more"}},
          {[](Scene& s) { s.step.substeps = -1; }, {"substeps is -1", "automatic"}},
          {[](Scene& s) { s.step.substeps = 1001; }, {"substeps is 1001", "max_substeps 1000"}},
          {[](Scene& s) { s.step.kernel = Kernel(3); }, {"step", "kernel 3"}},
          {[](Scene& s) { s.step.transfer = Transfer(-1); }, {"step", "transfer -1"}},
          {[](Scene& s) { s.step.method = Method(3); }, {"step", "method 3"}},
          {[](Scene& s) { s.step.tolerance = 9e-11; }, {"step", "tolerance is 9e-11", "1e-10 to 1"}},
          {[](Scene& s) { s.step.tolerance = 1.01; }, {"step", "tolerance is 1.01"}},
          {[](Scene& s) { s.step.tolerance = nan; }, {"step", "tolerance is nan"}},
          {[](Scene& s) { s.step.max_iterations = 0; }, {"step", "max_iterations is 0", "1 or more"}},
          {[](Scene& s) { s.step.budget = 0; }, {"step", "budget is 0", "1 or more"}},
          {[](Scene& s) { s.step.max_cuts = -1; }, {"step", "max_cuts is -1", "0 to 10"}},
          {[](Scene& s) { s.step.max_cuts = 11; }, {"step", "max_cuts is 11"}},
          {[](Scene& s) { s.step.mass_damping = -1; }, {"step", "mass_damping is -1 1/s", "not negative"}},
          {[](Scene& s) { s.step.stiffness_damping = NAN; }, {"step", "stiffness_damping is nan s", "not negative"}},
      },
      3);
}

ContactPair& pair(Scene& s) {
  s.contact.pairs = {{"", "arm"}};
  return s.contact.pairs[0];
}

Actuator& actuator(Scene& s) {
  s.actuators = {{"pull", s.matter[0].name}};
  return s.actuators[0];
}

TEST(CheckScene, Actuators) {
  expect_all({{[](Scene& s) { actuator(s).name = ""; }, {"actuator 1", "name is empty"}},
              {[](Scene& s) { actuator(s).matter = "tail"; }, {"actuator 'pull'", "matter 'tail' does not exist"}},
              {[](Scene& s) { actuator(s).name = s.matter[0].name; }, {"a piece of matter has this name", "rename"}},
              {[](Scene& s) {
                 actuator(s).direction = {0, nan, 0};
               },
               {"actuator 'pull'", "direction is (0 nan 0)"}},
              {[](Scene& s) { actuator(s).strength = inf; }, {"actuator 'pull'", "strength is inf Pa"}},
              {[](Scene& s) { actuator(s), s.actuators.push_back(s.actuators[0]); }, {"'pull'", "used twice"}}},
             3);
  expect_all({{[](Scene& s) { actuator(s).direction = {0, 1, 1}; }, {"actuator 'pull'", "direction"}}}, 2);
  Scene scene = good_scene();
  actuator(scene).direction = {0, 3, 4};
  EXPECT_NO_THROW(check(scene));
}

TEST(CheckScene, Contact) {
  expect_all(
      {
          {[](Scene& s) { s.contact.law = Contact::Law(2); }, {"contact", "law 2"}},
          {[](Scene& s) { s.contact.friction = nan; }, {"contact", "friction is nan", "0 or more"}},
          {[](Scene& s) { s.contact.stiffness = -1; }, {"contact", "stiffness is -1 N/m^3", "0 or more"}},
          {[](Scene& s) { s.contact.stiffness = inf; }, {"contact", "stiffness is inf N/m^3"}},
          {[](Scene& s) { s.contact.dissipation = -2; }, {"contact", "dissipation is -2 s/m", "0 or more"}},
          {[](Scene& s) { s.contact.relaxation = nan; }, {"contact", "relaxation is nan s"}},
          {[](Scene& s) { s.contact.stiction = 0; }, {"contact", "stiction is 0 m/s", "positive"}},
          {[](Scene& s) { pair(s).friction = inf; }, {"contact of all and 'arm'", "friction is inf"}},
          {[](Scene& s) { pair(s).stiffness = -1; }, {"contact of all and 'arm'", "stiffness is -1 N/m^3"}},
          {[](Scene& s) { pair(s).dissipation = nan; }, {"contact of all and 'arm'", "dissipation is nan s/m"}},
          {[](Scene& s) { pair(s).matter = "jam"; }, {"contact of 'jam' and 'arm'", "matter 'jam' does not exist"}},
      },
      3);
  Scene scene = good_scene();
  scene.contact.pairs = {{}, {"dough", "arm"}, {"dough", "", 0, 0, -7}, {"d*", "a*"}};
  EXPECT_NO_THROW(check(scene));
}

TEST(CheckScene, Expect) {
  expect_all(
      {
          {[](Scene& s) {
             s.expect = {{"rests", "dough", "speed", {}, {}, 2, 1}};
           },
           {"expect 'rests'", "min 2 is above max 1"}},
          {[](Scene& s) {
             s.expect = {{"", "dough", "speed", {}, {}, nan, 1}};
           },
           {"expect 'speed'"}},
      },
      3);
  Scene scene = good_scene();
  scene.expect = {{"rests", "dough", "speed", {}, {}, -1e300, 1e-3}, {"is measured", "dough", "speed"}};
  EXPECT_NO_THROW(check(scene));
}

TEST(CheckScene, NamesAndMaterials) {
  expect_all(
      {
          {[](Scene& s) { s.matter.clear(); }, {"no matter", "add"}},
          {[](Scene& s) { s.matter[0].name = ""; }, {"matter 1", "name is empty"}},
          {[](Scene& s) { s.matter.push_back(s.matter[0]); }, {"matter 'dough'", "used twice", "rename"}},
          {[](Scene& s) { s.materials[0].name = ""; }, {"material 1", "name is empty"}},
          {[](Scene& s) { s.materials.push_back(s.materials[0]); }, {"material 'jelly'", "used twice"}},
          {[](Scene& s) { s.boundaries[0].name = ""; }, {"boundary 1", "name is empty"}},
          {[](Scene& s) { s.boundaries.push_back(s.boundaries[0]); }, {"boundary 'floor'", "used twice"}},
          {[](Scene& s) { s.matter[0].material = "jam"; }, {"matter 'dough'", "'jam'", "the scene has 'jelly'"}},
          {[](Scene& s) { s.materials.clear(); }, {"matter 'dough'", "'jelly'", "no materials"}},
          {[](Scene& s) { s.materials[0].density = -1; }, {"material 'jelly'", "density is -1 kg/m^3"}},
      },
      3);
}

TEST(CheckScene, MatterAndSampling) {
  expect_all(
      {
          {[](Scene& s) { s.matter[0].velocity[0] = inf; }, {"matter 'dough'", "velocity is (inf 0 0) m/s"}},
          {[](Scene& s) { s.matter[0].angular_velocity[2] = nan; }, {"matter 'dough'", "angular_velocity", "rad/s"}},
          {[](Scene& s) { s.matter[0].point_volume = 1; }, {"matter 'dough'", "point_volume is 1 m^3", "no points"}},
          {[](Scene& s) {
             s.matter[0].points = {{0, 0, 0}};
           },
           {"matter 'dough'", "point_volume is 0 m^3", "positive"}},
          {[](Scene& s) {
             s.matter[0].points = {{0, 0, 0}, {0, nan, 0}}, s.matter[0].point_volume = 1;
           },
           {"matter 'dough'", "point 1 is (0 nan 0) m"}},
          {[](Scene& s) { s.matter[0].sampling.particles_per_cell = 0; },
           {"matter 'dough'", "particles_per_cell is 0"}},
          {[](Scene& s) { s.matter[0].sampling.particles_per_cell = nan; }, {"particles_per_cell is nan"}},
          {[](Scene& s) { s.matter[0].sampling.jitter = 1.5; }, {"matter 'dough'", "jitter is 1.5", "0 to 1"}},
          {[](Scene& s) { s.matter[0].sampling.jitter = nan; }, {"jitter is nan"}},
          {[](Scene& s) { s.matter[0].sampling.method = Sampling::Method(3); }, {"matter 'dough'", "method 3"}},
      },
      3);
}

TEST(CheckScene, Shapes) {
  using Kind = Shape::Kind;
  expect_all(
      {
          {[](Scene& s) { shape(s, Kind(6)); }, {"matter 'dough'", "kind 6"}},
          {[](Scene& s) { shape(s, Kind::box).center[2] = nan; }, {"matter 'dough'", "center is (0 0 nan) m"}},
          {[](Scene& s) { shape(s, Kind::box).size[2] = 0; }, {"matter 'dough'", "size is 0 m", "positive"}},
          {[](Scene& s) {
             shape(s, Kind::box).size = {1e-200, 1e-200, 1e-200};
           },
           {"matter 'dough'", "volume of 0 m^3"}},
          {[](Scene& s) { shape(s, Kind::sphere).radius = -0.1; }, {"matter 'dough'", "radius is -0.1 m"}},
          {[](Scene& s) { shape(s, Kind::cylinder).radius = nan; }, {"radius is nan m"}},
          {[](Scene& s) { shape(s, Kind::cylinder).length = 0; }, {"length is 0 m"}},
          {[](Scene& s) { shape(s, Kind::capsule).radius = 0; }, {"radius is 0 m"}},
          {[](Scene& s) { shape(s, Kind::capsule).length = inf; }, {"length is inf m"}},
          {[](Scene& s) {
             shape(s, Kind::box).rotation = {1, 0.01, 0, 0};
           },
           {"matter 'dough'", "quaternion of length 1.00004999"}},
          {[](Scene& s) {
             shape(s, Kind::box).rotation = {0, 0, 0, 0};
           },
           {"quaternion of length 0", "divide"}},
          {[](Scene& s) {
             shape(s, Kind::box).rotation = {nan, 0, 0, 0};
           },
           {"quaternion of length nan"}},
          {[](Scene& s) { shape(s, Kind::mesh); }, {"matter 'dough'", "mesh_file is empty", ".stl or .obj"}},
          {[](Scene& s) { shape(s, Kind::mesh).mesh_scale = 0; }, {"mesh_scale is 0"}},
      },
      3);
}

TEST(CheckScene, MeshFiles) {
  const TemporaryFolder folder;
  Scene scene = good_scene();
  Shape& mesh = shape(scene, Shape::Kind::mesh);
  mesh.mesh_file = folder.write("a.obj", obj_text(torus(1, 0.4, 20, 10)));
  EXPECT_NO_THROW(check(scene));
  mesh.mesh_scale = 1e-200;
  expect_error(ErrorCode::bad_file, {"matter 'dough'", "a.obj", "encloses 0 m^3"}, [&] { check(scene); });
  mesh.mesh_scale = 1e6;
  expect_error(ErrorCode::too_large, {"matter 'dough'", "max_particles"}, [&] { check(scene); });
  mesh.mesh_scale = 1;
  mesh.mesh_file = folder.write("bad.obj", "v 0 0 0\nf 1 2 3\n");
  expect_error(ErrorCode::bad_file, {"matter 'dough'", "bad.obj:2:", "vertex 2"}, [&] { check(scene); });
  mesh.mesh_file = folder.file("missing.stl");
  expect_error(ErrorCode::bad_file, {"matter 'dough'", "missing.stl", "check the path"}, [&] { check(scene); });
}

TEST(CheckScene, Boundaries) {
  using Kind = Boundary::Kind;
  expect_all(
      {
          {[](Scene& s) { boundary(s, Kind(4)); }, {"boundary 'floor'", "kind 4"}},
          {[](Scene& s) { s.boundaries[0].condition = Boundary::Condition(3); }, {"boundary 'floor'", "condition 3"}},
          {[](Scene& s) { s.boundaries[0].friction = -0.5; }, {"boundary 'floor'", "friction is -0.5", "0 or more"}},
          {[](Scene& s) { s.boundaries[0].friction = nan; }, {"friction is nan"}},
          {[](Scene& s) { s.boundaries[0].friction = inf; }, {"friction is inf"}},
          {[](Scene& s) { s.boundaries[0].center[0] = nan; }, {"boundary 'floor'", "center is (nan 0 0) m"}},
          {[](Scene& s) { s.boundaries[0].velocity[0] = inf; }, {"boundary 'floor'", "velocity is (inf 0 0) m/s"}},
          {[](Scene& s) {
             s.boundaries[0].normal = {0, 0, 0};
           },
           {"boundary 'floor'", "normal (0 0 0)", "direction"}},
          {[](Scene& s) {
             s.boundaries[0].normal = {0, nan, 0};
           },
           {"boundary 'floor'", "normal is (0 nan 0)"}},
          {[](Scene& s) {
             boundary(s, Kind::cylinder).normal = {0, 0, 0};
           },
           {"boundary 'floor'", "normal (0 0 0)"}},
          {[](Scene& s) { boundary(s, Kind::cylinder).length = 0; }, {"boundary 'floor'", "length is 0 m"}},
          {[](Scene& s) { boundary(s, Kind::cylinder).radius = 0; }, {"boundary 'floor'", "radius is 0 m"}},
          {[](Scene& s) { boundary(s, Kind::sphere).radius = nan; }, {"boundary 'floor'", "radius is nan m"}},
          {[](Scene& s) { boundary(s, Kind::box).size[1] = -2; }, {"boundary 'floor'", "size is -2 m"}},
          {[](Scene& s) {
             boundary(s, Kind::box).rotation = {2, 0, 0, 0};
           },
           {"boundary 'floor'", "length 2"}},
      },
      3);
}

TEST(CheckScene, InThePlane) {
  using Kind = Shape::Kind;
  expect_all(
      {
          {[](Scene& s) {
             s.step.gravity = {0, 0, -9.81};
           },
           {"step", "gravity has a third component of -9.81 m/s^2", "set it to 0"}},
          {[](Scene& s) { s.matter[0].velocity[2] = 1; }, {"matter 'dough'", "velocity", "1 m/s in 2-D"}},
          {[](Scene& s) { s.matter[0].angular_velocity[0] = 1; }, {"matter 'dough'", "angular_velocity (1 0 0) rad/s"}},
          {[](Scene& s) { s.matter[0].shape.center[2] = 0.5; }, {"matter 'dough'", "center", "0.5 m in 2-D"}},
          {[](Scene& s) {
             shape(s, Kind::box).rotation = {0.6, 0.8, 0, 0};
           },
           {"matter 'dough'", "leaves the plane"}},
          {[](Scene& s) { shape(s, Kind::cylinder); }, {"matter 'dough'", "3-D only", "disc"}},
          {[](Scene& s) { shape(s, Kind::capsule); }, {"matter 'dough'", "3-D only"}},
          {[](Scene& s) { shape(s, Kind::mesh); }, {"matter 'dough'", "3-D only"}},
          {[](Scene& s) {
             s.matter[0].points = {{0, 0, 3}}, s.matter[0].point_volume = 1;
           },
           {"point 0", "third component of 3 m"}},
          {[](Scene& s) {
             s.matter[0].points = {{0, 0, 0}};
           },
           {"point_volume is 0 m^2"}},
          {[](Scene& s) {
             s.boundaries[0].normal = {0, 0, 1};
           },
           {"boundary 'floor'", "normal has a third component of 1"}},
          {[](Scene& s) { boundary(s, Boundary::Kind::cylinder); }, {"boundary 'floor'", "3-D only", "disc"}},
          {[](Scene& s) { s.boundaries[0].velocity[2] = 2; },
           {"boundary 'floor'", "velocity has a third component of 2 m/s"}},
          {[](Scene& s) {
             boundary(s, Boundary::Kind::box).rotation = {0, 1, 0, 0};
           },
           {"boundary 'floor'", "leaves the plane"}},
      },
      2);
  // the third edge is not used, a turn in the plane is fine
  Scene scene = good_scene(2);
  shape(scene, Kind::box).size[2] = 0;
  scene.matter[0].shape.rotation = {0.6, 0, 0, 0.8};
  scene.matter[0].angular_velocity = {0, 0, 3};
  EXPECT_NO_THROW(check(scene));
}

TEST(CheckScene, TooLarge) {
  expect_all(
      {
          // 1 m^3 at 8 per cell of 0.2 mm: 10^12
          {[](Scene& s) { s.step.cell = 2e-4; },
           {"matter 'dough'", "1e+12 particles", "max_particles is 20000000", "larger cell"}},
          {[](Scene& s) { s.matter[0].sampling.particles_per_cell = 1e300; }, {"matter 'dough'", "max_particles"}},
          {[](Scene& s) {
             s.matter[0].shape.size = {1e200, 1e200, 1e200};
           },
           {"matter 'dough'", "max_particles"}},
          {[](Scene& s) { s.max_particles = 999'999; },
           {"matter 'dough'", "1e+06 particles", "max_particles is 999999"}},
          {[](Scene& s) { s.max_memory = 399'999'999; },
           {"matter 'dough'", "1000000 particles of 400 bytes", "0.4 GB", "max_memory", "larger cell"}},
          {[](Scene& s) { s.precision = Precision::float64, s.max_memory = 799'999'999; }, {"800 bytes", "0.8 GB"}},
          {[](Scene& s) {
             s.max_particles = 1'500'000;
             s.matter.push_back(s.matter[0]);
             s.matter[1].name = "more";
           },
           {"all matter together", "2e+06 particles", "max_particles is 1500000"}},
          {[](Scene& s) {
             s.max_particles = 2;
             s.matter[0].points = {{0, 0, 0}, {0, 0, 1}, {0, 0, 2}};
             s.matter[0].point_volume = 1;
           },
           {"matter 'dough'", "3 particles", "max_particles is 2"}},
      },
      3, ErrorCode::too_large);
  Scene scene = good_scene();
  scene.max_particles = 1'000'000;
  scene.max_memory = 400'000'000;
  EXPECT_NO_THROW(check(scene));
}

}  // namespace
}  // namespace pliant

// Saved bytes bring back the exact state; damaged and forged ones are refused and change nothing, and so are those of
// another scene.
#include "pliant/error.h"
#include "pliant/world.h"
#include "step/state.h"
#include "world/snapshot_parts.h"
#include "world/snapshot_worlds.h"

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>

namespace pliant {

using namespace step;

namespace {

Scene small_scene(int dimension, Precision precision) {
  Scene scene;
  scene.dimension = dimension;
  scene.precision = precision;
  scene.step.cell = 0.1;
  scene.step.dt = 4e-3;
  scene.step.gravity = dimension == 2 ? Vec3{0, -9.81, 0} : Vec3{0, 0, -9.81};
  Material jelly;
  jelly.name = "jelly";
  scene.materials = {jelly};
  Matter block;
  block.name = "block";
  block.material = "jelly";
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      block.points.push_back({0.05 * i, 0.05 * j + 0.12, dimension == 3 ? 0.15 + 0.01 * i : 0});
  block.point_volume = dimension == 3 ? 1.25e-4 : 2.5e-3;
  block.velocity = {0.3, -0.2, 0};
  scene.matter = {block};
  Boundary floor;
  floor.at = Boundary::At::nodes;
  floor.name = "floor";
  floor.friction = 0.3;
  floor.normal = dimension == 2 ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
  floor.velocity = {0.1, 0, 0};
  scene.boundaries = {floor};
  return scene;
}

void expect_refused(World& world, std::span<const std::byte> bytes, const std::string& part) {
  const std::uint64_t before = world.state_hash();
  try {
    world.restore(bytes);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_file);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
  EXPECT_EQ(world.state_hash(), before);
}

TEST(Snapshot, EveryLaterStepHasTheSameBits) {
  for (int dimension : {2, 3})
    for (Precision precision : {Precision::float32, Precision::float64}) {
      const Scene scene = small_scene(dimension, precision);
      World world(scene, 1), other(scene, 3);
      world.set_actuation("block", {50, 0, 0, 0, -20, 0, 0, 0, 0});
      for (int i = 0; i < 10; ++i) world.step();
      world.set_boundary_velocity("floor", {-0.2, 0, 0});
      other.restore(world.save());
      EXPECT_EQ(other.time(), world.time());
      for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(other.state_hash(), world.state_hash()) << "step " << i;
        world.step();
        other.step();
      }
      EXPECT_EQ(other.save(), world.save());
    }
}

TEST(Snapshot, TheHashSeesEveryPartOfTheState) {
  const Scene scene = small_scene(3, Precision::float32);
  World world(scene, 1);
  std::uint64_t last = world.state_hash();
  const auto changes = [&](const std::function<void()>& f) {
    f();
    const bool changed = world.state_hash() != last;
    last = world.state_hash();
    return changed;
  };
  EXPECT_TRUE(changes([&] { world.step(); }));
  EXPECT_TRUE(changes([&] { world.set_boundary_velocity("floor", {1, 0, 0}); }));
  EXPECT_TRUE(changes([&] { world.set_actuation("block", {1, 0, 0, 0, 0, 0, 0, 0, 0}); }));
  EXPECT_FALSE(changes([&] { world.balance(); }));
}

TEST(Snapshot, AnyTruncationIsRefused) {
  World world(small_scene(2, Precision::float32), 1);
  world.step();
  const auto bytes = world.save();
  for (std::size_t size = 0; size < bytes.size(); ++size)
    expect_refused(world, std::span(bytes).first(size), "snapshot");
  auto longer = bytes;
  longer.push_back(std::byte(0));
  expect_refused(world, longer, "checksum");
}

TEST(Snapshot, AnyFlippedByteIsRefused) {
  World world(small_scene(2, Precision::float32), 1);
  world.step();
  const auto bytes = world.save();
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (int bit : {0, 7}) {
      auto damaged = bytes;
      damaged[i] ^= std::byte(1 << bit);
      expect_refused(world, damaged, "snapshot");
    }
}

// what a world of `here` says to a snapshot of `there`
std::string refusal(const Scene& there, const Scene& here) {
  const Bytes bytes = World(there, 1).save();
  World world(here, 1);
  const std::uint64_t before = world.state_hash();
  try {
    world.restore(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_file);
    EXPECT_EQ(world.state_hash(), before);
    return error.what();
  }
  return "taken";
}

struct Change {
  const char* said;  // by the refusal
  std::function<void(Scene&)> change;
};

void expect_refusals(const Scene& scene, const std::vector<Change>& changes) {
  for (const Change& c : changes) {
    Scene other = scene;
    c.change(other);
    const std::string text = refusal(scene, other);
    EXPECT_NE(text.find("snapshot belongs to another scene: "), std::string::npos) << c.said << ": " << text;
    EXPECT_NE(text.find(c.said), std::string::npos) << text;
  }
}

std::string with(std::string text, const std::string& old, const std::string& fresh) {
  return text.replace(text.find(old), old.size(), fresh);
}

TEST(Snapshot, AnotherSceneIsRefusedByTheKeyThatDiffers) {
  const Scene scene = small_scene(3, Precision::float32);
  expect_refusals(
      scene,
      {{"materials.jelly.E is 100000 in the snapshot, 2000000 in this world", [](Scene& s) { s.materials[0].E = 2e6; }},
       {"materials.jelly.law is ", [](Scene& s) { s.materials[0].law = Law::hencky; }},
       {"precision is float32 in the snapshot, float64", [](Scene& s) { s.precision = Precision::float64; }},
       {"matter.block.points is 16 points", [](Scene& s) { s.matter[0].points.pop_back(); }},
       {"matter.block.points is 16 points", [](Scene& s) { s.matter[0].points[7][1] += 1e-9; }},
       {"boundaries.floor.friction is 0.3 in the snapshot, 0.4", [](Scene& s) { s.boundaries[0].friction = 0.4; }},
       {"boundaries.floor.condition", [](Scene& s) { s.boundaries[0].condition = Boundary::Condition::stick; }},
       {"step.cell is 0.1", [](Scene& s) { s.step.cell = 0.11; }},
       {"step.kernel", [](Scene& s) { s.step.kernel = Kernel::linear; }},
       {"boundaries.wall.angular_velocity is [0, 0, 0] in this world, and not there in the snapshot", [](Scene& s) {
          s.boundaries.push_back(s.boundaries[0]);
          s.boundaries.back().name = "wall";
        }}});
}

TEST(Snapshot, AnotherRobotContactOrShapeIsRefused) {
  Scene scene = small::with_bodies(Precision::float32, Method::async);
  scene.contact.friction = 0.5;
  scene.contact.pairs = {{"block0", "thing/ball", 0.7}};
  const auto text = [](const char* old, const char* fresh) {
    return [=](Scene& s) { s.bodies[0].text = with(s.bodies[0].text, old, fresh); };
  };
  expect_refusals(scene, {{"contact.friction is 0.5 in the snapshot, 0.3", [](Scene& s) { s.contact.friction = 0.3; }},
                          {"contact.pairs[0].friction is 0.7", [](Scene& s) { s.contact.pairs[0].friction = 0.6; }},
                          {"contact.law is lagged", [](Scene& s) { s.contact.law = Contact::Law::sap; }},
                          {"motion[0].waypoints[1].value is 0.05", [](Scene& s) { s.motion[0].values[1][0] = 0.04; }},
                          {"bodies.compiled.body_mass is 5 numbers", text("mass=\".3\"", "mass=\".4\"")},
                          {"bodies.compiled.geom_size", text("size=\"1 1 .1\"", "size=\"1 2 .1\"")},
                          {"bodies.compiled.names of geoms", text("geom name=\"ball\"", "geom name=\"boll\"")},
                          {"bodies.compiled.dof_damping", text("damping=\"1\"", "damping=\"2\"")},
                          {"bodies.compiled.actuator_gainprm", text("kp=\"200\"", "kp=\"100\"")},
                          {"bodies.thing.position is [0, 0, 0]", [](Scene& s) { s.bodies[0].position[2] = 0.01; }}});

  Scene ball = small_scene(3, Precision::float32);
  ball.matter[0].points.clear();
  ball.matter[0].point_volume = 0;
  ball.matter[0].shape.center = {0, 0, 1};
  expect_refusals(ball, {{"matter.block.box.size is [1, 1, 1]", [](Scene& s) { s.matter[0].shape.size[0] = 0.9; }},
                         {"matter.block.box.center", [](Scene& s) { s.matter[0].shape.kind = Shape::Kind::sphere; }},
                         {"matter.block.sampling.seed is 1", [](Scene& s) { s.matter[0].sampling.seed = 2; }}});
  expect_refusals(small::sheet(),
                  {{"matter.sheet.cloth.thickness is 0.001", [](Scene& s) { s.matter[0].shape.thickness = 2e-3; }},
                   {"materials.fabric.friction", [](Scene& s) { s.materials[0].friction = 0.123; }},
                   {"materials.fabric.bending", [](Scene& s) { s.materials[0].bending = 1e-4; }},
                   {"matter.sheet.pins.corner.radius is 0.01", [](Scene& s) { s.matter[0].pins[0].radius = 0.02; }}});
}

TEST(Snapshot, AnotherWayToStepIsTaken) {
  const Scene scene = small::with_bodies(Precision::float32, Method::async);
  for (const auto& change : std::vector<std::function<void(Scene&)>>{
           [](Scene&) {}, [](Scene& s) { s.step.dt = 1e-3; },
           [](Scene& s) {
             s.step.gravity = {0, 0, -3};
           },
           [](Scene& s) { s.step.substeps = 30; }, [](Scene& s) { s.step.method = Method::strong; },
           [](Scene& s) { s.step.tolerance = 1e-3; },
           [](Scene& s) { s.name = "other", s.duration = 7, s.record.rate = 25, s.max_memory /= 2; },
           // a comment in the file changes no body
           [](Scene& s) { s.bodies[0].text = with(s.bodies[0].text, "<worldbody>", "<worldbody><!-- things -->"); }}) {
    Scene other = scene;
    change(other);
    EXPECT_EQ(refusal(scene, other), "taken");
  }
}

// files are compared by what is in them, not by where they lie
TEST(Snapshot, AFileMayMoveButNotChange) {
  const auto folder = std::filesystem::temp_directory_path() / "pliant_snapshot_files";
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  };
  const std::string solid = "v 0 0 0\nv .3 0 0\nv 0 .3 0\nv 0 0 .3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
  Scene scene = small_scene(3, Precision::float32);
  scene.matter[0].points.clear();
  scene.matter[0].point_volume = 0;
  scene.matter[0].shape.kind = Shape::Kind::mesh;
  scene.matter[0].shape.mesh_file = write("a.obj", solid);
  Body body;
  body.name = "thing", body.file = write("a.xml", small::things);
  scene.bodies = {body};
  Scene moved = scene;
  moved.matter[0].shape.mesh_file = write("b.obj", solid);
  moved.bodies[0].file = write("b.xml", small::things);
  EXPECT_EQ(refusal(scene, moved), "taken");
  Scene other = scene;
  other.matter[0].shape.mesh_file = write("c.obj", with(solid, "v .3", "v .31"));
  EXPECT_NE(refusal(scene, other).find("matter.block.particles is "), std::string::npos) << refusal(scene, other);
  other = scene;
  other.bodies[0].file = write("c.xml", with(small::things, "damping=\"1\"", "damping=\"2\""));
  EXPECT_NE(refusal(scene, other).find("dof_damping"), std::string::npos) << refusal(scene, other);
  std::filesystem::remove_all(folder);
}

// -- forged, with a good checksum --

struct Forgery {
  const char* section;
  std::size_t at;
  Bytes bytes;
  const char* said;
};

template <class T>
Bytes bytes_of(T value) {
  Bytes out(sizeof value);
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

// in numbers, of a part of MuJoCo's state
std::size_t bodies_at(const World& world, int bit) {
  return 8 * std::size_t(mj_stateSize(world.model(), mjSTATE_INTEGRATION & (bit - 1)));
}

void expect_forgeries(World& world, const std::vector<Forgery>& forgeries) {
  const Bytes good = world.save();
  for (const Forgery& f : forgeries) {
    SCOPED_TRACE(std::string(f.section) + " at " + std::to_string(f.at));
    SnapshotParts parts(good);
    Bytes& data = parts.find(f.section).data;
    ASSERT_GE(data.size(), f.at + f.bytes.size());
    std::copy(f.bytes.begin(), f.bytes.end(), data.begin() + std::ptrdiff_t(f.at));
    expect_refused(world, parts.join(), std::string("section '") + f.section + "'");
    expect_refused(world, parts.join(), f.said);
  }
  world.restore(good);
}

// E and nu of single particles, of a scene whose first piece is of a law that takes them
TEST(Snapshot, RefusesForgedElasticity) {
  World world(small_scene(3, Precision::float32), 1);
  const std::string matter = world.scene().matter[0].name;
  world.set_elasticity(matter, std::vector<double>(world.elasticity(matter).size(), 2e4), {});
  expect_forgeries(world, {{"elasticity", 0, bytes_of(-1.0), "particle 0 has E = -1"},
                           {"elasticity", 16, bytes_of(nan), "particle 1 has E = nan"},
                           {"elasticity", 24, bytes_of(0.5), "nu = 0.5"}});
  SnapshotParts parts(world.save());
  parts.find("elasticity").data.resize(16);
  parts.find("elasticity").said_size = 16;
  expect_refused(world, parts.join(), "1 entries for");
}

using DoublePoint = Point<3, double>;
using DoubleRates = ParticleVelocity<3, double>;

World strong_world() { return small::run("", small::with_bodies(Precision::float64, Method::strong), 10).world; }

TEST(Forged, NumbersOfTheWorldAreRefused) {
  World world = strong_world();
  expect_forgeries(world, {{"time", 0, bytes_of(nan), "the time is nan s"},
                           {"time", 0, bytes_of(-1.0), "the time is -1 s"},
                           {"time", 0, bytes_of(infinity), "the time is inf s"},
                           {"steps", 0, bytes_of(std::uint64_t(0)), "0 steps were taken"},
                           {"steps", 0, bytes_of(~std::uint64_t(0)), "steps were taken"},
                           {"max_speed", 0, bytes_of(nan), "the largest speed is nan"},
                           {"max_speed", 0, bytes_of(1e300), "the largest speed is 1e+300"},
                           {"max_speed", 0, bytes_of(0.0), "the largest speed is 0"},
                           {"boundaries", 8, bytes_of(nan), "boundary 0 is at (0 nan 0)"},
                           {"boundaries", 40, bytes_of(infinity), "boundary 0 is at"},
                           {"actuations", 0, bytes_of(nan), "finite and symmetric"},
                           {"actuations", 8, bytes_of(5.0), "finite and symmetric"},
                           {"boundary_speed", 16, bytes_of(-infinity), "boundary 0 has (0 0 -inf) m/s"},
                           {"holds", 0, bytes_of(nan), "motion 0 has a control held at nan"},
                           {"holds", 8, bytes_of(-1.0), "since -1 s"}});
}

TEST(Forged, ParticlesAreRefused) {
  World world = strong_world();
  const std::uint64_t count = world.particle_count();
  const Bytes points = SnapshotParts(world.save()).find("points").data;
  const auto id = points.begin() + offsetof(DoublePoint, id);
  const Bytes first_id(id, id + sizeof(std::uint64_t));
  expect_forgeries(
      world, {{"points", offsetof(DoublePoint, id), bytes_of(count), "which is another's"},
              {"points", offsetof(DoublePoint, id), bytes_of(~std::uint64_t(0)), "which is another's"},
              // that of the first
              {"points", sizeof(DoublePoint) + offsetof(DoublePoint, id), first_id, "particle 1 has id"},
              {"points", offsetof(DoublePoint, mass), bytes_of(0.0), "has 0 kg"},
              {"points", offsetof(DoublePoint, mass), bytes_of(nan), "has nan kg"},
              {"points", offsetof(DoublePoint, volume), bytes_of(-1.0), "a volume of -1"},
              {"points", offsetof(DoublePoint, x), bytes_of(nan), "a position of nan m"},
              {"points", offsetof(DoublePoint, x) + 16, bytes_of(1e9), "a position of 1000000000 m, beyond"},
              {"points", offsetof(DoublePoint, F) + 64, bytes_of(nan), "a deformation gradient that is not finite"},
              {"points", offsetof(DoublePoint, plastic), bytes_of(infinity), "a plastic state of inf"},
              {"velocities", offsetof(DoubleRates, v), bytes_of(nan), "a velocity that is not finite"},
              {"velocities", offsetof(DoubleRates, C) + 8, bytes_of(infinity), "a velocity that is not finite"}});
}

TEST(Forged, BodiesAreRefused) {
  World world = strong_world();
  const std::size_t qpos = bodies_at(world, mjSTATE_QPOS), history = bodies_at(world, mjSTATE_HISTORY);
  const auto at = [&](int bit) { return bodies_at(world, bit); };
  expect_forgeries(world, {{"bodies", 0, bytes_of(nan), "time[0] of the bodies is nan"},
                           {"bodies", qpos + 8, bytes_of(1e11), "qpos[1] of the bodies is 100000000000,"},
                           {"bodies", qpos + 24, bytes_of(2.0), "the quaternion of joint 0"},
                           {"bodies", at(mjSTATE_QVEL), bytes_of(infinity), "qvel[0]"},
                           {"bodies", at(mjSTATE_ACT), bytes_of(nan), "act[0]"},
                           {"bodies", history + 8, bytes_of(4.0), "its newest sample at 4, but has 4"},
                           {"bodies", history + 8, bytes_of(-1.0), "its newest sample at -1"},
                           {"bodies", history + 8, bytes_of(0.5), "its newest sample at 0.5"},
                           {"bodies", at(mjSTATE_WARMSTART), bytes_of(nan), "qacc_warmstart[0]"},
                           {"bodies", at(mjSTATE_CTRL), bytes_of(nan), "ctrl[0]"},
                           {"bodies", at(mjSTATE_XFRC_APPLIED), bytes_of(nan), "xfrc_applied[0]"},
                           {"bodies", at(mjSTATE_EQ_ACTIVE), bytes_of(2.0), "eq_active[0] of the bodies is 2"},
                           {"bodies", at(mjSTATE_MOCAP_POS), bytes_of(nan), "mocap_pos[0]"},
                           {"bodies", at(mjSTATE_MOCAP_QUAT), bytes_of(nan), "mocap_quat[0]"}});
}

TEST(Forged, MemoriesAreRefused) {
  World world = strong_world();
  SnapshotParts parts(world.save());
  const Bytes &contacts = parts.find("contacts").data, &warm = parts.find("warm").data, &held = parts.find("held").data;
  ASSERT_GE(contacts.size(), 2 * sizeof(ContactMemory));
  ASSERT_GE(warm.size(), 2 * sizeof(WarmSlot));
  ASSERT_GE(held.size(), 2 * sizeof(BoundaryMemory));
  // the second is the first again
  const Bytes contact(contacts.begin(), contacts.begin() + sizeof(ContactMemory)),
      slot(warm.begin(), warm.begin() + sizeof(WarmSlot)), node(held.begin(), held.begin() + sizeof(BoundaryMemory));
  expect_forgeries(
      world,
      {{"contacts", offsetof(ContactMemory, particle), bytes_of(std::uint32_t(world.particle_count())), "not there"},
       {"contacts", offsetof(ContactMemory, geom), bytes_of(std::uint32_t(1000)), "geom 1000, which are not there"},
       {"contacts", offsetof(ContactMemory, anchor), bytes_of(nan), "an anchor at (nan"},
       {"contacts", offsetof(ContactMemory, normal), bytes_of(3.0), "not of length 1"},
       {"contacts", offsetof(ContactMemory, force), bytes_of(infinity), "a force of (inf"},
       {"contacts", offsetof(ContactMemory, stiffness), bytes_of(-1.0), "a stiffness of -1 N/m"},
       {"contacts", offsetof(ContactMemory, wall), bytes_of(nan), "a wall of nan m"},
       {"contacts", offsetof(ContactMemory, radius), bytes_of(nan), "a ball of radius nan m"},
       {"contacts", sizeof(ContactMemory), contact, "are there twice"},
       {"warm", offsetof(WarmSlot, coord), bytes_of(std::int32_t(0x7fffffff)), "slot 0 lies outside of the grid"},
       {"warm", offsetof(WarmSlot, change) + 4, bytes_of(float(nan)), "not finite"},
       {"warm", sizeof(WarmSlot), slot, "slot 1 is there twice"},
       {"held", offsetof(BoundaryMemory, slot), bytes_of(std::int32_t(-0x7fffffff)), "outside of the grid"},
       {"held", offsetof(BoundaryMemory, node), bytes_of(std::int32_t(64)), "node 64 lies outside of the grid"},
       {"held", offsetof(BoundaryMemory, boundary), bytes_of(std::int64_t(1)), "boundary 1 is not there"},
       {"held", offsetof(BoundaryMemory, push), bytes_of(nan), "an impulse of (nan"},
       {"held", sizeof(BoundaryMemory), node, "are there twice"}});
}

TEST(Forged, CountsAndNamesAreRefused) {
  World world = strong_world();
  const Bytes good = world.save();
  const auto forged = [&](const std::function<void(SnapshotParts&)>& edit, const std::string& said) {
    SnapshotParts parts(good);
    edit(parts);
    expect_refused(world, parts.join(), said);
  };
  forged([](SnapshotParts& p) { p.version = 4; }, "snapshot has version 4, this Pliant reads version 8");
  forged([](SnapshotParts& p) { p.said_text = ~std::uint64_t(0); }, "truncated");
  forged(
      [](SnapshotParts& p) {
        p.text.assign(10'000'000, std::byte('\n'));
        p.said_text = p.text.size();
      },
      "another scene: it is described by 10000000 bytes");
  forged([](SnapshotParts& p) { p.said_count = 1u << 31; }, "another number of sections");
  forged([](SnapshotParts& p) { p.text[3] = std::byte('\n'); }, "another scene");
  forged([](SnapshotParts& p) { p.find("contacts").said_size = sizeof(ContactMemory); }, "section 'warm'");
  forged([](SnapshotParts& p) { p.find("contacts").said_size = std::uint64_t(sizeof(ContactMemory)) << 50; },
         "section 'contacts'");
  forged([](SnapshotParts& p) { p.find("warm").said_size += 1; }, "section 'warm'");
  forged([](SnapshotParts& p) { p.find("points").said_size = 0; }, "section 'points': 0 bytes");
  forged([](SnapshotParts& p) { p.find("time").name = p.find("steps").name; }, "8 bytes of 'steps'");
  forged([](SnapshotParts& p) { std::fill(p.sections[0].name.begin(), p.sections[0].name.end(), std::byte(0xff)); },
         "bytes of '???");
  forged([](SnapshotParts& p) { p.cut = 1; }, "truncated");
}

// the time that looking at all of it takes is written down
TEST(Snapshot, LargeWorldsAreRestored) {
  Scene scene = small_scene(3, Precision::float32);
  Matter& block = scene.matter[0];
  block.points.clear();
  for (int i = 0; i < 64000; ++i)
    block.points.push_back({0.05 * (i % 40), 0.05 * (i / 40 % 40), 0.1 + 0.05 * (i / 1600)});
  World world(scene, 1);
  const Bytes saved = world.save();
  const std::uint64_t before = world.state_hash();
  world.step();
  ASSERT_NE(world.state_hash(), before);
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const std::clock_t start = std::clock();
    world.restore(saved);
    best = std::min(best, double(std::clock() - start) / CLOCKS_PER_SEC);
  }
  RecordProperty("milliseconds", std::to_string(1e3 * best));
  EXPECT_EQ(world.state_hash(), before);
}

TEST(Snapshot, FilesRoundTripAndNameThemselvesInErrors) {
  const auto folder = std::filesystem::temp_directory_path() / "pliant_snapshot_test";
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "state.pliant").string();
  World world(small_scene(3, Precision::float64), 1), other(small_scene(3, Precision::float64), 2);
  world.step();
  save_file(world, path);
  restore_file(other, path);
  EXPECT_EQ(world.state_hash(), other.state_hash());
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const auto text_of = [&](const std::string& file) {
    try {
      restore_file(other, file);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(text_of(path).find("state.pliant: snapshot is damaged or truncated"), std::string::npos) << text_of(path);
  EXPECT_NE(text_of((folder / "missing").string()).find("cannot be opened"), std::string::npos);
  EXPECT_THROW(save_file(world, (folder / "no" / "such" / "folder").string()), Error);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace pliant

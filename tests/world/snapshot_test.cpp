// Saved bytes bring back the exact state; damaged ones are refused and change nothing.
#include "pliant/error.h"
#include "pliant/world.h"

#include <gtest/gtest.h>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

namespace pliant {
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

TEST(Snapshot, AnotherSceneIsRefused) {
  World world(small_scene(3, Precision::float32), 1);
  const auto bytes = world.save();
  Scene stiffer = small_scene(3, Precision::float32);
  stiffer.materials[0].E *= 2;
  World other(stiffer, 1);
  expect_refused(other, bytes, "another scene");
  World finer(small_scene(3, Precision::float64), 1);
  expect_refused(finer, bytes, "another scene");
  Scene fewer = small_scene(3, Precision::float32);
  fewer.matter[0].points.pop_back();
  World small(fewer, 1);
  expect_refused(small, bytes, "points");
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

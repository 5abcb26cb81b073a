// A run gives the same bits on any number of threads, and after save and restore.
#include "step/nine_laws.h"

namespace pliant::test {

using namespace material;

namespace {

std::vector<std::uint64_t> hashes(const Scene& scene, int threads, int steps) {
  World world(scene, threads);
  EXPECT_EQ(world.threads(), threads);
  std::vector<std::uint64_t> all = {world.state_hash()};
  for (int n = 0; n < steps; ++n) {
    world.step();
    all.push_back(world.state_hash());
  }
  return all;
}

// nine laws in many blocks, fast enough to cross cells and blocks between sorts
Scene mixed(int dimension, Precision precision, int cells = 3) {
  Scene scene = nine_laws(dimension, precision, cells);
  for (Matter& matter : scene.matter) matter.velocity[0] += 3;
  scene.step.substeps = 0;
  return scene;
}

TEST(Threads, GiveTheSameBitsAfterEveryStep) {
  for (int dimension : {2, 3})
    for (Precision precision : {Precision::float32, Precision::float64}) {
      const Scene scene = mixed(dimension, precision, dimension == 2 ? 12 : 4);
      const auto one = hashes(scene, 1, 30);
      EXPECT_NE(one.front(), one.back());
      for (int threads : {2, 3, 8}) EXPECT_EQ(one, hashes(scene, threads, 30)) << dimension << " threads " << threads;
    }
}

TEST(Threads, GiveTheSameBitsForEveryKernelAndTransfer) {
  for (Kernel kernel : {Kernel::linear, Kernel::quadratic, Kernel::compact})
    for (Transfer transfer : {Transfer::pic, Transfer::apic, Transfer::mls})
      for (int dimension : {2, 3}) {
        Scene scene = mixed(dimension, Precision::float32);
        scene.step.kernel = kernel, scene.step.transfer = transfer;
        EXPECT_EQ(hashes(scene, 1, 12), hashes(scene, 3, 12)) << dimension << int(kernel) << int(transfer);
      }
}

// the reports too, except for wall times
TEST(Threads, GiveTheSameReports) {
  const Scene scene = mixed(3, Precision::float32);
  World one(scene, 1), many(scene, 8);
  for (int n = 0; n < 10; ++n) {
    const StepReport a = one.step(), b = many.step();
    EXPECT_EQ(a.substeps, b.substeps);
    EXPECT_EQ(a.max_speed, b.max_speed);
    EXPECT_EQ(a.after.momentum, b.after.momentum);
    EXPECT_EQ(a.after.angular_momentum, b.after.angular_momentum);
    EXPECT_EQ(a.after.kinetic_energy, b.after.kinetic_energy);
    EXPECT_EQ(a.after.elastic_energy, b.after.elastic_energy);
    EXPECT_EQ(a.boundary_impulses, b.boundary_impulses);
    EXPECT_EQ(a.gravity_impulse, b.gravity_impulse);
  }
}

TEST(Hash, TellsStatesApart) {
  Scene scene = mixed(2, Precision::float64);
  const std::uint64_t first = World(scene, 1).state_hash();
  EXPECT_EQ(World(scene, 2).state_hash(), first);
  scene.matter[3].points[5][1] += 1e-12;
  EXPECT_NE(World(scene, 1).state_hash(), first);
}

TEST(Restart, IsExact) {
  for (int dimension : {2, 3})
    for (Precision precision : {Precision::float32, Precision::float64}) {
      Scene scene = mixed(dimension, precision);
      World world(scene, 2);
      world.set_actuation("hencky", {100, 0, 0, 0, 50, 0, 0, 0, 0});
      world.set_boundary_velocity("plane", {0.1, 0, 0});
      for (int n = 0; n < 7; ++n) world.step();
      const auto saved = world.save();
      const std::uint64_t hash = world.state_hash();
      std::vector<std::uint64_t> later;
      for (int n = 0; n < 20; ++n) {
        world.step();
        later.push_back(world.state_hash());
      }
      // in a new world on other threads, and in the old one
      World other(scene, 3);
      for (World* w : {&other, &world}) {
        w->restore(saved);
        EXPECT_EQ(w->state_hash(), hash);
        EXPECT_DOUBLE_EQ(w->time(), 7 * scene.step.dt);
        for (std::uint64_t expected : later) {
          w->step();
          ASSERT_EQ(w->state_hash(), expected) << dimension;
        }
      }
    }
}

TEST(Restart, RefusesOtherBytes) {
  const Scene scene = mixed(2, Precision::float32);
  World world(scene, 1);
  for (int n = 0; n < 3; ++n) world.step();
  auto saved = world.save();
  world.step();
  const std::uint64_t hash = world.state_hash();
  auto bent = saved;
  bent[bent.size() / 2] ^= std::byte{1};
  error_of([&] { world.restore(bent); }, ErrorCode::bad_file);
  error_of([&] { world.restore(std::span(saved).first(saved.size() - 1)); }, ErrorCode::bad_file);
  error_of([&] { world.restore({}); }, ErrorCode::bad_file);
  EXPECT_EQ(world.state_hash(), hash);
}

}  // namespace
}  // namespace pliant::test

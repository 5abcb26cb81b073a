// Tapes: the same bits whatever the budget and the threads, nothing when off, refusals by name.
#include "gradient/support.h"
#include "step/nine_laws.h"

namespace pliant::test {
namespace {

TapedRun falling(int dimension, Precision precision = Precision::float32) {
  TapedRun run;
  run.scene = nine_laws(dimension, precision);
  run.scene.step.substeps = 2;
  run.steps = 20;
  run.act = [](World& world, std::size_t k) {
    world.set_actuation("neo_hookean", {double(k), 0, 0, 0, -double(k), 0, 0, 0, 0});
  };
  return run;
}

TEST(Tapes, BudgetsAndThreadsChangeNoBit) {
  for (const int dimension : {2, 3}) {
    TapedRun run = falling(dimension);
    const std::vector<double> wanted = flat(run.gradient());
    World world(run.scene, 1);
    const std::size_t state = world.particle_count() * (dimension == 2 ? 60 : 112);
    // some twenty ways of a step are too much for all of these; the last has room for one step at a time
    for (const std::size_t states : {40, 12, 8}) EXPECT_EQ(wanted, flat(run.gradient(states * state))) << states;
    run.threads = 3;
    EXPECT_EQ(wanted, flat(run.gradient()));
    EXPECT_EQ(wanted, flat(run.gradient(12 * state)));
  }
}

TEST(Tapes, KeepsToItsBudget) {
  const TapedRun run = falling(2);
  World world(run.scene, 1);
  const std::size_t budget = 20 * world.particle_count() * 60;
  Tape tape(world, budget);
  for (int k = 0; k < 200; ++k) {
    world.step();
    ASSERT_LE(tape.memory(), budget);
  }
}

TEST(Tapes, ChangesNoBitOfTheRun) {
  const TapedRun run = falling(3);
  World with(run.scene, 1), without(run.scene, 1);
  Tape tape(with, 1 << 30);
  for (std::size_t k = 0; k < run.steps; ++k) {
    with.step();
    without.step();
    ASSERT_EQ(with.state_hash(), without.state_hash());
  }
  EXPECT_EQ(tape.steps(), run.steps);
}

// a second tape writes over what the first had, in steps of other lengths
TEST(Tapes, MemoryOfOneServesTheNext) {
  TapedRun run = falling(3);
  const std::vector<double> wanted = flat(run.gradient());
  World world(run.scene, 1);
  const std::vector<std::byte> start = world.save();
  const std::vector<std::vector<LossSeed>> losses = {run.seeds(world)};
  std::vector<double> found;
  for (int round = 0; round < 3; ++round) {
    world.restore(start);
    Tape tape(world, std::size_t(1) << 30);
    run.see(world, losses[0]);
    found = flat(tape.backward(losses)[0]);
    EXPECT_EQ(wanted, found);
    tape.end();
    for (int k = 0; k < 3; ++k) world.step();
  }
}

TEST(Tapes, SeveralLossesShareOneWayBack) {
  const TapedRun run = falling(2);
  World world(run.scene, 1);
  Tape tape(world, 1 << 30);
  std::vector<std::vector<LossSeed>> losses = {run.seeds(world), run.seeds(world)};
  losses[1].erase(losses[1].begin());
  run.see(world, losses[0]);
  const std::vector<Gradient> both = tape.backward(losses);
  EXPECT_EQ(flat(both[0]), flat(tape.backward(std::span(losses).first(1))[0]));
  EXPECT_EQ(flat(both[1]), flat(tape.backward(std::span(losses).last(1))[0]));
  EXPECT_NE(flat(both[0]), flat(both[1]));
}

TEST(Tapes, GoesBackThroughTheLastSteps) {
  const TapedRun run = falling(2);
  World world(run.scene, 1);
  Tape tape(world, 1 << 30);
  const std::vector<std::vector<LossSeed>> losses = {run.seeds(world)};
  run.see(world, losses[0]);
  const Gradient last = tape.backward(losses, 3)[0];
  EXPECT_EQ(last.norms[run.steps - 4].positions, 0);
  EXPECT_GT(last.norms[run.steps - 3].positions, 0);
}

// one ball flies freely: it ends n dt v further
TEST(Tapes, FreeFlightIsTheTimeOfFlight) {
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    Scene scene = empty_scene(3, 0.1, 1e-3, precision);
    add(scene, "ball", elastic(1e4, 0.3), ball(3, {0, 0, 0}, 0.2, 0.05), 0.05).velocity = {0.3, -0.2, 0.1};
    World world(scene, 1);
    Tape tape(world, std::size_t(1) << 30);
    const int steps = 100;
    for (int k = 0; k < steps; ++k) world.step();
    LossSeed seed;
    seed.step = steps - 1, seed.matter = "ball", seed.same = true;
    seed.values = {1.0 / double(world.particle_count()), 0, 0};
    const std::vector<std::vector<LossSeed>> losses = {{seed}};
    const Gradient gradient = tape.backward(losses)[0];
    double sum = 0;
    const std::vector<double>& by = gradient.matter.at("ball").velocities;
    for (std::size_t i = 0; i < by.size(); i += 3) sum += by[i];
    // S5, case A1: float 8.5e-7 where weights do not sum up to 1 exactly
    EXPECT_NEAR(sum, steps * 1e-3, steps * 1e-3 * (precision == Precision::float32 ? 1e-6 : 1e-13));
  }
}

TEST(Tapes, RefusesWhatItCannotGoBackThrough) {
  const auto refusal = [](Scene scene, std::size_t memory, ErrorCode code = ErrorCode::bad_input) {
    World world(scene, 1);
    return error_of([&] { Tape tape(world, memory); }, code);
  };
  Scene scene = falling(3).scene;
  EXPECT_NE(refusal(scene, 1000, ErrorCode::too_large).find("does not hold one step"), std::string::npos);
  scene.boundaries[0].at = Boundary::At::surfaces;
  EXPECT_NE(refusal(scene, 1 << 30).find("'plane' touches by contact rows"), std::string::npos);
  scene.boundaries[0].at = Boundary::At::nodes;
  scene.step.method = Method::strong;
  EXPECT_NE(refusal(scene, 1 << 30).find("strong step"), std::string::npos);
}

TEST(Tapes, RefusesEditsBehindItsBack) {
  const TapedRun run = falling(2);
  World world(run.scene, 1);
  const std::vector<std::byte> saved = world.save();
  const std::vector<double> x = numbers(world, "sand", Attribute::position);
  std::optional<Tape> tape(std::in_place, world, std::size_t(1) << 30);
  world.step();
  const std::uint64_t hash = world.state_hash();
  const auto refused = [&](auto&& call) {
    EXPECT_NE(error_of(call, ErrorCode::bad_input).find("while a tape records"), std::string::npos);
    EXPECT_EQ(world.state_hash(), hash);
  };
  refused([&] { world.set("sand", Attribute::position, x); });
  refused([&] { world.restore(saved); });
  refused([&] { world.reset(); });
  error_of([&] { Tape second(world, std::size_t(1) << 30); }, ErrorCode::bad_input);
  tape->end();
  world.set("sand", Attribute::position, x);
}

TEST(Tapes, RefusesSeedsThatDoNotFit) {
  const TapedRun run = falling(2);
  World world(run.scene, 1);
  Tape tape(world, 1 << 30);
  std::vector<std::vector<LossSeed>> losses = {run.seeds(world)};
  const auto refusal = [&](ErrorCode code) { return error_of([&] { tape.backward(losses); }, code); };
  EXPECT_NE(refusal(ErrorCode::bad_input).find("no step was recorded"), std::string::npos);
  run.see(world, losses[0]);
  losses[0][0].step = 99;
  EXPECT_NE(refusal(ErrorCode::bad_input).find("steps 0 to 19"), std::string::npos);
  losses[0][0].step = 0;
  losses[0][0].values.pop_back();
  EXPECT_NE(refusal(ErrorCode::bad_input).find("numbers; give"), std::string::npos);
  losses[0][0].values.push_back(std::nan(""));
  EXPECT_NE(refusal(ErrorCode::not_finite).find("look at the loss"), std::string::npos);
}

// so large that float has no such number
TEST(Tapes, NamesWhereGradientsStopBeingFinite) {
  TapedRun run = falling(2);
  World world(run.scene, 1);
  Tape tape(world, 1 << 30);
  std::vector<std::vector<LossSeed>> losses = {run.seeds(world)};
  run.see(world, losses[0]);
  for (LossSeed& seed : losses[0])
    for (double& x : seed.values) x *= 3e38;
  const std::string text = error_of([&] { tape.backward(losses); }, ErrorCode::not_finite);
  EXPECT_NE(text.find("tape, step "), std::string::npos) << text;
  EXPECT_NE(text.find("of particle "), std::string::npos) << text;
  EXPECT_NE(text.find("in substep "), std::string::npos) << text;
}

}  // namespace
}  // namespace pliant::test

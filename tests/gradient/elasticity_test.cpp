// E and nu of single particles: what a step makes of them, and gradients by them.
#include "gradient/support.h"

namespace pliant::test {
namespace {

TapedRun pressed(int dimension, Law law, Precision precision = Precision::float64) {
  const double h = 0.125, spacing = h / 2, deep = dimension == 2 ? 0 : 0.25;
  TapedRun run;
  run.scene = empty_scene(dimension, h, 1.0 / 64, precision);
  run.scene.step.substeps = 3;
  run.scene.step.gravity = {0.5, -8, 0};
  add(run.scene, "block", elastic(2e4, 0.3, 800, law), block(dimension, {0, 0, 0}, {.4, .3, deep}, spacing), spacing)
      .velocity = {0.5, -1, 0};
  run.scene.boundaries = {plane({0, -0.05, 0}, {0, 1, 0}, 0.3)};
  flatten(run.scene);
  run.steps = 5;
  return run;
}

using Column = std::vector<double>;

void spread(World& world, const Column& by_E = {}, const Column& by_nu = {}, double x = 0) {
  Weights weight(12);
  Column E, nu;
  for (std::size_t i = 0; i < world.particle_count(); ++i) {
    E.push_back(2e4 * (1 + 0.6 * weight() + (by_E.empty() ? 0 : x * by_E[i])));
    nu.push_back(0.3 + 0.1 * weight() + (by_nu.empty() ? 0 : x * by_nu[i]));
  }
  world.set_elasticity("block", E, nu);
}

TEST(Elasticity, GradientsAgreeWithDifferences) {
  for (const int dimension : {2, 3})
    for (const Law law : {Law::linear, Law::fixed_corotated, Law::neo_hookean})
      for (const bool plain : {false, true}) {
        SCOPED_TRACE(testing::Message() << name(law) << " in " << dimension << "-D" << (plain ? ", plain" : ""));
        TapedRun run = pressed(dimension, law);
        run.begin = [](World& world) { spread(world); };
        const PieceGradient piece = run.gradient(std::size_t(1) << 30, plain).matter.at("block");
        Weights weight(8);
        const Column along = weight.list(piece.masses.size());
        const auto changed = [&](bool is_E) {
          return [&, is_E](TapedRun r, double x) {
            r.begin = [&, is_E, x](World& world) {
              spread(world, is_E ? along : Column(), is_E ? Column() : along, x);
            };
            return r;
          };
        };
        // differences of runs have some eight digits
        const double by_E = 2e4 * dot(piece.of_particles.at("E"), along),
                     by_nu = dot(piece.of_particles.at("nu"), along);
        EXPECT_LT(relative(by_E, differences(run, changed(true), 1e-4)), 1e-6);
        EXPECT_LT(relative(by_nu, differences(run, changed(false), 1e-5)), 1e-6);
        EXPECT_EQ(piece.material.at("E"), 0) << "the material's E acts on nobody";
      }
}

// one E for all is that of the material, but for round-off
TEST(Elasticity, OfAllIsThatOfTheMaterial) {
  for (const Law law : {Law::linear, Law::fixed_corotated, Law::neo_hookean}) {
    TapedRun run = pressed(3, law);
    World own(run.scene, 1);
    const std::size_t count = own.particle_count();
    own.set_elasticity("block", Column(count, 5e4), Column(count, 0.2));
    run.scene.materials[0].E = 5e4, run.scene.materials[0].nu = 0.2;
    World common(run.scene, 1);
    for (int k = 0; k < 10; ++k) {
      own.step();
      common.step();
    }
    const Column a = numbers(own, "block", Attribute::position), b = numbers(common, "block", Attribute::position);
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-12);
    EXPECT_NEAR(own.balance().elastic_energy, common.balance().elastic_energy, 1e-9 * own.balance().elastic_energy);
    EXPECT_GT(own.balance().elastic_energy, 0);
  }
}

TEST(Elasticity, IsPartOfTheState) {
  const TapedRun run = pressed(2, Law::neo_hookean, Precision::float32);
  World world(run.scene, 1), other(run.scene, 2);
  EXPECT_EQ(world.state_hash(), other.state_hash());
  spread(world);
  EXPECT_NE(world.state_hash(), other.state_hash());
  other.restore(world.save());
  EXPECT_EQ(world.elasticity("block"), other.elasticity("block"));
  World clone = world.clone();
  for (int k = 0; k < 5; ++k)
    for (World* w : {&world, &other, &clone}) w->step();
  EXPECT_EQ(world.state_hash(), other.state_hash());
  EXPECT_EQ(world.state_hash(), clone.state_hash());
  World without(run.scene, 1);
  for (int k = 0; k < 5; ++k) without.step();
  EXPECT_NE(numbers(world, "block", Attribute::position), numbers(without, "block", Attribute::position));
  world.reset();
  EXPECT_EQ(world.elasticity("block")[3], (std::array<double, 2>{2e4, 0.3}));
}

// one stiff particle among soft ones
TEST(Elasticity, SubstepsAreForTheStiffest) {
  TapedRun run = pressed(3, Law::neo_hookean);
  run.scene.step.substeps = 0;
  World world(run.scene, 1);
  const int before = world.clone().step().substeps;
  Column E(world.particle_count(), 2e4);
  E[7] = 2e6;
  world.set_elasticity("block", E, {});
  const int after = world.step().substeps;
  EXPECT_GT(after, 5 * before);  // waves are 10 times as fast
}

TEST(Elasticity, RefusesWhatCannotBe) {
  TapedRun run = pressed(2, Law::neo_hookean);
  World world(run.scene, 1);
  const std::uint64_t hash = world.state_hash();
  const auto refusal = [&](World& w, const Column& E, const Column& nu) {
    return error_of([&] { w.set_elasticity("block", E, nu); }, ErrorCode::bad_input);
  };
  Column E(world.particle_count(), 1e4);
  EXPECT_NE(refusal(world, Column(3, 1.0), {}).find("3 numbers"), std::string::npos);
  EXPECT_NE(refusal(world, {}, Column(E.size(), 0.5)).find("nu between"), std::string::npos);
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    E[5] = bad;
    EXPECT_NE(refusal(world, E, {}).find("particle 5"), std::string::npos);
  }
  EXPECT_EQ(world.state_hash(), hash);
  run.scene.materials[0].law = Law::sand;
  World sand(run.scene, 1);
  EXPECT_NE(refusal(sand, Column(E.size(), 1e4), {}).find("law 'sand'"), std::string::npos);
  Tape tape(world, std::size_t(1) << 30);
  EXPECT_NE(refusal(world, Column(E.size(), 1e4), {}).find("while a tape records"), std::string::npos);
}

// the strong step does not read it: neither set nor restored
TEST(Elasticity, IsNotForTheStrongStep) {
  TapedRun run = pressed(3, Law::neo_hookean);
  World world(run.scene, 1);
  spread(world);
  run.scene.step.method = Method::strong;
  World strong(run.scene, 1);
  error_of([&] { spread(strong); }, ErrorCode::bad_input);
  strong.restore(world.save());
  EXPECT_NE(error_of([&] { strong.step(); }, ErrorCode::bad_input).find("strong step"), std::string::npos);
}

}  // namespace
}  // namespace pliant::test

// The way back in packs against plain loops.
#include "gradient/support.h"

namespace pliant::test {
namespace {

// Two blocks that meet, on a floor with friction, faster than a cell in some steps: strays and sorts in between. The
// particles of one have an E and a nu of their own.
TapedRun meeting(int dimension, Law law, Precision precision) {
  const double h = 0.125, spacing = h / 2, deep = dimension == 2 ? 0 : 0.4;
  TapedRun run;
  run.scene = empty_scene(dimension, h, 1.0 / 64, precision);
  run.scene.step.substeps = 8;
  run.scene.step.gravity = {0.5, -8, 0.3};
  Material material = elastic(4e4, 0.3, 800, law);
  material.loss = 0.03;
  const auto left = block(dimension, {0, 0, 0}, {.5, .4, deep}, spacing);
  const auto right = block(dimension, {.55, .02, 0}, {.9, .4, deep}, spacing);
  add(run.scene, "left", material, left, spacing).velocity = {2, -1, 0.1};
  add(run.scene, "right", material, right, spacing).velocity = {-3, -0.5, 0};
  run.scene.boundaries = {plane({0, -0.05, 0}, {0, 1, 0}, 0.3)};
  flatten(run.scene);
  run.steps = 6;
  run.begin = [](World& world) {
    Weights weight(4);
    std::vector<double> E, nu;
    for (std::size_t i = 0; i < world.elasticity("right").size(); ++i) {
      E.push_back(4e4 * (1 + 0.5 * weight()));
      nu.push_back(0.3 + 0.1 * weight());
    }
    world.set_elasticity("right", E, nu);
  };
  run.act = [dimension](World& world, std::size_t k) {
    const double out = dimension == 2 ? 0 : 1;
    world.set_actuation("left", {300.0 * double(k), 50, 0, 50, -100, 20 * out, 0, 20 * out, 10 * out});
  };
  return run;
}

// sizes of the difference of two lists and of the second
double relative_size(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(difference / size);
}

void compare(const Gradient& a, const Gradient& b, double close) {
  for (const auto& [name, piece] : b.matter) {
    const PieceGradient& other = a.matter.at(name);
    EXPECT_LT(relative_size(other.positions, piece.positions), close) << name;
    EXPECT_LT(relative_size(other.velocities, piece.velocities), close) << name;
    EXPECT_LT(relative_size(other.affine, piece.affine), close) << name;
    EXPECT_LT(relative_size(other.deformation_gradients, piece.deformation_gradients), close) << name;
    EXPECT_LT(relative_size(other.masses, piece.masses), close) << name;
    EXPECT_LT(relative_size(other.of_particles.at("E"), piece.of_particles.at("E")), close) << name;
    EXPECT_LT(relative_size(other.of_particles.at("nu"), piece.of_particles.at("nu")), close) << name;
    for (std::size_t k = 0; k < piece.actuation.size(); ++k)
      EXPECT_LT(relative_size({other.actuation[k].begin(), other.actuation[k].end()},
                              {piece.actuation[k].begin(), piece.actuation[k].end()}),
                close)
          << name << " in step " << k;
    EXPECT_LT(relative(other.material.at("loss"), piece.material.at("loss")), 10 * close) << name;
  }
  EXPECT_LT(relative(a.boundaries.at("plane").friction, b.boundaries.at("plane").friction), close);
}

TEST(Packs, GoBackAsPlainLoopsDo) {
  for (const int dimension : {2, 3})
    for (const Law law : {Law::linear, Law::fixed_corotated, Law::neo_hookean}) {
      SCOPED_TRACE(testing::Message() << name(law) << " in " << dimension << "-D");
      const TapedRun run = meeting(dimension, law, Precision::float64);
      const Gradient plain = run.gradient(std::size_t(1) << 30, true);
      // some hundred sums of round-off 1e-16, grown by the run
      compare(run.gradient(), plain, 1e-12);
      const TapedRun single = meeting(dimension, law, Precision::float32);
      // states differ by round-off of 48 substeps, 1e-6, and gradients as much
      compare(single.gradient(), plain, 2e-5);
    }
}

// a block that falls for a hundred substeps, and is strained
TapedRun dropped(int dimension, Law law, Precision precision) {
  const double h = 0.125;
  TapedRun run;
  run.scene = empty_scene(dimension, h, 1.0 / 64, precision);
  run.scene.step.substeps = 10;
  run.scene.step.gravity = {0.5, -8, 0.3};
  const auto points = block(dimension, {0, 0, 0}, {.5, .5, dimension == 2 ? 0 : .5}, h / 2);
  add(run.scene, "block", elastic(4e4, 0.3, 800, law), points, h / 2).velocity = {1, -2, 0.1};
  flatten(run.scene);
  run.steps = 10;
  run.begin = [](World& world) {
    std::vector<double> F = numbers(world, "block", Attribute::deformation_gradient);
    Weights weight(5);
    for (double& f : F) f += 0.05 * weight();
    world.set("block", Attribute::deformation_gradient, F);
  };
  return run;
}

// The derivatives of a loss by the first state lose no more than the states do: some 100 sums of round-off 6e-8.
TEST(Packs, FloatIsAsGoodAsDoubleOverAHundredSubsteps) {
  for (const int dimension : {2, 3})
    for (const Law law : {Law::linear, Law::fixed_corotated, Law::neo_hookean}) {
      SCOPED_TRACE(testing::Message() << name(law) << " in " << dimension << "-D");
      const PieceGradient single = dropped(dimension, law, Precision::float32).gradient().matter.at("block");
      const PieceGradient exact = dropped(dimension, law, Precision::float64).gradient().matter.at("block");
      EXPECT_LT(relative_size(single.positions, exact.positions), 1e-5);
      EXPECT_LT(relative_size(single.velocities, exact.velocities), 1e-5);
      EXPECT_LT(relative_size(single.deformation_gradients, exact.deformation_gradients), 1e-5);
      EXPECT_LT(relative_size(single.affine, exact.affine), 1e-5);
    }
}

TEST(Packs, SortAndStrayOnTheWay) {
  for (const int dimension : {2, 3}) {
    World world(meeting(dimension, Law::neo_hookean, Precision::float32).scene, 1);
    double strays = 0;
    int sorts = 0;
    for (int k = 0; k < 6; ++k) {
      const StepReport& report = world.step();
      strays = std::max(strays, report.strays);
      sorts = std::max(sorts, report.sorts);
    }
    EXPECT_GT(strays, 0.02);
    EXPECT_GT(sorts, 1);
  }
}

TEST(Packs, ThreadsAndBudgetsChangeNoBit) {
  for (const int dimension : {2, 3}) {
    TapedRun run = meeting(dimension, Law::fixed_corotated, Precision::float32);
    const std::vector<double> one = flat(run.gradient());
    run.threads = 3;
    EXPECT_EQ(one, flat(run.gradient()));
    EXPECT_EQ(one, flat(run.gradient(dimension == 2 ? 1 << 18 : 4 << 20)));
  }
}

}  // namespace
}  // namespace pliant::test

// How many substeps a step takes, and what happens when a step cannot be done.
#include "step/nine_laws.h"

namespace pliant::test {

using namespace material;

namespace {

// a resting block whose wave speed is known
Scene resting(double E, double speed = 0) {
  Scene scene = empty_scene(2, 0.1, 0.05);
  scene.step.substeps = 0;
  add(scene, "block", elastic(E, 0.25), block(2, {0, 0, 0}, {0.4, 0.4, 0}, 0.05), 0.05).velocity = {speed, 0, 0};
  return scene;
}

double wave_speed(double E, double nu, double density) {
  const double mu = E / (2 * (1 + nu)), lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
  return std::sqrt((lambda + 2 * mu) / density);
}

int substeps(const Scene& scene) { return World(scene, 1).step().substeps; }

TEST(Substeps, FollowTheWaveSpeed) {
  for (double E : {1e4, 1e5, 1e6, 4e6})
    for (double speed : {0.0, 5.0}) {
      const Scene scene = resting(E, speed);
      const double needed =
          scene.step.dt * (wave_speed(E, 0.25, 1000) + speed) / (scene.step.courant * scene.step.cell);
      const int taken = substeps(scene);
      EXPECT_GE(taken, std::ceil(needed - 1e-6)) << E;
      // a law may round its wave speed up, the step may not waste more than a tenth
      EXPECT_LE(taken, std::ceil(1.1 * needed) + 1) << E;
    }
}

TEST(Substeps, FollowTheCourantNumberTheCellAndTheStep) {
  Scene scene = resting(1e6);
  const int base = substeps(scene);
  scene.step.courant = 0.2;
  EXPECT_NEAR(substeps(scene), 2 * base, 2);
  scene.step.courant = 0.4, scene.step.cell = 0.05;
  EXPECT_NEAR(substeps(scene), 2 * base, 2);
  scene.step.cell = 0.1, scene.step.dt = 0.1;
  EXPECT_NEAR(substeps(scene), 2 * base, 2);
}

TEST(Substeps, OneIsEnoughForAShortStep) {
  Scene scene = resting(1e4);
  scene.step.dt = 1e-4;
  EXPECT_EQ(substeps(scene), 1);
}

TEST(Substeps, TheStiffestMatterDecides) {
  Scene scene = resting(1e4);
  const int soft = substeps(scene);
  Material steel = elastic(1e6, 0.25);
  steel.name = "stiff";
  add(scene, "stiff", steel, block(2, {1, 0, 0}, {1.2, 0.2, 0}, 0.05), 0.05);
  EXPECT_NEAR(substeps(scene), 10 * soft, 10);
}

// gravity or an acceleration within the step must not make the count too small: matter that falls for long speeds up
TEST(Substeps, FollowTheSpeedAsMatterFalls) {
  Scene scene = resting(1e3);
  scene.step.gravity = {0, -9.81, 0}, scene.step.dt = 0.05;
  World world(scene, 1);
  for (int n = 0; n < 40; ++n) {
    const StepReport& report = world.step();
    const double way = report.max_speed * scene.step.dt / report.substeps;
    ASSERT_LE(way, scene.step.cell);
  }
  EXPECT_NEAR(numbers(world, "block", Attribute::velocity)[1], -9.81 * 2, 1e-9);
}

TEST(Substeps, TheCapIsAnErrorThatNamesTheCount) {
  Scene scene = resting(1e8);
  World counted(scene, 1);
  const int needed = counted.step().substeps;
  scene.step.max_substeps = needed - 1;
  World world(scene, 1);
  const std::uint64_t hash = world.state_hash();
  const std::string text = error_of([&] { world.step(); }, ErrorCode::too_fast);
  EXPECT_NE(text.find(std::to_string(needed)), std::string::npos) << text;
  EXPECT_NE(text.find("max_substeps"), std::string::npos) << text;
  EXPECT_EQ(world.state_hash(), hash);
  EXPECT_EQ(world.time(), 0);
  scene.step.max_substeps = needed;
  EXPECT_EQ(substeps(scene), needed);
}

// A piston drives matter at 200 m/s, which its own speed at the start of the step did not tell: the step is repeated
// with more substeps, and says so.
TEST(Substeps, AreAddedWhenMatterSpeedsUp) {
  Scene scene = resting(1e4);
  scene.boundaries.push_back(plane({0.05, 0, 0}, {1, 0, 0}, 0, Boundary::Condition::stick));
  scene.boundaries.back().velocity = {200, 0, 0};
  scene.step.dt = 0.01;
  World world(scene, 1);
  const int usual = substeps(resting(1e4));
  const StepReport& report = world.step();
  EXPECT_GT(report.substeps, usual);
  EXPECT_FALSE(report.warnings.empty());
  EXPECT_GT(report.max_speed, 100);
  EXPECT_LE(report.max_speed * scene.step.dt / report.substeps, scene.step.cell);
}

// N substeps of dt / N are N steps of one substep
TEST(Substeps, AreStepsOfTheirOwn) {
  for (Precision precision : {Precision::float32, Precision::float64}) {
    Scene scene = nine_laws(2, precision);
    scene.step.dt = 8.0 / 1024, scene.step.substeps = 8;
    World whole(scene, 2);
    scene.step.dt = 1.0 / 1024, scene.step.substeps = 1;
    World parts(scene, 2);
    for (int n = 0; n < 5; ++n) {
      whole.step();
      for (int k = 0; k < 8; ++k) parts.step();
    }
    // sorting happens at other times, which changes the order of sums
    const Difference d = difference(particles<2>(whole), particles<2>(parts));
    const double tolerance = precision == Precision::float64 ? 1e-10 : 2e-3;
    EXPECT_LT(d.position, tolerance);
    EXPECT_LT(d.velocity, 10 * tolerance);
  }
}

TEST(FailedStep, TooFastLeavesTheWorldAsItWas) {
  for (int dimension : {2, 3})
    for (Precision precision : {Precision::float32, Precision::float64}) {
      Scene scene = nine_laws(dimension, precision);
      Material spark = elastic(1e3, 0.2);
      spark.name = "spark";
      // 10 cells in one substep
      add(scene, "spark", spark, {{3, 3, dimension == 3 ? 3.0 : 0.0}}, 0.05).velocity = {10 * 0.125 * 512, 0, 0};
      World world(scene, 2);
      const auto before = world.save();
      const std::uint64_t hash = world.state_hash();
      for (int n = 0; n < 2; ++n) {
        error_of([&] { world.step(); }, ErrorCode::too_fast);
        EXPECT_EQ(world.state_hash(), hash);
        EXPECT_EQ(world.time(), 0);
      }
      EXPECT_EQ(world.save(), before);
      EXPECT_NEAR(numbers(world, "spark", Attribute::position)[0], 3, 1e-6);
    }
}

// A piston that rams the matter makes the step fail; with a slow piston the same world goes on as if nothing had
// happened.
TEST(FailedStep, TheWorldGoesOn) {
  for (int dimension : {2, 3})
    for (Precision precision : {Precision::float32, Precision::float64}) {
      Scene scene = nine_laws(dimension, precision);
      World failed(scene, 2), clean(scene, 2);
      for (int n = 0; n < 20; ++n) failed.step(), clean.step();
      for (double speed : {1e5, 1e30}) {
        failed.set_boundary_velocity("plane", {0, dimension == 2 ? speed : 0, dimension == 2 ? 0 : speed});
        error_of([&] { failed.step(); }, ErrorCode::too_fast);
      }
      failed.set_boundary_velocity("plane", {0, 0, 0});
      EXPECT_EQ(failed.state_hash(), clean.state_hash());
      for (int n = 0; n < 20; ++n) {
        failed.step(), clean.step();
        ASSERT_EQ(failed.state_hash(), clean.state_hash());
      }
    }
}

// an unstable step: a named error in the end, never a state that is not finite
TEST(FailedStep, AnExplosionIsANamedError) {
  Scene scene = resting(1e7);
  scene.step.substeps = 1, scene.step.dt = 0.02;
  scene.matter[0].angular_velocity = {0, 0, 1};
  World world(scene, 1);
  std::uint64_t hash = world.state_hash();
  try {
    for (int n = 0; n < 1000; ++n) {
      world.step();
      hash = world.state_hash();
    }
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::too_fast || error.code() == ErrorCode::not_finite) << error.what();
  }
  EXPECT_EQ(world.state_hash(), hash);
  for (Attribute a : {Attribute::position, Attribute::velocity, Attribute::affine, Attribute::deformation_gradient})
    for (double number : numbers(world, "block", a)) EXPECT_TRUE(std::isfinite(number));
}

TEST(BadScene, IsRefusedByName) {
  const auto refused = [](auto change, ErrorCode code = ErrorCode::bad_input) {
    Scene scene = resting(1e4);
    change(scene);
    return error_of([&] { World world(scene, 1); }, code);
  };
  EXPECT_NE(refused([](Scene& s) { s.matter[0].velocity[0] = NAN; }).find("block"), std::string::npos);
  refused([](Scene& s) { s.matter[0].velocity[1] = INFINITY; });
  refused([](Scene& s) { s.matter[0].points[3][0] = NAN; });
  refused([](Scene& s) { s.matter[0].point_volume = 0; });
  refused([](Scene& s) { s.matter[0].point_volume = -1; });
  refused([](Scene& s) { s.matter[0].material = "gold"; });
  refused([](Scene& s) { s.materials[0].density = -1; });
  refused([](Scene& s) { s.materials[0].nu = 0.5; });
  refused([](Scene& s) { s.step.cell = 0; });
  refused([](Scene& s) { s.step.cell = NAN; });
  refused([](Scene& s) { s.step.dt = 0; });
  refused([](Scene& s) { s.step.courant = 0; });
  refused([](Scene& s) { s.step.substeps = -1; });
  refused([](Scene& s) { s.step.gravity[0] = NAN; });
  refused([](Scene& s) { s.dimension = 4; });
  refused([](Scene& s) { s.matter.push_back(s.matter[0]); });  // two of one name
  refused([](Scene& s) { s.boundaries.push_back(plane({0, 0, 0}, {0, 0, 0})); });
  refused([](Scene& s) { s.boundaries.push_back(plane({0, 0, 0}, {0, 1, 0}, -0.5)); });
  refused([](Scene& s) { s.boundaries.push_back(plane({0, NAN, 0}, {0, 1, 0})); });
  refused([](Scene& s) { s.max_particles = 3; }, ErrorCode::too_large);
}

TEST(Mass, IsRightToOnePartInAMillion) {
  for (Precision precision : {Precision::float32, Precision::float64}) {
    Scene scene = nine_laws(3, precision);
    double expected = 0;
    for (const Matter& matter : scene.matter) expected += double(matter.points.size()) * matter.point_volume * 800;
    World world(scene, 2);
    EXPECT_NEAR(world.balance().mass / expected, 1, 1e-6);
    for (int n = 0; n < 10; ++n) EXPECT_NEAR(world.step().after.mass / expected, 1, 1e-6);
  }
}

}  // namespace
}  // namespace pliant::test

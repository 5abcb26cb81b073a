// Gradients of runs against central differences of the same runs, in double.
#include "gradient/support.h"
#include "material/law_info.h"
#include "step/nine_laws.h"

namespace pliant::test {
namespace {

// Differences of runs with kinks (yield, friction) and with strains of 1e-2 keep some seven digits.
constexpr double close = 1e-6;

const char* name_of(Attribute a) {
  return a == Attribute::position ? "x" : a == Attribute::velocity ? "v" : a == Attribute::affine ? "C" : "F";
}

// by the first state of every piece
void check_state(const TapedRun& run, const Gradient& gradient, double step = 1e-6) {
  Weights weight(5);
  for (const auto& [name, piece] : gradient.matter) {
    const std::tuple<Attribute, const std::vector<double>&, double> all[] = {
        {Attribute::position, piece.positions, 0.1},
        {Attribute::velocity, piece.velocities, 1},
        {Attribute::affine, piece.affine, 30},
        {Attribute::deformation_gradient, piece.deformation_gradients, 1}};
    for (const auto& [attribute, found, scale] : all) {
      const std::vector<double> direction = weight.list(found.size());
      const double wanted = differences(run, along(name, attribute, direction, scale), step);
      double squares = 0;  // of the terms of the sum, in which they may cancel
      for (std::size_t i = 0; i < found.size(); ++i) squares += std::pow(scale * found[i] * direction[i], 2);
      EXPECT_NEAR(scale * dot(found, direction), wanted, close * std::sqrt(squares))
          << name << " by " << name_of(attribute) << ": " << scale * dot(found, direction) << ", differences " << wanted;
    }
  }
}

std::function<TapedRun(TapedRun, double)> grown(const std::string& material, double Material::*member) {
  return [=](TapedRun run, double x) {
    for (Material& m : run.scene.materials)
      if (m.name == material) m.*member *= 1 + x;
    return run;
  };
}

// by the parameters of every material, each of one piece
void check_materials(const TapedRun& run, const Gradient& gradient, double step = 2e-6) {
  for (const Matter& matter : run.scene.matter)
    for (const Material& m : run.scene.materials) {
      if (m.name != matter.material) continue;
      const PieceGradient& piece = gradient.matter.at(matter.name);
      for (const ListedParameter& p : all_parameters()) {
        const auto found = piece.material.find(p.parameter.name);
        const double value = m.*p.parameter.member;
        if (found == piece.material.end() || value == 0) continue;
        const double wanted = differences(run, grown(m.name, p.parameter.member), step);
        // what a run hardly feels is measured against what it feels of E or the bulk modulus
        const double scale = std::abs(piece.material.at(piece.material.contains("E") ? "E" : "bulk_modulus") *
                                      (piece.material.contains("E") ? m.E : m.bulk_modulus));
        EXPECT_LT(std::abs(found->second * value - wanted), close * (std::abs(wanted) + scale))
            << matter.name << " by " << p.parameter.name << ": " << found->second * value << ", differences " << wanted;
      }
    }
}

// Strained by some hundredths, and pressed: at rest a liquid is between bearing pressure and none, and differences would
// see both.
void prestrain(World& world) {
  Weights weight(9);
  for (const Matter& m : world.scene().matter) {
    std::vector<double> F = numbers(world, m.name, Attribute::deformation_gradient);
    for (double& x : F) x = 0.97 * x + 0.01 * weight();
    world.set(m.name, Attribute::deformation_gradient, F);
  }
}

// all laws, falling onto a floor with friction and into each other, in three substeps each step
TapedRun nine(int dimension) {
  TapedRun run;
  run.scene = nine_laws(dimension, Precision::float64);
  run.scene.step.substeps = 3;
  run.scene.step.dt = 1.0 / 128;
  run.steps = 6;
  run.begin = prestrain;
  return run;
}

template <class Dimension>
class Differences : public testing::Test {};
using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(Differences, Dimensions);

TYPED_TEST(Differences, AgreeByTheFirstStateForEveryLaw) {
  const TapedRun run = nine(TypeParam::value);
  check_state(run, run.gradient());
}

TYPED_TEST(Differences, AgreeByTheParametersOfEveryLaw) {
  const TapedRun run = nine(TypeParam::value);
  check_materials(run, run.gradient());
}

// a block of neo-Hookean matter and one of sand, in a corner of three solids
TapedRun corner(int dimension, Kernel kernel, Transfer transfer) {
  const double h = 0.125, spacing = h / 2;
  TapedRun run;
  run.scene = empty_scene(dimension, h, 1.0 / 128);
  run.scene.step.substeps = 2;
  run.scene.step.kernel = kernel, run.scene.step.transfer = transfer;
  run.scene.step.gravity = {0.5, -8, 0.25};
  Material sand = elastic(2e4, 0.3, 800, Law::sand);
  sand.name = "sand";
  const double deep = dimension == 2 ? 0 : 0.25;
  Matter& jelly = add(run.scene, "jelly", elastic(2e4, 0.3, 800), block(dimension, {0, 0, 0}, {.25, .25, deep}, spacing),
                      spacing);
  jelly.velocity = {-0.5, -0.8, 0.1};
  add(run.scene, "heap", sand, block(dimension, {.27, 0, 0}, {.45, .2, deep}, spacing), spacing).velocity = {-1, -1, 0};
  Boundary floor = plane({0, -0.0625, 0}, {0, 1, 0}, 0.3);
  floor.name = "floor";
  floor.velocity = {0.1, 0, 0};
  Boundary wall = plane({-0.0625, 0, 0}, {1, 0, 0}, 0.2, Boundary::Condition::slip);
  wall.name = "wall";
  Boundary ball = plane({0.6, -0.1, 0.1}, {1, 0, 0}, 0.2, Boundary::Condition::stick);
  ball.name = "ball", ball.kind = Boundary::Kind::sphere, ball.radius = 0.2;
  run.scene.boundaries = {floor, wall, ball};
  flatten(run.scene);
  run.steps = 5;
  run.begin = prestrain;
  return run;
}

TYPED_TEST(Differences, AgreeForEveryKernelAndTransfer) {
  for (const Kernel kernel : {Kernel::linear, Kernel::quadratic, Kernel::compact})
    for (const Transfer transfer : {Transfer::pic, Transfer::apic, Transfer::mls}) {
      SCOPED_TRACE(testing::Message() << "kernel " << int(kernel) << ", transfer " << int(transfer));
      TapedRun run = corner(TypeParam::value, kernel, transfer);
      if (kernel == Kernel::linear) run.scene.boundaries.resize(1), run.steps = 2;  // it is about to blow up
      check_state(run, run.gradient());
    }
}

// what acts from outside: friction and velocity of boundaries, gravity, actuation
TYPED_TEST(Differences, AgreeByWhatActs) {
  TapedRun run = corner(TypeParam::value, Kernel::quadratic, Transfer::mls);
  run.act = [](World& world, std::size_t k) {
    world.set_actuation("jelly", {100.0 + 50 * double(k), 30, 0, 30, -200, 0, 0, 0, 0});
    if (k == 2) world.set_boundary_velocity("wall", {0.2, 0.3, 0});
  };
  const Gradient gradient = run.gradient();
  const auto check = [&](const char* what, double found, const std::function<TapedRun(TapedRun, double)>& change, double step) {
    const double wanted = differences(run, change, step);
    EXPECT_NE(wanted, 0) << what;
    EXPECT_NEAR(found, wanted, close * std::abs(wanted)) << what;
  };
  check("friction", gradient.boundaries.at("floor").friction,
        [](TapedRun r, double x) { return r.scene.boundaries[0].friction += x, r; }, 1e-5);
  check("friction of a wall", gradient.boundaries.at("wall").friction,
        [](TapedRun r, double x) { return r.scene.boundaries[1].friction += x, r; }, 1e-5);
  for (std::size_t d = 0; d < 2; ++d)
    check("gravity", gradient.gravity[d], [d](TapedRun r, double x) { return r.scene.step.gravity[d] += x, r; }, 1e-3);
  for (const std::size_t k : {std::size_t(0), std::size_t(3)}) {
    const auto more = [k](TapedRun r, double x) {
      const auto before = r.act;
      r.act = [=](World& world, std::size_t step) {
        before(world, step);
        const double a = 50 * double(step) + (step == k ? x : 0);
        world.set_actuation("jelly", {100 + a, 30, 0, 30, -200, 0, 0, 0, 0});
      };
      return r;
    };
    check("actuation", gradient.matter.at("jelly").actuation[k][0], more, 1);
  }
  // its place moves with it, which is not seen: a floor that moves along itself stays where it is
  const auto drawn = [](TapedRun r, double x) {
    r.act = [x, before = r.act](World& world, std::size_t k) {
      before(world, k);
      world.set_boundary_velocity("floor", {0.1 + x, 0, 0});
    };
    return r;
  };
  double by_velocity = 0;
  for (const Vec3& v : gradient.boundaries.at("floor").velocity) by_velocity += v[0];
  check("velocity of the floor", by_velocity, drawn, 1e-4);
}

// matter that touches loses
TYPED_TEST(Differences, AgreeByLoss) {
  TapedRun run = corner(TypeParam::value, Kernel::quadratic, Transfer::mls);
  run.scene.matter.resize(1);
  run.scene.materials.resize(1);
  run.scene.materials[0].loss = 0.05;
  const Gradient gradient = run.gradient();
  EXPECT_NE(gradient.matter.at("jelly").material.at("loss"), 0);
  check_materials(run, gradient);
  check_state(run, gradient);
}

}  // namespace
}  // namespace pliant::test

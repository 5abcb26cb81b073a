// Elastic matter against closed forms: a bar that swings, a block that an actuation stretches, a ball that bounces.
#include "effort.h"
#include "step/support.h"

namespace pliant::test {
namespace {

// A bar held at x = 0, pulled by a small gravity that is there from the start. It swings about its stretched length,
// and since all its axial frequencies are odd multiples of the first, the motion has the period 4 L sqrt(rho / E)
// exactly (nu = 0).
double bar_period(double h, Law law, Transfer transfer) {
  const double length = 1, E = 1e4, density = 1000;
  Scene scene = empty_scene(2, h, 0.2 * h / std::sqrt(E / density));
  scene.step.transfer = transfer;
  scene.step.gravity = {0.02, 0, 0};
  add(scene, "bar", elastic(E, 0, density, law), block(2, {0, 0, 0}, {length, 0.25, 0}, h / 2, 0), h / 2);
  // a hair above the nodes at x = 0, so that they are inside
  scene.boundaries.push_back(plane({1e-9, 0, 0}, {1, 0, 0}, 0, Boundary::Condition::stick));
  World world(scene, 2);
  // times at which the centre of mass turns back: half a period apart
  std::vector<double> turns;
  double last = 0;
  while (turns.size() < 5 && world.time() < 10) {
    const StepReport& report = world.step();
    const double now = report.after.momentum[0];
    if (last * now < 0) turns.push_back(report.time - scene.step.dt * now / (now - last));
    last = now;
  }
  EXPECT_EQ(turns.size(), 5u);
  return (turns.back() - turns.front()) / 2;
}

TEST(Bar, SwingsWithTheFrequencyOfTheTextbook) {
  if (is_sanitized) GTEST_SKIP() << only_figures;
  const double exact = 4 / std::sqrt(1e4 / 1000);
  for (Law law : {Law::neo_hookean, Law::fixed_corotated, Law::linear, Law::hencky})
    for (Transfer transfer : {Transfer::apic, Transfer::mls}) {
      double error[3];
      for (int n = 0; n < 3; ++n) error[n] = std::abs(bar_period(0.125 / (1 << n), law, transfer) / exact - 1);
      SCOPED_TRACE(testing::Message() << name(law) << " " << int(transfer) << ": " << error[0] << " " << error[1] << " "
                                      << error[2]);
      EXPECT_LT(error[2], 0.02);
      // first order: the error halves with h
      EXPECT_LT(error[1], 0.7 * error[0]);
      EXPECT_LT(error[2], 0.7 * error[1]);
    }
}

// A free block with the actuation stress sigma rests where the elastic stress and F sigma F^T cancel: for neo-Hookean
// matter and F = diag(f), (mu + sigma_d) f_d^2 = mu - lambda ln J.
twin::Vec<2> actuated_stretch(double mu, double lambda, const twin::Vec<2>& sigma) {
  twin::Vec<2> f(1, 1);
  for (int n = 0; n < 200; ++n) {
    const double pressure = mu - lambda * std::log(f[0] * f[1]);
    for (int d = 0; d < 2; ++d) f[d] = 0.5 * (f[d] + std::sqrt(pressure / (mu + sigma[d])));
  }
  return f;
}

TEST(Actuation, StretchesABlockByTheAnalyticAmount) {
  const double E = 1e4, nu = 0.3, mu = E / (2 * (1 + nu)), lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), h = 0.1;
  for (const twin::Vec<2>& sigma : {twin::Vec<2>(-500, -500), twin::Vec<2>(800, 0), twin::Vec<2>(-300, 400)}) {
    Scene scene = empty_scene(2, h, 2e-3);
    scene.step.transfer = Transfer::pic;  // it damps, so that the block comes to rest
    add(scene, "muscle", elastic(E, nu), block(2, {0, 0, 0}, {0.6, 0.6, 0}, h / 2), h / 2);
    World world(scene, 2);
    world.set_actuation("muscle", {sigma[0], 0, 0, 0, sigma[1], 0, 0, 0, 0});
    for (int n = 0; n < 600; ++n) world.step();
    const twin::Vec<2> expected = actuated_stretch(mu, lambda, sigma);
    EXPECT_GT((expected - twin::Vec<2>(1, 1)).norm(), 0.02);
    twin::Mat<2> mean = twin::Mat<2>::Zero();
    const auto all = particles<2>(world);
    for (const auto& p : all) mean += p.F / double(all.size());
    // zero stress everywhere is the rest state of the discrete block too; what is left is the slow end of the damped
    // motion
    EXPECT_NEAR(mean(0, 0), expected[0], 1e-4);
    EXPECT_NEAR(mean(1, 1), expected[1], 1e-4);
    EXPECT_NEAR(mean(0, 1), 0, 1e-4);
    // tension (a positive stress) shortens, pressure lengthens
    EXPECT_EQ(sigma[0] > 0, mean(0, 0) < 1);
  }
}

TEST(Actuation, PushesNothingFromOutside) {
  for (int dimension : {2, 3})
    for (Transfer transfer : {Transfer::apic, Transfer::mls}) {
      Scene scene = empty_scene(dimension, 0.1, 1e-3);
      scene.step.transfer = transfer;
      add(scene, "muscle", elastic(1e4, 0.3), block(dimension, {0, 0, 0}, {0.4, 0.3, 0.3}, 0.05), 0.05)
          .angular_velocity = {0, 0, 2};
      World world(scene, 2);
      const std::uint64_t hash = world.state_hash();
      world.set_actuation("muscle", dimension == 2 ? std::array<double, 9>{900, -300, 0, -300, 100, 0, 0, 0, 0}
                                                   : std::array<double, 9>{900, -300, 0, -300, 100, 50, 0, 50, 200});
      const Balance start = world.balance();
      for (int n = 0; n < 50; ++n) world.step();
      const Balance end = world.balance();
      EXPECT_NE(world.state_hash(), hash);
      EXPECT_GT(end.elastic_energy, 0);
      for (int d = 0; d < 3; ++d) {
        EXPECT_NEAR(end.momentum[d], start.momentum[d], 1e-13 * start.mass);
        EXPECT_NEAR(end.angular_momentum[d], start.angular_momentum[d], 1e-13 * start.mass);
      }
    }
}

TEST(Actuation, RefusesWhatMakesNoSense) {
  Scene scene = empty_scene(2, 0.1, 1e-3);
  add(scene, "muscle", elastic(1e4, 0.3), block(2, {0, 0, 0}, {0.2, 0.2, 0}, 0.05), 0.05);
  World world(scene, 1);
  const std::uint64_t hash = world.state_hash();
  error_of([&] { world.set_actuation("nobody", {}); }, ErrorCode::bad_input);
  error_of([&] { world.set_actuation("muscle", {NAN, 0, 0, 0, 0, 0, 0, 0, 0}); }, ErrorCode::bad_input);
  error_of([&] { world.set_actuation("muscle", {0, 1, 0, -1, 0, 0, 0, 0, 0}); }, ErrorCode::bad_input);
  EXPECT_EQ(world.state_hash(), hash);
}

// Kinetic, elastic and gravity energy together: in free flight symplectic Euler takes m g^2 dt^2 / 2 per step,
// transfers and the floor take more. From its lowest value it was never seen to rise; an unstable step or a floor that
// pushes too much would show.
TEST(Energy, OfABouncingBallNeverRises) {
  for (int dimension : {2, 3})
    for (Transfer transfer : {Transfer::pic, Transfer::apic, Transfer::mls})
      for (Law law : {Law::neo_hookean, Law::fixed_corotated, Law::hencky}) {
        const double h = 0.1;
        Scene scene = empty_scene(dimension, h, 2e-3);
        scene.step.substeps = 0, scene.step.transfer = transfer;
        scene.step.gravity[dimension - 1] = -9.81;
        Vec3 up = {0, 0, 0}, middle = {0, 0, 0};
        up[dimension - 1] = 1, middle[dimension - 1] = 0.8;
        add(scene, "ball", elastic(2e4, 0.3, 1000, law), ball(dimension, middle, 0.3, h / 2), h / 2);
        scene.boundaries.push_back(plane({0, 0, 0}, up));
        World world(scene, 2);
        const Balance start = world.balance();
        const double drop = start.gravity_energy * (0.5 / 0.8);
        double lowest = start.kinetic_energy + start.elastic_energy + start.gravity_energy, rise = 0, elastic = 0;
        for (int n = 0; n < as_many(400); ++n) {
          const Balance now = world.step().after;
          const double total = now.kinetic_energy + now.elastic_energy + now.gravity_energy;
          lowest = std::min(lowest, total), rise = std::max(rise, total - lowest);
          elastic = std::max(elastic, now.elastic_energy);
        }
        EXPECT_LT(rise, 1e-4 * drop) << dimension << int(transfer) << name(law);
        if (!is_sanitized) EXPECT_GT(elastic, 0.1 * drop);
      }
}

}  // namespace
}  // namespace pliant::test

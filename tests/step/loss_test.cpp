// What matter loses while it touches: a viscosity of shear, as in the slow twin; nothing while it is free; nothing of a
// turn; and a block that friction must hold rests.
#include "step/support.h"

#include <Eigen/Eigenvalues>
#include <numbers>

namespace pliant::test {
namespace {

// two blocks that turn and deform and fall onto a tilted floor
Scene two_blocks(int dimension, Transfer transfer, Precision precision) {
  const double h = 0.1, spacing = 0.05, size = dimension == 2 ? 0.4 : 0.25;
  Scene scene = empty_scene(dimension, h, 2e-3, precision);
  scene.step.transfer = transfer;
  Material soft = elastic(5e3, 0.2), stiff = elastic(2e4, 0.35, 700);
  stiff.name = "stiff";
  // of the second one the substep is too long for all of its loss
  soft.loss = 0.15, stiff.loss = 5;
  Matter& low = add(scene, "low", soft, block(dimension, {0, 0, 0}, {1.3 * size, size, 1.1 * size}, spacing), spacing);
  low.velocity = {0.5, -1, -1.5}, low.angular_velocity = {1, -2, 3};
  const double away = 0.8;
  Matter& high = add(scene, "high", stiff, block(dimension, {away, 0, 0}, {away + size, size, size}, spacing), spacing);
  high.velocity = {-1, -3, -5}, high.angular_velocity = {-1, 1, -4};
  const Vec3 up = dimension == 2 ? Vec3{0.28, 0.96, 0} : Vec3{0.28, -0.576, 0.768};
  Vec3 point = up;
  for (double& x : point) x *= dimension == 2 ? -0.12 : -0.21;
  scene.boundaries.push_back(plane(point, up, 0.4));
  flatten(scene);
  return scene;
}

template <int D>
double shortest_edge(const twin::Twin<D>& twin, int group) {
  twin::Vec<D> mean = twin::Vec<D>::Zero();
  twin::Mat<D> moment = twin::Mat<D>::Zero();
  double count = 0;
  for (const auto& p : twin.particles)
    if (p.group == group) mean += p.x, count += 1;
  mean /= count;
  for (const auto& p : twin.particles)
    if (p.group == group) moment += (p.x - mean) * (p.x - mean).transpose() / count;
  return std::sqrt(12 * Eigen::SelfAdjointEigenSolver<twin::Mat<D>>(moment).eigenvalues()[0]);
}

template <int D>
void agree(Transfer transfer, Precision precision) {
  const Scene scene = two_blocks(D, transfer, precision);
  World world(scene, 2);
  twin::Twin<D> twin = twin_of<D>(world);
  double viscosity[2];
  bool touches[2] = {false, false}, touched[2] = {false, false};
  for (int g = 0; g < 2; ++g) {
    const Material& m = scene.materials[std::size_t(g)];
    const double G = m.E / (2 * (1 + m.nu));
    viscosity[g] = std::min(2 * m.loss * shortest_edge(twin, g) * std::sqrt(G * m.density) / std::numbers::pi,
                            m.density * twin.h * twin.h / (8 * twin.dt));
  }
  const auto elastic_part = twin.kirchhoff;
  twin.kirchhoff = [&](const twin::Particle<D>& p) {
    const twin::Mat<D> rate = 0.5 * (p.C + p.C.transpose());
    const twin::Mat<D> shear = rate - rate.trace() / D * twin::Mat<D>::Identity();
    return twin::Mat<D>(elastic_part(p) + (touches[p.group] ? 2 * viscosity[p.group] : 0) * shear);
  };
  for (int n = 0; n < 60; ++n) {
    for (int g = 0; g < 2; ++g) touches[g] = false;
    for (const auto& p : twin.particles)
      if ((p.x - twin.planes[0].point).dot(twin.planes[0].normal) < twin.h) touches[p.group] = touched[p.group] = true;
    world.step();
    twin.step();
  }
  EXPECT_TRUE(touched[0] && touched[1]);
  const Difference d = difference(particles<D>(world), twin.particles);
  // as twin_test.cpp, three times as many steps
  const double tolerance = precision == Precision::float64 ? 1e-11 : 2e-4;
  EXPECT_LT(d.position, tolerance);
  EXPECT_LT(d.velocity, 4 * tolerance);
  EXPECT_LT(d.deformation, tolerance);
}

TEST(Loss, AgreesWithTheTwin) {
  for (Transfer transfer : {Transfer::apic, Transfer::mls})
    for (Precision precision : {Precision::float32, Precision::float64}) {
      agree<2>(transfer, precision);
      agree<3>(transfer, precision);
    }
}

// the same with and without loss, bit for bit, as long as nothing is touched
TEST(Loss, LeavesWhatIsFreeAlone) {
  for (Method method : {Method::async, Method::strong}) {
    Scene scene = two_blocks(3, Transfer::mls, Precision::float64);
    scene.boundaries.clear();
    scene.step.method = method;
    World with(scene, 1);
    for (Material& m : scene.materials) m.loss = 0;
    World without(scene, 1);
    for (int n = 0; n < 20; ++n) with.step(), without.step();
    EXPECT_EQ(numbers(with, "low", Attribute::position), numbers(without, "low", Attribute::position));
    EXPECT_EQ(numbers(with, "high", Attribute::velocity), numbers(without, "high", Attribute::velocity));
  }
}

}  // namespace
}  // namespace pliant::test

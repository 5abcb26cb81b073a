// The way back against derivatives that are carried along forward, over a hundred steps.
#include "gradient/tangent.h"

#include "gradient/support.h"

namespace pliant::test {
namespace {

// a block that falls on a floor with friction, pressed a little and turning
TapedRun falling(int dimension, const Material& material) {
  const double h = 0.125, spacing = h / 2, deep = dimension == 2 ? 0 : 0.2;
  TapedRun run;
  run.scene = empty_scene(dimension, h, 1.0 / 400);
  run.scene.step.gravity = {0.5, -8, 0};
  Matter& matter = add(run.scene, "block", material, block(dimension, {0, 0, 0}, {.3, .25, deep}, spacing), spacing);
  matter.velocity = {1, -1.5, 0};
  matter.angular_velocity = {0, 0, 1};
  run.scene.boundaries = {plane({0, -0.03, 0}, {0, 1, 0}, 0.3)};
  flatten(run.scene);
  run.steps = 100;
  run.begin = [](World& world) {
    std::vector<double> F = numbers(world, "block", Attribute::deformation_gradient);
    Weights weight(9);
    for (double& x : F) x = 0.98 * x + 0.005 * weight();
    world.set("block", Attribute::deformation_gradient, F);
  };
  return run;
}

// a direction in all that the run begins with
struct Direction {
  std::vector<double> x, v, C, F;
  double friction = 0.7, gravity = -0.4, number = 0.3;  // number: the law's first, as a part of itself
};

template <class L, int D>
Tangent<L, D> tangent_of(const World& world, L law, const Direction& along) {
  const Scene& scene = world.scene();
  Tangent<L, D> t = {law, scene.step.cell, scene.step.dt, {}, {}, {}, {}};
  for (int d = 0; d < D; ++d) t.gravity[d] = {scene.step.gravity[std::size_t(d)], d == 1 ? along.gravity : 0};
  const Boundary& b = scene.boundaries[0];
  TangentPlane<D> floor;
  for (int d = 0; d < D; ++d) floor.point[d] = b.center[std::size_t(d)], floor.normal[d] = b.normal[std::size_t(d)];
  floor.friction = {b.friction, along.friction};
  t.planes = {floor};
  const auto all = particles<D>(world);
  const auto plastic = numbers(world, "block", Attribute::plastic);
  for (std::size_t p = 0; p < all.size(); ++p) {
    TangentParticle<D> q;
    for (int i = 0; i < D; ++i) {
      q.x[i] = {all[p].x[i], along.x[p * D + std::size_t(i)]};
      q.v[i] = {all[p].v[i], along.v[p * D + std::size_t(i)]};
      for (int j = 0; j < D; ++j) {
        q.C(i, j) = {all[p].C(i, j), along.C[(p * D + std::size_t(i)) * D + std::size_t(j)]};
        q.F(i, j) = {all[p].F(i, j), along.F[(p * D + std::size_t(i)) * D + std::size_t(j)]};
      }
    }
    q.plastic = plastic[p], q.mass = all[p].mass, q.volume = all[p].volume;
    t.particles.push_back(q);
  }
  return t;
}

// what the loss of the run gains along the direction, forward
template <class L, int D>
double forward(const TapedRun& run, const World& world, L law, const Direction& along) {
  Tangent<L, D> t = tangent_of<L, D>(world, law, along);
  const std::vector<LossSeed> seeds = run.seeds(world);
  double gain = 0;
  for (std::size_t k = 0; k < run.steps; ++k) {
    t.step();
    for (const LossSeed& seed : seeds) {
      if (seed.step != k) continue;
      for (std::size_t p = 0, n = 0; p < t.particles.size(); ++p) {
        const TangentParticle<D>& q = t.particles[p];
        const auto add = [&](const Dual* a, int count) {
          for (int i = 0; i < count; ++i) gain += seed.values[n++] * a[i].d;
        };
        if (seed.attribute == Attribute::position) add(q.x.a, D);
        if (seed.attribute == Attribute::velocity) add(q.v.a, D);
        if (seed.attribute == Attribute::affine) add(q.C.a, D * D);
        if (seed.attribute == Attribute::deformation_gradient) add(q.F.a, D * D);
      }
    }
  }
  return gain;
}

template <template <class> class L, int D>
void compare(Material material) {
  SCOPED_TRACE(testing::Message() << name(material.law) << " in " << D << "-D");
  const TapedRun run = falling(D, material);
  World world(run.scene, 1);
  run.begin(world);
  Weights weight(21);
  Direction along;
  const std::size_t n = world.particle_count();
  along.x = weight.list(n * D), along.v = weight.list(n * D);
  along.C = weight.list(n * D * D), along.F = weight.list(n * D * D);
  for (double& x : along.x) x *= 0.01;
  for (double& x : along.F) x *= 0.1;

  L<Dual> law = L<Dual>::make(material);
  const Gradient gradient = run.gradient();
  const PieceGradient& g = gradient.matter.at("block");
  double back = dot(g.positions, along.x) + dot(g.velocities, along.v) + dot(g.affine, along.C) +
                dot(g.deformation_gradients, along.F) + gradient.boundaries.at("plane").friction * along.friction +
                gradient.gravity[1] * along.gravity;
  if constexpr (requires { law.bulk_modulus; }) {
    law.bulk_modulus.d = along.number * material.bulk_modulus;
    back += g.material.at("bulk_modulus") * law.bulk_modulus.d;
  } else {
    // mu and lambda go with E, the yield stress stays
    const auto grow = [&](Dual& x) { x.d = along.number * x.v; };
    if constexpr (requires { law.fresh; })
      grow(law.fresh.mu), grow(law.fresh.lambda);
    else
      grow(law.mu), grow(law.lambda);
    back += g.material.at("E") * along.number * material.E;
  }
  const double wanted = forward<L<Dual>, D>(run, world, law, along);
  // two runs that differ by round-off, 1e-13 grown by contact and yield
  EXPECT_LT(relative(back, wanted), 1e-9) << back << " and " << wanted;
}

template <template <class> class L>
void compare_both(Law law) {
  Material material = elastic(2e4, 0.3, 800, law);
  material.yield = 300, material.bulk_modulus = 2e4, material.viscosity = 1;
  compare<L, 2>(material);
  compare<L, 3>(material);
}

TEST(Tangents, AgreeForElasticLaws) {
  compare_both<material::Linear>(Law::linear);
  compare_both<material::FixedCorotated>(Law::fixed_corotated);
  compare_both<material::NeoHookean>(Law::neo_hookean);
}

TEST(Tangents, AgreeForLawsThatFlow) {
  compare_both<material::LinearCorotated>(Law::linear_corotated);
  compare_both<material::Hencky>(Law::hencky);
  compare_both<material::Sand>(Law::sand);
  compare_both<material::Snow>(Law::snow);
}

TEST(Tangents, AgreeForLawsOfVolume) {
  compare_both<material::Liquid>(Law::liquid);
  compare_both<material::Eraser>(Law::eraser);
}

}  // namespace
}  // namespace pliant::test

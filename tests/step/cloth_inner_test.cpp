// Inner steps of cloth: against a slow, obvious loop; at their limit; against plain substeps.
#include "cloth/hinge.h"
#include "cloth/sheet.h"
#include "effort.h"
#include "material/cloth.h"
#include "step/sheets.h"

#include <map>

namespace pliant {

using namespace material;
using namespace cloth;

namespace {

using namespace test;
using Mat = Matrix<double, 3>;

// One sheet, as its README says, particle by particle on a grid that is a map.
struct SlowSheet {
  Sheet<double> sheet;
  Cloth<double> law;
  double h;
  Vec gravity;
  double floor;  // nodes below this z stick
  std::vector<Vec> x, v;
  std::vector<Mat> C, F;
  std::vector<double> mass;

  using Key = std::array<int, 3>;
  struct Touch {
    Key node;
    double w;
    Vec d;  // m, node minus particle
  };
  struct SlowNode {
    double mass = 0;
    Vec v = Vec::zero();
  };
  std::map<Key, SlowNode> nodes;
  std::vector<std::vector<Touch>> touches;

  SlowSheet(const Scene& scene, const World& world)
      : sheet(make_sheet<double>(sheet_mesh(scene.matter[0].shape, scene.step.cell), scene.matter[0],
                                 scene.materials[0], 0)),
        law(Cloth<double>::make(scene.materials[0])),
        h(scene.step.cell),
        gravity{{scene.step.gravity[0], scene.step.gravity[1], scene.step.gravity[2]}},
        floor(scene.boundaries.empty() ? -1e9 : scene.boundaries[0].center[2]) {
    const std::string& name = scene.matter[0].name;
    const auto xs = numbers(world, name, Attribute::position), vs = numbers(world, name, Attribute::velocity);
    const auto Cs = numbers(world, name, Attribute::affine), Fs = numbers(world, name, Attribute::deformation_gradient);
    mass = numbers(world, name, Attribute::mass);
    for (std::size_t p = 0; p < mass.size(); ++p) {
      x.push_back({{xs[3 * p], xs[3 * p + 1], xs[3 * p + 2]}});
      v.push_back({{vs[3 * p], vs[3 * p + 1], vs[3 * p + 2]}});
      C.emplace_back();
      F.emplace_back();
      std::copy_n(Cs.begin() + std::ptrdiff_t(9 * p), 9, C.back().a);
      std::copy_n(Fs.begin() + std::ptrdiff_t(9 * p), 9, F.back().a);
    }
  }

  std::vector<Touch> touch(const Vec& at) const {
    double w[3][3];
    int base[3];
    for (int d = 0; d < 3; ++d) {
      base[d] = int(std::floor(at[d] / h - 0.5));
      const double f = at[d] / h - base[d];
      w[d][0] = 0.5 * (1.5 - f) * (1.5 - f), w[d][1] = 0.75 - (f - 1) * (f - 1), w[d][2] = 0.5 * (f - 0.5) * (f - 0.5);
    }
    std::vector<Touch> list;
    for (int i = 0; i < 27; ++i) {
      const int k[3] = {i / 9, i / 3 % 3, i % 3};
      const Key node = {base[0] + k[0], base[1] + k[1], base[2] + k[2]};
      list.push_back({node, w[0][k[0]] * w[1][k[1]] * w[2][k[2]],
                      Vec{{node[0] * h - at[0], node[1] * h - at[1], node[2] * h - at[2]}}});
    }
    return list;
  }

  void scatter() {
    nodes.clear();
    touches.clear();
    for (std::size_t p = 0; p < x.size(); ++p) {
      touches.push_back(touch(x[p]));
      for (const Touch& t : touches[p]) {
        nodes[t.node].mass += t.w * mass[p];
        nodes[t.node].v += (t.w * mass[p]) * (v[p] + C[p] * t.d);
      }
    }
    for (auto& [key, node] : nodes) node.v = (1 / node.mass) * node.v;
  }

  Vec velocity(std::size_t p) const {
    Vec sum = Vec::zero();
    for (const Touch& t : touches[p]) sum += t.w * nodes.at(t.node).v;
    return sum;
  }
  Mat gradient(std::size_t p) const {
    Mat sum = Mat::zero();
    for (const Touch& t : touches[p]) sum += (4 / (h * h) * t.w) * outer(nodes.at(t.node).v, t.d);
    return sum;
  }

  // F of triangle e, from the corners and d3
  Mat shape(std::size_t e, bool settles) const {
    const Element<double>& el = sheet.elements[e];
    Mat G = F[sheet.vertices + e];
    for (int d = 0; d < 3; ++d) {
      const double d1 = x[el.corner[1]][d] - x[el.corner[0]][d], d2 = x[el.corner[2]][d] - x[el.corner[0]][d];
      G(d, 0) = d1 * el.inverse[0] + d2 * el.inverse[2];
      G(d, 1) = d1 * el.inverse[1] + d2 * el.inverse[3];
    }
    if (settles) law.settle(G);
    return G;
  }

  // forces act on the nodes for dt, those of the hinges for bend_dt
  void kick(double dt, double bend_dt) {
    std::map<Key, Vec> force;
    const auto act = [&](std::size_t p, const Vec& f) {
      for (const Touch& t : touches[p]) force[t.node] += t.w * f;
    };
    for (std::size_t e = 0; e < sheet.elements.size(); ++e) {
      const Element<double>& el = sheet.elements[e];
      const std::size_t p = sheet.vertices + e;
      const Mat P = law.stress(F[p], Memory<double, 3>{F[p], 0});
      Vec f1, f2, P3, d3;
      for (int d = 0; d < 3; ++d) {
        f1[d] = -el.volume * (P(d, 0) * el.inverse[0] + P(d, 1) * el.inverse[1]);
        f2[d] = -el.volume * (P(d, 0) * el.inverse[2] + P(d, 1) * el.inverse[3]);
        P3[d] = P(d, 2), d3[d] = F[p](d, 2);
      }
      act(el.corner[0], -1.0 * (f1 + f2)), act(el.corner[1], f1), act(el.corner[2], f2);
      for (const Touch& t : touches[p]) force[t.node] -= (el.volume * 4 / (h * h) * t.w * dot(d3, t.d)) * P3;
    }
    for (const Hinge<double>& hinge : sheet.hinges) {
      const Vec at[4] = {x[hinge.corner[0]], x[hinge.corner[1]], x[hinge.corner[2]], x[hinge.corner[3]]};
      const HingeAngle<double> now = hinge_angle(at);
      for (int k = 0; k < 4; ++k)
        act(hinge.corner[k], (bend_dt / dt * hinge.stiffness * (hinge.rest_angle - now.angle)) * now.gradient[k]);
    }
    for (auto& [key, node] : nodes) {
      node.v += dt * gravity + (dt / node.mass) * force[key];
      if (key[2] * h < floor) node.v = Vec::zero();
    }
  }

  void drift(double dt) {
    for (std::size_t p = 0; p < sheet.vertices; ++p) x[p] += dt * velocity(p);
    for (std::size_t p = sheet.vertices; p < x.size(); ++p) F[p] += dt * (gradient(p) * F[p]);
    for (std::size_t e = 0; e < sheet.elements.size(); ++e) F[sheet.vertices + e] = shape(e, true);
  }

  // Stoermer and Verlet; hinges have `bends` steps of their own, cut as evenly as goes
  void substep(double dt, int inner, int bends) {
    scatter();
    const double step = dt / inner;
    if (inner == 1) {
      kick(dt, dt);
      drift(dt);
    }
    std::vector<double> bend(std::size_t(inner) + 1, 0.0);
    for (int b = 0; b < bends; ++b) {
      const int from = (inner * b + bends - 1) / bends, to = (inner * (b + 1) + bends - 1) / bends;
      bend[std::size_t(from)] += 0.5 * (to - from) * step, bend[std::size_t(to)] += 0.5 * (to - from) * step;
    }
    for (int i = 0; i <= inner && inner > 1; ++i) {
      kick(i == 0 || i == inner ? 0.5 * step : step, bend[std::size_t(i)]);
      if (i < inner) drift(step);
    }
    for (std::size_t p = 0; p < x.size(); ++p) v[p] = velocity(p), C[p] = gradient(p);
    for (std::size_t e = 0; e < sheet.elements.size(); ++e) {
      const std::uint32_t* c = sheet.elements[e].corner;
      x[sheet.vertices + e] = (1.0 / 3) * (x[c[0]] + x[c[1]] + x[c[2]]);
    }
  }
};

// a sheet that tumbles, bends and stands on a floor that holds it
Scene tumbling(int substeps) {
  Material m = fabric(1e5, 0.3);
  m.bending = 1e-4;
  Scene scene = cloth_scene(m, 1.0 / 64, 4e-3);
  scene.step.substeps = substeps;
  scene.step.gravity = {1, 0, -9.81};
  Matter& sheet = add_sheet(scene, "flag", 0.14, 0.11, {0.01, 0.02, 0.03}, 0.012);
  sheet.shape.rotation = {0.8, 0.4, 0.4, 0.2};
  sheet.velocity = {0.5, 0.2, -0.2};
  sheet.angular_velocity = {6, 2, 3};
  Boundary floor;
  floor.at = Boundary::At::nodes;
  floor.name = "floor", floor.kind = Boundary::Kind::plane, floor.condition = Boundary::Condition::stick;
  floor.center = {0, 0, -0.02}, floor.normal = {0, 0, 1};
  scene.boundaries = {floor};
  return scene;
}

TEST(ClothInner, StepsAreThoseOfASlowLoop) {
  for (const int substeps : {1, 2, 40}) {
    const Scene scene = tumbling(substeps);
    World world(scene, 2);
    SlowSheet slow(scene, world);
    for (int i = 0; i < 5; ++i) {
      const StepReport& r = world.step();
      ASSERT_EQ(r.substeps, substeps);
      // the last is the step with forces that go with the momenta
      EXPECT_EQ(r.inner_steps > 1, substeps < 40);
      const double dt = scene.step.dt / substeps;
      const double rate = bending_rate(slow.sheet, scene.matter[0], scene.materials[0]);
      const int bends = int(std::ceil(dt * rate / (2 * 0.8)));
      EXPECT_EQ(bends < r.inner_steps, substeps < 40);
      for (int k = 0; k < substeps; ++k) slow.substep(dt, r.inner_steps, bends);
    }
    const std::vector<double> x = numbers(world, "flag", Attribute::position),
                              v = numbers(world, "flag", Attribute::velocity),
                              F = numbers(world, "flag", Attribute::deformation_gradient);
    for (std::size_t p = 0; p < slow.x.size(); ++p) {
      // round-off of positions of 0.1 m, strained by 1e-16 / 1e-2 and pulled back by waves of 14 m/s
      for (int d = 0; d < 3; ++d) EXPECT_NEAR(x[3 * p + std::size_t(d)], slow.x[p][d], 1e-13) << substeps << " " << p;
      for (int d = 0; d < 3; ++d) EXPECT_NEAR(v[3 * p + std::size_t(d)], slow.v[p][d], 1e-10) << substeps << " " << p;
      for (std::size_t k = 0; k < 9 && p >= slow.sheet.vertices; ++k)
        EXPECT_NEAR(F[9 * p + k], slow.F[p].a[k], 1e-11) << substeps << " " << p;
    }
  }
}

double energy(const Balance& b) { return b.kinetic_energy + b.elastic_energy + b.gravity_energy; }

// A sheet that hangs by two corners, with many inner steps in a substep, for meshes finer and coarser than the
// cells. It trembles to pieces within half a second if substeps end with a whole kick.
TEST(ClothInner, EnergyDoesNotGrow) {
  for (const double part : {0.6, 1.08, 1.5}) {
    const double a = 0.12, E = 3.2e6;
    Scene scene = cloth_scene(fabric(E, 0.4, 1500), 1.0 / 64, 0.01);
    scene.precision = Precision::float32;
    scene.step.substeps = 5;
    scene.step.gravity = {0, -9.81, 0};
    Matter& towel = add_sheet(scene, "towel", 2 * a, 2 * a, {0, 0, 0}, part * scene.step.cell);
    towel.pins = {{"left", {-a, a, 0}, 0.012}, {"right", {a, a, 0}, 0.012}};
    World world(scene, 2);
    const double start = energy(world.balance());
    double swing = 0;
    for (int i = 0; i < as_many(60); ++i) {
      const StepReport& r = world.step();
      ASSERT_GE(r.inner_steps, 6);
      swing = std::max(swing, r.after.kinetic_energy);
      // what Verlet's rule moves back and forth, and floats
      ASSERT_LT(energy(r.after), start + 0.02 * swing + 1e-5) << part << " cells, step " << i;
    }
  }
}

// a strip that is clamped on one side falls and swings
std::vector<Vec3> swung(int substeps, int& inner, double& lost) {
  Material m = fabric(1e6, 0.3);
  Scene scene = cloth_scene(m, 1.0 / 64, 5e-3);
  scene.step.substeps = substeps;
  scene.step.gravity = {0, 0, -9.81};
  Matter& strip = add_sheet(scene, "strip", 0.2, 0.1, {0, 0, 0});
  strip.pins = {half_space("clamp", -0.1, 1, {0, 0, 0})};
  World world(scene, 2);
  const double start = energy(world.balance());
  for (int i = 0; i < 60; ++i) inner = world.step().inner_steps;
  lost = start - energy(world.balance());
  return vertices(world, "strip");
}

TEST(ClothInner, PendulumSwingsAsWithPlainSubsteps) {
  int inner = 0, none = 0;
  double lost = 0, plain_lost = 0;
  const std::vector<Vec3> x = swung(2, inner, lost), plain = swung(16, none, plain_lost);
  ASSERT_GT(inner, 4);
  ASSERT_EQ(none, 1);
  double apart = 0, way = 0;
  for (std::size_t v = 0; v < x.size(); ++v) {
    double square = 0;
    for (std::size_t d = 0; d < 3; ++d) square += (x[v][d] - plain[v][d]) * (x[v][d] - plain[v][d]);
    apart = std::max(apart, std::sqrt(square));
    way = std::max(way, std::fabs(plain[v][2]));
  }
  EXPECT_GT(way, 0.1);
  // transfers damp, and plain substeps have eight times as many of them
  EXPECT_LT(apart, 0.05 * way);
  EXPECT_LT(lost, plain_lost);
  EXPECT_GT(lost, -1e-3 * std::fabs(plain_lost));
}

}  // namespace
}  // namespace pliant

// Forces of cloth against its energies, by finite differences; the return mapping against its definition.
#include "cloth/cloth_step.h"
#include "cloth/hinge.h"

#include <gtest/gtest.h>

#include <random>

namespace pliant {

using namespace cloth;

namespace {

using Mat = Matrix<double, 3>;

class Dice {
 public:
  double between(double low, double high) { return std::uniform_real_distribution<>(low, high)(engine_); }
  Vec vector(double size) { return {{between(-size, size), between(-size, size), between(-size, size)}}; }

 private:
  std::mt19937 engine_{5};
};

Material silk() {
  Material m;
  m.name = "silk", m.law = Law::cloth, m.E = 1e5, m.nu = 0.3, m.density = 1000, m.friction = 0.2;
  return m;
}

double energy(const Cloth<double>& law, const Mat& F) { return law.energy(F, Memory<double, 3>{F, 0}); }
Mat stress(const Cloth<double>& law, const Mat& F) { return law.stress(F, Memory<double, 3>{F, 0}); }

// turned, stretched, pressed (r33 < 1) or apart
Mat some_gradient(Dice& dice, bool pressed) {
  Mat F = Mat::identity();
  for (double& x : F.a) x += dice.between(-0.3, 0.3);
  F(2, 2) = pressed ? dice.between(0.3, 0.6) : dice.between(1.6, 2.0);
  return F;
}

TEST(Cloth, StressIsTheDerivativeOfEnergy) {
  const auto law = Cloth<double>::make(silk());
  Dice dice;
  for (int trial = 0; trial < 200; ++trial) {
    const Mat F = some_gradient(dice, trial % 2 == 0);
    const Mat P = stress(law, F);
    for (int k = 0; k < 9; ++k) {
      const double step = 1e-6;
      Mat up = F, down = F;
      up.a[k] += step;
      down.a[k] -= step;
      // central differences: step^2 times third derivatives, and round-off of 1e-16 E / step
      EXPECT_NEAR((energy(law, up) - energy(law, down)) / (2 * step), P.a[k], 2e-9 * 1e5) << "entry " << k;
    }
  }
}

TEST(Cloth, DifferentialIsTheDerivativeOfStress) {
  const auto law = Cloth<double>::make(silk());
  Dice dice;
  for (int trial = 0; trial < 100; ++trial) {
    const Mat F = some_gradient(dice, trial % 2 == 0);
    Mat dF;
    for (double& x : dF.a) x = dice.between(-1, 1);
    const double step = 1e-6;
    const Mat exact = law.differential(F, dF, Memory<double, 3>{F, 0});
    const Mat measured = (0.5 / step) * (stress(law, F + step * dF) - stress(law, F - step * dF));
    // central differences: round-off of 1e-16 E / step
    for (int k = 0; k < 9; ++k) EXPECT_NEAR(measured.a[k], exact.a[k], 1e-8 * 1e5) << "entry " << k;
  }
}

TEST(Cloth, StressOfATurnedSheetTurnsWithIt) {
  const auto law = Cloth<double>::make(silk());
  Dice dice;
  for (int trial = 0; trial < 50; ++trial) {
    const Mat F = some_gradient(dice, true);
    const Mat tau = law.kirchhoff(F, Memory<double, 3>{F, 0});
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < i; ++j) EXPECT_NEAR(tau(i, j), tau(j, i), 1e-11 * 1e5);
  }
}

TEST(Cloth, SmallStretchIsThatOfPlaneStress) {
  const Material m = silk();
  const auto law = Cloth<double>::make(m);
  const double e = 1e-6;
  Mat F = Mat::identity();
  F(0, 0) += e;
  F(1, 1) -= m.nu * e;
  // one direction: E; across it nothing; second order in e is left
  EXPECT_NEAR(stress(law, F)(0, 0) / e, m.E, 1e-5 * m.E);
  EXPECT_NEAR(stress(law, F)(1, 1) / e, 0, 1e-5 * m.E);
  F = Mat::identity();
  F(0, 1) += e;
  EXPECT_NEAR(stress(law, F)(0, 1) / e, m.E / (2 * (1 + m.nu)), 1e-5 * m.E);
}

TEST(Cloth, LayersPartAndSlip) {
  const auto law = Cloth<double>::make(silk());
  Dice dice;
  int slipped = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Mat F = some_gradient(dice, trial % 2 == 0);
    const auto before = Cloth<double>::parts_of(F);
    law.settle(F);
    const auto after = Cloth<double>::parts_of(F);
    if (before.r > 1) {
      EXPECT_NEAR(norm(after.d3 - before.n), 0, 1e-14);
      EXPECT_NEAR(norm(law.director_stress(after)), 0, 1e-9);
      continue;
    }
    EXPECT_NEAR(after.r, before.r, 1e-14);
    const double most = law.friction * law.normal * before.squeeze, trial_shear = law.shear * norm(before.s);
    EXPECT_NEAR(law.shear * norm(after.s), std::min(most, trial_shear), 1e-12 * 1e5);
    EXPECT_NEAR(norm(cross(after.s, before.s)), 0, 1e-14);
    slipped += trial_shear > most;
  }
  EXPECT_GT(slipped, 20);
  EXPECT_LT(slipped, 80);
}

TEST(Cloth, GridStressIsWhatTheNormalFeels) {
  const auto law = Cloth<double>::make(silk());
  Dice dice;
  const Mat F = some_gradient(dice, true), P = stress(law, F), tau = law.grid_kirchhoff(F);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(tau(i, j), P(i, 2) * F(j, 2) / Cloth<double>::centroid_share, 1e-11 * 1e5);
  EXPECT_EQ(inner(law.grid_kirchhoff(Mat::identity()), law.grid_kirchhoff(Mat::identity())), 0);
}

TEST(Hinge, AngleOfADirection) {
  for (int i = -1000; i <= 1000; ++i) {
    const double angle = i / 1000.0 * 3.14159;
    for (const double length : {1e-3, 1.0, 1e3}) {
      EXPECT_NEAR(angle_of(length * std::cos(angle), length * std::sin(angle)), angle,
                  1e-15 + 4e-16 * std::fabs(angle));
      EXPECT_NEAR(angle_of(float(length * std::cos(angle)), float(length * std::sin(angle))), angle, 1e-6);
    }
  }
  EXPECT_EQ(angle_of(1.0, 0.0), 0);
}

TEST(Hinge, AngleAndItsGradient) {
  // flat, then one wing lifted by 30 degrees
  Vec x[4] = {{{0, 0, 0}}, {{2, 0, 0}}, {{0.7, 1, 0}}, {{1.1, -1.5, 0}}};
  EXPECT_NEAR(hinge_angle(x).angle, 0, 1e-15);
  x[2] = {{0.7, std::cos(0.5), std::sin(0.5)}};
  EXPECT_NEAR(hinge_angle(x).angle, 0.5, 1e-15);
  Dice dice;
  for (int trial = 0; trial < 50; ++trial) {
    for (Vec& p : x) p += dice.vector(0.1);
    const HingeAngle<double> h = hinge_angle(x);
    Vec sum = Vec::zero();
    for (int k = 0; k < 4; ++k) {
      sum += h.gradient[k];
      for (int d = 0; d < 3; ++d) {
        const double step = 1e-6, at = x[k][d];
        x[k][d] = at + step;
        const double up = hinge_angle(x).angle;
        x[k][d] = at - step;
        const double down = hinge_angle(x).angle;
        x[k][d] = at;
        EXPECT_NEAR((up - down) / (2 * step), h.gradient[k][d], 1e-8) << "corner " << k;
      }
    }
    EXPECT_NEAR(norm(sum), 0, 1e-13);
  }
}

// energy of all hinges of a sheet that is laid onto a cylinder about y
double cylinder_energy(const SheetMesh& mesh, const Sheet<double>& sheet, double radius) {
  double sum = 0;
  for (const Hinge<double>& h : sheet.hinges) {
    Vec x[4];
    for (int k = 0; k < 4; ++k) {
      const Vec3& at = mesh.vertices[h.corner[k]];
      x[k] = {{radius * std::sin(at[0] / radius), at[1], radius * std::cos(at[0] / radius)}};
    }
    const double bend = hinge_angle(x).angle - h.rest_angle;
    sum += 0.5 * h.stiffness * bend * bend;
  }
  return sum;
}

TEST(Hinge, SheetOnACylinderHasTheEnergyOfAPlate) {
  const double a = 0.02, radius = 0.5, D = 0.01;
  Matter matter;
  matter.shape.kind = Shape::Kind::cloth;
  Material m = silk();
  m.bending = D;
  // rows of squares, and rows of equilateral triangles
  matter.shape.size = {20 * a, 10 * a, 1};
  matter.shape.spacing = a;
  const SheetMesh squares = sheet_mesh(matter.shape, a);
  SheetMesh shifted;
  const std::uint32_t n = 24;
  for (std::uint32_t j = 0; j <= n; ++j)
    for (std::uint32_t i = 0; i <= n; ++i)
      shifted.vertices.push_back({(i + 0.5 * (j % 2)) * a, j * a * std::sqrt(0.75), 0});
  for (std::uint32_t j = 0; j < n; ++j)
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t p = j * (n + 1) + i, q = p + n + 1;
      if (j % 2 == 0)
        shifted.triangles.insert(shifted.triangles.end(), {{p, p + 1, q}, {p + 1, q + 1, q}});
      else
        shifted.triangles.insert(shifted.triangles.end(), {{p, p + 1, q + 1}, {p, q + 1, q}});
    }
  // the area without the half cells along the border, whose edges have one triangle
  const double plate = 0.5 * D / (radius * radius);
  EXPECT_NEAR(cylinder_energy(squares, make_sheet<double>(squares, matter, m, 0), radius) / (plate * 19 * a * 10 * a),
              1, 1e-3);
  const double whole = plate * n * a * n * a * std::sqrt(0.75);
  EXPECT_NEAR(cylinder_energy(shifted, make_sheet<double>(shifted, matter, m, 0), radius) / whole, 1, 0.05);
}

// a crumpled sheet whose normals are pressed and sheared
struct Crumpled {
  Scene scene;
  SheetMesh mesh;
  Sheet<double> sheet;
  Particles<3, double> particles;
  Workers workers{2};

  Crumpled() {
    Matter matter;
    matter.shape.kind = Shape::Kind::cloth;
    matter.shape.size = {0.3, 0.2, 1};
    matter.shape.rotation = {0.5, 0.5, 0.5, 0.5};
    Material m = silk();
    m.bending = 0.05;
    mesh = sheet_mesh(matter.shape, 0.05);
    sheet = make_sheet<double>(mesh, matter, m, 0);
    Dice dice;
    particles.fit(mesh.vertices.size() + mesh.triangles.size());
    for (std::size_t i = 0; i < particles.size(); ++i) {
      Point<3, double>& p = particles.points[i];
      p.id = i;
      p.mass = 1;
      const bool vertex = i < mesh.vertices.size();
      for (std::size_t d = 0; d < 3 && vertex; ++d) p.x[d] = mesh.vertices[i][d] + dice.between(-0.01, 0.01);
      if (!vertex) std::copy_n(sheet.frames[i - mesh.vertices.size()].a, 9, p.F);
      for (double& x : p.F) x = 0.8 * x + dice.between(-0.1, 0.1);
    }
  }

  Mat gradient(std::size_t e) const {
    const Element<double>& element = sheet.elements[e];
    Mat F;
    for (int d = 0; d < 3; ++d) {
      const double a = particles.points[element.corner[0]].x[d];
      const double d1 = particles.points[element.corner[1]].x[d] - a, d2 = particles.points[element.corner[2]].x[d] - a;
      F(d, 0) = d1 * element.inverse[0] + d2 * element.inverse[2];
      F(d, 1) = d1 * element.inverse[1] + d2 * element.inverse[3];
      F(d, 2) = particles.points[sheet.vertices + e].F[3 * d + 2];
    }
    return F;
  }

  double total_energy(const Cloth<double>& law) const {
    double sum = 0;
    for (std::size_t e = 0; e < sheet.elements.size(); ++e) sum += sheet.elements[e].volume * energy(law, gradient(e));
    for (const Hinge<double>& h : sheet.hinges) {
      Vec x[4];
      for (int k = 0; k < 4; ++k)
        for (int d = 0; d < 3; ++d) x[k][d] = particles.points[h.corner[k]].x[d];
      const double bend = hinge_angle(x).angle - h.rest_angle;
      sum += 0.5 * h.stiffness * bend * bend;
    }
    return sum;
  }
};

TEST(ClothStep, ForcesAreTheDerivativeOfTheWholeEnergy) {
  Crumpled c;
  const auto law = Cloth<double>::make(silk());
  ClothStep<double> step(c.sheet, law, {0, c.particles.size()});
  step.on_sorted(c.particles.points, c.workers);
  step.stress(c.particles.points, c.workers);
  // with mass 1 and dt 1 the velocity is the force
  step.push(1, c.particles, c.workers, {});
  double largest = 0;
  for (std::size_t v = 0; v < c.sheet.vertices; ++v)
    for (int d = 0; d < 3; ++d) {
      const double size = 1e-7, at = c.particles.points[v].x[d];
      c.particles.points[v].x[d] = at + size;
      const double up = c.total_energy(law);
      c.particles.points[v].x[d] = at - size;
      const double down = c.total_energy(law);
      c.particles.points[v].x[d] = at;
      const double force = c.particles.velocities[v].v[d];
      largest = std::max(largest, std::fabs(force));
      // differences of an energy of some 0.1 J: 1e-17 / 1e-7, and step^2 / spacing^2
      EXPECT_NEAR(force, -(up - down) / (2 * size), 1e-6 * 10) << "vertex " << v;
    }
  EXPECT_GT(largest, 1);
}

TEST(ClothStep, CentroidsFollowTheirCornersAndPinsBearTheForces) {
  Crumpled c;
  c.sheet.pinned = {{0, 0, {{0.1, 0.2, 0.3}}}};
  const auto law = Cloth<double>::make(silk());
  ClothStep<double> step(c.sheet, law, {0, c.particles.size()});
  step.on_sorted(c.particles.points, c.workers);
  const std::vector<PinNow> pins = {{true, {{0, 0, 0.5}}, {{0, 0, 2}}}};
  std::vector<Vec> impulses = {Vec::zero()};
  step.hold(pins, c.particles, impulses);
  EXPECT_EQ(c.particles.points[0].x[2], 0.8);
  EXPECT_EQ(c.particles.velocities[0].v[2], 2);
  EXPECT_EQ(impulses[0][2], 2);
  step.follow(c.particles.points, c.workers);
  step.push(1e-3, c.particles, c.workers, impulses);
  for (std::size_t e = 0; e < c.sheet.elements.size(); ++e)
    for (int d = 0; d < 3; ++d) {
      double middle = 0;
      for (const std::uint32_t v : c.sheet.elements[e].corner) middle += c.particles.points[v].x[d] / 3;
      EXPECT_NEAR(c.particles.points[c.sheet.vertices + e].x[d], middle, 1e-15);
      EXPECT_NEAR(c.particles.points[c.sheet.vertices + e].F[3 * d], c.gradient(e)(d, 0), 1e-14);
    }
  // forces of a sheet sum to nothing: what the free vertices gained the pin bears
  Vec gained = Vec::zero();
  for (std::size_t v = 0; v < c.sheet.vertices; ++v)
    for (int d = 0; d < 3; ++d) gained[d] += c.particles.velocities[v].v[d];
  for (int d = 0; d < 3; ++d) EXPECT_NEAR(gained[d], impulses[0][d], 1e-12);
}

}  // namespace
}  // namespace pliant

// The energy of an implicit step against its gradient, the gradient against the operator, and the operator against a
// matrix assembled by plain loops.
#include "implicit/lump.h"

#include "grid/point_transfer.h"
#include "implicit/dense_twin.h"

namespace pliant {

using namespace material;
using namespace grid;
using namespace solve;
using namespace implicit;

namespace {

NodeVectors random_vectors(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  NodeVectors x(n, NodeVector<double>(0));
  for (auto& v : x)
    for (int d = 0; d < 3; ++d) v.set(d, uniform(random));
  return x;
}
NodeVectors sum(const NodeVectors& x, double s, const NodeVectors& y) {
  NodeVectors r(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) r[i] = x[i] + s * y[i];
  return r;
}
double product(const NodeVectors& x, const NodeVectors& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += sum_of_lanes(x[i] * y[i]);
  return sum;
}

// matter of every law in turn, with all that adds to the energy
class ImplicitEnergy : public testing::TestWithParam<Law> {
 protected:
  ImplicitEnergy() : matter(0.05, 1) {
    matter.add_box(material_of(GetParam()), {{0.31, -0.2, 0.13}}, {{0.15, 0.1, 0.1}});
    // stretched, so that all eigenvalues are positive where they can be
    disturb(matter, 0.05, 0.005, 0.1, 3);
  }
  void add_everything() {
    matter.damping = {2.0, 1e-3};
    matter.actuations[0] = {{4e3, 1e3, 0, 1e3, 3e3, 0, 0, 0, 2e3}};
  }
  void start() {
    matter.scatter();
    matter.begin();
  }
  Lump<double> matter;
};

TEST_P(ImplicitEnergy, GradientIsTheDerivative) {
  for (bool everything : {false, true}) {
    if (everything) add_everything();
    start();
    ImplicitMatter& m = matter.implicit;
    NodeVectors gradient(m.nodes());
    for (unsigned seed : {1u, 2u}) {
      const NodeVectors v = sum(matter.v, 0.2, random_vectors(m.nodes(), seed)),
                        d = random_vectors(m.nodes(), seed + 9);
      m.evaluate(v.data(), gradient.data(), matter.workers());
      // fourth order: the error is h^4 of the fifth derivative and round-off of E over h
      const double s = 1e-3;
      const auto E = [&](double t) { return m.energy(sum(v, t, d).data(), matter.workers()); };
      const double slope = (8 * (E(s) - E(-s)) - (E(2 * s) - E(-2 * s))) / (12 * s);
      EXPECT_NEAR(slope, product(gradient, d), 1e-8 * std::sqrt(product(gradient, gradient) * product(d, d)));
    }
  }
}

// relative gap between the operator at v and differences of the gradient, along a random direction
double gap_to_differences(Lump<double>& matter, const NodeVectors& v, Curvature curvature) {
  ImplicitMatter& m = matter.implicit;
  const std::size_t n = m.nodes();
  const NodeVectors d = random_vectors(n, 5);
  MatterOperator<double> A;
  m.linearise(v.data(), curvature, A, matter.workers());
  NodeVectors y(n), plus(n), minus(n), far_plus(n), far_minus(n);
  const double dAd = A.apply(d.data(), y.data(), matter.workers());
  EXPECT_NEAR(dAd, product(d, y), 1e-12 * std::sqrt(product(d, d) * product(y, y)));
  const double s = 1e-3;
  const auto gradient = [&](double t, NodeVectors& g) { m.evaluate(sum(v, t, d).data(), g.data(), matter.workers()); };
  gradient(s, plus), gradient(-s, minus), gradient(2 * s, far_plus), gradient(-2 * s, far_minus);
  double error = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto slope = (8 * (plus[i] - minus[i]) - (far_plus[i] - far_minus[i])) * NodeVector<double>(1 / (12 * s));
    error += sum_of_lanes((slope - y[i]) * (slope - y[i]));
  }
  return std::sqrt(error / product(y, y));
}

TEST_P(ImplicitEnergy, OperatorIsTheDerivativeOfTheGradient) {
  for (bool everything : {false, true}) {
    if (everything) add_everything();
    start();
    const NodeVectors v = sum(matter.v, 0.05, random_vectors(matter.implicit.nodes(), 1));
    // differences of fourth order: round-off of the gradient over s
    EXPECT_LT(gap_to_differences(matter, v, Curvature::exact), 1e-11) << everything;
    // an energy of the determinant alone has negative curvature under any stress; the others have none in this state
    if (GetParam() == Law::eraser) continue;
    EXPECT_LT(gap_to_differences(matter, v, Curvature::positive), 1e-11) << everything;
  }
}

TEST_P(ImplicitEnergy, ExactOperatorIsTheDerivativeFarFromRest) {
  disturb(matter, -0.1, 0.2, 0.3, 4);
  matter.damping = {2.0, 1e-3};
  matter.actuations[0] = {{-4e3, 1e3, 0, 1e3, 3e3, 0, 0, 0, 2e3}};
  start();
  const double gap = gap_to_differences(matter, matter.v, Curvature::exact);
  // the fifth derivative of J^-7 at J = 1/2 is large; the others are within round-off
  EXPECT_LT(gap, GetParam() == Law::liquid ? 1e-4 : 1e-8);
}

// volume follows the divergence alone, so that the energy of a pressed liquid is convex
TEST(ImplicitLiquid, IsConvexAndItsDerivativesAreRight) {
  Lump<double> matter(0.05, 1);
  matter.add_box(material_of(Law::liquid), {{0.31, -0.2, 0.13}}, {{0.15, 0.1, 0.1}});
  disturb(matter, -0.05, 0.005, 0.1, 3);
  matter.scatter(), matter.begin();
  ImplicitMatter& m = matter.implicit;
  const NodeVectors v = sum(matter.v, 0.05, random_vectors(m.nodes(), 1)), d = random_vectors(m.nodes(), 10);
  NodeVectors gradient(m.nodes());
  m.evaluate(v.data(), gradient.data(), matter.workers());
  // pressure counts: inertia alone has a tenth of this slope
  NodeVectors inertia = sum(v, -1, NodeVectors(m.inertial_velocity().begin(), m.inertial_velocity().end()));
  for (std::size_t i = 0; i < m.nodes(); ++i) inertia[i] = NodeVector<double>(m.mass()[i]) * inertia[i];
  EXPECT_GT(product(gradient, gradient), 10 * product(inertia, inertia));
  const double s = 1e-3;
  const auto E = [&](double t) { return m.energy(sum(v, t, d).data(), matter.workers()); };
  const double slope = (8 * (E(s) - E(-s)) - (E(2 * s) - E(-2 * s))) / (12 * s);
  // as in GradientIsTheDerivative
  EXPECT_NEAR(slope, product(gradient, d), 1e-8 * std::sqrt(product(gradient, gradient) * product(d, d)));
  EXPECT_LT(gap_to_differences(matter, v, Curvature::exact), 1e-10);
  EXPECT_LT(gap_to_differences(matter, v, Curvature::positive), 1e-10);
}

// neither a shear nor a turn nor an opening stretch presses a liquid, however large the step
TEST(ImplicitLiquid, FeelsNoFlowWithoutCompression) {
  Material still = material_of(Law::liquid);
  still.viscosity = 0;
  for (const Matrix<double, 3>& L :
       {Matrix<double, 3>{{0, 30, 0, 30, 0, 0, 0, 0, 0}}, Matrix<double, 3>{{0, -30, 0, 30, 0, 0, 0, 0, 0}},
        Matrix<double, 3>{{30, 0, 0, 0, 10, 0, 0, 0, 0}}}) {
    Lump<double> matter(0.05, 1);
    matter.transfer = Transfer::pic;
    matter.add_box(still, {{0.31, -0.2, 0.13}}, {{0.15, 0.1, 0.1}});
    matter.scatter(), matter.begin();
    ImplicitMatter& m = matter.implicit;
    NodeVectors v(m.nodes(), NodeVector<double>(0)), gradient(m.nodes());
    double all = 0;
    for (std::size_t i = 0; i < m.nodes(); ++i) {
      const auto x = matter.grid().position(matter.layout(), m.bundles().numbers()[i], matter.h);
      const auto flow = L * Vector<double, 3>{{double(x[0]), double(x[1]), double(x[2])}};
      for (int c = 0; c < 3; ++c) v[i].set(c, flow[c]);
      const auto p = NodeVector<double>(m.mass()[i]) * (v[i] - m.inertial_velocity()[i]);
      all += sum_of_lanes(p * p);
    }
    m.evaluate(v.data(), gradient.data(), matter.workers());
    double forces = 0;
    for (std::size_t i = 0; i < m.nodes(); ++i) {
      const auto f = gradient[i] - NodeVector<double>(m.mass()[i]) * (v[i] - m.inertial_velocity()[i]);
      forces += sum_of_lanes(f * f);
    }
    EXPECT_LT(std::sqrt(forces / all), 1e-9);  // round-off of a divergence that is not quite 0, times the bulk modulus
  }
}

TEST_P(ImplicitEnergy, OperatorIsTheMatrixOfPlainLoops) {
  for (bool everything : {false, true})
    for (double size : {0.01, 0.4}) {
      if (everything) add_everything();
      disturb(matter, 0, size, 0.3, 4);
      start();
      ImplicitMatter& m = matter.implicit;
      const std::size_t n = m.nodes();
      const NodeVectors v = sum(matter.v, 0.5, random_vectors(n, 1)), x = random_vectors(n, 8);
      const BlockMatrix twin = assemble(matter, v);
      MatterOperator<double> A;
      m.linearise(v.data(), Curvature::positive, A, matter.workers());
      NodeVectors y(n);
      A.apply(x.data(), y.data(), matter.workers());
      const NodeVectors exact = twin.multiply(x);
      const NodeVectors gap = sum(y, -1, exact);
      // singular values to a few ulps, sums of some hundred products
      EXPECT_LT(std::sqrt(product(gap, gap)), 2e-14 * std::sqrt(product(exact, exact))) << everything << " " << size;

      std::vector<Block3<double>> blocks(n);
      A.diagonal(blocks, matter.workers());
      for (std::size_t i = 0; i < n; ++i) {
        const Eigen::Matrix3d B = twin.block(i, i);
        const Matrix<double, 3> block = full(blocks[i]);
        for (int e = 0; e < 9; ++e) EXPECT_NEAR(block.a[e], B(e / 3, e % 3), 1e-13 * B.norm());
      }

      // the float operator: rounding of 1e-7, and sums of some hundred such
      MatterOperator<float> Af;
      m.linearise(v.data(), Curvature::positive, Af, matter.workers());
      std::vector<NodeVector<float>> xf(n), yf(n);
      for (std::size_t i = 0; i < n; ++i) {
        xf[i] = 0.f;
        for (int d = 0; d < 3; ++d) xf[i].set(d, float(x[i][d]));
      }
      Af.apply(xf.data(), yf.data(), matter.workers());
      double error = 0;
      for (std::size_t i = 0; i < n; ++i)
        for (int d = 0; d < 3; ++d) error += std::pow(double(yf[i][d]) - exact[i][d], 2);
      EXPECT_LT(std::sqrt(error), 1e-5 * std::sqrt(product(exact, exact)));
    }
}

// with the turn of the step taken out of the strain
class WithExactRotation : public ImplicitEnergy {
 protected:
  void check();
};

void WithExactRotation::check() {
  matter.exact_rotation = true;
  disturb(matter, 0, 0.1, 0.3, 4);
  start();
  ImplicitMatter& m = matter.implicit;
  const std::size_t n = m.nodes();
  const NodeVectors v = sum(matter.v, 0.5, random_vectors(n, 1)), x = random_vectors(n, 8), d = random_vectors(n, 9);
  const double first = m.update_lagged_rotation(v.data(), matter.workers());
  EXPECT_EQ(first > 0, GetParam() != Law::linear && GetParam() != Law::liquid);
  EXPECT_EQ(m.update_lagged_rotation(v.data(), matter.workers()), 0);
  MatterOperator<double> A;
  m.linearise(v.data(), Curvature::positive, A, matter.workers());
  NodeVectors y(n), gradient(n);
  A.apply(x.data(), y.data(), matter.workers());
  const NodeVectors exact = assemble(matter, v).multiply(x), gap = sum(y, -1, exact);
  // singular values and rotations to a few ulps
  EXPECT_LT(std::sqrt(product(gap, gap)), 1e-13 * std::sqrt(product(exact, exact)));
  // as in GradientIsTheDerivative
  m.evaluate(v.data(), gradient.data(), matter.workers());
  const double s = 1e-3;
  const auto E = [&](double t) { return m.energy(sum(v, t, d).data(), matter.workers()); };
  const double slope = (8 * (E(s) - E(-s)) - (E(2 * s) - E(-2 * s))) / (12 * s);
  EXPECT_NEAR(slope, product(gradient, d), 1e-8 * std::sqrt(product(gradient, gradient) * product(d, d)));
}

TEST_P(WithExactRotation, IsRight) { check(); }

// about as stiff as the law itself in a step
TEST_P(WithExactRotation, IsRightWithLoss) {
  matter.shear_viscosities = {300};
  check();
}

TEST_P(ImplicitEnergy, ExactRotationWithDamping) {
  matter.exact_rotation = true;
  matter.damping = {2.0, 1e-3};
  matter.shear_viscosities = {300};
  disturb(matter, 0.05, 0.05, 0.3, 4);
  start();
  const NodeVectors v = sum(matter.v, 0.5, random_vectors(matter.implicit.nodes(), 1));
  matter.implicit.update_lagged_rotation(v.data(), matter.workers());
  // as far from rest
  EXPECT_LT(gap_to_differences(matter, v, Curvature::exact), GetParam() == Law::liquid ? 1e-4 : 1e-8);
}

TEST_P(ImplicitEnergy, OperatorIsSymmetricAndPositive) {
  disturb(matter, -0.1, 0.6, 0.3, 6);  // far from rest, some inverted
  start();
  ImplicitMatter& m = matter.implicit;
  const std::size_t n = m.nodes();
  MatterOperator<double> A;
  m.linearise(matter.v.data(), Curvature::positive, A, matter.workers());
  const BlockMatrix M = assemble(matter, matter.v, Terms::inertia);
  for (unsigned seed = 0; seed < 20; ++seed) {
    const NodeVectors x = random_vectors(n, seed), y = random_vectors(n, seed + 100);
    NodeVectors Ax(n), Ay(n);
    const double xAx = A.apply(x.data(), Ax.data(), matter.workers());
    A.apply(y.data(), Ay.data(), matter.workers());
    EXPECT_NEAR(product(y, Ax), product(x, Ay), 1e-13 * std::sqrt(product(Ax, Ax) * product(y, y)));
    const double inertia = product(x, M.multiply(x));
    EXPECT_GT(inertia, 0);
    EXPECT_GE(xAx, inertia * (1 - 1e-12));
  }
}

// Particles turn with the inertia of cubes in their places, not with that of what they give to the nodes.
TEST(ImplicitInertia, IsThatOfTheParticles) {
  Lump<double> matter(0.05, 1);
  matter.add_box(material_of(Law::neo_hookean), {{0.31, -0.2, 0.13}}, {{0.15, 0.1, 0.1}});
  matter.scatter();
  matter.begin();
  const Vec spin = {{3, -5, 7}};
  NodeVectors v(matter.implicit.nodes(), NodeVector<double>(0));
  double expected = 0;
  for (const Point<3, double>& p : matter.particles.points) {
    const Vec u = cross(spin, {{p.x[0], p.x[1], p.x[2]}});
    const double cube = 2 * std::pow(p.volume, 2.0 / 3) / 12;  // about any axis
    expected += 0.5 * p.mass * (dot(u, u) + cube * dot(spin, spin));
  }
  for (std::size_t i = 0; i < v.size(); ++i) {
    const int number = int(matter.implicit.bundles().numbers()[i]), n = number % block_nodes<3>;
    const std::int32_t* coord = matter.layout().slots[std::size_t(number / block_nodes<3>)].coord;
    const int place[3] = {n / (block_side * block_side), n / block_side % block_side, n % block_side};
    Vec x;
    for (int d = 0; d < 3; ++d) x[d] = matter.h * (coord[d] * block_side + place[d]);
    const Vec u = cross(spin, x);
    for (int d = 0; d < 3; ++d) v[i].set(d, u[d]);
  }
  EXPECT_NEAR(0.5 * product(v, assemble(matter, v, Terms::inertia).multiply(v)), expected, 1e-13 * expected);
}

// pieces of different matter in one block, and a transfer with the kernel's own gradient
TEST(ImplicitTwin, SeveralLawsAndTransfers) {
  for (Transfer transfer : {Transfer::mls, Transfer::apic, Transfer::pic}) {
    Lump<double> matter(0.05, 1);
    matter.transfer = transfer;
    matter.add_box(material_of(Law::linear_corotated), {{0, 0, 0}}, {{0.1, 0.1, 0.1}});
    matter.add_box(material_of(Law::neo_hookean), {{0.08, 0.02, 0.03}}, {{0.1, 0.1, 0.05}});
    matter.add_box(material_of(Law::liquid), {{-0.05, 0.02, -0.03}}, {{0.1, 0.05, 0.1}});
    disturb(matter, 0, 0.2, 0.3, 4);
    matter.scatter();
    matter.begin();
    const std::size_t n = matter.implicit.nodes();
    const NodeVectors x = random_vectors(n, 8);
    NodeVectors y(n);
    MatterOperator<double> A;
    matter.implicit.linearise(matter.v.data(), Curvature::positive, A, matter.workers());
    A.apply(x.data(), y.data(), matter.workers());
    const NodeVectors exact = assemble(matter, matter.v).multiply(x), gap = sum(y, -1, exact);
    EXPECT_LT(std::sqrt(product(gap, gap)), 2e-14 * std::sqrt(product(exact, exact)));
    // and the gradient
    NodeVectors gradient(n);
    matter.implicit.evaluate(matter.v.data(), gradient.data(), matter.workers());
    const double s = 1e-4;
    const auto E = [&](double t) { return matter.implicit.energy(sum(matter.v, t, x).data(), matter.workers()); };
    const double slope = (8 * (E(s) - E(-s)) - (E(2 * s) - E(-2 * s))) / (12 * s);
    EXPECT_NEAR(slope, product(gradient, x), 1e-8 * std::sqrt(product(gradient, gradient) * product(x, x)));
  }
}

INSTANTIATE_TEST_SUITE_P(Laws, WithExactRotation, testing::ValuesIn(all_laws),
                         [](const auto& info) { return std::string(name(info.param)); });
INSTANTIATE_TEST_SUITE_P(Laws, ImplicitEnergy, testing::ValuesIn(all_laws),
                         [](const auto& info) { return std::string(name(info.param)); });

}  // namespace
}  // namespace pliant

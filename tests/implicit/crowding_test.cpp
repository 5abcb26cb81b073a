// Particles of a liquid that are closer together than their volume ratios say get pressure, and no others.
#include "implicit/crowding.h"

#include "implicit/lump.h"
#include "material/isotropic.h"

namespace pliant {

using namespace material;
using namespace grid;
using namespace solve;
using namespace implicit;

namespace {

constexpr double h = 0.05, dt = 0.01;

// a box of eight cells a side, two by two by two particles per cell on a lattice, drawn together to a part of its
// height
void add_box(Lump<double>& matter, Law law, double part) {
  matter.add_box(material_of(law), {{0, 0, 0}}, {{8 * h, 8 * h, 8 * h}});
  for (std::size_t i = 0; i < matter.particles.size(); ++i) {
    const int n = 16, k[3] = {int(i) / (n * n), int(i) / n % n, int(i) % n};
    for (int d = 0; d < 3; ++d) matter.particles.points[i].x[d] = (k[d] + 0.5 - n / 2) * (d == 2 ? part : 1) * h / 2;
  }
  matter.scatter();
}

double volume_ratio(const Point<3, double>& p) {
  Matrix<double, 3> F;
  std::copy_n(p.F, 9, F.a);
  return determinant(F);
}

struct Ratios {
  double least = 1e9, most = 0, middle = 0;  // the last: mean of those two cells or more from every side
};

// a floor under the box, and walls at its sides
struct Tank : WallsNear {
  double floor;  // m
  explicit Tank(double part) : floor(-4 * h * part) {}
  void choose(const Vector<double, 3>&, double, NearSolids& near) const override { near.count = 1; }
  int find(const NearSolids&, const Vector<double, 3>& x, Wall* walls) const override {
    int count = 0;
    walls[count++] = {{{0, 0, 1}}, (x[2] - floor) / h};
    for (int d = 0; d < 2; ++d)
      for (const double side : {-1.0, 1.0}) {
        walls[count] = {Vector<double, 3>::zero(), (4 * h - side * x[d]) / h};
        walls[count++].normal[d] = -side;
      }
    return count;
  }
};

// those two cells or more below the surface, beside walls and in corners too
struct Below {
  double least = 1e9, most = 0;
};

Below relieved_in_tank(double part, double start, int steps) {
  Lump<double> matter(h, 2);
  add_box(matter, Law::liquid, part);
  const Tank tank(part);
  const Matrix<double, 3> F = isotropic<3>(start);
  for (auto& p : matter.particles.points) std::copy_n(F.a, 9, p.F);
  for (int n = 0; n < steps; ++n)
    relieve_crowding({matter.materials, dt, h, &tank}, matter.layout(), matter.grid(), matter.particles.points,
                     matter.workers());
  Below r;
  for (const auto& p : matter.particles.points) {
    if (p.x[2] > 2 * h * part) continue;
    r.least = std::min(r.least, volume_ratio(p)), r.most = std::max(r.most, volume_ratio(p));
  }
  return r;
}

Ratios relieved(Law law, double part, int steps) {
  Lump<double> matter(h, 2);
  add_box(matter, law, part);
  for (int n = 0; n < steps; ++n)
    relieve_crowding({matter.materials, dt, h, nullptr}, matter.layout(), matter.grid(), matter.particles.points,
                     matter.workers());
  Ratios r;
  int inside = 0;
  for (const auto& p : matter.particles.points) {
    const double J = volume_ratio(p);
    r.least = std::min(r.least, J), r.most = std::max(r.most, J);
    if (std::fabs(p.x[0]) > 2 * h || std::fabs(p.x[1]) > 2 * h || std::fabs(p.x[2]) > 2 * h * part) continue;
    r.middle += J, ++inside;
  }
  EXPECT_GT(inside, 300);
  r.middle /= inside;
  return r;
}

TEST(Crowding, GoesToTheRatioOfTheMassAround) {
  // an even lattice of a tenth more than the density at rest
  EXPECT_NEAR(relieved(Law::liquid, 0.9, 200).middle, 0.9, 0.01);
  // and by no more than 1/s
  const Ratios first = relieved(Law::liquid, 0.5, 1);
  EXPECT_NEAR(first.middle, 1 - dt, 1e-12);
  EXPECT_GE(first.least, 1 - dt - 1e-12);
}

// neither in the middle nor at a surface, an edge or a corner, beyond what the estimate is good for
TEST(Crowding, LeavesWhatIsAtRest) {
  const Ratios r = relieved(Law::liquid, 1, 200);
  EXPECT_NEAR(r.middle, 1, 0.01);
  EXPECT_GT(r.least, 0.9);
  EXPECT_LE(r.most, 1 + 1e-12);
}

// A lattice that fills its tank has the mass that belongs there, to what the estimate leaves in doubt: a half percent, and
// 1 % of how half a cell between particles lies in the kernel.
TEST(Crowding, KnowsWalls) {
  const Below rest = relieved_in_tank(1, 1, 200);
  EXPECT_GT(rest.least, 0.985);
  EXPECT_LE(rest.most, 1 + 1e-12);
  // a tenth too dense, everywhere, and ratios that say too much
  const Below crowded = relieved_in_tank(0.9, 1, 200);
  EXPECT_NEAR(crowded.least, 0.9, 0.02);
  EXPECT_NEAR(crowded.most, 0.9, 0.02);
  // ratios that say too little come back, and not above rest
  const Below thin = relieved_in_tank(1, 0.9, 200);
  EXPECT_NEAR(thin.least, 1, 0.02);
  EXPECT_LE(thin.most, 1 + 1e-12);
}

TEST(Crowding, NeverRaisesARatioWhereWallsAreNotKnown) {
  const Ratios r = relieved(Law::liquid, 1.2, 50);
  EXPECT_LE(r.most, 1 + 1e-12);
  EXPECT_NEAR(r.middle, 1, 1e-6);
}

TEST(Crowding, IsOfLiquidsAlone) {
  const Ratios r = relieved(Law::neo_hookean, 0.8, 5);
  EXPECT_EQ(r.least, 1);
  EXPECT_EQ(r.most, 1);
}

}  // namespace
}  // namespace pliant

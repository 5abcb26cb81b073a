// Rows of contacts: weights of particles, numbers of unknowns, nodes that have none, nodes inside boundaries.
#include "contact/boundary_contacts.h"
#include "contact/points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

namespace pliant {

using namespace contact;

namespace {

constexpr double h = 0.05;

// particles at random on a grid whose nodes all have mass and velocities at random
struct Cloud {
  Workers workers{1};
  Layout<3, double> layout;
  Grid<3, double> grid;
  Buffer<Point<3, double>> points;
  ContactFinder<double> finder;
  std::vector<FoundContact> found;
  Kernel kernel;

  explicit Cloud(Kernel k) : grid(k == Kernel::compact ? 2 : 1), kernel(k) {
    std::mt19937 random(4);
    std::uniform_real_distribution<double> uniform(-1, 1);
    Buffer<Point<3, double>> unsorted;
    unsorted.allocate(200);
    points.allocate(200);
    for (std::size_t i = 0; i < unsorted.size(); ++i)
      for (double& x : unsorted[i].x) x = 0.3 * uniform(random);
    layout.build(unsorted, {{0, 200}}, h, workers);
    layout.reorder(unsorted, points, workers);
    finder.on_sorted(layout, points, h);
    grid.fit(layout);
    for (std::size_t i = 0; i < grid.node_count(); ++i) {
      for (int d = 0; d < 3; ++d) grid.node(i).a[d] = uniform(random);
      grid.node(i).a[node_mass] = 1.5 + uniform(random);
    }
    for (std::uint32_t s = 0; s < layout.segments.size(); ++s)
      for (std::uint32_t i = layout.cell_starts[layout.segments[s].first_cell];
           i < layout.cell_starts[layout.segments[s].first_cell + block_nodes<3>]; ++i) {
        FoundContact f = {};
        f.particle = i;
        f.segment = s;
        found.push_back(f);
      }
  }
  void weigh(ParticleRows<double>& rows) { rows.weigh({kernel, h, layout, grid, points}, finder, found, workers); }
  Vec velocity(std::uint32_t number) const {
    return {{grid.node(number).a[0], grid.node(number).a[1], grid.node(number).a[2]}};
  }
};

TEST(Rows, WeightsSumToOneAndMoveWithTheGrid) {
  for (const Kernel kernel : {Kernel::linear, Kernel::quadratic, Kernel::compact}) {
    Cloud cloud(kernel);
    ASSERT_EQ(cloud.found.size(), 200u);
    ParticleRows<double> rows;
    cloud.weigh(rows);
    for (std::size_t i = 0; i < cloud.found.size(); ++i) {
      double sum = 0;
      Vec velocity = Vec::zero();
      for (int k = 0; k < rows[i].count; ++k) {
        sum += rows[i].weights[k];
        velocity += rows[i].weights[k] * cloud.velocity(rows[i].numbers[k]);
      }
      // sums of 8 to 27 products of numbers below 1
      EXPECT_NEAR(sum, 1, 1e-14);
      EXPECT_LE(norm(velocity - rows[i].velocity), 1e-14);
    }
  }
}

// a ball moves with the affine velocity of its particle, at its skin: linear fields are seen exactly there
TEST(Rows, ABallSeesLinearFieldsAtItsSkin) {
  for (const Kernel kernel : {Kernel::linear, Kernel::quadratic, Kernel::compact}) {
    Cloud cloud(kernel);
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (FoundContact& f : cloud.found) {
      const Vec n = {{uniform(random), uniform(random), uniform(random)}};
      f.normal = (1 / norm(n)) * n;
      f.radius = 0.25 * h;
    }
    ParticleRows<double> rows;
    cloud.weigh(rows);
    for (std::size_t i = 0; i < cloud.found.size(); ++i) {
      const FoundContact& f = cloud.found[i];
      const double* x = cloud.points[f.particle].x;
      // the linear kernel stays at the centre
      const double radius = kernel == Kernel::linear ? 0 : f.radius;
      double sum = 0;
      Vec place = radius * f.normal - Vec{{x[0], x[1], x[2]}};
      for (int k = 0; k < rows[i].count; ++k) {
        sum += rows[i].weights[k];
        place += rows[i].weights[k] * cloud.grid.position(cloud.layout, rows[i].numbers[k], h);
      }
      // round-off of some 27 products
      EXPECT_NEAR(sum, 1, 1e-13);
      EXPECT_NEAR(norm(place), 0, 1e-13);
    }
  }
}

// the fast rows of the quadratic kernel, node by node from its formula: 27 nodes, each once, each where it is
TEST(Rows, QuadraticRowsAreTheKernelsFormula) {
  const auto N = [](double s) {
    s = std::fabs(s);
    return s < 0.5 ? 0.75 - s * s : s < 1.5 ? 0.5 * (1.5 - s) * (1.5 - s) : 0.0;
  };
  Cloud cloud(Kernel::quadratic);
  for (FoundContact& f : cloud.found) {
    f.normal = {{0.6, 0, -0.8}};
    f.radius = f.particle % 2 == 0 ? 0.25 * h : 0;
  }
  ParticleRows<double> rows;
  cloud.weigh(rows);
  for (std::size_t i = 0; i < cloud.found.size(); ++i) {
    const FoundContact& f = cloud.found[i];
    const double* x = cloud.points[f.particle].x;
    std::set<std::uint32_t> nodes;
    double mobility = 0;
    for (int k = 0; k < rows[i].count; ++k) {
      nodes.insert(rows[i].numbers[k]);
      const Vec d = (1 / h) * (cloud.grid.position(cloud.layout, rows[i].numbers[k], h) - Vec{{x[0], x[1], x[2]}});
      const double w = N(d[0]) * N(d[1]) * N(d[2]) * (1 - 4 * f.radius / h * dot(d, f.normal));
      // round-off of places of some cells
      EXPECT_NEAR(rows[i].weights[k], w, 1e-14);
      mobility += w * w / cloud.grid.node(rows[i].numbers[k]).a[node_mass];
    }
    EXPECT_EQ(nodes.size(), 27u);
    EXPECT_NEAR(rows.mobility(i, cloud.grid), mobility, 1e-14);
  }
}

TEST(Rows, TouchedNodesAreNumberedAsTheyCome) {
  Cloud cloud(Kernel::quadratic);
  ParticleRows<double> rows;
  cloud.weigh(rows);
  TouchedNodes<double> nodes;
  Contacts contacts;
  for (int round = 0; round < 2; ++round) {  // the second time nothing is left of the first
    nodes.begin(cloud.grid);
    contacts.clear();
    contacts.start_kind();
    Vec given = {{1, 2, 3}};
    for (std::size_t i = 0; i < 40; ++i) {
      nodes.add_row(rows[i], contacts, given);
      contacts.add({});
    }
    EXPECT_EQ(norm(given - Vec{{1, 2, 3}}), 0);
    EXPECT_TRUE(contacts.left_out().empty());
  }
  const ContactProblem p = contacts.problem();
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    ASSERT_EQ(p.begins[i + 1] - p.begins[i], std::uint32_t(rows[i].count));
    for (std::uint32_t k = 0; k < std::uint32_t(rows[i].count); ++k) {
      const std::uint32_t number = p.nodes[p.begins[i] + k];
      ASSERT_LE(number, next);
      next += number == next;
      EXPECT_EQ(nodes.numbers()[number], rows[i].numbers[k]);
      EXPECT_EQ(p.weights[p.begins[i] + k], rows[i].weights[k]);
      EXPECT_EQ(nodes.mass()[number], cloud.grid.node(rows[i].numbers[k]).a[node_mass]);
      EXPECT_EQ(norm(nodes.free_velocity()[number] - cloud.velocity(rows[i].numbers[k])), 0);
      EXPECT_EQ(nodes.unknown(rows[i].numbers[k]), std::int32_t(number));
    }
  }
  EXPECT_EQ(next, nodes.numbers().size());
}

// u = W v - b is the same whether a node is solved for or given
TEST(Rows, NodesWithoutUnknownEnterTheBias) {
  Cloud cloud(Kernel::quadratic);
  ParticleRows<double> rows;
  cloud.weigh(rows);
  // every third is fixed (-2, -3, ...) or too light (-1)
  std::vector<std::int32_t> numbers(cloud.grid.node_count());
  std::vector<std::uint32_t> node_of;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = i % 3 == 0 ? -1 - std::int32_t(i / 3 % 4) : std::int32_t(node_of.size());
    if (numbers[i] >= 0) node_of.push_back(std::uint32_t(i));
  }
  SolvedNodes<double> unknowns(numbers, cloud.grid);
  EXPECT_EQ(unknowns.unknown(9), -1);
  EXPECT_EQ(unknowns.unknown(10), numbers[10]);
  Contacts contacts;
  contacts.start_kind();
  const Vec partner = {{0.5, -1, 2}};
  for (std::size_t i = 0; i < cloud.found.size(); ++i) {
    PartnerSide side;
    side.given = partner;
    unknowns.add_row(rows[i], contacts, side.given);
    contacts.add({}, side);
  }
  const ContactProblem p = contacts.problem();
  std::vector<double> sums(contacts.size(), 0);
  for (const Contacts::LeftOut& entry : contacts.left_out()) {
    EXPECT_LT(numbers[entry.node], 0);
    sums[entry.contact] += entry.weight;
  }
  EXPECT_GT(contacts.left_out().size(), contacts.size());
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    Vec u = -1.0 * p.bias[c];
    for (std::uint32_t k = p.begins[c]; k < p.begins[c + 1]; ++k) {
      u += p.weights[k] * cloud.velocity(node_of[p.nodes[k]]);
      sums[c] += p.weights[k];
    }
    EXPECT_NEAR(sums[c], 1, 1e-14);
    EXPECT_LE(norm(u - (rows[c].velocity - partner)), 1e-14);
  }
}

// a plane that separates has one contact per node, one that slips has two, one that sticks none
TEST(Rows, NodesInsideBoundaries) {
  for (const Boundary::Condition condition :
       {Boundary::Condition::separate, Boundary::Condition::slip, Boundary::Condition::stick}) {
    Cloud cloud(Kernel::quadratic);
    Boundary plane;
    plane.at = Boundary::At::nodes;
    plane.kind = Boundary::Kind::plane, plane.normal = {0, 0, 1}, plane.friction = 0.5, plane.condition = condition;
    const std::vector<BoundaryShape> shapes = {boundary_shape(plane, 3)};
    const std::vector<BoundaryMotion> motions = {{{{0, 0, 0.01}}, {{0.1, 0.2, 0.3}}}};
    GridStep<3, double> step = {};
    step.dt = 1e-2, step.h = h, step.shapes = &shapes, step.motions = &motions;
    std::vector<std::int32_t> numbers(cloud.grid.node_count());
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i % 5 == 0 ? -1 : std::int32_t(2 * i);
    const SolvedNodes<double> unknowns(numbers, cloud.grid);

    BoundaryContacts<double> boundaries({}, h, true);
    boundaries.set_dt(1e-2);
    boundaries.find(cloud.layout, cloud.grid, step, {});
    Contacts contacts;
    contacts.start_kind();
    contacts.add({});
    boundaries.add_to(contacts, cloud.grid, unknowns);
    const ContactRange own = boundaries.range(contacts);
    const std::size_t sides = condition == Boundary::Condition::separate ? 1 : 2;
    ASSERT_GT(boundaries.nodes().size(), 100u);
    EXPECT_EQ(own.first, 4u);
    EXPECT_EQ(own.size(), condition == Boundary::Condition::stick ? 0 : sides * boundaries.nodes().size());
    const ContactProblem p = contacts.problem();
    for (std::size_t c = own.first; c < own.last; ++c) {
      const ContactData& contact = contacts[c];
      EXPECT_EQ(contact.partner, 0u);
      if (sides == 2 && (c - own.first) % 2) {
        EXPECT_EQ(contact.point, contacts[c - 1].point);
        EXPECT_EQ(norm(contact.normal + contacts[c - 1].normal), 0);
        EXPECT_EQ(contact.friction, 0);
      }
      const bool solved = numbers[contact.point] >= 0;
      ASSERT_EQ(p.begins[c + 1] - p.begins[c], solved ? 1u : 0u);
      EXPECT_EQ(norm(p.bias[c] - (solved ? motions[0].velocity : Vec::zero())), 0);
      if (!solved) continue;
      EXPECT_EQ(p.nodes[p.begins[c]], std::uint32_t(numbers[contact.point]));
      EXPECT_EQ(p.weights[p.begins[c]], 1);
    }
  }
}

}  // namespace
}  // namespace pliant

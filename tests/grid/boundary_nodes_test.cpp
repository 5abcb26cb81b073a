// Nodes inside boundaries and obstacles: the list against every node asked one by one, and all who act on it alike.
#include "grid/grid.h"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

namespace pliant {

using namespace grid;

namespace {

using Condition = Boundary::Condition;
constexpr double h = 0.02;
// the compiler fuses multiply-adds as it inlines; velocities are below 2 m/s
constexpr double few_eps = 1e-14;

class Ball : public Obstacle {
 public:
  Vec center = {{0.103, -0.047, 0}};  // here and below: no node is on a surface to round-off
  double radius = 0.07;
  bool is_near(const Vec& at, double reach) const override { return norm(at - center) <= radius + reach; }
  ObstacleAt at(const Vec& x) const override {
    const double length = norm(x - center);
    return {length - radius, (1 / length) * (x - center), {{0.1, 0.2, 0}}};
  }
  double friction() const override { return 0.4; }
};

std::vector<Boundary> boundaries() {
  Boundary plane, ball, box, rod;
  for (Boundary* b : {&plane, &ball, &box, &rod}) b->at = Boundary::At::nodes;
  plane.kind = Boundary::Kind::plane, plane.center = {0, 0, 0}, plane.normal = {0.3, 1, 0}, plane.friction = 0.5;
  plane.center[1] = -0.113;
  ball.kind = Boundary::Kind::sphere, ball.radius = 0.19, ball.inside_out = true, ball.condition = Condition::stick;
  box.kind = Boundary::Kind::box, box.size = {0.1, 0.05, 0.3}, box.rotation = {0.9, 0, 0, 0.3};
  box.condition = Condition::slip;
  rod.kind = Boundary::Kind::cylinder, rod.radius = 0.06, rod.length = 0.2, rod.center = {-0.103, 0.098, 0};
  rod.normal = {0, 0, 1}, rod.condition = Condition::stick;
  return {plane, ball, box, rod};
}

// a cloud of particles, and a grid around them of which two thirds of the nodes have mass
template <int D>
struct Cloud {
  Workers workers{3};
  Layout<D, double> layout;
  Grid<D, double> grid{1};
  std::vector<BoundaryShape> shapes;
  std::vector<BoundaryMotion> motions;
  Ball ball;
  const Obstacle* obstacles[1] = {&ball};
  GridStep<D, double> step = {};

  Cloud() {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(-1, 1);
    Buffer<Point<D, double>> points;
    points.allocate(400);
    for (std::size_t i = 0; i < points.size(); ++i)
      for (int d = 0; d < D; ++d) points[i].x[d] = 0.25 * uniform(random);
    layout.build(points, {{0, std::uint32_t(points.size())}}, h, workers);
    grid.fit(layout);
    for (std::size_t i = 0; i < grid.node_count(); ++i) {
      Node<double>& node = grid.node(i);
      for (int d = 0; d < D; ++d) node.a[d] = uniform(random);
      node.a[node_mass] = std::max(0.0, uniform(random) + 0.33);
    }
    for (const Boundary& b : boundaries()) {
      shapes.push_back(boundary_shape(b, D));
      motions.push_back({{{b.center[0], b.center[1], b.center[2]}}, {{0.1 * uniform(random), 0.2, 0}}});
    }
    step.dt = 1e-3, step.h = h;
    step.shapes = &shapes, step.motions = &motions, step.obstacles = obstacles;
  }
};

template <int D>
void find_all() {
  const Cloud<D> cloud;
  std::vector<BoundaryNode> found;
  cloud.grid.find_boundary_nodes(cloud.layout, cloud.step, found);
  ASSERT_GT(found.size(), 100u);

  // every node, solid by solid in each slot
  std::size_t at = 0, in_ball = 0;
  for (std::size_t s = 0; s < cloud.layout.slots.size(); ++s)
    for (std::size_t k = 0; k <= cloud.shapes.size(); ++k)
      for (std::size_t n = 0; n < block_nodes<D>; ++n) {
        const std::size_t number = s * block_nodes<D> + n;
        if (!(cloud.grid.node(number).a[node_mass] > 0)) continue;
        const Vec x = cloud.grid.position(cloud.layout, number, h);
        const bool is_ball = k == cloud.shapes.size();
        const double phi = is_ball ? cloud.ball.at(x).phi : distance(cloud.shapes[k], cloud.motions[k].center, x).phi;
        if (phi >= (is_ball ? 0 : 1e-3 * h)) continue;
        ASSERT_LT(at, found.size());
        const BoundaryNode& node = found[at++];
        ASSERT_EQ(std::tuple(node.number, node.solid), std::tuple(number, k));
        EXPECT_EQ(node.condition, is_ball ? Condition::separate : cloud.shapes[k].condition);
        EXPECT_EQ(node.friction, is_ball ? 0.4 : cloud.shapes[k].friction);
        EXPECT_EQ(node.velocity[1], is_ball ? cloud.ball.at(x).velocity[1] : cloud.motions[k].velocity[1]);
        in_ball += is_ball;
      }
  EXPECT_EQ(at, found.size());
  EXPECT_GT(in_ball, 5u);
}
TEST(BoundaryNodes, AreAllNodesInside) {
  find_all<2>();
  find_all<3>();
}

// the pass over all slots, on three threads, does what the list says
template <int D>
void hold_all() {
  Cloud<D> held;
  Cloud<D> slow;
  std::vector<Vec> impulses(5, Vec::zero()), expected = impulses;
  held.grid.hold_solids(held.layout, held.step, held.workers, impulses);

  std::vector<BoundaryNode> found;
  slow.grid.find_boundary_nodes(slow.layout, slow.step, found);
  for (const BoundaryNode& b : found) {
    Node<double>& node = slow.grid.node(b.number);
    Vec v = Vec::zero();
    for (int d = 0; d < D; ++d) v[d] = node.a[d];
    const Vec after = b.hold(v);
    for (int d = 0; d < D; ++d) {
      node.a[d] = after[d];
      expected[b.solid][d] += node.a[node_mass] * (after[d] - v[d]);
    }
  }
  for (std::size_t i = 0; i < held.grid.node_count(); ++i)
    for (int d = 0; d < D; ++d) ASSERT_NEAR(held.grid.node(i).a[d], slow.grid.node(i).a[d], few_eps) << i;
  // sums in another order
  for (std::size_t k = 0; k < 5; ++k)
    for (int d = 0; d < D; ++d) EXPECT_NEAR(impulses[k][d], expected[k][d], 1e-12 * found.size()) << k;
}
TEST(BoundaryNodes, AreHeldAsTheListSays) {
  hold_all<2>();
  hold_all<3>();
}

// nodes that changed afterwards are held once more, by the boundaries only
TEST(BoundaryNodes, AreHeldOnceMore) {
  Cloud<3> cloud, slow;
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < cloud.grid.node_count(); i += 3)
    if (cloud.grid.node(i).a[node_mass] > 0) numbers.push_back(i);
  std::vector<Vec> impulses(5, Vec::zero());
  cloud.grid.hold_boundaries(cloud.layout, cloud.step, numbers, impulses);
  slow.step.obstacles = {};
  std::vector<BoundaryNode> found;
  slow.grid.find_boundary_nodes(slow.layout, slow.step, found);
  for (const BoundaryNode& b : found) {
    if (b.number % 3 != 0) continue;
    Node<double>& node = slow.grid.node(b.number);
    const Vec after = b.hold({{node.a[0], node.a[1], node.a[2]}});
    for (int d = 0; d < 3; ++d) node.a[d] = after[d];
  }
  for (std::size_t i = 0; i < cloud.grid.node_count(); ++i)
    for (int d = 0; d < 3; ++d) ASSERT_NEAR(cloud.grid.node(i).a[d], slow.grid.node(i).a[d], few_eps) << i;
  EXPECT_GT(norm(impulses[0]), 0);
  EXPECT_EQ(norm(impulses[4]), 0);
}

}  // namespace
}  // namespace pliant

#include "implicit/crowding.h"

#include "grid/point_transfer.h"
#include "material/isotropic.h"
#include "material/law_info.h"

#include <algorithm>
#include <cmath>

namespace pliant::implicit {
namespace {

constexpr double relief_time = 0.03;  // s
constexpr double most_relief = 1;     // 1/s, of the volume: drops that fall on each other do not burst
// Walls leave less room around a particle. Beside a surface a part of the mass is missing too. With m the distance, in
// cells, from the centre of the room to that of the mass, as the particle's nodes have them, it is
// m (most - less e^(-m / soon)): of half spaces of particles half a cell apart, to 1 % on average. How the grid lies adds up
// to 0.2 m.
double missing_part(double m) {
  constexpr double most = 1.8, less = 0.8, soon = 0.08;
  return m * (most - less * std::exp(-m / soon));
}
// so little room is left deep in a solid only
constexpr double least_room = 0.1;
constexpr double doubt = 0.005, doubt_per_cell = 0.2;

// stands for an arena whose nodes are their own places
struct Places {
  int operator[](int place) const { return place; }
};

// integral of the quadratic kernel up to t cells
double kernel_below(double t) {
  if (t <= -1.5) return 0;
  if (t >= 1.5) return 1;
  if (t < -0.5) return (t + 1.5) * (t + 1.5) * (t + 1.5) / 6;
  if (t > 0.5) return 1 - (1.5 - t) * (1.5 - t) * (1.5 - t) / 6;
  return 0.5 + 0.75 * t - t * t * t / 3;
}

struct Walls {
  Wall all[Wall::most];
  int count = 0;

  // 0..1, the share of the kernel of a node that is not inside of walls; d in cells from the particle. Of walls along the grid
  // exact, also where they meet at right angles.
  double room(const Vector<double, 3>& d) const {
    double share = 1;
    for (int k = 0; k < count; ++k) share *= kernel_below(all[k].distance + dot(all[k].normal, d));
    return share;
  }
};

// volume ratio
struct Ratio {
  double least, most;
};

// as the mass of the grid around the particle has it
template <class S>
Ratio ratio_around(const Walls& walls, double h, const Block<3>& block, Grid<3, S>& grid, const Point<3, S>& p) {
  double y[3], sum = 0, room = 0;
  Vector<double, 3> moment = Vector<double, 3>::zero(), middle = moment;
  for (int d = 0; d < 3; ++d) y[d] = double(p.x[d]) / h - (double(block.coord[d]) * block_side - arena_margin);
  const auto add = [&](int place, double w, const Vector<double, 3>& d, const Vector<double, 3>&) {
    const double share = w * double(grid.node(grid.node_number(block, place)).a[node_mass]), open = w * walls.room(d);
    sum += share;
    moment += share * d;
    room += open;
    middle += open * d;
  };
  for_each_node<Kernel::quadratic, 3>(Places{}, y, add);
  if (!(room > least_room)) return {0, 1};
  const double off = norm((1 / sum) * moment - (1 / room) * middle);
  const double at_rest = double(p.mass) / double(p.volume) * h * h * h;
  const double ratio = room * at_rest / sum, filled = 1 - missing_part(off), in_doubt = doubt + doubt_per_cell * off;
  return {ratio * (filled - in_doubt), ratio * (filled + in_doubt)};
}

template <class S>
void relieve_particle(double dt, const Ratio& around, Point<3, S>& p) {
  Matrix<double, 3> F;
  for (int k = 0; k < 9; ++k) F.a[k] = double(p.F[k]);
  const double J = determinant(F), wanted = std::clamp(J, std::fmin(around.least, 1), around.most);
  if (wanted == J || (wanted > J && J >= 1)) return;
  const double most = most_relief * dt * J, change = -std::expm1(-dt / relief_time) * (wanted - J);
  const Matrix<double, 3> pressed = isotropic<3>(J + std::clamp(change, -most, most));
  for (int k = 0; k < 9; ++k) p.F[k] = S(pressed.a[k]);
}

}  // namespace

template <class S>
void relieve_crowding(const CrowdingStep& step, const Layout<3, S>& layout, Grid<3, S>& grid,
                      Buffer<Point<3, S>>& points, Workers& workers) {
  workers.for_each(layout.blocks.size(), 1, [&](std::size_t b) {
    const Block<3>& block = layout.blocks[b];
    const double half = 0.5 * block_side * step.h;
    Vector<double, 3> center;
    for (int d = 0; d < 3; ++d) center[d] = (double(block.coord[d]) * block_side + 0.5) * step.h + half;
    NearSolids near;
    if (step.walls) step.walls->choose(center, std::sqrt(3.0) * half, near);
    for (std::uint32_t s = block.segment_begin; s < block.segment_end; ++s) {
      const Segment& segment = layout.segments[layout.block_segments[s]];
      if (!info(step.materials[segment.group].law).resists_only_pressure) continue;
      const std::uint32_t* cells = layout.cell_starts.data() + segment.first_cell;
      for (std::uint32_t i = cells[0]; i < cells[block_nodes<3>]; ++i) {
        Walls walls;
        const Vector<double, 3> x = {{double(points[i].x[0]), double(points[i].x[1]), double(points[i].x[2])}};
        if (near.count > 0) walls.count = step.walls->find(near, x, walls.all);
        relieve_particle(step.dt, ratio_around(walls, step.h, block, grid, points[i]), points[i]);
      }
    }
  });
}

template void relieve_crowding(const CrowdingStep&, const Layout<3, float>&, Grid<3, float>&, Buffer<Point<3, float>>&,
                               Workers&);
template void relieve_crowding(const CrowdingStep&, const Layout<3, double>&, Grid<3, double>&,
                               Buffer<Point<3, double>>&, Workers&);

}  // namespace pliant::implicit

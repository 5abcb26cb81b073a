#include "implicit/crowding.h"

#include "grid/point_transfer.h"
#include "material/isotropic.h"
#include "material/law_info.h"

#include <cmath>

namespace pliant::implicit {
namespace {

constexpr double relief_time = 0.03;  // s
constexpr double most_relief = 1;     // 1/s, of the volume: drops that fall on each other do not burst
// Beside a wall or a surface a part of the mass is missing. With m the distance, in cells, from the particle to the centre
// of the mass that its nodes have, it is m (most - less e^(-m / soon)): of half spaces of particles half a cell apart, to
// 1 % on average. How the grid lies adds up to 0.2 m.
double missing_part(double m) {
  constexpr double most = 1.8, less = 0.8, soon = 0.08;
  return m * (most - less * std::exp(-m / soon));
}
constexpr double doubt = 0.005, doubt_per_cell = 0.2;

// stands for an arena whose nodes are their own places
struct Places {
  int operator[](int place) const { return place; }
};

// volume ratio, as the mass of the grid around the particle has it, at most
template <class S>
double ratio_around(const CrowdingStep& step, const Block<3>& block, Grid<3, S>& grid, const Point<3, S>& p) {
  double y[3], sum = 0;
  Vector<double, 3> moment = Vector<double, 3>::zero();
  for (int d = 0; d < 3; ++d) y[d] = double(p.x[d]) / step.h - (double(block.coord[d]) * block_side - arena_margin);
  for_each_node<Kernel::quadratic, 3>(
      Places{}, y, [&](int place, double w, const Vector<double, 3>& d, const Vector<double, 3>&) {
        const double share = w * double(grid.node(grid.node_number(block, place)).a[node_mass]);
        sum += share;
        moment += share * d;
      });
  const double off = norm(moment) / sum;
  const double at_rest = double(p.mass) / double(p.volume) * step.h * step.h * step.h;
  return (1 - missing_part(off) + doubt + doubt_per_cell * off) * at_rest / sum;
}

template <class S>
void relieve_particle(double dt, double around, Point<3, S>& p) {
  Matrix<double, 3> F;
  for (int k = 0; k < 9; ++k) F.a[k] = double(p.F[k]);
  const double J = determinant(F);
  if (!(around < J)) return;
  const double less = std::fmin(-std::expm1(-dt / relief_time) * (J - around), most_relief * dt * J);
  const Matrix<double, 3> pressed = isotropic<3>(J - less);
  for (int k = 0; k < 9; ++k) p.F[k] = S(pressed.a[k]);
}

}  // namespace

template <class S>
void relieve_crowding(const CrowdingStep& step, const Layout<3, S>& layout, Grid<3, S>& grid,
                      Buffer<Point<3, S>>& points, Workers& workers) {
  workers.for_each(layout.blocks.size(), 1, [&](std::size_t b) {
    const Block<3>& block = layout.blocks[b];
    for (std::uint32_t s = block.segment_begin; s < block.segment_end; ++s) {
      const Segment& segment = layout.segments[layout.block_segments[s]];
      if (!info(step.materials[segment.group].law).resists_only_pressure) continue;
      const std::uint32_t* cells = layout.cell_starts.data() + segment.first_cell;
      for (std::uint32_t i = cells[0]; i < cells[block_nodes<3>]; ++i)
        relieve_particle(step.dt, ratio_around(step, block, grid, points[i]), points[i]);
    }
  });
}

template void relieve_crowding(const CrowdingStep&, const Layout<3, float>&, Grid<3, float>&, Buffer<Point<3, float>>&,
                               Workers&);
template void relieve_crowding(const CrowdingStep&, const Layout<3, double>&, Grid<3, double>&,
                               Buffer<Point<3, double>>&, Workers&);

}  // namespace pliant::implicit

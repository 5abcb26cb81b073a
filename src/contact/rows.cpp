#include "contact/rows.h"

#include "grid/point_transfer.h"
#include "solve/node_vector.h"

namespace pliant::contact {
namespace {

// stands for an arena whose nodes are their own places
struct Places {
  int operator[](int place) const { return place; }
};

// a node of the row, unless the transfer has rounded its weight to nothing; adds up its share of the velocity
template <class S>
void take_node(const Grid<3, S>& grid, std::uint32_t number, double share, double w, NodeVector<double>& velocity,
               WeightRow& row) {
  const NodeVector<double> node = wide(NodeVector<S>::load(grid.node(number).a));
  if (!(node[node_mass] > 0) || share == 0) return;
  row.numbers[row.count] = number;
  row.inner[row.count] = share;
  row.weights[row.count++] = w;
  velocity += NodeVector<double>(w) * node;
}

// cells from the first node of the block's arena
Vec in_arena(const Block<3>& block, const Vec& x, double h) {
  Vec y;
  for (int d = 0; d < 3; ++d) y[d] = x[d] / h - (double(block.coord[d]) * block_side - arena_margin);
  return y;
}

// Velocity at x + way, by the affine velocity of the particle at x: all nodes have mass of its own. (The linear kernel's
// own gradient would put much weight on light nodes: it stays at x.)
template <Kernel K, class S>
void weigh_row(const Block<3>& block, const Vec& x, const Vec& way, double h, const Grid<3, S>& grid, WeightRow& row) {
  const Vec y = in_arena(block, x, h);
  NodeVector<double> velocity(0);
  row.count = 0;
  const bool at_x = K == Kernel::linear || dot(way, way) == 0;
  const Vec along = at_x ? Vec::zero() : (1 / h) * (inverse_moments<K, 3>(&y[0]) * way);
  for_each_node<K, 3>(Places{}, &y[0], [&](int place, double share, const Vec& d, const Vec&) {
    take_node(grid, std::uint32_t(grid.node_number(block, place)), share, share * (1 + dot(along, d)), velocity, row);
  });
  row.velocity = {{velocity[0], velocity[1], velocity[2]}};
}

// the same for the quadratic kernel, axis by axis
template <class S>
void weigh_quadratic(const Block<3>& block, const Vec& x, const Vec& way, double h, const Grid<3, S>& grid,
                     WeightRow& row) {
  const Vec y = in_arena(block, x, h), along = (4 / h) * way;
  AxisStencil<double> axis[3];
  int first[3];
  double tilt[3][3];
  for (int d = 0; d < 3; ++d) {
    axis[d] = axis_stencil<Kernel::quadratic, double>(y[d], 0);
    first[d] = axis[d].base;
    for (int k = 0; k < 3; ++k) tilt[d][k] = along[d] * (k - axis[d].f);
  }
  std::uint32_t numbers[WeightRow::most];
  grid.stencil_numbers(block, first, numbers);
  NodeVector<double> velocity(0);
  row.count = 0;
  for (int i = 0, n = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const double share = axis[0].w[i] * axis[1].w[j], more = 1 + (tilt[0][i] + tilt[1][j]);
      for (int k = 0; k < 3; ++k, ++n) {
        const double w = share * axis[2].w[k];
        take_node(grid, numbers[n], w, w * (more + tilt[2][k]), velocity, row);
      }
    }
  row.velocity = {{velocity[0], velocity[1], velocity[2]}};
}

}  // namespace

template <class S>
void ParticleRows<S>::weigh(const WeightBase<S>& base, const ContactFinder<S>& finder,
                            const std::vector<FoundContact>& found, Workers& workers) {
  rows_.resize(found.size());
  workers.for_each(found.size(), 64, [&](std::size_t i) {
    const Block<3>& block = base.layout.blocks[finder.block_of(found[i].segment)];
    const S* at = base.points[found[i].particle].x;
    const Vec x = {{double(at[0]), double(at[1]), double(at[2])}}, way = -found[i].radius * found[i].normal;
    switch (base.kernel) {
      case Kernel::linear: return weigh_row<Kernel::linear>(block, x, way, base.h, base.grid, rows_[i]);
      case Kernel::quadratic: return weigh_quadratic(block, x, way, base.h, base.grid, rows_[i]);
      case Kernel::compact: return weigh_row<Kernel::compact>(block, x, way, base.h, base.grid, rows_[i]);
    }
  });
}

template <class S>
double ParticleRows<S>::mobility(std::size_t i, const Grid<3, S>& grid) const {
  const WeightRow& row = rows_[i];
  double sum = 0;
  for (int k = 0; k < row.count; ++k)
    sum += row.weights[k] * row.weights[k] / double(grid.node(row.numbers[k]).a[node_mass]);
  return sum;
}

template <class S>
void TouchedNodes<S>::begin(Grid<3, S>& grid) {
  grid_ = &grid;
  if (place_.size() == grid.node_count()) {
    for (std::uint32_t number : numbers_) place_[number] = -1;
  } else {
    place_.resize(grid.node_count());
    std::fill(place_.begin(), place_.end(), -1);
  }
  numbers_.clear();
  mass_.clear();
  free_velocity_.clear();
}

template <class S>
void TouchedNodes<S>::add_row(const WeightRow& row, Contacts& contacts, Vec& /*given*/) {
  const Contacts::Entries entries = contacts.add_entries(std::size_t(row.count));
  for (int k = 0; k < row.count; ++k) {
    std::int32_t& at = place_[row.numbers[k]];
    if (at < 0) {
      const Node<S>& node = grid_->node(row.numbers[k]);
      at = std::int32_t(numbers_.size());
      numbers_.push_back(row.numbers[k]);
      mass_.push_back(double(node.a[node_mass]));
      free_velocity_.push_back({{double(node.a[0]), double(node.a[1]), double(node.a[2])}});
    }
    entries.unknowns[k] = std::uint32_t(at);
    entries.weights[k] = row.weights[k];
  }
}

template <class S>
void SolvedNodes<S>::add_row(const WeightRow& row, Contacts& contacts, Vec& given) {
  for (int k = 0; k < row.count; ++k) {
    const std::int32_t number = numbers_[row.numbers[k]];
    if (number >= 0) {
      contacts.add_entry(std::uint32_t(number), row.weights[k]);
      continue;
    }
    const Node<S>& node = grid_.node(row.numbers[k]);
    given -= row.weights[k] * Vec{{double(node.a[0]), double(node.a[1]), double(node.a[2])}};
    contacts.leave_out(row.numbers[k], row.weights[k]);
  }
}

template class ParticleRows<float>;
template class ParticleRows<double>;
template class TouchedNodes<float>;
template class TouchedNodes<double>;
template class SolvedNodes<float>;
template class SolvedNodes<double>;

}  // namespace pliant::contact

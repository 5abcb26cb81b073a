#include "contact/rows.h"

#include "grid/point_transfer.h"

namespace pliant::contact {
namespace {

// stands for an arena whose nodes are their own places
struct Places {
  int operator[](int place) const { return place; }
};

// Velocity at x + way, by the affine velocity of the particle at x: all nodes have mass of its own. (The linear kernel's
// own gradient would put much weight on light nodes: it stays at x.)
template <Kernel K, class S>
void weigh_row(const Block<3>& block, const Vec& x, const Vec& way, double h, Grid<3, S>& grid, WeightRow& row) {
  double y[3];
  for (int d = 0; d < 3; ++d) y[d] = x[d] / h - (double(block.coord[d]) * block_side - arena_margin);
  row.count = 0;
  row.velocity = Vec::zero();
  row.mobility = 0;
  const bool at_x = K == Kernel::linear || dot(way, way) == 0;
  const Vec along = at_x ? Vec::zero() : (1 / h) * (inverse_moments<K, 3>(y) * way);
  for_each_node<K, 3>(Places{}, y, [&](int place, double share, const Vec& d, const Vec&) {
    const double w = share * (1 + dot(along, d));
    const std::size_t number = grid.node_number(block, place);
    const Node<S>& node = grid.node(number);
    const double mass = double(node.a[node_mass]);
    // a weight that the transfer has rounded to nothing
    if (!(mass > 0) || share == 0) return;
    row.numbers[row.count] = std::uint32_t(number);
    row.weights[row.count++] = w;
    row.velocity += w * Vec{{double(node.a[0]), double(node.a[1]), double(node.a[2])}};
    row.mobility += w * w / mass;
  });
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
      case Kernel::quadratic: return weigh_row<Kernel::quadratic>(block, x, way, base.h, base.grid, rows_[i]);
      case Kernel::compact: return weigh_row<Kernel::compact>(block, x, way, base.h, base.grid, rows_[i]);
    }
  });
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
  for (int k = 0; k < row.count; ++k) {
    std::int32_t& at = place_[row.numbers[k]];
    if (at < 0) {
      const Node<S>& node = grid_->node(row.numbers[k]);
      at = std::int32_t(numbers_.size());
      numbers_.push_back(row.numbers[k]);
      mass_.push_back(double(node.a[node_mass]));
      free_velocity_.push_back({{double(node.a[0]), double(node.a[1]), double(node.a[2])}});
    }
    contacts.add_entry(std::uint32_t(at), row.weights[k]);
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

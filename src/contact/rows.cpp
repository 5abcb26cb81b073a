#include "contact/rows.h"

#include "grid/point_transfer.h"

namespace pliant {
namespace {

constexpr std::size_t max_row = 27;  // nodes

// stands for an arena whose nodes are their own places
struct Places {
  int operator[](int place) const { return place; }
};

}  // namespace

template <class S>
void NodeRows<S>::begin(Grid<3, S>& grid) {
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
  begins_.assign(1, 0);
  nodes_.clear();
  weights_.clear();
}

template <class S>
template <Kernel K>
RowSums NodeRows<S>::add_row(const Block<3>& block, const Vec& x, double h) {
  double y[3];
  for (int d = 0; d < 3; ++d) y[d] = x[d] / h - (double(block.coord[d]) * block_side - arena_margin);
  RowSums sums = {Vec::zero(), 0};
  std::size_t end = nodes_.size();
  nodes_.resize(end + max_row);
  weights_.resize(end + max_row);
  for_each_node<K, 3>(Places{}, y, [&](int place, double w, const Vec&, const Vec&) {
    const std::size_t number = grid_->node_number(block, place);
    const Node<S>& node = grid_->node(number);
    // a weight that the transfer has rounded to nothing
    if (!(node.a[node_mass] > 0) || w == 0) return;
    const Vec v = {{double(node.a[0]), double(node.a[1]), double(node.a[2])}};
    const double mass = double(node.a[node_mass]);
    std::int32_t& at = place_[number];
    if (at < 0) {
      at = std::int32_t(numbers_.size());
      numbers_.push_back(std::uint32_t(number));
      mass_.push_back(mass);
      free_velocity_.push_back(v);
    }
    nodes_[end] = std::uint32_t(at);
    weights_[end++] = w;
    sums.velocity += w * v;
    sums.mobility += w * w / mass;
  });
  nodes_.resize(end);
  weights_.resize(end);
  begins_.push_back(std::uint32_t(end));
  return sums;
}

template <class S>
RowSums NodeRows<S>::add(Kernel kernel, const Block<3>& block, const Vec& x, double h) {
  switch (kernel) {
    case Kernel::linear: return add_row<Kernel::linear>(block, x, h);
    case Kernel::compact: return add_row<Kernel::compact>(block, x, h);
    case Kernel::quadratic: break;
  }
  return add_row<Kernel::quadratic>(block, x, h);
}

// its nodes stay: without a contact they keep their velocities
template <class S>
void NodeRows<S>::drop_last() {
  begins_.pop_back();
  nodes_.resize(begins_.back());
  weights_.resize(begins_.back());
}

template <class S>
ContactProblem NodeRows<S>::problem() const {
  ContactProblem p;
  p.mass = mass_;
  p.free_velocity = free_velocity_;
  p.begins = begins_;
  p.nodes = nodes_;
  p.weights = weights_;
  return p;
}

template class NodeRows<float>;
template class NodeRows<double>;

}  // namespace pliant

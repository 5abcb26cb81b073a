#include "contact/rows.h"

#include "grid/point_transfer.h"

namespace pliant {
namespace {

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
void NodeRows<S>::add_row(const Block<3>& block, const Vec& x, double h) {
  double y[3];
  for (int d = 0; d < 3; ++d) y[d] = x[d] / h - (double(block.coord[d]) * block_side - arena_margin);
  for_each_node<K, 3>(Places{}, y, [&](int place, double w, const Vec&, const Vec&) {
    const std::size_t number = grid_->node_number(block, place);
    const Node<S>& node = grid_->node(number);
    // a weight that the transfer has rounded to nothing
    if (!(node.a[node_mass] > 0) || w == 0) return;
    std::int32_t& at = place_[number];
    if (at < 0) {
      at = std::int32_t(numbers_.size());
      numbers_.push_back(std::uint32_t(number));
      mass_.push_back(double(node.a[node_mass]));
      free_velocity_.push_back({{double(node.a[0]), double(node.a[1]), double(node.a[2])}});
    }
    nodes_.push_back(std::uint32_t(at));
    weights_.push_back(w);
  });
  begins_.push_back(std::uint32_t(nodes_.size()));
}

template <class S>
void NodeRows<S>::add(Kernel kernel, const Block<3>& block, const Vec& x, double h) {
  switch (kernel) {
    case Kernel::linear: return add_row<Kernel::linear>(block, x, h);
    case Kernel::quadratic: return add_row<Kernel::quadratic>(block, x, h);
    case Kernel::compact: return add_row<Kernel::compact>(block, x, h);
  }
}

// its nodes stay: without a contact they keep their velocities
template <class S>
void NodeRows<S>::drop_last() {
  begins_.pop_back();
  nodes_.resize(begins_.back());
  weights_.resize(begins_.back());
}

template <class S>
Vec NodeRows<S>::velocity_of_last() const {
  Vec v = Vec::zero();
  for (std::size_t k = begins_[begins_.size() - 2]; k < begins_.back(); ++k)
    v += weights_[k] * free_velocity_[nodes_[k]];
  return v;
}

template <class S>
double NodeRows<S>::mobility_of_last() const {
  double sum = 0;
  for (std::size_t k = begins_[begins_.size() - 2]; k < begins_.back(); ++k)
    sum += weights_[k] * weights_[k] / mass_[nodes_[k]];
  return sum;
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

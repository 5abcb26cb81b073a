#include "implicit/bundles.h"

namespace pliant::implicit {
namespace {

// nodes with less mass than this part of a particle's are left out: nobody feels them, and 1/m must fit into a float
constexpr double negligible_mass = 1e-20;

constexpr int cells = block_nodes<3>;

// digits of a cell of a block, and the place of its first node in the reach
int reach_place(int cell) { return ((cell >> 4) * reach_side + (cell >> 2 & 3)) * reach_side + (cell & 3); }

// the place in the grid's own arena of a place in the reach
int arena_place(int place) {
  const int x = place / (reach_side * reach_side), y = place / reach_side % reach_side, z = place % reach_side;
  return ((x + arena_margin) * arena_side + y + arena_margin) * arena_side + z + arena_margin;
}

template <class S>
NodeVector<double> velocity_of(const Node<S>& node) {
  NodeVector<double> v = 0;
  for (int d = 0; d < 3; ++d) v.set(d, double(node.a[d]));
  return v;
}

template <class S>
const std::uint32_t* cell_starts(const Layout<3, S>& layout, std::uint32_t k) {
  return layout.cell_starts.data() + layout.segments[layout.block_segments[k]].first_cell;
}

}  // namespace

template <class S>
void Bundles::count_bundles(const Layout<3, S>& layout) {
  blocks_.resize(layout.blocks.size());
  std::uint32_t total = 0;
  for (std::size_t b = 0; b < layout.blocks.size(); ++b) {
    blocks_[b].first_bundle = total;
    for (std::uint32_t k = layout.blocks[b].segment_begin; k < layout.blocks[b].segment_end; ++k) {
      const std::uint32_t* starts = cell_starts(layout, k);
      std::uint32_t pairs = 0;
      for (int cell = 0; cell < cells; ++cell) pairs += (starts[cell + 1] - starts[cell] + 1) / 2;
      total += (pairs + bundle_pairs - 1) / bundle_pairs;
    }
    blocks_[b].last_bundle = total;
  }
  bundles_.resize(total);
  touched_.resize(layout.blocks.size());
}

template <class S>
void Bundles::fill_block(const Layout<3, S>& layout, std::size_t b) {
  Bundle* bundle = bundles_.data() + blocks_[b].first_bundle;
  for (std::uint32_t k = layout.blocks[b].segment_begin; k < layout.blocks[b].segment_end; ++k) {
    const std::uint32_t* starts = cell_starts(layout, k);
    int pair = 0;
    for (int cell = 0; cell < cells; ++cell)
      for (std::uint32_t p = starts[cell]; p < starts[cell + 1]; p += 2) {
        if (pair == 0) {
          std::fill(bundle->particle, bundle->particle + bundle_size, -1);
          // pairs that stay empty add nothing to some cell
          std::fill(bundle->place, bundle->place + bundle_pairs, reach_place(cell));
          bundle->group = layout.segments[layout.block_segments[k]].group;
        }
        bundle->place[pair] = reach_place(cell);
        bundle->particle[pair] = std::int32_t(p);
        if (p + 1 < starts[cell + 1]) bundle->particle[pair + bundle_pairs] = std::int32_t(p + 1);
        if (++pair == bundle_pairs) {
          pair = 0;
          ++bundle;
        }
      }
    if (pair > 0) ++bundle;
  }
  touched_[b].reset();
  for (std::uint32_t k = blocks_[b].first_bundle; k < blocks_[b].last_bundle; ++k)
    for (int first : bundles_[k].place)
      for (int n = 0; n < 27; ++n)
        touched_[b].set(std::size_t(first + (n / 9 * reach_side + n / 3 % 3) * reach_side + n % 3));
}

template <class S>
void Bundles::number_fixed(const Grid<3, S>& grid, std::span<const BoundaryNode> inside) {
  fixed_mass_.clear();
  fixed_velocity_.clear();
  for (const BoundaryNode& node : inside) {
    std::int32_t& at = place_[node.number];
    if (!node.sticks() || at != no_node) continue;
    at = first_fixed - std::int32_t(fixed_mass_.size());
    fixed_mass_.push_back(double(grid.node(node.number).a[node_mass]));
    fixed_velocity_.push_back(velocity_of(grid.node(node.number)));
  }
}

template <class S>
void Bundles::number_nodes(const Layout<3, S>& layout, Grid<3, S>& grid, double least_mass) {
  numbers_.clear();
  mass_.clear();
  velocity_.clear();
  touches_.clear();
  fixed_touches_.clear();
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    blocks_[b].first_touch = std::uint32_t(touches_.size());
    blocks_[b].first_fixed = std::uint32_t(fixed_touches_.size());
    for (int place = 0; place < reach_nodes; ++place) {
      if (!touched_[b][std::size_t(place)]) continue;
      const std::size_t number = grid.node_number(layout.blocks[b], arena_place(place));
      const Node<S>& node = grid.node(number);
      std::int32_t& at = place_[number];
      if (at <= first_fixed) {
        fixed_touches_.push_back({std::uint32_t(place), std::uint32_t(first_fixed - at)});
        continue;
      }
      if (!(double(node.a[node_mass]) > least_mass)) continue;
      if (at == no_node) {
        at = std::int32_t(numbers_.size());
        numbers_.push_back(std::uint32_t(number));
        mass_.push_back(double(node.a[node_mass]));
        velocity_.push_back(velocity_of(node));
      }
      touches_.push_back({std::uint32_t(place), std::uint32_t(at)});
    }
    blocks_[b].last_touch = std::uint32_t(touches_.size());
    blocks_[b].last_fixed = std::uint32_t(fixed_touches_.size());
  }
}

void Bundles::sort_touches() {
  begins_.resize(numbers_.size() + 1);
  touches_by_node_.resize(touches_.size());
  std::fill(begins_.begin(), begins_.end(), 0);
  for (const TouchedNode& t : touches_) ++begins_[t.node];
  std::uint32_t sum = 0;
  for (std::uint32_t& begin : begins_) sum = begin += sum;
  for (std::size_t t = touches_.size(); t-- > 0;) touches_by_node_[--begins_[touches_[t].node]] = std::uint32_t(t);
}

template <class S>
void Bundles::build(const Layout<3, S>& layout, Grid<3, S>& grid, const Buffer<Point<3, S>>& points,
                    std::span<const BoundaryNode> inside, Workers& workers) {
  count_bundles(layout);
  workers.for_each(layout.blocks.size(), 4, [&](std::size_t b) { fill_block(layout, b); });
  double mass = 0;
  for (const Point<3, S>& p : points) mass += double(p.mass);
  place_.resize(grid.node_count());
  std::fill(place_.begin(), place_.end(), no_node);
  number_fixed(grid, inside);
  number_nodes(layout, grid, negligible_mass * mass / double(std::max<std::size_t>(points.size(), 1)));
  sort_touches();
}

std::size_t Bundles::bytes() const {
  return blocks_.bytes() + bundles_.bytes() + touched_.bytes() + place_.bytes() + begins_.bytes() +
         touches_by_node_.bytes() + (touches_.capacity() + fixed_touches_.capacity()) * sizeof(TouchedNode) +
         numbers_.capacity() * sizeof(std::uint32_t) + (mass_.capacity() + fixed_mass_.capacity()) * sizeof(double) +
         (velocity_.capacity() + fixed_velocity_.capacity()) * sizeof(NodeVector<double>);
}

template void Bundles::build(const Layout<3, float>&, Grid<3, float>&, const Buffer<Point<3, float>>&,
                             std::span<const BoundaryNode>, Workers&);
template void Bundles::build(const Layout<3, double>&, Grid<3, double>&, const Buffer<Point<3, double>>&,
                             std::span<const BoundaryNode>, Workers&);

}  // namespace pliant::implicit

#include "grid/grid.h"

#include <algorithm>

namespace pliant {
namespace {

// nodes of a slot that a block's arena covers along one axis: [first, last), and arena index minus slot index
struct Overlap {
  int first, last, shift;
};

// offset: slot minus block, -1, 0 or 1; overhang: whether nodes -1 (bit 0) and 6 (bit 1) count
inline Overlap overlap(int offset, unsigned overhang) {
  const int shift = offset * block_side + arena_margin;
  const int low = overhang & 1 ? 0 : arena_margin, high = overhang & 2 ? arena_side : arena_side - 1;
  return {std::max(0, low - shift), std::min(block_side, high - shift), shift};
}

template <int D>
void neighbour_offset(int n, int* offset) {
  for (int d = D - 1; d >= 0; --d, n /= 3) offset[d] = n % 3 - 1;
}

template <class S>
inline void add(Node<S>& to, const Node<S>& from) {
  using Quad = Pack<S, 4>;
  (Quad::load(to.a) + Quad::load(from.a)).store(to.a);
}

// copies a row of up to four nodes; the lengths that occur are known at compile time
template <class S>
inline void copy_row(const Node<S>* from, Node<S>* to, int count) {
  if (count == 4)
    std::memcpy(to, from, 4 * sizeof(Node<S>));
  else if (count == 3)
    std::memcpy(to, from, 3 * sizeof(Node<S>));
  else
    *to = *from;
}

}  // namespace

template <int D, class S>
void Grid<D, S>::fit(const Layout<D, S>& layout) {
  arenas_.resize(layout.blocks.size() * arena_size());
  overhang_.resize(layout.blocks.size());
  velocities_.resize(layout.slots.size() * slot_size());
}

template <int D, class S>
void Grid<D, S>::refit(const Layout<D, S>& old_layout, const Layout<D, S>& layout) {
  spare_.resize(layout.slots.size() * slot_size());
  for (std::size_t s = 0; s < layout.slots.size(); ++s) {
    const std::int32_t old = old_layout.find_slot(layout.slots[s].coord);
    Node<S>* to = spare_.data() + s * slot_size();
    if (old < 0)
      std::fill(to, to + slot_size(), Node<S>{});
    else
      std::copy_n(velocities_.data() + std::size_t(old) * slot_size(), slot_size(), to);
  }
  velocities_.swap(spare_);
  arenas_.resize(layout.blocks.size() * arena_size());
  overhang_.resize(layout.blocks.size());
}

template <int D, class S>
void Grid<D, S>::fill(const Block<D>& block, Node<S>* arena) const {
  for (int grid = 0; grid < grids_; ++grid, arena += arena_nodes<D>)
    for (int n = 0; n < neighbour_count<D>; ++n) {
      const Node<S>* nodes = velocities_.data() + std::size_t(block.slots[n]) * slot_size() + grid * block_nodes<D>;
      int offset[D];
      neighbour_offset<D>(n, offset);
      Overlap o[3] = {overlap(offset[0], 3), overlap(offset[1], 3), overlap(offset[D - 1], 3)};
      const int length = o[D - 1].last - o[D - 1].first;
      for (int x = o[0].first; x < o[0].last; ++x) {
        if constexpr (D == 2) {
          copy_row(nodes + x * block_side + o[1].first, arena + (x + o[0].shift) * arena_side + o[1].first + o[1].shift,
                   length);
        } else {
          for (int y = o[1].first; y < o[1].last; ++y)
            copy_row(nodes + (x * block_side + y) * block_side + o[2].first,
                     arena + ((x + o[0].shift) * arena_side + y + o[1].shift) * arena_side + o[2].first + o[2].shift,
                     length);
        }
      }
    }
}

// false: no mass here
template <int D, class S>
bool Grid<D, S>::sum_arenas(const Layout<D, S>& layout, std::size_t slot, int grid, Node<S>* nodes) const {
  std::fill(nodes, nodes + block_nodes<D>, Node<S>{});
  bool any = false;
  for (int n = 0; n < neighbour_count<D>; ++n) {
    const std::int32_t b = layout.slots[slot].blocks[n];
    if (b < 0) continue;
    int offset[D];
    neighbour_offset<D>(n, offset);
    Overlap o[D];
    bool empty = false;
    for (int d = 0; d < D; ++d) {
      o[d] = overlap(-offset[d], overhang_[std::size_t(b)] >> (2 * d) & 3u);
      empty = empty || o[d].first >= o[d].last;
    }
    if (empty) continue;
    any = true;
    const Node<S>* arena = arenas_.data() + std::size_t(b) * arena_size() + grid * arena_nodes<D>;
    for (int x = o[0].first; x < o[0].last; ++x)
      for (int y = o[1].first; y < o[1].last; ++y) {
        const int row = (x + o[0].shift) * arena_side + y + o[1].shift;
        if constexpr (D == 2) {
          add(nodes[x * block_side + y], arena[row]);
        } else {
          for (int z = o[2].first; z < o[2].last; ++z)
            add(nodes[(x * block_side + y) * block_side + z], arena[row * arena_side + z + o[2].shift]);
        }
      }
  }
  return any;
}

template <int D, class S>
void Grid<D, S>::apply_boundaries(const GridStep<D, S>& step, const Slot<D>& slot, int grid, Node<S>* nodes,
                                  Vec* impulses) const {
  const double h = step.h, half = 0.5 * grid;
  Vec origin = Vec::zero(), center = Vec::zero();
  for (int d = 0; d < D; ++d) {
    origin[d] = (double(slot.coord[d]) * block_side + half) * h;
    center[d] = origin[d] + 0.5 * (block_side - 1) * h;
  }
  const double reach = 0.5 * (block_side - 1) * h * std::sqrt(double(D)) + 1e-9 * h;
  for (std::size_t k = 0; k < step.shapes->size(); ++k) {
    const BoundaryShape& shape = (*step.shapes)[k];
    const BoundaryMotion& motion = (*step.motions)[k];
    if (distance(shape, motion.center, center).phi > reach) continue;
    for (int n = 0; n < block_nodes<D>; ++n) {
      S* a = nodes[n].a;
      if (!(a[node_mass] > 0)) continue;
      Vec x = origin, v = Vec::zero();
      for (int d = D - 1, rest = n; d >= 0; --d, rest /= block_side) {
        x[d] += (rest % block_side) * h;
        v[d] = a[d];
      }
      const Distance near = distance(shape, motion.center, x);
      if (near.phi >= 0) continue;
      const Vec after = project(shape, near.normal, v - motion.velocity) + motion.velocity;
      for (int d = 0; d < D; ++d) {
        a[d] = S(after[d]);
        impulses[k][d] += double(a[node_mass]) * (double(a[d]) - v[d]);
      }
    }
  }
}

template <int D, class S>
void Grid<D, S>::update_slot(const Layout<D, S>& layout, const GridStep<D, S>& step, std::size_t slot) {
  Vec* impulses = partial_.data() + slot * step.shapes->size();
  std::fill(impulses, impulses + step.shapes->size(), Vec::zero());
  for (int grid = 0; grid < grids_; ++grid) {
    Node<S>* nodes = velocities_.data() + slot * slot_size() + grid * block_nodes<D>;
    if (!sum_arenas(layout, slot, grid, nodes)) continue;
    for (int n = 0; n < block_nodes<D>; ++n) {
      S* a = nodes[n].a;
      const S mass = a[node_mass];
      for (int d = 0; d < D; ++d) a[d] = mass > 0 ? a[d] / mass + step.dt * step.gravity[d] : 0;
    }
    apply_boundaries(step, layout.slots[slot], grid, nodes, impulses);
  }
}

template <int D, class S>
void Grid<D, S>::update(const Layout<D, S>& layout, const GridStep<D, S>& step, Workers& workers,
                        std::vector<Vec>& impulses) {
  partial_.resize(layout.slots.size() * step.shapes->size());
  workers.for_each(layout.slots.size(), 16, [&](std::size_t s) { update_slot(layout, step, s); });
  for (std::size_t s = 0; s < layout.slots.size(); ++s)
    for (std::size_t k = 0; k < impulses.size(); ++k) impulses[k] += partial_[s * impulses.size() + k];
}

template class Grid<2, float>;
template class Grid<2, double>;
template class Grid<3, float>;
template class Grid<3, double>;

}  // namespace pliant

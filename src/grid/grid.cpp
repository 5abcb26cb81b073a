#include "grid/grid.h"

#include <algorithm>
#include <array>

namespace pliant::grid {
namespace {

// nodes of a slot that a block's arena covers along one axis: [first, last), and arena index minus slot index
struct Overlap {
  int first, last, shift;
};

// offset: slot minus block, -1, 0 or 1; overhang: whether nodes -1 (bit 0) and 6 (bit 1) count
constexpr Overlap overlap(int offset, unsigned overhang) {
  const int shift = offset * block_side + arena_margin;
  const int low = overhang & 1 ? 0 : arena_margin, high = overhang & 2 ? arena_side : arena_side - 1;
  return {std::max(0, low - shift), std::min(block_side, high - shift), shift};
}

// the overlaps by block minus slot (plus one) and overhang
constexpr auto overlaps = [] {
  std::array<std::array<Overlap, 4>, 3> table{};
  for (int offset = -1; offset <= 1; ++offset)
    for (unsigned overhang = 0; overhang < 4; ++overhang) table[offset + 1][overhang] = overlap(-offset, overhang);
  return table;
}();

// for each neighbour (x slowest) and axis: block minus slot, plus one
template <int D>
constexpr auto neighbour_offsets = [] {
  std::array<std::array<std::uint8_t, D>, neighbour_count<D>> offsets{};
  for (int n = 0; n < neighbour_count<D>; ++n)
    for (int d = D - 1, rest = n; d >= 0; --d, rest /= 3) offsets[n][d] = std::uint8_t(rest % 3);
  return offsets;
}();

// adds a row of nodes, as many numbers at a time as go
template <int Count, class S>
inline void add_row(const Node<S>* from, Node<S>* to) {
  int k = 0;
  const auto add = [&]<class P>(P) {
    constexpr int per = P::lanes / 4;
#pragma GCC unroll 4
    for (; k + per <= Count; k += per) (P::load(to[k].a) + P::load(from[k].a)).store(to[k].a);
  };
  add(Broad<S>{});
  add(Wide<S>{});
  add(Pack<S, 4>{});
}

// adds the nodes of an arena that lie in a slot; `arena` and `nodes` are at the first of them in every row
template <int Count, int D, class S>
inline void add_rows(const Node<S>* arena, Node<S>* nodes, const Overlap* o) {
  for (int x = o[0].first; x < o[0].last; ++x) {
    if constexpr (D == 2)
      add_row<Count>(arena + (x + o[0].shift) * arena_side, nodes + x * block_side);
    else
      for (int y = o[1].first; y < o[1].last; ++y)
        add_row<Count>(arena + ((x + o[0].shift) * arena_side + y + o[1].shift) * arena_side,
                       nodes + (x * block_side + y) * block_side);
  }
}

// along one axis, arena node a is node (a + 3) % 4 of neighbour 0 (a = 0), 1 (a = 1..4) or 2 (a = 5..7)
constexpr int neighbour_of(int a) { return a == 0 ? 0 : a <= block_side ? 1 : 2; }
constexpr int node_of(int a) { return (a + block_side - arena_margin) % block_side; }

// an overhang to all sides
template <int D>
constexpr std::uint8_t everywhere = (1 << 2 * D) - 1;

// f(x, y) for the rows of an arena within the overhang; y is 0 in 2-D
template <int D, class F>
inline void for_rows(unsigned overhang, const F& f) {
  const auto first = [&](int d) { return overhang >> (2 * d) & 1u ? 0 : arena_margin; };
  const auto last = [&](int d) { return overhang >> (2 * d) & 2u ? arena_side : arena_side - 1; };
  for (int x = first(0); x < last(0); ++x) {
    if constexpr (D == 2)
      f(x, 0);
    else
      for (int y = first(1); y < last(1); ++y) f(x, y);
  }
}

template <int D>
constexpr int row_of(int x, int y) {
  return D == 2 ? x * arena_side : (x * arena_side + y) * arena_side;
}

// leaves zeros
template <class S>
inline void move_row(Node<S>* from, Node<S>* to) {
  using P = Broad<S>;
#pragma GCC unroll 8
  for (int k = 0; k < arena_side; k += P::lanes / 4) {
    P::load(from[k].a).store(to[k].a);
    P(0).store(from[k].a);
  }
}

// for each place of an arena, the slot among the block's neighbours and the node in it
struct ArenaPlace {
  std::uint8_t neighbour, node;
};
template <int D>
constexpr auto arena_places = [] {
  std::array<ArenaPlace, arena_nodes<D>> places{};
  for (int place = 0; place < arena_nodes<D>; ++place) {
    int neighbour = 0, node = 0;
    for (int d = D - 1, rest = place, n = 1, m = 1; d >= 0; --d, rest /= arena_side, n *= 3, m *= block_side) {
      neighbour += n * neighbour_of(rest % arena_side);
      node += m * node_of(rest % arena_side);
    }
    places[place] = {std::uint8_t(neighbour), std::uint8_t(node)};
  }
  return places;
}();

// a row of the arena from the rows of three neighbours
template <class S>
inline void join_rows(const Node<S>* before, const Node<S>* here, const Node<S>* after, Node<S>* row) {
  row[0] = before[block_side - 1];
  std::memcpy(row + 1, here, 4 * sizeof(Node<S>));
  std::memcpy(row + 5, after, 3 * sizeof(Node<S>));
}

template <int D, class S>
Vec velocity_of(const Node<S>& node) {
  Vec v = Vec::zero();
  for (int d = 0; d < D; ++d) v[d] = node.a[d];
  return v;
}

// writes the velocity and gives the impulse that this took
template <int D, class S>
Vec change_velocity(Node<S>& node, const Vec& after) {
  Vec impulse = Vec::zero();
  for (int d = 0; d < D; ++d) {
    const double before = node.a[d];
    node.a[d] = S(after[d]);
    impulse[d] = double(node.a[node_mass]) * (double(node.a[d]) - before);
  }
  return impulse;
}

}  // namespace

template <int D, class S>
void Grid<D, S>::fit(const Layout<D, S>& layout) {
  arenas_.resize(layout.blocks.size() * arena_size());
  overhang_.assign(layout.blocks.size(), everywhere<D>);
  velocities_.resize(layout.slots.size() * slot_size());
}

template <int D, class S>
void Grid<D, S>::refit(const Layout<D, S>& old_layout, const Layout<D, S>& layout, Workers& workers) {
  refit(old_layout, layout, velocities_, spare_, workers);
  velocities_.swap(spare_);
  arenas_.resize(layout.blocks.size() * arena_size());
  overhang_.assign(layout.blocks.size(), everywhere<D>);
}

template <int D, class S>
void Grid<D, S>::refit(const Layout<D, S>& old_layout, const Layout<D, S>& layout, const Buffer<Node<S>>& from,
                       Buffer<Node<S>>& to, Workers& workers) const {
  to.resize(layout.slots.size() * slot_size());
  workers.for_each(layout.slots.size(), 64, [&](std::size_t s) {
    const std::int32_t old = old_layout.find_slot(layout.slots[s].coord);
    Node<S>* nodes = to.data() + s * slot_size();
    if (old < 0)
      std::fill(nodes, nodes + slot_size(), Node<S>{});
    else
      std::copy_n(from.data() + std::size_t(old) * slot_size(), slot_size(), nodes);
  });
}

template <int D, class S>
std::size_t Grid<D, S>::renumbered(const Layout<D, S>& old_layout, const Layout<D, S>& layout,
                                   std::size_t number) const {
  const std::int32_t slot = layout.find_slot(old_layout.slots[number / slot_size()].coord);
  return slot < 0 ? SIZE_MAX : std::size_t(slot) * slot_size() + number % slot_size();
}

template <int D, class S>
void fill_arena(const Block<D>& block, unsigned overhang, int grids, const Node<S>* all, Node<S>* arena) {
  const std::size_t slot_size = std::size_t(grids) * block_nodes<D>;
  for (int grid = 0; grid < grids; ++grid, arena += arena_nodes<D>) {
    const Node<S>* nodes[neighbour_count<D>];
    for (int n = 0; n < neighbour_count<D>; ++n)
      nodes[n] = all + std::size_t(block.slots[n]) * slot_size + grid * block_nodes<D>;
    for_rows<D>(overhang, [&](int x, int y) {
      const Node<S>* const* n =
          D == 2 ? nodes + 3 * neighbour_of(x) : nodes + 3 * (3 * neighbour_of(x) + neighbour_of(y));
      const int row = D == 2 ? node_of(x) * block_side : (node_of(x) * block_side + node_of(y)) * block_side;
      join_rows(n[0] + row, n[1] + row, n[2] + row, arena + row_of<D>(x, y));
    });
  }
}

template <int D, class S>
void Grid<D, S>::fill(const Layout<D, S>& layout, std::size_t b, Node<S>* arena) const {
  fill_arena<D>(layout.blocks[b], overhang_[b], grids_, velocities_.data(), arena);
}

template <int D, class S>
void Grid<D, S>::take(std::size_t b, unsigned overhang, Node<S>* arena) {
  overhang_[b] = std::uint8_t(overhang);
  Node<S>* to = arenas_.data() + b * arena_size();
  for (int grid = 0; grid < grids_; ++grid, to += arena_nodes<D>, arena += arena_nodes<D>)
    for_rows<D>(overhang, [&](int x, int y) { move_row(arena + row_of<D>(x, y), to + row_of<D>(x, y)); });
}

template <int D, class S>
std::size_t Grid<D, S>::node_number(const Block<D>& block, int arena_place) const {
  const int grid = arena_place / arena_nodes<D>;
  const ArenaPlace& at = arena_places<D>[std::size_t(arena_place % arena_nodes<D>)];
  return std::size_t(block.slots[at.neighbour]) * slot_size() + std::size_t(grid * block_nodes<D> + at.node);
}

template <int D, class S>
void Grid<D, S>::stencil_numbers(const Block<D>& block, const int* first, std::uint32_t* numbers) const {
  std::uint32_t neighbour[D][3], node[D][3];
  for (int d = 0; d < D; ++d)
    for (int k = 0; k < 3; ++k) {
      neighbour[d][k] = std::uint32_t(neighbour_of(first[d] + k));
      node[d][k] = std::uint32_t(node_of(first[d] + k));
    }
  const auto size = std::uint32_t(slot_size());
  for (int x = 0; x < 3; ++x)
    for (int y = 0; y < 3; ++y) {
      const std::uint32_t slots = 3 * neighbour[0][x] + neighbour[1][y], row = block_side * node[0][x] + node[1][y];
      if constexpr (D == 2)
        *numbers++ = std::uint32_t(block.slots[slots]) * size + row;
      else
        for (int z = 0; z < 3; ++z)
          *numbers++ = std::uint32_t(block.slots[3 * slots + neighbour[2][z]]) * size + block_side * row + node[2][z];
    }
}

template <int D, class S>
Vec Grid<D, S>::position(const Layout<D, S>& layout, std::size_t number, double h) const {
  const int in_slot = int(number % slot_size());
  return SlotPlace<D>(layout.slots[number / slot_size()], in_slot / block_nodes<D>, h).node(in_slot % block_nodes<D>);
}

template <int D, class S>
void Grid<D, S>::hold(const BoundaryNode& held, Vec* impulses) {
  Node<S>& node = velocities_[held.number];
  impulses[held.solid] += change_velocity<D>(node, held.hold(velocity_of<D>(node)));
}

template <int D, class S>
void Grid<D, S>::hold_boundaries(const Layout<D, S>& layout, const GridStep<D, S>& step,
                                 std::span<const std::uint32_t> numbers, std::vector<Vec>& impulses) {
  for (std::uint32_t number : numbers) {
    const Vec x = position(layout, number, step.h);
    for (std::size_t k = 0; k < step.shapes->size(); ++k) {
      BoundaryNode held;
      if (!is_inside(step, k, x, held)) continue;
      held.number = number;
      hold(held, impulses.data());
    }
  }
}

template <int D, class S>
void Grid<D, S>::find_boundary_nodes(const Layout<D, S>& layout, const GridStep<D, S>& step,
                                     std::vector<BoundaryNode>& found) const {
  found.clear();
  for (std::size_t s = 0; s < layout.slots.size(); ++s)
    for (int grid = 0; grid < grids_; ++grid) {
      const std::size_t first = s * slot_size() + std::size_t(grid * block_nodes<D>);
      for_boundary_nodes(step, SlotPlace<D>(layout.slots[s], grid, step.h), velocities_.data() + first, first,
                         [&](const BoundaryNode& node) { found.push_back(node); });
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
    Overlap o[D];
    bool empty = false;
    for (int d = 0; d < D; ++d) {
      o[d] = overlaps[neighbour_offsets<D>[n][d]][overhang_[std::size_t(b)] >> (2 * d) & 3u];
      empty = empty || o[d].first >= o[d].last;
    }
    if (empty) continue;
    any = true;
    const Overlap& z = o[D - 1];
    const Node<S>* arena = arenas_.data() + std::size_t(b) * arena_size() + grid * arena_nodes<D> + z.first + z.shift;
    switch (z.last - z.first) {
      case 1: add_rows<1, D>(arena, nodes + z.first, o); break;
      case 2: add_rows<2, D>(arena, nodes + z.first, o); break;
      case 3: add_rows<3, D>(arena, nodes + z.first, o); break;
      default: add_rows<4, D>(arena, nodes + z.first, o); break;
    }
  }
  return any;
}

// momenta -> velocities after gravity; nodes without mass rest
template <int D, class S>
void Grid<D, S>::to_velocities(const GridStep<D, S>& step, Node<S>* nodes) const {
  using Quad = Pack<S, 4>;
  Quad pull = 0;
  for (int d = 0; d < D; ++d) pull.set(d, step.dt * step.gravity[d]);
  Quad moving = 1;  // 0 in the place of the mass
  moving.set(node_mass, 0);
  for (int n = 0; n < block_nodes<D>; ++n) {
    const Quad momentum = Quad::load(nodes[n].a);
    const Quad mass = nodes[n].a[node_mass];
    const Quad v = momentum / select(mass > Quad(0), mass, Quad(1)) + pull;
    select(moving > Quad(0), select(mass > Quad(0), v, Quad(0)), mass).store(nodes[n].a);
  }
}

// velocities + impulses / mass + gravity
template <int D, class S>
void Grid<D, S>::add_impulses(const GridStep<D, S>& step, const Node<S>* impulses, Node<S>* nodes) const {
  for (int n = 0; n < block_nodes<D>; ++n) {
    const S mass = nodes[n].a[node_mass];
    if (!(mass > 0)) continue;
    for (int d = 0; d < D; ++d) nodes[n].a[d] += impulses[n].a[d] / mass + step.dt * step.gravity[d];
  }
}

template <int D, class S>
template <bool takes, bool holds>
void Grid<D, S>::update_slot(const Layout<D, S>& layout, const GridStep<D, S>& step, std::size_t slot) {
  const std::size_t solids = solid_count(step);
  Vec* impulses = partial_.data() + slot * solids;
  if constexpr (holds) std::fill(impulses, impulses + solids, Vec::zero());
  for (int grid = 0; grid < grids_; ++grid) {
    const std::size_t first = slot * slot_size() + std::size_t(grid * block_nodes<D>);
    Node<S>* nodes = velocities_.data() + first;
    if constexpr (takes) {
      if (step.adds) {
        Node<S> sums[block_nodes<D>];
        if (!sum_arenas(layout, slot, grid, sums)) continue;
        add_impulses(step, sums, nodes);
      } else {
        if (!sum_arenas(layout, slot, grid, nodes)) continue;
        to_velocities(step, nodes);
      }
    }
    if constexpr (holds) {
      const SlotPlace<D> place(layout.slots[slot], grid, step.h);
      for_boundary_nodes(step, place, nodes, first, [&](const BoundaryNode& node) {
        if (!step.solved || node.sticks()) hold(node, impulses);
      });
    }
  }
}

template <int D, class S>
void Grid<D, S>::sum_impulses(std::size_t slots, std::vector<Vec>& impulses) const {
  for (std::size_t s = 0; s < slots; ++s)
    for (std::size_t k = 0; k < impulses.size(); ++k) impulses[k] += partial_[s * impulses.size() + k];
}

template <int D, class S>
void Grid<D, S>::update(const Layout<D, S>& layout, const GridStep<D, S>& step, Workers& workers,
                        std::vector<Vec>& impulses) {
  partial_.resize(layout.slots.size() * solid_count(step));
  workers.for_each(layout.slots.size(), 8, [&](std::size_t s) { update_slot<true, true>(layout, step, s); });
  sum_impulses(layout.slots.size(), impulses);
}

template <int D, class S>
void Grid<D, S>::sum(const Layout<D, S>& layout, Workers& workers) {
  workers.for_each(layout.slots.size(), 8, [&](std::size_t s) {
    for (int grid = 0; grid < grids_; ++grid)
      sum_arenas(layout, s, grid, velocities_.data() + s * slot_size() + std::size_t(grid * block_nodes<D>));
  });
}

template <int D, class S>
void Grid<D, S>::take_momenta(const Layout<D, S>& layout, const GridStep<D, S>& step, Workers& workers) {
  workers.for_each(layout.slots.size(), 8, [&](std::size_t s) { update_slot<true, false>(layout, step, s); });
}

template <int D, class S>
void Grid<D, S>::hold_solids(const Layout<D, S>& layout, const GridStep<D, S>& step, Workers& workers,
                             std::vector<Vec>& impulses) {
  if (impulses.empty()) return;
  partial_.resize(layout.slots.size() * impulses.size());
  workers.for_each(layout.slots.size(), 8, [&](std::size_t s) { update_slot<false, true>(layout, step, s); });
  sum_impulses(layout.slots.size(), impulses);
}

template void fill_arena(const Block<2>&, unsigned, int, const Node<float>*, Node<float>*);
template void fill_arena(const Block<2>&, unsigned, int, const Node<double>*, Node<double>*);
template void fill_arena(const Block<3>&, unsigned, int, const Node<float>*, Node<float>*);
template void fill_arena(const Block<3>&, unsigned, int, const Node<double>*, Node<double>*);
template class Grid<2, float>;
template class Grid<2, double>;
template class Grid<3, float>;
template class Grid<3, double>;

}  // namespace pliant::grid

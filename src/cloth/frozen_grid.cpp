#include "cloth/frozen_grid.h"

#include <algorithm>

namespace pliant::cloth {
namespace {

constexpr std::uint32_t none = UINT32_MAX, marked = UINT32_MAX - 1;
constexpr std::size_t grain = 16;  // towers

}  // namespace

template <class S>
void FrozenGrid<S>::on_sorted(const Layout<3, S>& layout, const std::vector<std::uint32_t>& blocks) {
  tower_of_slot_.assign(layout.slots.size(), none);
  for (const std::uint32_t b : blocks)
    for (const std::int32_t s : layout.blocks[b].slots) tower_of_slot_[std::size_t(s)] = marked;
  towers_.clear();
  slots_.clear();
  for (auto& list : by_colour_) list.clear();
  const auto slot_at = [&](const std::int32_t* coord, int up) {
    const std::int32_t at[3] = {coord[0], coord[1], coord[2] + up};
    const std::int32_t s = layout.find_slot(at);
    return s >= 0 && tower_of_slot_[std::size_t(s)] != none ? s : -1;
  };
  for (std::size_t s = 0; s < layout.slots.size(); ++s) {
    const std::int32_t* c = layout.slots[s].coord;
    if (tower_of_slot_[s] == none || slot_at(c, -1) >= 0) continue;
    const std::uint32_t number = std::uint32_t(towers_.size());
    Tower tower = {{c[0], c[1], c[2]}, std::uint32_t(slots_.size()), 0, {}, {}, 0};
    for (std::int32_t up = std::int32_t(s); up >= 0; up = slot_at(c, int(tower.count))) {
      tower_of_slot_[std::size_t(up)] = number;
      slots_.push_back(up);
      ++tower.count;
    }
    towers_.push_back(tower);
    by_colour_[std::size_t(2 * (c[0] & 1) + (c[1] & 1))].push_back(number);
  }
}

template <class S>
void FrozenGrid<S>::fit(const Layout<3, S>& layout, const std::vector<std::uint32_t>& blocks,
                        const std::vector<BlockReach>& reach) {
  for (Tower& t : towers_) {
    std::fill_n(t.low, 3, INT32_MAX);
    std::fill_n(t.high, 3, INT32_MIN);
  }
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const Block<3>& block = layout.blocks[blocks[k]];
    const BlockReach& r = reach[k];
    for (int x = (r.low[0] + 3) >> 2; x <= (r.high[0] + 5) >> 2; ++x)
      for (int y = (r.low[1] + 3) >> 2; y <= (r.high[1] + 5) >> 2; ++y) {
        Tower& t = towers_[tower_of(block, 4 * x - 3, 4 * y - 3)];
        const int bottom = (block.coord[2] - t.coord[2]) * block_side - arena_margin;
        const int first[3] = {4 * x - 3, 4 * y - 3, -bottom};  // the tower's first node in the block's arena
        for (int d = 0; d < 3; ++d) {
          const int most = d < 2 ? block_side : INT32_MAX;
          t.low[d] = std::min(t.low[d], std::max(0, r.low[d] - first[d]));
          t.high[d] = std::max(t.high[d], std::min(most, r.high[d] + 3 - first[d]));
        }
      }
  }
  std::uint32_t nodes = 0;
  for (Tower& t : towers_) {
    if (t.high[0] < t.low[0]) {
      std::fill_n(t.low, 3, 0);
      std::fill_n(t.high, 3, 0);
    }
    t.begin = nodes;
    nodes += t.size();
  }
  velocities_.resize(nodes);
  forces_.resize(nodes);
}

template <class S>
void FrozenGrid<S>::find_rows(const Block<3>& block, const int* base, std::uint32_t* rows) const {
  std::uint32_t number = none;
  const Tower* t = nullptr;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int x = base[0] + i, y = base[1] + j;
      const std::uint32_t next = tower_of(block, x, y);
      if (next != number) t = &towers_[next];
      number = next;
      const int z = (block.coord[2] - t->coord[2]) * block_side - arena_margin + base[2];
      rows[3 * i + j] = t->place((x + 3) & 3, (y + 3) & 3, z);
    }
}

// f(place here, number in the grid)
template <class S>
template <class F>
void FrozenGrid<S>::for_each_node(Workers& workers, const F& f) const {
  workers.for_each(towers_.size(), grain, [&](std::size_t k) {
    const Tower& t = towers_[k];
    std::size_t place = t.begin;
    for (int x = t.low[0]; x < t.high[0]; ++x)
      for (int y = t.low[1]; y < t.high[1]; ++y)
        for (int z = t.low[2]; z < t.high[2]; ++z) f(place++, number_of(t, x, y, z));
  });
}

template <class S>
void FrozenGrid<S>::load(const Grid<3, S>& grid, const Vector<S, 3>& fall, Workers& workers) {
  loaded_ = false;
  for_each_node(workers, [&](std::size_t place, std::size_t number) {
    const Node<S>& from = grid.node(number);
    const S mass = from.a[node_mass];
    Node<S>& to = velocities_[place];
    for (int d = 0; d < 3; ++d) to.a[d] = mass > 0 ? from.a[d] - fall[d] : S(0);
    to.a[node_mass] = mass > 0 ? 1 / mass : S(0);
    forces_[place] = {};
  });
}

template <class S>
Node<S>* FrozenGrid<S>::loads() {
  if (!loaded_) {
    loads_.resize(velocities_.size());
    std::fill(loads_.begin(), loads_.end(), Node<S>{});
  }
  loaded_ = true;
  return loads_.data();
}

template <class S>
void FrozenGrid<S>::kick(S dt, const Vector<S, 3>& gravity, Workers& workers) {
  using Quad = Pack<S, 4>;
  Quad fall = 0;
  for (int d = 0; d < 3; ++d) fall.set(d, dt * gravity[d]);
  workers.for_each((velocities_.size() + 1023) / 1024, 1, [&](std::size_t piece) {
    const std::size_t end = std::min(velocities_.size(), (piece + 1) * 1024);
    for (std::size_t i = piece * 1024; i < end; ++i) {
      Quad force = Quad::load(forces_[i].a);
      if (loaded_) force += Quad::load(loads_[i].a);
      // the fourth number of a force is 0
      (Quad::load(velocities_[i].a) + fall + Quad(dt * velocities_[i].a[node_mass]) * force).store(velocities_[i].a);
      Quad(0).store(forces_[i].a);
    }
  });
}

template <class S>
void FrozenGrid<S>::store(S dt, Grid<3, S>& grid, Workers& workers) const {
  for_each_node(workers, [&](std::size_t place, std::size_t number) {
    Node<S>& to = grid.node(number);
    if (!(to.a[node_mass] > 0)) return;
    const Node<S>& from = velocities_[place];
    for (int d = 0; d < 3; ++d) to.a[d] = loaded_ ? from.a[d] - dt * from.a[node_mass] * loads_[place].a[d] : from.a[d];
  });
}

template <class S>
std::int64_t FrozenGrid<S>::find(std::size_t number) const {
  const std::size_t slot = number / block_nodes<3>, node = number % block_nodes<3>;
  const std::uint32_t k = tower_of_slot_[slot];
  if (k == none) return -1;
  const Tower& t = towers_[k];
  for (std::uint32_t up = 0; up < t.count; ++up) {
    if (std::size_t(slots_[t.first + up]) != slot) continue;
    const int x = int(node / 16), y = int(node / 4 % 4), z = int(4 * up + node % 4);
    return t.reaches(x, y, z) ? std::int64_t(t.place(x, y, z)) : -1;
  }
  return -1;
}

template class FrozenGrid<float>;
template class FrozenGrid<double>;

}  // namespace pliant::cloth

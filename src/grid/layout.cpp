#include "grid/layout.h"

#include "core/error.h"
#include "core/hash.h"

#include <algorithm>
#include <cmath>

namespace pliant::grid {
namespace {

constexpr int axis_bits = 18;  // of a block coordinate, biased
constexpr int axis_bias = 1 << (axis_bits - 1);
constexpr std::uint64_t axis_mask = (1u << axis_bits) - 1;
constexpr int group_shift = 54;

template <int D>
std::uint64_t block_key(const std::int32_t* coord) {
  std::uint64_t key = 0;
  for (int d = 0; d < D; ++d) key = key << axis_bits | std::uint64_t(coord[d] + axis_bias);
  return key;
}

template <int D>
void coord_of(std::uint64_t key, std::int32_t* coord) {
  for (int d = D - 1; d >= 0; --d, key >>= axis_bits) coord[d] = std::int32_t(key & axis_mask) - axis_bias;
}

std::uint64_t without_group(std::uint64_t key) { return key & ((std::uint64_t(1) << group_shift) - 1); }

// coordinate of the n-th neighbour, x slowest
template <int D>
void neighbour(const std::int32_t* coord, int n, std::int32_t* out) {
  for (int d = D - 1; d >= 0; --d, n /= 3) out[d] = coord[d] + n % 3 - 1;
}

// the cell of a particle, all axes at once
template <int D>
struct CellOf {
  using Ints = VectorOf<std::int32_t, 4>::type;
  Ints cell;  // lanes from D on are 0

  // false: out of range or not finite. A record is longer than four numbers, so reading four is safe.
  template <class S>
  bool find(const Point<D, S>& p, S inv_h) {
    using Quad = Pack<S, 4>;
    static_assert(sizeof(Point<D, S>) >= sizeof(Quad));
    constexpr unsigned axes = (1u << D) - 1;
    const Quad y = Quad::load(p.x) * inv_h - S(0.5);
    const Mask<S, 4> fits = abs(y) < Quad(S(max_cell));
    if ((bits_of(fits) & axes) != axes) return false;
    const Quad inside = select(fits, y, Quad(0));
    const Ints toward_zero = __builtin_convertvector(inside.v, Ints);
    const Ints below =
        __builtin_convertvector(__builtin_convertvector(toward_zero, typename Quad::Vector) > inside.v, Ints);
    const Ints used = {-1, -1, D == 3 ? -1 : 0, 0};
    cell = (toward_zero + below) & used;
    return true;
  }
  bool same_block(const CellOf& other) const {
    const Ints difference = (cell ^ other.cell) >> 2;
    std::uint64_t halves[2];
    std::memcpy(halves, &difference, sizeof halves);
    return (halves[0] | halves[1]) == 0;
  }
  std::uint32_t local() const {
    std::uint32_t index = 0;
    for (int d = 0; d < D; ++d) index = index * block_side + std::uint32_t(cell[d] & 3);
    return index;
  }
  std::uint64_t block_key(std::size_t group) const {
    std::int32_t coord[D];
    for (int d = 0; d < D; ++d) coord[d] = cell[d] >> 2;
    return grid::block_key<D>(coord) | std::uint64_t(group) << group_shift;
  }
};

}  // namespace

void KeyTable::clear() {
  keys_.clear();
  std::fill(cells_.begin(), cells_.end(), -1);
}

std::size_t KeyTable::bytes() const { return keys_.capacity() * 8 + cells_.capacity() * 4; }

void KeyTable::grow() {
  cells_.assign(std::max<std::size_t>(256, 2 * cells_.size()), -1);
  const std::size_t mask = cells_.size() - 1;
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    std::size_t i = mix(keys_[k]) & mask;
    while (cells_[i] >= 0) i = (i + 1) & mask;
    cells_[i] = std::int32_t(k);
  }
}

std::uint32_t KeyTable::find_or_insert(std::uint64_t key) {
  if (2 * (keys_.size() + 1) > cells_.size()) grow();
  const std::size_t mask = cells_.size() - 1;
  std::size_t i = mix(key) & mask;
  for (; cells_[i] >= 0; i = (i + 1) & mask)
    if (keys_[cells_[i]] == key) return std::uint32_t(cells_[i]);
  cells_[i] = std::int32_t(keys_.size());
  keys_.push_back(key);
  return std::uint32_t(cells_[i]);
}

std::int32_t KeyTable::find(std::uint64_t key) const {
  if (cells_.empty()) return -1;
  const std::size_t mask = cells_.size() - 1;
  for (std::size_t i = mix(key) & mask; cells_[i] >= 0; i = (i + 1) & mask)
    if (keys_[cells_[i]] == key) return cells_[i];
  return -1;
}

template <int D, class S>
void Layout<D, S>::build(const Buffer<Point<D, S>>& points, const std::vector<Group>& groups, S cell,
                         Workers& workers) {
  cut(points.size(), workers.threads());
  place_.resize(points.size());
  workers.for_each(chunks_.size(), 1, [&](std::size_t c) { count(chunks_[c], points, groups, cell); });
  for (const Chunk& chunk : chunks_) {
    if (chunk.bad == 0) continue;
    const Point<D, S>& p = points[chunk.bad - 1];
    for (int d = 0; d < D; ++d)
      if (!std::isfinite(double(p.x[d])))
        fail(ErrorCode::not_finite, "particle {}: position is not finite; reduce dt or check the material", p.id);
    fail(ErrorCode::out_of_range,
         "particle {} at ({:.6g}, {:.6g}, {:.6g}) m is out of the grid's range of +-{} cells of {:.6g} m; "
         "use larger cells, or boundaries that keep matter in",
         p.id, double(p.x[0]), double(p.x[1]), D == 3 ? double(p.x[D - 1]) : 0.0, max_cell, double(cell));
  }
  order_segments();
  assign_places();
  workers.for_each(chunks_.size(), 1, [&](std::size_t c) {
    Chunk& chunk = chunks_[c];
    for (std::size_t i = chunk.begin; i < chunk.end; ++i) place_[i] = chunk.count[place_[i]]++;
  });
  find_blocks();
  find_slots();
}

template <int D, class S>
void Layout<D, S>::cut(std::size_t particles, int threads) {
  chunks_.resize(std::size_t(threads));
  for (int c = 0; c < threads; ++c) {
    chunks_[c].begin = particles * std::size_t(c) / threads;
    chunks_[c].end = particles * std::size_t(c + 1) / threads;
  }
}

// leaves (local segment, cell) of each particle in place_ and their numbers in chunk.count
template <int D, class S>
void Layout<D, S>::count(Chunk& chunk, const Buffer<Point<D, S>>& points, const std::vector<Group>& groups, S cell) {
  chunk.table.clear();
  chunk.count.clear();
  chunk.bad = 0;
  const S inv_h = 1 / cell;
  std::size_t group = 0;
  CellOf<D> last = {};
  std::uint32_t segment = 0;
  for (std::size_t i = chunk.begin; i < chunk.end; ++i) {
    bool changed = i == chunk.begin;
    for (; i >= groups[group].end; ++group) changed = true;
    CellOf<D> now;
    if (!now.find(points[i], inv_h)) {
      if (chunk.bad == 0) chunk.bad = i + 1;
      continue;
    }
    if (changed || !now.same_block(last) || chunk.count.empty()) {
      segment = chunk.table.find_or_insert(now.block_key(group));
      if (chunk.count.size() < chunk.table.keys().size() * block_nodes<D>)
        chunk.count.resize(chunk.table.keys().size() * block_nodes<D>, 0);
    }
    last = now;
    const std::uint32_t slot = segment * block_nodes<D> + now.local();
    place_[i] = slot;
    ++chunk.count[slot];
  }
}

template <int D, class S>
void Layout<D, S>::order_segments() {
  segment_table_.clear();
  for (const Chunk& chunk : chunks_)
    for (std::uint64_t key : chunk.table.keys()) segment_table_.find_or_insert(key);
  segment_keys_ = segment_table_.keys();
  std::sort(segment_keys_.begin(), segment_keys_.end());
  segment_rank_.resize(segment_keys_.size());
  for (std::size_t s = 0; s < segment_keys_.size(); ++s)
    segment_rank_[std::size_t(segment_table_.find(segment_keys_[s]))] = std::uint32_t(s);
}

// turns the counts of the chunks into places, and writes the starts of all cells
template <int D, class S>
void Layout<D, S>::assign_places() {
  const std::size_t stride = block_nodes<D> + 1;
  cell_starts.assign(segment_keys_.size() * stride, 0);
  for (const Chunk& chunk : chunks_)
    for (std::size_t k = 0; k < chunk.table.keys().size(); ++k) {
      const std::uint32_t s = segment_rank_[std::size_t(segment_table_.find(chunk.table.keys()[k]))];
      for (int c = 0; c < block_nodes<D>; ++c) cell_starts[s * stride + c + 1] += chunk.count[k * block_nodes<D> + c];
    }
  std::uint32_t next = 0;
  for (std::size_t s = 0; s < segment_keys_.size(); ++s) {
    cell_starts[s * stride] = next;
    for (int c = 1; c <= block_nodes<D>; ++c) next = cell_starts[s * stride + c] += next;
  }
  // chunk by chunk, each takes its share of every cell
  for (Chunk& chunk : chunks_)
    for (std::size_t k = 0; k < chunk.table.keys().size(); ++k) {
      const std::uint32_t s = segment_rank_[std::size_t(segment_table_.find(chunk.table.keys()[k]))];
      for (int c = 0; c < block_nodes<D>; ++c) {
        std::uint32_t& taken = chunk.count[k * block_nodes<D> + c];
        const std::uint32_t mine = taken;
        taken = cell_starts[s * stride + c];
        cell_starts[s * stride + c] += mine;
      }
    }
  // the starts were used as cursors and now are ends: shift them back
  for (std::size_t s = 0; s < segment_keys_.size(); ++s)
    for (int c = block_nodes<D> - 1; c >= 0; --c)
      cell_starts[s * stride + c] = c > 0 ? cell_starts[s * stride + c - 1] : (s > 0 ? cell_starts[s * stride - 1] : 0);
}

template <int D, class S>
void Layout<D, S>::find_blocks() {
  by_block_.clear();
  segments.clear();
  for (std::size_t s = 0; s < segment_keys_.size(); ++s) {
    segments.push_back({std::uint32_t(segment_keys_[s] >> group_shift), std::uint32_t(s * (block_nodes<D> + 1))});
    by_block_.push_back({without_group(segment_keys_[s]), std::uint32_t(s)});
  }
  std::sort(by_block_.begin(), by_block_.end());
  blocks.clear();
  block_segments.clear();
  for (std::size_t i = 0; i < by_block_.size(); ++i) {
    if (i == 0 || by_block_[i].first != by_block_[i - 1].first) {
      Block<D> block = {};
      coord_of<D>(by_block_[i].first, block.coord);
      block.segment_begin = std::uint32_t(i);
      blocks.push_back(block);
    }
    block_segments.push_back(by_block_[i].second);
    blocks.back().segment_end = std::uint32_t(i + 1);
  }
}

template <int D, class S>
void Layout<D, S>::find_slots() {
  slot_table_.clear();
  std::int32_t coord[D];
  for (Block<D>& block : blocks)
    for (int n = 0; n < neighbour_count<D>; ++n) {
      neighbour<D>(block.coord, n, coord);
      block.slots[n] = std::int32_t(slot_table_.find_or_insert(block_key<D>(coord)));
    }
  slots.resize(slot_table_.keys().size());
  for (std::size_t s = 0; s < slots.size(); ++s) {
    coord_of<D>(slot_table_.keys()[s], slots[s].coord);
    std::fill(std::begin(slots[s].blocks), std::end(slots[s].blocks), -1);
  }
  // the block at slot - offset sees the slot at +offset
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (int n = 0; n < neighbour_count<D>; ++n)
      slots[std::size_t(blocks[b].slots[n])].blocks[neighbour_count<D> - 1 - n] = std::int32_t(b);
}

template <int D, class S>
template <class R>
void Layout<D, S>::reorder(const Buffer<R>& from, Buffer<R>& to, Workers& workers) const {
  workers.for_each(chunks_.size(), 1, [&](std::size_t c) {
    for (std::size_t i = chunks_[c].begin; i < chunks_[c].end; ++i) to[place_[i]] = from[i];
  });
}

template <int D, class S>
std::int32_t Layout<D, S>::find_slot(const std::int32_t* coord) const {
  return slot_table_.find(block_key<D>(coord));
}

template <int D, class S>
void Layout<D, S>::keep(const Layout& other) {
  blocks = other.blocks;
  segments = other.segments;
  block_segments = other.block_segments;
  cell_starts = other.cell_starts;
  slots = other.slots;
  slot_table_ = other.slot_table_;
  place_ = other.place_;
}

template <int D, class S>
std::size_t Layout<D, S>::bytes() const {
  std::size_t n = blocks.capacity() * sizeof(Block<D>) + segments.capacity() * sizeof(Segment) +
                  block_segments.capacity() * 4 + cell_starts.capacity() * 4 + slots.capacity() * sizeof(Slot<D>) +
                  place_.bytes() + slot_table_.bytes() + segment_table_.bytes() + by_block_.capacity() * 16;
  for (const Chunk& chunk : chunks_) n += chunk.count.capacity() * 4 + chunk.table.bytes();
  return n;
}

template class Layout<2, float>;
template class Layout<2, double>;
template class Layout<3, float>;
template class Layout<3, double>;
template void Layout<2, float>::reorder(const Buffer<Point<2, float>>&, Buffer<Point<2, float>>&, Workers&) const;
template void Layout<2, double>::reorder(const Buffer<Point<2, double>>&, Buffer<Point<2, double>>&, Workers&) const;
template void Layout<3, float>::reorder(const Buffer<Point<3, float>>&, Buffer<Point<3, float>>&, Workers&) const;
template void Layout<3, double>::reorder(const Buffer<Point<3, double>>&, Buffer<Point<3, double>>&, Workers&) const;
template void Layout<2, float>::reorder(const Buffer<ParticleVelocity<2, float>>&, Buffer<ParticleVelocity<2, float>>&,
                                        Workers&) const;
template void Layout<2, double>::reorder(const Buffer<ParticleVelocity<2, double>>&,
                                         Buffer<ParticleVelocity<2, double>>&, Workers&) const;
template void Layout<3, float>::reorder(const Buffer<ParticleVelocity<3, float>>&, Buffer<ParticleVelocity<3, float>>&,
                                        Workers&) const;
template void Layout<3, double>::reorder(const Buffer<ParticleVelocity<3, double>>&,
                                         Buffer<ParticleVelocity<3, double>>&, Workers&) const;

}  // namespace pliant::grid

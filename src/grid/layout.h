// Which particles are where: cells, blocks of 4^D cells, and the sparse grid around them.
//
// The cell of a particle is the lowest of the 3^D nodes of its quadratic kernel, floor(x/h - 1/2) per axis. A block
// holds 4^D cells; its particles touch nodes 0..5 of the block per axis, and -1..6 if they have drifted by up to a cell
// since the last sort. That range, 8^D nodes, is the block's arena. A slot is a block of 4^D nodes of the grid.
#pragma once

#include "core/parallel.h"
#include "grid/namespace.h"
#include "grid/particles.h"

#include <array>
#include <cstdint>
#include <vector>

namespace pliant::grid {

constexpr int block_side = 4;
constexpr int arena_side = 8;
constexpr int arena_margin = 1;           // arena index of node 0 of the block
constexpr int max_cell = (1 << 19) - 16;  // cells beyond +-max_cell are out of range

template <int D>
inline constexpr int block_nodes = D == 2 ? 16 : 64;
template <int D>
inline constexpr int arena_nodes = D == 2 ? 64 : 512;
template <int D>
inline constexpr int neighbour_count = D == 2 ? 9 : 27;
// the place of the block itself among its neighbours
template <int D>
inline constexpr int neighbour_self = neighbour_count<D> / 2;

// the particles of one group in one block, sorted by cell
struct Segment {
  std::uint32_t group;
  std::uint32_t first_cell;  // into Layout::cell_starts: 4^D + 1 entries, particle indices
};

template <int D>
struct Block {
  std::int32_t coord[D];                     // in blocks; node 0 of the block is 4 * coord
  std::uint32_t segment_begin, segment_end;  // into Layout::block_segments
  std::int32_t slots[neighbour_count<D>];    // slots at coord + {-1, 0, 1}^D, x slowest
};

template <int D>
struct Slot {
  std::int32_t coord[D];
  std::int32_t blocks[neighbour_count<D>];  // blocks at coord + {-1, 0, 1}^D, -1 where there is none
};

// from a key to 0, 1, 2, ... in the order of first sight
class KeyTable {
 public:
  void clear();
  std::uint32_t find_or_insert(std::uint64_t key);
  std::int32_t find(std::uint64_t key) const;  // -1: not there
  const std::vector<std::uint64_t>& keys() const { return keys_; }
  std::size_t bytes() const;

 private:
  void grow();
  std::vector<std::uint64_t> keys_;
  std::vector<std::int32_t> cells_;  // open addressing, -1: empty
};

template <int D, class S>
class Layout {
 public:
  std::vector<Block<D>> blocks;               // sorted by key
  std::vector<Segment> segments;              // sorted by (group, block)
  std::vector<std::uint32_t> block_segments;  // segments of each block, by group
  std::vector<std::uint32_t> cell_starts;
  std::vector<Slot<D>> slots;

  // Reads positions and finds the order (group, block, cell, old order). Throws out_of_range or not_finite.
  void build(const Buffer<Point<D, S>>& points, const std::vector<Group>& groups, S cell, Workers& workers);

  // moves records into that order
  template <class R>
  void reorder(const Buffer<R>& from, Buffer<R>& to, Workers& workers) const;

  // where each of the particles went that `build` found, by its place before
  const Buffer<std::uint32_t>& places() const { return place_; }

  // as the other, but for what only `build` needs
  void keep(const Layout& other);

  std::int32_t find_slot(const std::int32_t* coord) const;
  std::size_t bytes() const;

 private:
  // a contiguous part of the particles that one thread counts; any cut gives the same order
  struct Chunk {
    std::size_t begin = 0, end = 0;
    KeyTable table;                    // (group, block) -> local segment
    std::vector<std::uint32_t> count;  // by local segment and cell; then the next place
    std::size_t bad = 0;               // 1 + index of the first particle out of range
  };

  void cut(std::size_t particles, int threads);
  void count(Chunk& chunk, const Buffer<Point<D, S>>& points, const std::vector<Group>& groups, S cell);
  void order_segments();
  void assign_places();
  void find_blocks();
  void find_slots();

  std::vector<Chunk> chunks_;
  std::vector<std::uint64_t> segment_keys_, unsorted_keys_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_block_;
  KeyTable segment_table_, slot_table_;
  std::vector<std::uint32_t> segment_rank_;
  Buffer<std::uint32_t> place_;  // by particle
};

}  // namespace pliant::grid

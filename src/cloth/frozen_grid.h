// The nodes that cloth touches in a substep, packed so that nodes along z are neighbours. While cloth takes its inner
// steps, weights and masses stay as they are and velocities change here.
//
// A tower is a stack of slots of the sparse grid. Its columns, 4 x 4 or as many as cloth reaches, follow each other,
// each as high as cloth reaches in that tower. Particles belong to the tower of their first node; they write to it and
// to the next one along x and y, so towers of one colour (of four) never write to the same node.
#pragma once

#include "cloth/namespace.h"
#include "grid/grid.h"

#include <array>
#include <cstdint>
#include <vector>

namespace pliant::cloth {

// first nodes of a block's particles, places in its arena: lowest and highest
struct BlockReach {
  int low[3], high[3];
};

template <class S>
class FrozenGrid {
 public:
  static constexpr int colours = 4;

  // to be called whenever particles were put in order; `blocks`: those with cloth
  void on_sorted(const Layout<3, S>& layout, const std::vector<std::uint32_t>& blocks);
  // makes room; one reach for each of the blocks
  void fit(const Layout<3, S>& layout, const std::vector<std::uint32_t>& blocks, const std::vector<BlockReach>& reach);

  std::size_t towers() const { return towers_.size(); }
  const std::vector<std::uint32_t>& of_colour(int colour) const { return by_colour_[std::size_t(colour)]; }
  // of a particle whose first node is at this place of the block's arena
  std::uint32_t tower(const Block<3>& block, const int* base) const { return tower_of(block, base[0], base[1]); }
  // and its nine rows of nodes
  void find_rows(const Block<3>& block, const int* base, std::uint32_t* rows) const;

  // velocities and masses from the grid, less the velocity that gravity gives in the substep; no forces
  void load(const Grid<3, S>& grid, const Vector<S, 3>& fall, Workers& workers);
  // v += dt (g + (force + load) / m); forces are cleared
  void kick(S dt, const Vector<S, 3>& gravity, Workers& workers);
  // velocities to the grid, less what the loads gave in the substep
  void store(S dt, Grid<3, S>& grid, Workers& workers) const;

  const Node<S>* velocities() const { return velocities_.data(); }  // the fourth number is 1 / mass
  Node<S>& velocity(std::size_t node) { return velocities_[node]; }
  Node<S>* forces() { return forces_.data(); }
  // forces that stay the same for the substep
  Node<S>* loads();
  // place of a node of the grid; -1: cloth does not reach it
  std::int64_t find(std::size_t number) const;
  std::size_t bytes() const { return velocities_.bytes() + forces_.bytes() + loads_.bytes(); }

 private:
  struct Tower {
    std::int32_t coord[3];       // of its lowest slot
    std::uint32_t first, count;  // into slots_
    // what cloth reaches: nodes from the lowest of the tower, [low, high)
    std::int32_t low[3], high[3];
    std::uint32_t begin;  // its first node here

    std::uint32_t size() const { return std::uint32_t((high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2])); }
    std::uint32_t place(int x, int y, int z) const {
      return begin + std::uint32_t(((x - low[0]) * (high[1] - low[1]) + y - low[1]) * (high[2] - low[2]) + z - low[2]);
    }
    bool reaches(int x, int y, int z) const {
      return x >= low[0] && x < high[0] && y >= low[1] && y < high[1] && z >= low[2] && z < high[2];
    }
  };

  std::uint32_t tower_of(const Block<3>& block, int x, int y) const {
    return tower_of_slot_[std::size_t(block.slots[(((x + 3) >> 2) * 3 + ((y + 3) >> 2)) * 3 + 1])];
  }
  // a node of the grid
  std::size_t number_of(const Tower& tower, int x, int y, int z) const {
    return std::size_t(slots_[tower.first + std::uint32_t(z >> 2)]) * block_nodes<3> +
           std::size_t((x * block_side + y) * block_side + (z & 3));
  }
  template <class F>
  void for_each_node(Workers& workers, const F& f) const;

  std::vector<Tower> towers_;
  std::vector<std::int32_t> slots_;           // of the towers, upwards
  std::vector<std::uint32_t> tower_of_slot_;  // none: not cloth's
  std::array<std::vector<std::uint32_t>, colours> by_colour_;
  Buffer<Node<S>> velocities_, forces_, loads_;
  bool loaded_ = false;
};

}  // namespace pliant::cloth

// Particles in bundles of eight for a solve on the grid, and the nodes that they touch, numbered 0, 1, 2, ... Nodes that
// stick to a boundary are not solved for: they are fixed, have numbers of their own, and keep the velocities they have.
//
// A bundle holds four pairs of particles of one block and one piece of matter; the two of a pair are in the same cell.
// In registers of 8 floats, lanes l and l + 4 are pair l; in registers of 4 doubles, the two halves of the bundle hold
// one particle of each pair. The particles must be in the cells into which the layout has sorted them, so that a block
// touches only its nodes 0..5 along each axis: its reach.
#pragma once

#include "grid/grid.h"
#include "implicit/namespace.h"
#include "solve/node_vector.h"

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <span>
#include <vector>

namespace pliant::implicit {

constexpr int bundle_pairs = 4;
constexpr int bundle_size = 2 * bundle_pairs;
constexpr int reach_side = 6;
constexpr int reach_nodes = reach_side * reach_side * reach_side;

struct Bundle {
  std::int32_t particle[bundle_size];  // lane by lane; -1: none
  std::int32_t place[bundle_pairs];    // first node of the pair's cell in the block's reach
  std::uint32_t group;
};

// a node that some particle of a block touches
struct TouchedNode {
  std::uint32_t place;  // in the block's reach
  std::uint32_t node;   // among those that are solved for, or among the fixed ones
};

struct BundleBlock {
  std::uint32_t first_bundle, last_bundle;
  std::uint32_t first_touch, last_touch;  // of nodes that are solved for
  std::uint32_t first_fixed, last_fixed;  // of fixed ones
};

class Bundles {
 public:
  // of a layout whose particles have not moved since, and a grid after its own step: masses and velocities. Of the nodes
  // inside boundaries those that stick are fixed.
  template <class S>
  void build(const Layout<3, S>& layout, Grid<3, S>& grid, const Buffer<Point<3, S>>& points,
             std::span<const BoundaryNode> inside, Workers& workers);

  std::size_t nodes() const { return numbers_.size(); }
  std::span<const std::uint32_t> numbers() const { return numbers_; }  // of the grid's nodes
  // ours by the grid's number; -1: it has no mass, too little to be felt, or is fixed
  std::int32_t node(std::size_t number) const { return std::max(place_[number], no_node); }
  std::span<const std::int32_t> unknowns() const { return {place_.data(), place_.size()}; }  // the same; below 0: none
  std::span<const double> mass() const { return mass_; }
  std::span<const NodeVector<double>> velocity() const { return velocity_; }

  std::size_t fixed_nodes() const { return fixed_mass_.size(); }
  std::int32_t fixed_node(std::size_t number) const { return first_fixed - std::min(place_[number], no_node); }
  std::span<const double> fixed_mass() const { return fixed_mass_; }
  std::span<const NodeVector<double>> fixed_velocity() const { return fixed_velocity_; }
  const std::vector<TouchedNode>& fixed_touches() const { return fixed_touches_; }

  const Buffer<BundleBlock>& blocks() const { return blocks_; }
  const Buffer<Bundle>& bundles() const { return bundles_; }
  const std::vector<TouchedNode>& touches() const { return touches_; }

  // the sum over the blocks, in their order, of what they hold for a node; values: by touch
  template <class V, class F>
  void add_touches(std::size_t node, const V* values, const F& add) const {
    for (std::uint32_t k = begins_[node]; k < begins_[node + 1]; ++k) add(values[touches_by_node_[k]]);
  }

  std::size_t bytes() const;

 private:
  static constexpr std::int32_t no_node = -1, first_fixed = -2;  // fixed node k is at first_fixed - k
  template <class S>
  void count_bundles(const Layout<3, S>& layout);
  template <class S>
  void fill_block(const Layout<3, S>& layout, std::size_t b);
  template <class S>
  void number_fixed(const Grid<3, S>& grid, std::span<const BoundaryNode> inside);
  template <class S>
  void number_nodes(const Layout<3, S>& layout, Grid<3, S>& grid, double least_mass);
  void sort_touches();

  Buffer<BundleBlock> blocks_;
  Buffer<Bundle> bundles_;
  Buffer<std::bitset<reach_nodes>> touched_;  // by block
  std::vector<TouchedNode> touches_, fixed_touches_;
  Buffer<std::int32_t> place_;          // by the grid's number: ours
  std::vector<std::uint32_t> numbers_;  // by ours: the grid's
  std::vector<double> mass_;
  std::vector<NodeVector<double>> velocity_;
  std::vector<double> fixed_mass_;
  std::vector<NodeVector<double>> fixed_velocity_;
  Buffer<std::uint32_t> begins_, touches_by_node_;
};

}  // namespace pliant::implicit

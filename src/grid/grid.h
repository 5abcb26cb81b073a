// The sparse grid: arenas into which blocks scatter, and the velocities of the nodes.
#pragma once

#include "core/buffer.h"
#include "grid/boundary_nodes.h"
#include "grid/namespace.h"

namespace pliant::grid {

// the nodes of a block's arena within the overhang, from nodes that stand slot by slot; `grids` of them
template <int D, class S>
void fill_arena(const Block<D>& block, unsigned overhang, int grids, const Node<S>* nodes, Node<S>* arena);

template <int D, class S>
class Grid {
 public:
  explicit Grid(int grid_count) : grids_(grid_count) {}

  // room for the layout's blocks and slots; velocities are taken over from the old layout if it is given
  void fit(const Layout<D, S>& layout);
  void refit(const Layout<D, S>& old_layout, const Layout<D, S>& layout, Workers& workers);

  // the same for numbers by node that were taken from the old layout; nodes of a slot that it did not have get zeros
  void refit(const Layout<D, S>& old_layout, const Layout<D, S>& layout, const Buffer<Node<S>>& from,
             Buffer<Node<S>>& to, Workers& workers) const;
  // the number of a node (see below) in another layout; SIZE_MAX if it has no such node
  std::size_t renumbered(const Layout<D, S>& old_layout, const Layout<D, S>& layout, std::size_t number) const;

  // nodes of an arena, for all grids
  std::size_t arena_size() const { return std::size_t(grids_) * arena_nodes<D>; }
  // velocities of all nodes that block b's particles have reached when they scattered; of all nodes of its arena if
  // they have not since they were sorted
  void fill(const Layout<D, S>& layout, std::size_t b, Node<S>* arena) const;
  // takes what block b scattered and leaves zeros. The overhang says where it reached out of nodes 0..5: bit 2 d below,
  // bit 2 d + 1 above along axis d
  void take(std::size_t b, unsigned overhang, Node<S>* arena);

  // where block b reached when it scattered, as `take` was told; everywhere if it has not since it was sorted
  unsigned overhang(std::size_t b) const { return overhang_[b]; }
  const std::vector<std::uint8_t>& overhangs() const { return overhang_; }

  // the node at a place of block b's arena (see layout.h), by a number that `node` and `position` take
  std::size_t node_number(const Block<D>& block, int arena_place) const;
  // of the 3^D nodes from a place on, given by its coordinates; of the first of the kernel's grids
  void stencil_numbers(const Block<D>& block, const int* first, std::uint32_t* numbers) const;
  Node<S>& node(std::size_t number) { return velocities_[number]; }
  const Node<S>& node(std::size_t number) const { return velocities_[number]; }
  std::size_t node_count() const { return velocities_.size(); }
  Vec position(const Layout<D, S>& layout, std::size_t number, double h) const;
  // applies the boundaries once more to these nodes, whose velocities have changed since `update`
  void hold_boundaries(const Layout<D, S>& layout, const GridStep<D, S>& step, std::span<const std::uint32_t> numbers,
                       std::vector<Vec>& impulses);

  // all nodes with mass inside boundaries and obstacles, slot by slot in the order in which those act
  void find_boundary_nodes(const Layout<D, S>& layout, const GridStep<D, S>& step,
                           std::vector<BoundaryNode>& found) const;

  // momenta of all arenas -> velocities, gravity, boundaries, obstacles; impulses[k] += impulse on matter of boundary
  // k, then of the obstacles
  void update(const Layout<D, S>& layout, const GridStep<D, S>& step, Workers& workers, std::vector<Vec>& impulses);
  // the same in two: up to gravity; boundaries and obstacles
  void take_momenta(const Layout<D, S>& layout, const GridStep<D, S>& step, Workers& workers);
  void hold_solids(const Layout<D, S>& layout, const GridStep<D, S>& step, Workers& workers,
                   std::vector<Vec>& impulses);

  // only sums what is in the arenas
  void sum(const Layout<D, S>& layout, Workers& workers);

  std::size_t bytes() const { return arenas_.bytes() + velocities_.bytes() + spare_.bytes() + partial_.bytes(); }

 private:
  std::size_t slot_size() const { return std::size_t(grids_) * block_nodes<D>; }
  // one slot: momenta to velocities, solids, or both
  template <bool takes, bool holds>
  void update_slot(const Layout<D, S>& layout, const GridStep<D, S>& step, std::size_t slot);
  void sum_impulses(std::size_t slots, std::vector<Vec>& impulses) const;
  bool sum_arenas(const Layout<D, S>& layout, std::size_t slot, int grid, Node<S>* nodes) const;
  void to_velocities(const GridStep<D, S>& step, Node<S>* nodes) const;
  void add_impulses(const GridStep<D, S>& step, const Node<S>* impulses, Node<S>* nodes) const;
  void hold(const BoundaryNode& held, Vec* impulses);

  int grids_;
  Buffer<Node<S>> arenas_;              // by block
  std::vector<std::uint8_t> overhang_;  // by block
  Buffer<Node<S>> velocities_, spare_;  // by slot
  Buffer<Vec> partial_;                 // boundary impulses by slot
};

}  // namespace pliant::grid

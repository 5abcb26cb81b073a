// One sheet in the inner steps of a substep: its vertices and triangles in the order of the frozen grid's towers.
#pragma once

#include "cloth/close_stencil.h"
#include "cloth/frozen_grid.h"
#include "cloth/namespace.h"
#include "cloth/sheet_forces.h"

#include <span>

namespace pliant::cloth {

// how particles meet the grid
template <class S>
struct TransferForm {
  Kernel kernel;
  Transfer transfer;
  S h;  // m
};

// on a particle
struct PointForce {
  std::size_t particle;  // id
  Vec force;             // N
};

// a vertex that a pin moves
struct HeldVertex {
  std::uint32_t vertex, pin;
  Vec velocity;  // m/s
};

template <class S>
class InnerSheet {
 public:
  InnerSheet(const Sheet<S>& sheet, std::uint32_t number, const Group& group);

  // where the particles are on the grid: widens the reach of blocks[k]
  void locate(const Layout<3, S>& layout, const std::vector<std::uint32_t>& blocks, const Buffer<Point<3, S>>& points,
              const TransferForm<S>& form, std::vector<BlockReach>& reach, Workers& workers);
  // weights and places of the first step, in the order of the towers; after FrozenGrid::fit
  void take_places(const Layout<3, S>& layout, const Buffer<Point<3, S>>& points, const TransferForm<S>& form,
                   const FrozenGrid<S>& grid, SheetForces<S>& forces, Workers& workers);
  // a force that lasts for the substep
  void add_load(const PointForce& load, Node<S>* loads) const;

  // who is held in this substep
  void hold(std::span<const HeldVertex> held);

  // forces of the triangles in the first step, of a state that is settled
  void stress(SheetForces<S>& forces, Workers& workers);
  // forces of the particles of a tower to the nodes, those of the hinges so many times
  void scatter(std::size_t tower, S bends, const SheetForces<S>& forces, Node<S>* nodes) const;
  // vertices take velocities and move; those that are held follow their pins
  void move(double dt, const Node<S>* nodes, SheetForces<S>& forces, Workers& workers);
  // d3 follows the grid, layers part or slip; forces of the triangles in the next step
  void follow(S dt, const Node<S>* nodes, SheetForces<S>& forces, Workers& workers);

  // The end: how far the inner steps lead away from what the velocities at their end make of the whole substep.
  void measure(S inner, S substep, const Node<S>* nodes, Workers& workers);
  double shift() const;  // m, largest component
  const Quad<S>& shift_of(std::size_t vertex) const { return shift_[vertex]; }
  const Quad<S>& turn_of(std::size_t element) const { return turn_[element]; }

  std::size_t bytes() const;

 private:
  // where a particle is: its block, and the place of its first node in the block's arena
  struct Spot {
    std::uint32_t block;
    std::int8_t base[4];
    S y[3];  // in the arena, cells
  };
  // a vertex or a triangle's centroid
  struct Close {
    std::uint32_t number;  // in the sheet
    CloseStencil<S> stencil;
  };

  void list_by_tower(const Layout<3, S>& layout, const Buffer<Point<3, S>>& points, const FrozenGrid<S>& grid);
  template <bool settles>
  void pull(std::size_t first, SheetForces<S>& forces);

  const Sheet<S>& sheet_;
  std::uint32_t number_;  // of the group
  Group group_;
  Buffer<Spot> spots_;                                         // in the order of the particles
  Buffer<std::uint32_t> order_;                                // by place in the lists: place of the particle
  Buffer<std::uint32_t> listed_;                               // place in the lists, by number in the sheet
  std::vector<std::uint32_t> vertex_starts_, element_starts_;  // by tower
  std::span<const HeldVertex> held_;
  std::vector<std::uint8_t> is_held_;  // by vertex
  Buffer<Close> vertices_, elements_;
  Buffer<Quad<S>> way_;                        // of the vertices in the list: velocities summed over the steps
  Buffer<Quad<S>> start_, director_, thrust_;  // of the elements in the list: d3 at first, d3 now, volume times P3
  Buffer<Quad<S>> shift_, turn_;               // by vertex, m; by element
};

}  // namespace pliant::cloth

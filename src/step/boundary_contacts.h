// Boundaries in the strong step: each node of the grid inside a boundary that lets it slip or separate is a contact of
// its own, with a law that is all but rigid beside the node's mass. Equations: solve/README.md.
#pragma once

#include "step/namespace.h"
#include "contact/potential.h"
#include "grid/grid.h"
#include "pliant/material.h"

#include <span>
#include <vector>

namespace pliant::step {

// what a boundary gave to a node in the last step: the law starts from it. Part of the state.
struct BoundaryMemory {
  std::int32_t slot[3];   // coordinates of the slot
  std::int32_t node;      // in the slot
  std::int64_t boundary;  // of the scene
  Vec push;               // m/s, impulse over the node's inertia
};

template <class S>
class BoundaryContacts {
 public:
  BoundaryContacts(const std::vector<Material>& materials, double cell);

  // of the step that begins, s
  void set_dt(double dt);

  // nodes of this moment and their laws; those that stick anywhere are left out
  void find(const Layout<3, S>& layout, const Grid<3, S>& grid, const GridStep<3, S>& step,
            const std::vector<BoundaryMemory>& memory);

  // all nodes inside boundaries, those that stick too
  std::span<const BoundaryNode> nodes() const { return nodes_; }

  std::size_t size() const { return contacts_.size(); }
  std::uint32_t number(std::size_t c) const { return contacts_[c].number; }   // of the grid's node
  const Vec& velocity(std::size_t c) const { return contacts_[c].velocity; }  // m/s, of the boundary
  const LawPotential& potential() const { return potential_; }

  // the solver's answer for contact c
  void take(std::size_t c, const Vec& velocity, const Vec& impulse);
  // as ContactSet: true if friction went by normal impulses that were off by much
  bool refresh_friction();

  // of the last problem
  void remember(const Layout<3, S>& layout, std::vector<BoundaryMemory>& memory) const;
  void add_impulses(std::vector<Vec>& impulses) const;  // N s, on the matter, by boundary

 private:
  struct NodeContact {
    std::uint32_t number, boundary;
    double inertia;  // kg
    bool pulls;      // the second side of a boundary that does not let go
    Vec velocity;
    Vec impulse = Vec::zero();
    double normal_impulse = 0;
  };
  struct Remembered {
    std::uint32_t number, boundary;
    Vec push;
  };

  void recall(const Layout<3, S>& layout, const std::vector<BoundaryMemory>& memory);
  void choose_held();
  Vec last_push(const BoundaryNode& node) const;
  void add_side(const NodeContact& contact, const ContactTerms& terms);

  double cell_;              // m
  double fastest_wave_ = 0;  // m/s
  double dt_ = 0;
  double stiffening_ = 1;  // inertia of a node over its mass: what elasticity adds in a step
  LawPotential potential_{LawKind::lagged, true};
  std::vector<BoundaryNode> nodes_, held_;
  std::vector<Remembered> remembered_;  // by number and boundary
  std::vector<NodeContact> contacts_;
};

// Two potentials one after the other; the contacts of the second start with a block of their own.
class JoinedPotential final : public ContactPotential {
 public:
  JoinedPotential(const ContactPotential& first, const ContactPotential& second) : first_(first), second_(second) {}

  static std::size_t start_of_second(std::size_t first) { return 4 * blocks_of(first); }
  std::size_t size() const override;
  void evaluate(BlockRange blocks, const Vec3Lanes* u, Vec3Lanes* gradient, Block3<Lanes>* hessian) const override;
  void add_majorizer(BlockRange blocks, const Vec3Lanes* u, Block3<Lanes>* hessian) const override;
  LineValue along(BlockRange blocks, const Vec3Lanes* u, const Vec3Lanes* du, double alpha) const override;

 private:
  const ContactPotential &first_, &second_;
};

}  // namespace pliant::step

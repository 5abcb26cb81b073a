// Contacts of nodes of the grid with boundaries, in the strong step: each node inside a boundary that lets it slip or
// separate is a point of its own, with a law that is all but rigid beside the node's mass. Equations: solve/README.md.
#pragma once

#include "contact/contacts.h"
#include "contact/memory.h"
#include "contact/namespace.h"
#include "contact/rows.h"
#include "grid/grid.h"
#include "pliant/material.h"

#include <span>
#include <vector>

namespace pliant::contact {

template <class S>
class BoundaryContacts {
 public:
  // follows: friction goes by the present normal impulse
  BoundaryContacts(const std::vector<Material>& materials, double cell, bool follows);

  // of the step that begins, s
  void set_dt(double dt);

  // the nodes inside boundaries at this moment
  void find(const Layout<3, S>& layout, const Grid<3, S>& grid, const GridStep<3, S>& step,
            const std::vector<BoundaryMemory>& memory);
  // all of them, those that stick too
  std::span<const BoundaryNode> nodes() const { return nodes_; }

  // contacts of those that stick nowhere are the next kind in the pool; those of a node are together
  void add_to(Contacts& contacts, const Grid<3, S>& grid, const NodeUnknowns& unknowns);
  ContactRange range(const Contacts& contacts) const { return contacts.range(kind_); }

  // after a solve
  void remember(const Contacts& contacts, const Layout<3, S>& layout, std::vector<BoundaryMemory>& memory) const;
  void add_impulses(const Contacts& contacts, std::vector<Vec>& impulses) const;  // N s, on the matter, by boundary

 private:
  // beside a contact's data
  struct Side {
    double inertia;  // kg
    bool pulls;      // the second side of a boundary that does not let go
  };
  struct Remembered {
    std::uint32_t number, boundary;
    Vec push;
  };

  void recall(const Layout<3, S>& layout, const std::vector<BoundaryMemory>& memory);
  void choose_held();
  Vec last_push(const BoundaryNode& node) const;
  ContactData describe(const BoundaryNode& node, double inertia) const;

  double cell_;  // m
  bool follows_;
  double fastest_wave_ = 0;  // m/s
  double dt_ = 0;
  double stiffening_ = 1;  // inertia of a node over its mass: what elasticity adds in a step
  std::size_t kind_ = 0;
  std::vector<BoundaryNode> nodes_, held_;
  std::vector<Remembered> remembered_;  // by number and boundary
  std::vector<Side> sides_;             // by contact of the range
};

}  // namespace pliant::contact

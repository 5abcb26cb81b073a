// The strong step (S1, Eq. 7): velocities of matter and of bodies in one convex problem, elasticity, friction and the
// bodies' own constraints balanced in the same solve.
#pragma once

#include "bodies/bodies.h"
#include "contact/body_contacts.h"
#include "contact/boundary_contacts.h"
#include "solve/newton.h"
#include "step/namespace.h"
#include "step/strong_rows.h"
#include "step/warm_start.h"

#include <memory>
#include <vector>

namespace pliant::implicit {
class ImplicitMatter;
template <class S>
struct MatterStep;
}  // namespace pliant::implicit

namespace pliant::step {

class BodiesInStep;

template <class S>
class StrongStep {
 public:
  // materials by group
  StrongStep(const Scene& scene, const std::vector<Material>& materials, const GeomPaths& paths);
  ~StrongStep();

  BodyContacts<S>& body_contacts() { return body_contacts_; }
  BoundaryContacts<S>& boundary_contacts() { return boundary_contacts_; }

  // The grid has masses and velocities with gravity and without stress. It gets those of the end of the step. Nodes in
  // boundaries have been found. Bodies (nullptr: none) are after forward(). Error(not_converged) with time and place.
  void run(const MatterNow<S>& matter, const MatterStep<S>& step, Bodies* bodies, Workers& workers);

  // of the last `run`
  void remember_boundaries(const Layout<3, S>& layout, std::vector<BoundaryMemory>& memory) const;
  void add_boundary_impulses(std::vector<Vec>& impulses) const;  // N s, on the matter, by boundary

  // a step that may still be repeated in parts is given up as soon as it is hard to solve
  void set_may_be_cut(bool may_be) { may_be_cut_ = may_be; }

  void set_budget(Budget& budget) { options_.budget = &budget; }

  // where solves start, before and after `run`
  void set_warm_start(const std::vector<WarmSlot>& warm) { warm_ = warm; }
  const std::vector<WarmSlot>& warm_start() const { return warm_; }

 private:
  void start(const Layout<3, S>& layout);
  void keep_start(const Layout<3, S>& layout);
  void solve(double time, BodyCost& bodies, Workers& workers);
  void check(const NewtonReport& report, double time) const;
  void balance(Workers& workers);
  void load_fixed(Workers& workers);

  BodyContacts<S> body_contacts_;
  BoundaryContacts<S> boundary_contacts_;
  Contacts contacts_;
  StrongRows<S> rows_;
  NewtonOptions options_;
  bool may_be_cut_ = false;
  int most_before_cut_ = 0;  // iterations of one solve
  std::unique_ptr<ImplicitMatter> implicit_;
  Unknowns unknowns_;
  NewtonWork solver_;
  std::vector<WarmSlot> warm_;
  std::vector<std::int32_t> warm_of_slot_;
  Buffer<NodeVector<double>> v_;
  std::vector<double> w_;
  std::vector<NodeVector<double>> fixed_impulses_;  // N s, on the nodes that stick to a boundary
  std::vector<std::uint32_t> fixed_to_;             // which boundary; of several the last, whose velocity they have
  std::unique_ptr<BodiesInStep> body_cost_;
};

}  // namespace pliant::step

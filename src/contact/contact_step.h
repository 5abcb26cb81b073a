// Contact in the substeps of matter (S2, Eqs. 5-8): bodies follow given paths, the grid's velocities are solved for,
// and what matter loses is summed up for the bodies.
#pragma once

#include "contact/body_contacts.h"
#include "contact/namespace.h"
#include "solve/quasi_newton.h"

#include <vector>

namespace pliant::contact {

template <class S>
class ContactStep {
 public:
  // materials by group of particles
  ContactStep(const Scene& scene, const std::vector<Material>& materials, const GeomPaths& paths);

  BodyContacts<S>& bodies() { return bodies_; }
  void set_budget(Budget& budget) { options_.budget = &budget; }
  // Error(not_converged) with time and place, Error(over_budget)
  void run(const MatterNow<S>& matter, Workers& workers);
  std::span<const std::uint32_t> changed_nodes() const { return nodes_.numbers(); }  // in the last substep

 private:
  ContactProblem problem();
  void start_from_memory(double dt);
  void check(const SolveReport& report, double time) const;
  bool acts(std::size_t c) const { return dot(contacts_[c].impulse, contacts_[c].impulse) > 0; }
  void give_impulses(const MatterNow<S>& matter);
  void share_out(const ContactProblem& problem);

  BodyContacts<S> bodies_;
  TouchedNodes<S> nodes_;
  Contacts contacts_;
  double cell_;
  SolveOptions options_;
  QuasiNewtonWork solver_;
  std::vector<Vec3d> velocity_;
  std::vector<Lanes> left_, turned_;
  std::vector<char> holds_;
};

}  // namespace pliant::contact

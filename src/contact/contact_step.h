// Contact in the substeps of matter (S2, Eqs. 5-8): bodies follow given paths, the grid's velocities are solved for,
// and what matter loses is summed up for the bodies.
#pragma once

#include "contact/finder.h"
#include "contact/pairs.h"
#include "contact/potential.h"
#include "contact/rows.h"
#include "pliant/contact.h"
#include "pliant/material.h"
#include "solve/quasi_newton.h"

#include <vector>

namespace pliant {

// matter in the middle of a substep: the grid has its free velocities
template <class S>
struct MatterNow {
  const Layout<3, S>& layout;
  Grid<3, S>& grid;
  const Buffer<Point<3, S>>& points;
  SearchReach reach;
  double time;  // s, for texts
};

// on a body, about the origin of the world
struct GeomImpulse {
  Vec linear = Vec::zero();   // N s
  Vec angular = Vec::zero();  // N m s
};

struct ContactCounts {
  std::size_t most = 0;  // contacts in a substep
  double mean = 0;       // over the substeps
  int iterations = 0;    // of the solver, in all substeps
  double residual = 0;   // the worst of a substep
};

template <class S>
class ContactStep {
 public:
  // materials by group of particles
  ContactStep(const Scene& scene, const std::vector<Material>& materials, const GeomPaths& paths);

  void begin(const std::vector<ContactMemory>& memory, std::size_t particles);
  void take_order(const Layout<3, S>& layout) { finder_.take_order(layout, cell_); }
  // Error(not_converged) with time and place
  void run(const MatterNow<S>& matter, Workers& workers);

  // since begin
  const std::vector<ContactMemory>& memory() const { return memory_; }
  const std::vector<Touch>& touches() const { return touches_; }
  const std::vector<GeomImpulse>& impulses() const { return impulses_; }  // by path
  ContactCounts counts() const;
  std::span<const std::uint32_t> changed_nodes() const { return rows_.numbers(); }  // in the last substep
  std::size_t bytes() const { return finder_.bytes() + index_.bytes(); }

 private:
  struct Pair {
    PairLaw law;
    double per_area;  // N/m^3
  };
  struct Active {
    FoundContact found;
    double stiffness, wall;
    Vec impulse;    // N s, on the matter, by the law
    Vec exchanged;  // N s, and with what the solver has left over
    double normal_impulse;
    bool slips;
  };

  void add_contact(std::size_t i, const MatterNow<S>& matter);  // of those found
  double wall_behind(const FoundContact& found) const;
  void start_from_memory(const MatterNow<S>& matter);
  void solve(const MatterNow<S>& matter, Workers& workers);
  bool refresh_friction();
  void read_solution();
  void balance_nodes(const MatterNow<S>& matter);
  void share_out(const ContactProblem& problem);
  void remember(const MatterNow<S>& matter);
  int note_touch(const Active& c, int known);
  const Pair& pair_of(const FoundContact& found, const MatterNow<S>& matter) const;

  const GeomPaths& paths_;
  Kernel kernel_;
  double cell_;
  Contact contact_;
  SolveOptions solve_options_;
  std::vector<Pair> pairs_;  // by group and path

  ContactFinder<S> finder_;
  NodeRows<S> rows_;
  LawPotential potential_;
  QuasiNewtonWork solver_;
  MemoryIndex index_;
  std::vector<ContactMemory> memory_, next_memory_;
  std::vector<int> touch_of_, next_touch_of_;  // by memory; -1: none in this step
  std::vector<FoundContact> found_;
  std::vector<Active> active_;
  std::vector<Vec3d> bias_, velocity_;
  std::vector<Four> left_, turned_;
  std::vector<double> idle_;

  std::vector<Touch> touches_;
  std::vector<double> touch_weights_;
  std::vector<GeomImpulse> impulses_;
  ContactCounts counts_;
  std::size_t substeps_ = 0, contacts_ = 0;
};

}  // namespace pliant

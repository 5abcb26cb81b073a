// The contacts of a step: found, weighed, given their laws; and after a solve remembered and summed up for people to
// read. Who solves for the velocities is not known here.
#pragma once

#include "contact/namespace.h"
#include "contact/finder.h"
#include "contact/pairs.h"
#include "contact/potential.h"
#include "contact/rows.h"
#include "pliant/contact.h"
#include "pliant/material.h"

#include <vector>

namespace pliant::contact {

// matter in the middle of a substep: the grid has velocities without contact
template <class S>
struct MatterNow {
  const Layout<3, S>& layout;
  Grid<3, S>& grid;
  const Buffer<Point<3, S>>& points;
  SearchReach reach;
  double time;  // s, for texts
  // where contact sees the particles, if not where the grid does
  const Buffer<Point<3, S>>* seen = nullptr;
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
  int linear_iterations = 0;
  double residual = 0;  // the worst of a substep
};

// a contact in the present problem
struct ActiveContact {
  FoundContact found;
  double stiffness, wall;
  // by the solver:
  Vec velocity = Vec::zero();   // m/s, of the matter relative to the body
  Vec impulse = Vec::zero();    // N s, on the matter, by the law
  Vec exchanged = Vec::zero();  // N s, and with what the solver has left over
  double normal_impulse = 0;
  bool slips = false;
};

template <class S>
class ContactSet {
 public:
  // materials by group of particles
  ContactSet(const Scene& scene, const std::vector<Material>& materials, const GeomPaths& paths);

  // a step begins
  void forget_touches();
  // so does a part of it: impulses and counts from zero, while touches go on
  void begin(const std::vector<ContactMemory>& memory, std::size_t particles);
  void on_sorted(const Layout<3, S>& layout) { finder_.on_sorted(layout, cell_); }

  // a problem: contacts of this moment; rows and potential are filled in
  void detect(const MatterNow<S>& matter, Workers& workers);
  std::size_t size() const { return active_.size(); }
  const ActiveContact& operator[](std::size_t c) const { return active_[c]; }
  const GeomPaths& paths() const { return paths_; }
  const GeomPath& path(std::size_t c) const { return paths_[active_[c].found.path]; }
  const NodeRows<S>& rows() const { return rows_; }
  const LawPotential& potential() const { return potential_; }
  // N, on the matter, of the last substep; zero if the contact is new
  Vec last_force(std::size_t c) const;

  // f(particle id, force), of all that had contact in the last substep
  template <class F>
  void for_last_forces(const F& f) const {
    for (const ContactMemory& m : memory_)
      for (const GeomPath& p : paths_)
        if (std::uint32_t(p.geom.id) == m.geom) f(std::size_t(m.particle), p.now.rotation * m.force);
  }

  // the solver's answer for contact c
  void take(std::size_t c, const Vec& velocity, const Vec& impulse);
  // Friction goes by the normal impulses of before; true: they were off by much and have been replaced, solve again
  bool refresh_friction();
  // what matter really got by contact c, whose moment about the origin may differ from that of the impulse at its place
  void exchange(std::size_t c, const Vec& impulse, const Vec& moment);
  // the end of a problem
  void remember(double dt, std::size_t particles);
  void count(int iterations, double residual, int linear_iterations = 0);

  const std::vector<Touch>& touches() const { return touches_; }  // since forget_touches
  // since begin
  const std::vector<ContactMemory>& memory() const { return memory_; }
  const std::vector<GeomImpulse>& impulses() const { return impulses_; }  // by path
  ContactCounts counts() const;
  std::size_t bytes() const { return finder_.bytes() + index_.bytes(); }

 private:
  struct Pair {
    PairLaw law;
    double per_area;  // N/m^3
    double stop_factor;
  };

  void add_contact(std::size_t i, const MatterNow<S>& matter);  // of those found
  double wall_behind(const FoundContact& found) const;
  ContactMemory memory_of(std::size_t c, double dt) const;
  int note_touch(const ActiveContact& c, int known);
  const Pair& pair_of(const FoundContact& found, const MatterNow<S>& matter) const;

  const GeomPaths& paths_;
  Kernel kernel_;
  double cell_;
  Contact contact_;
  std::vector<Pair> pairs_;  // by group and path

  ContactFinder<S> finder_;
  NodeRows<S> rows_;
  LawPotential potential_;
  MemoryIndex index_;
  std::vector<ContactMemory> memory_, next_memory_;
  std::vector<int> touch_of_, next_touch_of_;  // by memory; -1: none in this step
  std::vector<FoundContact> found_;
  std::vector<ActiveContact> active_;

  std::vector<Touch> touches_;
  std::vector<double> touch_weights_;
  std::vector<GeomImpulse> impulses_;
  ContactCounts counts_;
  std::size_t problems_ = 0, contacts_ = 0;
};

}  // namespace pliant::contact

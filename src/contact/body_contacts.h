// Contacts of particles with geoms of bodies and with boundaries: found, put into the pool of the problem, and after a solve remembered and
// summed up. Who solves for the velocities is not known here.
#pragma once

#include "contact/contacts.h"
#include "contact/namespace.h"
#include "contact/partners.h"
#include "contact/points.h"
#include "contact/quality.h"
#include "contact/wrenches.h"

#include <utility>
#include <vector>

namespace pliant::contact {

struct ContactCounts {
  std::size_t most = 0;  // contacts in a substep
  double mean = 0;       // over the substeps
  int iterations = 0;    // of the solver, in all substeps
  int linear_iterations = 0;
  double residual = 0;     // the worst of a substep
  ContactQuality quality;  // of all kinds of contacts in the pools
};

template <class S>
class BodyContacts {
 public:
  // materials by group of particles
  BodyContacts(const Scene& scene, const std::vector<Material>& materials, const GeomPaths& paths);

  // with which particles matter touches, by group; they must outlive this
  void set_pieces(std::span<const PieceSurface> pieces) { points_.set_pieces(pieces); }

  // a step begins
  void forget_touches() { wrenches_.forget_touches(); }
  // so does a part of it: impulses and counts from zero, while touches go on
  void begin(const std::vector<ContactMemory>& memory, std::size_t particles);
  void on_sorted(const Layout<3, S>& layout, const Buffer<Point<3, S>>& points) { points_.on_sorted(layout, points); }

  // a problem: contacts of this moment are the next kinds in the pool, those that boundaries hold after the others
  void detect(const MatterNow<S>& matter, NodeUnknowns& unknowns, Contacts& contacts, Workers& workers);
  ContactRange range(const Contacts& contacts) const {
    return {contacts.range(kind_).first, contacts.range(last_kind_).last};
  }
  GeomPartners& partners() { return partners_; }
  const GeomPaths& paths() const { return partners_.paths(); }
  // N, on the matter, of the last substep; zero if the contact is new
  Vec last_force(const ContactData& contact) const;

  // f(particle id, force), of all that had contact in the last substep
  template <class F>
  void for_last_forces(const F& f) const {
    for (const ContactMemory& m : memory_)
      for (const GeomPath& p : paths())
        if (std::uint32_t(p.geom.id) == m.geom) f(std::size_t(m.particle), p.now.rotation * m.force);
  }

  // what matter really got by contact c, whose moment about the origin may differ from that of the impulse at its place
  void exchange(std::size_t c, const Vec& impulse, const Vec& moment, Contacts& contacts);
  // balls of liquids become as thin as the grid has them at the end of a problem of explicit substeps
  void thin_balls(const MatterNow<S>& matter, Contacts& contacts);
  // the end of a problem
  void remember(const Contacts& contacts, const Buffer<Point<3, S>>& points);
  void count(int iterations, double residual, int linear_iterations = 0);

  const std::vector<Touch>& touches() const { return wrenches_.touches(); }  // since forget_touches
  // since begin
  const std::vector<ContactMemory>& memory() const { return memory_; }
  const std::vector<GeomImpulse>& impulses() const { return wrenches_.impulses(); }  // by path
  ContactCounts counts() const;
  std::size_t bytes() const { return points_.bytes() + index_.bytes(); }

 private:
  ContactData describe(std::size_t i, const MatterNow<S>& matter) const;
  void add(std::size_t i, const ContactData& contact, NodeUnknowns& unknowns, Contacts& contacts);
  const ContactMemory* memory_of(std::int32_t entry) const {
    return entry < 0 ? nullptr : &memory_[std::size_t(entry)];
  }

  ParticlePoints<S> points_;
  GeomPartners partners_;
  Wrenches wrenches_;
  std::size_t kind_ = 0, last_kind_ = 0;
  std::vector<std::size_t> held_;                          // of the points, those that boundaries do not let go
  std::vector<std::pair<std::size_t, std::size_t>> thin_;  // contact and point, of pieces that become thinner
  MemoryIndex index_;
  std::vector<ContactMemory> memory_, next_memory_;
  std::vector<int> next_touches_;  // by entry of next_memory_
  ContactCounts counts_;
  std::size_t problems_ = 0, contacts_ = 0;
};

}  // namespace pliant::contact

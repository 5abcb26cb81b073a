#include "contact/body_contacts.h"

#include <algorithm>

namespace pliant::contact {

template <class S>
BodyContacts<S>::BodyContacts(const Scene& scene, const std::vector<Material>& materials, const GeomPaths& paths)
    : points_(scene.step.kernel, scene.step.cell), partners_(scene, materials, paths), wrenches_(paths) {}

template <class S>
void BodyContacts<S>::begin(const std::vector<ContactMemory>& memory, std::size_t particles) {
  memory_ = memory;
  index_.build(memory_, particles);
  wrenches_.begin(memory_, index_);
  counts_ = {};
  problems_ = contacts_ = 0;
}

template <class S>
void BodyContacts<S>::detect(const MatterNow<S>& matter, NodeUnknowns& unknowns, Contacts& contacts, Workers& workers) {
  ++problems_;
  points_.find(matter, paths(), memory_, index_, workers);
  kind_ = contacts.start_kind();
  held_.clear();
  thin_.clear();
  const double dt = matter.reach.dt;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const FoundContact& found = points_.found(i);
    const WeightRow& row = points_.row(i);
    if (partners_.holds(found)) {
      held_.push_back(i);
      continue;
    }
    // outside, and does not come in before the end of the substep
    const double approach = -dot(row.velocity - paths()[found.path].velocity_at(found.position), found.normal);
    if (found.gap >= matter.reach.margin && found.gap >= 2 * dt * approach) continue;
    if (points_.thins(i, matter)) thin_.push_back({contacts.size(), i});
    add(i, describe(i, matter), unknowns, contacts);
  }
  last_kind_ = held_.empty() ? kind_ : contacts.start_kind();
  for (std::size_t i : held_) add(i, describe(i, matter), unknowns, contacts);
}

template <class S>
ContactData BodyContacts<S>::describe(std::size_t i, const MatterNow<S>& matter) const {
  const FoundContact& found = points_.found(i);
  const double mobility = partners_.asks_for_mobility() ? points_.mobility(i, matter) : 0;
  const PointAtGeom point = {points_.group(i, matter), points_.area(i, matter), mobility};
  return partners_.describe(found, point, memory_of(found.memory), matter.reach.dt);
}

template <class S>
void BodyContacts<S>::add(std::size_t i, const ContactData& contact, NodeUnknowns& unknowns, Contacts& contacts) {
  PartnerSide side = partners_.side(contact.partner, contact.position);
  unknowns.add_row(points_.row(i), contacts, side.given);
  contacts.add(contact, side);
}

template <class S>
Vec BodyContacts<S>::last_force(const ContactData& contact) const {
  const ContactMemory* memory = memory_of(contact.remembered);
  if (!memory) return Vec::zero();
  // the pressure has turned with the normal: left as it was it would push what runs along a round wall
  const double pressure = dot(memory->force, memory->normal);
  return pressure * contact.normal + partners_.last_friction(contact.partner, *memory, contact.normal);
}

template <class S>
void BodyContacts<S>::exchange(std::size_t c, const Vec& impulse, const Vec& moment, Contacts& contacts) {
  contacts.set_exchanged(c, impulse);
  wrenches_.add(contacts[c].partner, impulse, moment);
}

template <class S>
void BodyContacts<S>::thin_balls(const MatterNow<S>& matter, Contacts& contacts) {
  for (const auto& [c, i] : thin_) contacts.set_radius(c, points_.radius_after(i, matter.reach.dt, matter.grid));
}

template <class S>
void BodyContacts<S>::remember(const Contacts& contacts, const Buffer<Point<3, S>>& points) {
  counts_.quality.add(quality_of(contacts));
  next_memory_.clear();
  next_touches_.clear();
  // they change places: what one has grown to the other needs as well
  next_memory_.reserve(memory_.capacity());
  next_touches_.reserve(memory_.capacity());
  const ContactRange own = range(contacts);
  for (std::size_t k = own.first; k < own.last; ++k) {
    const ContactData& c = contacts[k];
    if (!c.pulls && !(dot(c.exchanged, c.exchanged) > 0)) continue;
    const auto id = std::uint32_t(points[c.point].id);
    const int touch = wrenches_.note_touch(c, id);
    if (!c.pulls && !(c.normal_impulse > 0)) continue;
    next_memory_.push_back(partners_.memory_of(c, id, memory_of(c.remembered)));
    next_touches_.push_back(touch);
  }
  memory_.swap(next_memory_);
  wrenches_.swap_touches_of_memory(next_touches_);
  index_.build(memory_, points.size());
  contacts_ += memory_.size();
  counts_.most = std::max(counts_.most, memory_.size());
}

template <class S>
void BodyContacts<S>::count(int iterations, double residual, int linear_iterations) {
  counts_.iterations += iterations;
  counts_.linear_iterations += linear_iterations;
  counts_.residual = std::max(counts_.residual, residual);
}

template <class S>
ContactCounts BodyContacts<S>::counts() const {
  ContactCounts counts = counts_;
  counts.mean = problems_ > 0 ? double(contacts_) / double(problems_) : 0;
  return counts;
}

template class BodyContacts<float>;
template class BodyContacts<double>;

}  // namespace pliant::contact

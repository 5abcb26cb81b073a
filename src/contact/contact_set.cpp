#include "contact/contact_set.h"

#include "material/law_info.h"

#include <algorithm>
#include <cmath>

namespace pliant::contact {
namespace {

// a contact is stiffer than a cell of the material by this
constexpr double stiffer_than_matter = 10;
// matter presses in no deeper than about this part of a wall
constexpr double wall_part = 0.25;
// beyond that depth springs are stiffer by this; in a liquid by less, so that the spring there is this times its limit
constexpr double stiffest_stop = 1000, stop_of_liquid = 30;
// friction without memory in the SAP law: R_t as a part of the contact's own inverse inertia
constexpr double viscous_part = 1e-3;
// friction is solved for once more where normal impulses are off by more than this part
constexpr double lag_limit = 0.1;

// N/m^3, by the scene's dt also in a part of a step, so that a contact does not get stiff for life there. In large
// steps springs as stiff as those of matter cost thousands of iterations and hold a liquid no better than softer ones:
// a column of height d sinks in by d g dt^2 / (30 h).
double liquid_limit(const Scene& scene, const Material& m) {
  const bool limited = info(m.law).resists_only_pressure && scene.step.method == Method::strong;
  return limited ? 30 * m.density * scene.step.cell / (scene.step.dt * scene.step.dt) : 1e300;
}

Vec3 to_array(const Vec& v) { return {v[0], v[1], v[2]}; }

Vec tangential(const Vec& v, const Vec& n) { return v - dot(v, n) * n; }

// m, how thick the shape is behind a point of its surface, up to a limit; in the shape's frame
double thickness_behind(const RigidShape& shape, const Vec& surface, const Vec& normal, double limit) {
  double inside = 0, outside = 1e-6;
  while (outside < limit && distance(shape, surface - outside * normal).phi < 0) {
    inside = outside;
    outside *= 2;
  }
  if (outside >= limit) return limit;
  for (int i = 0; i < 10; ++i) {
    const double middle = 0.5 * (inside + outside);
    (distance(shape, surface - middle * normal).phi < 0 ? inside : outside) = middle;
  }
  return inside;
}

}  // namespace

template <class S>
ContactSet<S>::ContactSet(const Scene& scene, const std::vector<Material>& materials, const GeomPaths& paths)
    : paths_(paths),
      kernel_(scene.step.kernel),
      cell_(scene.step.cell),
      contact_(scene.contact),
      potential_(scene.contact.law == Contact::Law::sap ? LawKind::sap : LawKind::lagged, scene.contact.memory) {
  for (std::size_t g = 0; g < materials.size(); ++g)
    for (const GeomPath& path : paths) {
      const PairLaw law = pair_law(scene.contact, scene.matter[g].name, path.geom);
      const double own = stiffer_than_matter * info(materials[g].law).modulus(materials[g]) / cell_,
                   limit = liquid_limit(scene, materials[g]);
      const double per_area = law.stiffness > 0 ? law.stiffness : std::min(own, limit);
      pairs_.push_back({law, per_area, std::min(stiffest_stop, stop_of_liquid * limit / per_area)});
    }
  impulses_.resize(paths.size());
}

template <class S>
void ContactSet<S>::forget_touches() {
  touches_.clear();
  touch_weights_.clear();
}

template <class S>
void ContactSet<S>::begin(const std::vector<ContactMemory>& memory, std::size_t particles) {
  memory_ = memory;
  index_.build(memory_, particles);
  // a contact that lives on adds to its last touch
  touch_of_.assign(memory_.size(), -1);
  for (std::size_t k = 0; k < touches_.size(); ++k) {
    const int entry = index_.find(memory_, touches_[k].particle, std::uint32_t(touches_[k].geom));
    if (entry >= 0) touch_of_[std::size_t(entry)] = int(k);
  }
  std::fill(impulses_.begin(), impulses_.end(), GeomImpulse{});
  counts_ = {};
  problems_ = contacts_ = 0;
}

template <class S>
const typename ContactSet<S>::Pair& ContactSet<S>::pair_of(const FoundContact& found,
                                                           const MatterNow<S>& matter) const {
  return pairs_[matter.layout.segments[found.segment].group * paths_.size() + found.path];
}

template <class S>
double ContactSet<S>::wall_behind(const FoundContact& found) const {
  const GeomPath& path = paths_[found.path];
  const Mat3d to_local = transpose(path.now.rotation);
  const Vec surface = to_local * (found.position - found.gap * found.normal - path.now.position);
  return thickness_behind(path.geom.shape, surface, to_local * found.normal, cell_);
}

template <class S>
void ContactSet<S>::detect(const MatterNow<S>& matter, Workers& workers) {
  ++problems_;
  finder_.find(matter.seen ? *matter.seen : matter.points, paths_, matter.reach, memory_, index_, workers, found_);
  rows_.weigh({kernel_, cell_, matter.layout, matter.grid, matter.points}, finder_, found_, workers);
  potential_.clear();
  active_.clear();
  for (std::size_t i = 0; i < found_.size(); ++i) add_contact(i, matter);
}

template <class S>
void ContactSet<S>::add_contact(std::size_t i, const MatterNow<S>& matter) {
  const FoundContact& found = found_[i];
  const WeightRow& row = rows_.weighed(i);
  const GeomPath& path = paths_[found.path];
  const double dt = matter.reach.dt;
  const double approach = -dot(row.velocity - path.velocity_at(found.position), found.normal);
  // outside, and does not come in before the end of the substep
  if (found.gap >= matter.reach.margin && found.gap >= 2 * dt * approach) return;
  rows_.take(i);

  const Pair& pair = pair_of(found, matter);
  ContactTerms terms;
  terms.normal = found.normal;
  terms.gap = found.gap;
  terms.friction = pair.law.friction;
  terms.dissipation = pair.law.dissipation;
  terms.relaxation = contact_.relaxation;
  terms.stiction = contact_.stiction;
  terms.dt = dt;
  terms.offset = Vec::zero();
  terms.tangential_resistance = viscous_part * row.mobility;
  double wall = 0;
  if (found.memory >= 0) {
    const ContactMemory& m = memory_[std::size_t(found.memory)];
    const Vec anchor = path.now.position + path.now.rotation * m.anchor;
    terms.offset = tangential(found.position - anchor, found.normal);
    terms.last_impulse = dt * std::max(0.0, dot(path.now.rotation * m.force, found.normal));
    terms.stiffness = m.stiffness;
    wall = m.wall;
  } else {
    const double edge = std::cbrt(double(matter.points[found.particle].volume));
    terms.stiffness = pair.per_area * edge * edge;
    wall = wall_behind(found);
  }
  if (wall < cell_) terms.stop_depth = wall_part * wall;
  terms.stop_factor = pair.stop_factor;
  potential_.add(terms);
  active_.push_back({found, terms.stiffness, wall});
}

template <class S>
Vec ContactSet<S>::last_force(std::size_t c) const {
  const std::int32_t memory = active_[c].found.memory;
  return memory < 0 ? Vec::zero() : path(c).now.rotation * memory_[std::size_t(memory)].force;
}

template <class S>
void ContactSet<S>::take(std::size_t c, const Vec& velocity, const Vec& impulse) {
  ActiveContact& active = active_[c];
  active.velocity = velocity;
  active.impulse = active.exchanged = impulse;
  active.normal_impulse = potential_.normal_impulse(c, velocity);
  active.slips = potential_.slips(c, velocity);
}

template <class S>
bool ContactSet<S>::refresh_friction() {
  if (contact_.law == Contact::Law::sap) return false;
  double off = 0, all = 0;
  for (std::size_t c = 0; c < active_.size(); ++c) {
    off += std::fabs(active_[c].normal_impulse - potential_.last_impulse(c));
    all += active_[c].normal_impulse;
  }
  if (off <= lag_limit * all) return false;
  for (std::size_t c = 0; c < active_.size(); ++c) potential_.set_last_impulse(c, active_[c].normal_impulse);
  return true;
}

template <class S>
void ContactSet<S>::exchange(std::size_t c, const Vec& impulse, const Vec& moment) {
  active_[c].exchanged = impulse;
  GeomImpulse& sum = impulses_[active_[c].found.path];
  sum.linear -= impulse;
  sum.angular -= moment;
}

// gives its place among the touches
template <class S>
int ContactSet<S>::note_touch(const ActiveContact& c, int known) {
  const Vec& impulse = c.exchanged;
  if (known < 0) {
    known = int(touches_.size());
    touches_.push_back({});
    touch_weights_.push_back(0);
    touches_.back().particle = c.found.id;
    touches_.back().geom = paths_[c.found.path].geom.id;
    touches_.back().body = paths_[c.found.path].geom.body;
  }
  Touch& touch = touches_[std::size_t(known)];
  double& weight = touch_weights_[std::size_t(known)];
  const double more = norm(impulse);
  for (std::size_t d = 0; d < 3; ++d) {
    touch.position[d] = (weight * touch.position[d] + more * c.found.position[int(d)]) / (weight + more);
    touch.impulse[d] -= impulse[int(d)];
  }
  weight += more;
  touch.normal = to_array(c.found.normal);
  touch.gap = c.found.gap;
  touch.slides = c.slips;
  return known;
}

// anchor, side and force at the end of the problem's dt
template <class S>
ContactMemory ContactSet<S>::memory_of(std::size_t c, double dt) const {
  const ActiveContact& active = active_[c];
  const FoundContact& found = active.found;
  const GeomPath& path = paths_[found.path];
  const Mat3d to_local = transpose(path.now.rotation);
  ContactMemory m;
  m.particle = found.id;
  m.geom = std::uint32_t(path.geom.id);
  m.normal = to_local * found.normal;
  m.force = (1 / dt) * (to_local * active.impulse);
  m.stiffness = active.stiffness;
  m.wall = active.wall;
  const bool holds = contact_.memory && !active.slips;
  if (holds && found.memory >= 0) {
    m.anchor = memory_[std::size_t(found.memory)].anchor;
    return m;
  }
  // in the geom's frame the particle moves by dt times its velocity relative to the geom
  m.anchor = to_local * (found.position - path.now.position) - found.gap * m.normal;
  if (holds) return m;
  const Vec offset = contact_.memory ? potential_.offset_after(c, active.velocity) : Vec::zero();
  m.anchor += to_local * (dt * tangential(active.velocity, found.normal) - offset);
  return m;
}

template <class S>
void ContactSet<S>::remember(double dt, std::size_t particles) {
  next_memory_.clear();
  next_touch_of_.clear();
  for (std::size_t c = 0; c < active_.size(); ++c) {
    const ActiveContact& active = active_[c];
    if (!(dot(active.exchanged, active.exchanged) > 0)) continue;
    const int known = active.found.memory < 0 ? -1 : touch_of_[std::size_t(active.found.memory)];
    const int touch = note_touch(active, known);
    if (!(active.normal_impulse > 0)) continue;
    next_memory_.push_back(memory_of(c, dt));
    next_touch_of_.push_back(touch);
  }
  memory_.swap(next_memory_);
  touch_of_.swap(next_touch_of_);
  index_.build(memory_, particles);
  contacts_ += memory_.size();
  counts_.most = std::max(counts_.most, memory_.size());
}

template <class S>
void ContactSet<S>::count(int iterations, double residual, int linear_iterations) {
  counts_.iterations += iterations;
  counts_.linear_iterations += linear_iterations;
  counts_.residual = std::max(counts_.residual, residual);
}

template <class S>
ContactCounts ContactSet<S>::counts() const {
  ContactCounts counts = counts_;
  counts.mean = problems_ > 0 ? double(contacts_) / double(problems_) : 0;
  return counts;
}

template class ContactSet<float>;
template class ContactSet<double>;

}  // namespace pliant::contact

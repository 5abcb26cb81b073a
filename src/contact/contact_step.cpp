#include "contact/contact_step.h"

#include "core/error.h"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// a contact is stiffer than a cell of the material by this
constexpr double stiffer_than_matter = 10;
// matter presses in no deeper than about this part of a wall
constexpr double wall_part = 0.25;
// friction without memory in the SAP law: R_t as a part of the contact's own inverse inertia
constexpr double viscous_part = 1e-3;
// friction is solved for once more where normal impulses are off by more than this part
constexpr double lag_limit = 0.1;
constexpr int max_refreshes = 1;
// what round-off leaves is good if it is below this
constexpr double good_enough = 1e-6;

double modulus(const Material& m) { return m.law == Law::liquid ? m.bulk_modulus : m.E; }

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
ContactStep<S>::ContactStep(const Scene& scene, const std::vector<Material>& materials, const GeomPaths& paths)
    : paths_(paths),
      kernel_(scene.step.kernel),
      cell_(scene.step.cell),
      contact_(scene.contact),
      potential_(scene.contact.law == Contact::Law::sap ? LawKind::sap : LawKind::lagged, scene.contact.memory) {
  solve_options_.relative_tolerance = scene.step.tolerance;
  solve_options_.max_iterations = scene.step.max_iterations;
  for (std::size_t g = 0; g < materials.size(); ++g)
    for (const GeomPath& path : paths) {
      const PairLaw law = pair_law(scene.contact, scene.matter[g].name, path.geom);
      const Material& m = materials[g];
      const double per_area = law.stiffness > 0 ? law.stiffness : stiffer_than_matter * modulus(m) / cell_;
      pairs_.push_back({law, per_area});
    }
  impulses_.resize(paths.size());
}

template <class S>
void ContactStep<S>::begin(const std::vector<ContactMemory>& memory, std::size_t particles) {
  memory_ = memory;
  touch_of_.assign(memory_.size(), -1);
  index_.build(memory_, particles);
  touches_.clear();
  touch_weights_.clear();
  std::fill(impulses_.begin(), impulses_.end(), GeomImpulse{});
  counts_ = {};
  substeps_ = contacts_ = 0;
}

template <class S>
const typename ContactStep<S>::Pair& ContactStep<S>::pair_of(const FoundContact& found,
                                                             const MatterNow<S>& matter) const {
  return pairs_[matter.layout.segments[found.segment].group * paths_.size() + found.path];
}

template <class S>
double ContactStep<S>::wall_behind(const FoundContact& found) const {
  const GeomPath& path = paths_[found.path];
  const Mat3d to_local = transpose(path.now.rotation);
  const Vec surface = to_local * (found.position - found.gap * found.normal - path.now.position);
  return thickness_behind(path.geom.shape, surface, to_local * found.normal, cell_);
}

template <class S>
void ContactStep<S>::add_contact(std::size_t i, const MatterNow<S>& matter) {
  const FoundContact& found = found_[i];
  const WeightRow& row = rows_.weighed(i);
  const GeomPath& path = paths_[found.path];
  const Vec bias = path.velocity_at(found.position);
  const double dt = matter.reach.dt;
  const double approach = -dot(row.velocity - bias, found.normal);
  // outside, and does not come in before the end of the substep
  if (found.gap >= 0 && found.gap >= 2 * dt * approach) return;
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
  double wall = 0;
  terms.tangential_resistance = viscous_part * row.mobility;
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
  potential_.add(terms);
  bias_.push_back(bias);
  active_.push_back({found, terms.stiffness, wall, Vec::zero(), Vec::zero(), 0, false});
}

// the velocities that the impulses of the last substep would give
template <class S>
void ContactStep<S>::start_from_memory(const MatterNow<S>& matter) {
  const ContactProblem p = rows_.problem();
  velocity_.assign(p.free_velocity.begin(), p.free_velocity.end());
  for (std::size_t c = 0; c < active_.size(); ++c) {
    const FoundContact& found = active_[c].found;
    if (found.memory < 0) continue;
    const Vec force = paths_[found.path].now.rotation * memory_[std::size_t(found.memory)].force;
    const Vec impulse = matter.reach.dt * force;
    for (std::size_t k = p.begins[c]; k < p.begins[c + 1]; ++k)
      velocity_[p.nodes[k]] += (p.weights[k] / p.mass[p.nodes[k]]) * impulse;
  }
}

// false: the normal impulses are those that friction went by
template <class S>
bool ContactStep<S>::refresh_friction() {
  double off = 0, all = 0;
  for (std::size_t c = 0; c < active_.size(); ++c) {
    const double normal = active_[c].normal_impulse;
    off += std::fabs(normal - potential_.last_impulse(c));
    all += normal;
  }
  if (off <= lag_limit * all) return false;
  for (std::size_t c = 0; c < active_.size(); ++c) potential_.set_last_impulse(c, active_[c].normal_impulse);
  return true;
}

template <class S>
void ContactStep<S>::read_solution() {
  for (std::size_t c = 0; c < active_.size(); ++c) {
    active_[c].impulse = solver_.impulse(c);
    const Vec u = solver_.contact_velocity(c);
    active_[c].normal_impulse = potential_.normal_impulse(c, u);
    active_[c].slips = potential_.slips(c, u);
  }
}

template <class S>
void ContactStep<S>::solve(const MatterNow<S>& matter, Workers& workers) {
  ContactProblem problem = rows_.problem();
  problem.bias = bias_;
  problem.potential = &potential_;
  for (int refresh = 0;; ++refresh) {
    const SolveReport report = solve_quasi_newton(problem, solve_options_, workers, solver_, velocity_);
    counts_.iterations += report.iterations;
    counts_.residual = std::max(counts_.residual, report.residual);
    if (!report.finite)
      fail(ErrorCode::not_finite, "contact of {} particles at t = {:.6g} s: a velocity is not finite; use a smaller dt",
           active_.size(), matter.time);
    if (!report.converged && !(report.stalled && report.residual < good_enough)) {
      const Vec x = active_.front().found.position;
      fail(ErrorCode::not_converged,
           "contact of {} particles near ({:.4g}, {:.4g}, {:.4g}) m at t = {:.6g} s: residual {:.3g} after {} "
           "iterations, "
           "wanted {:.3g}; raise step.tolerance or step.max_iterations, or use a smaller dt",
           active_.size(), x[0], x[1], x[2], matter.time, report.residual, report.iterations,
           solve_options_.relative_tolerance);
    }
    read_solution();
    if (contact_.law == Contact::Law::sap || refresh == max_refreshes || !refresh_friction()) return;
  }
}

// The solver stops at a tolerance: the momentum that a node got is not quite what its contacts gave. The difference
// goes to the node's contacts that act, by their weights, or to the others where none does; so matter and bodies
// exchange momentum exactly.
template <class S>
void ContactStep<S>::balance_nodes(const MatterNow<S>& matter) {
  const ContactProblem p = rows_.problem();
  // what is left over, and the weights of those who act; of the others
  left_.assign(p.mass.size(), Four(0));
  idle_.assign(p.mass.size(), 0);
  for (std::size_t c = 0; c < active_.size(); ++c) {
    const Vec& j = active_[c].impulse;
    const bool acts = dot(j, j) > 0;
    const Four given = Four::Vector{-j[0], -j[1], -j[2], 1};
    for (std::uint32_t k = p.begins[c]; k < p.begins[c + 1]; ++k)
      if (acts)
        left_[p.nodes[k]] += Four(p.weights[k]) * given;
      else
        idle_[p.nodes[k]] += p.weights[k];
  }
  turned_.resize(p.mass.size());
  for (std::size_t i = 0; i < p.mass.size(); ++i) {
    const bool acted_on = left_[i][3] > 0;
    const double share = acted_on ? left_[i][3] : idle_[i];
    Node<S>& node = matter.grid.node(rows_.numbers()[i]);
    Vec rest;
    for (int d = 0; d < 3; ++d) {
      node.a[d] = S(velocity_[i][d]);
      // what the node really got, after rounding
      rest[d] = (left_[i][d] + p.mass[i] * (double(node.a[d]) - p.free_velocity[i][d])) / share;
    }
    const Vec turn = cross(matter.grid.position(matter.layout, rows_.numbers()[i], cell_), rest);
    left_[i] = Four::Vector{rest[0], rest[1], rest[2], acted_on ? 1.0 : 0.0};
    turned_[i] = Four::Vector{turn[0], turn[1], turn[2], 0};
  }
  share_out(p);
}

template <class S>
void ContactStep<S>::share_out(const ContactProblem& p) {
  for (std::size_t c = 0; c < active_.size(); ++c) {
    const Vec& j = active_[c].impulse;
    const bool acts = dot(j, j) > 0;
    Four more = 0, turn = 0;
    for (std::uint32_t k = p.begins[c]; k < p.begins[c + 1]; ++k) {
      const Four& left = left_[p.nodes[k]];
      if (acts != (left[3] > 0)) continue;
      more += Four(p.weights[k]) * left;
      turn += Four(p.weights[k]) * turned_[p.nodes[k]];
    }
    active_[c].exchanged = j + Vec{{more[0], more[1], more[2]}};
    GeomImpulse& sum = impulses_[active_[c].found.path];
    sum.linear -= active_[c].exchanged;
    sum.angular -= cross(active_[c].found.position, j) + Vec{{turn[0], turn[1], turn[2]}};
  }
}

// gives its place among the touches
template <class S>
int ContactStep<S>::note_touch(const Active& c, int known) {
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

// anchors, sides and forces of the contacts that act
template <class S>
void ContactStep<S>::remember(const MatterNow<S>& matter) {
  const double dt = matter.reach.dt;
  next_memory_.clear();
  next_touch_of_.clear();
  for (std::size_t c = 0; c < active_.size(); ++c) {
    const Active& active = active_[c];
    const FoundContact& found = active.found;
    if (!(dot(active.exchanged, active.exchanged) > 0)) continue;
    const int touch = note_touch(active, found.memory < 0 ? -1 : touch_of_[std::size_t(found.memory)]);
    if (!(active.normal_impulse > 0)) continue;
    const GeomPath& path = paths_[found.path];
    const Mat3d to_local = transpose(path.now.rotation);
    const Vec u = solver_.contact_velocity(c), normal = to_local * found.normal;
    ContactMemory m = {
        found.id,   std::uint32_t(path.geom.id), {}, normal, (1 / dt) * (to_local * active.impulse), active.stiffness,
        active.wall};
    const bool holds = contact_.memory && !active.slips;
    if (holds && found.memory >= 0) {
      m.anchor = memory_[std::size_t(found.memory)].anchor;
    } else {
      // in the geom's frame the particle moves by dt u
      const Vec here = to_local * (found.position - path.now.position) - found.gap * normal;
      const Vec offset = contact_.memory ? potential_.offset_after(c, u) : Vec::zero();
      m.anchor = holds ? here : here + to_local * (dt * tangential(u, found.normal) - offset);
    }
    next_memory_.push_back(m);
    next_touch_of_.push_back(touch);
  }
  memory_.swap(next_memory_);
  touch_of_.swap(next_touch_of_);
}

template <class S>
void ContactStep<S>::run(const MatterNow<S>& matter, Workers& workers) {
  ++substeps_;
  finder_.find(matter.points, paths_, matter.reach, memory_, index_, workers, found_);
  rows_.weigh(kernel_, cell_, matter.layout, matter.grid, finder_, found_, workers);
  potential_.clear();
  bias_.clear();
  active_.clear();
  for (std::size_t i = 0; i < found_.size(); ++i) add_contact(i, matter);
  if (!active_.empty()) {
    start_from_memory(matter);
    solve(matter, workers);
    balance_nodes(matter);
  }
  remember(matter);
  index_.build(memory_, matter.points.size());
  contacts_ += memory_.size();
  counts_.most = std::max(counts_.most, memory_.size());
}

template <class S>
ContactCounts ContactStep<S>::counts() const {
  ContactCounts counts = counts_;
  counts.mean = substeps_ > 0 ? double(contacts_) / double(substeps_) : 0;
  return counts;
}

template class ContactStep<float>;
template class ContactStep<double>;

}  // namespace pliant

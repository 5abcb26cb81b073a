#include "step/part.h"

#include "core/error.h"
#include "step/actuators.h"
#include "step/balance.h"
#include "step/record.h"
#include "step/report.h"
#include "step/touching.h"

namespace pliant::step {
namespace {

template <int D, class S>
[[noreturn]] void fail_at(const StepPart<D, S>& p, std::size_t block, int substep) {
  const auto& b = p.work.layout.blocks[block];
  const double side = block_side * p.model.scene.step.cell;
  double x[3] = {0, 0, 0};
  for (int d = 0; d < D; ++d) x[d] = (b.coord[d] + 0.5) * side;
  fail(ErrorCode::too_fast,
       "matter near ({:.4g}, {:.4g}, {:.4g}) m moved more than a cell of {} m in substep {} of {} at t = {:.6g} s, or "
       "its deformation is not finite; use more substeps (a smaller courant or dt), or softer material",
       x[0], x[1], x[2], p.model.scene.step.cell, substep + 1, p.plan.substeps, p.now.time);
}

// Pa s; in substeps that a user made too long for all of it, what is stable
template <int D, class S>
double shear_viscosity(const StepPart<D, S>& p, std::size_t group) {
  if (!p.work.planning.touching[group]) return 0;
  const double wanted = p.model.loss_viscosities[group];
  if (p.model.scene.step.method == Method::strong) return wanted;
  const Material& material = p.model.materials[group];
  return wanted * std::min(1.0, longest_with_loss(material, wanted, p.model.scene.step.cell) / double(p.grid_step.dt));
}

template <int D, class S>
void finish_contacts(StepPart<D, S>& p) {
  const BodyContacts<S>& contact = *p.work.contacts();
  // two states take turns: what one has grown to the other needs as well
  p.next.contacts.reserve(contact.memory().capacity());
  p.next.contacts = contact.memory();
  p.outcome.contacts = contact.touches();
  const ContactCounts counts = contact.counts();
  p.report.contacts = counts.mean;
  p.report.most_contacts = counts.most;
  p.report.iterations = counts.iterations;
  p.report.linear_iterations = counts.linear_iterations;
  p.report.residual = counts.residual;
  p.report.cone_excess = counts.quality.cone_excess;
  p.report.signorini_residual = counts.quality.signorini_residual;
  p.report.penetration = counts.quality.penetration;
  p.report.friction_dissipation = counts.quality.friction_dissipation;
  for (std::size_t i = 0; i < contact.paths().size(); ++i) {
    const Vec& v = contact.impulses()[i].linear;
    const Geom& geom = contact.paths()[i].geom;
    auto& on_matter = geom.boundary < 0 ? p.report.body_impulses[std::size_t(geom.id)]
                                        : p.report.boundary_impulses[std::size_t(geom.boundary)];
    for (std::size_t d = 0; d < 3; ++d) on_matter[d] -= v[int(d)];
  }
}

// forces on boundaries, as a share of the whole step's; torques where they are felt at surfaces
template <int D, class S>
void add_boundary_wrenches(StepPart<D, S>& p) {
  const double dt = p.model.scene.step.dt;
  std::vector<Wrench>& wrenches = p.outcome.boundary_wrenches;
  for (std::size_t b = 0; b < wrenches.size(); ++b)
    for (std::size_t d = 0; d < 3; ++d) wrenches[b].force[d] -= p.report.boundary_impulses[b][d] / dt;
  const BodyContacts<S>* contact = p.work.contacts();
  for (std::size_t i = 0; contact && i < contact->paths().size(); ++i) {
    const int b = contact->paths()[i].geom.boundary;
    if (b < 0) continue;
    const GeomImpulse& impulse = contact->impulses()[i];
    const Vec torque = impulse.angular - cross(p.now.boundaries[std::size_t(b)].center, impulse.linear);
    for (std::size_t d = 0; d < 3; ++d) wrenches[std::size_t(b)].torque[d] += torque[int(d)] / dt;
  }
}

}  // namespace

template <int D, class S>
void on_sorted(StepPart<D, S>& p) {
  if constexpr (D == 3) {
    if (BodyContacts<S>* contacts = p.work.contacts()) contacts->on_sorted(p.work.layout, p.next.particles.points);
    p.work.sheets.on_sorted(p.work.layout, p.next.particles.points, p.work.workers);
  }
  ++p.report.sorts;
  p.drift = 0;
}

template <int D, class S>
void sort_into_next(StepPart<D, S>& p) {
  const auto& o = p.model.scene.step;
  p.next.particles.fit(p.now.particles.size());
  p.work.layout.build(p.now.particles.points, p.model.groups, S(o.cell), p.work.workers);
  p.work.layout.reorder(p.now.particles.points, points_in(p, 0), p.work.workers);
  p.work.layout.reorder(p.now.particles.velocities, p.next.particles.velocities, p.work.workers);
  p.work.grid.fit(p.work.layout);
  on_sorted(p);
}

template <int D, class S>
void on_swept(StepPart<D, S>& p, Pass pass, const SweepReport& r, int substep) {
  if (r.bad_block != SIZE_MAX) fail_at(p, r.bad_block, substep);
  if (pass != Pass::scatter) {
    const double speed = max(r.max_speed, p.work.sheets.pin_speed(p.dt));
    p.last_move = speed * double(p.sweep_step.dt) / p.model.scene.step.cell;
    p.drift += p.last_move + p.work.sheets.shift() / p.model.scene.step.cell;
  }
  if (pass != Pass::gather) {
    p.strays = double(r.strays) / double(p.next.particles.size());
    p.report.strays += p.strays / p.plan.substeps;
  }
  p.report.max_speed = max(p.report.max_speed, r.max_speed);
  if (pass == Pass::gather) p.next.max_speed = r.max_speed;
}

template <int D, class S>
void prepare(StepPart<D, S>& p) {
  const StepOptions& o = p.model.scene.step;
  clear(p.report);
  p.report.substeps = p.plan.substeps;
  p.report.inner_steps = p.plan.inner;
  p.grid_step.obstacles = p.work.obstacles();
  if (p.work.bodies) p.report.body_impulses.assign(p.work.paths.geoms_in_model(), {0, 0, 0});
  if (BodyContacts<S>* contacts = p.work.contacts()) {
    if (p.is_first) contacts->forget_touches();
    contacts->begin(p.now.contacts, p.now.particles.size());
  }
  p.work.impulses.assign(p.model.boundaries.size() + p.grid_step.obstacles.size(), Vec::zero());
  auto& stresses = p.work.stresses;
  find_stresses(p.model, p.inputs, p.now.time, stresses);
  p.work.actuations.resize(stresses.size());
  for (std::size_t g = 0; g < stresses.size(); ++g)
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) p.work.actuations[g](i, j) = S(stresses[g][std::size_t(3 * i + j)]);
  const S dt = S(p.dt / p.plan.substeps);
  p.work.sheets.start(p.dt, p.dt / p.plan.substeps, p.plan.inner);
  p.sweep_step = {dt, S(o.cell), &p.model.laws, &p.work.actuations};
  p.sweep_step.cloth_acts = p.plan.inner == 1;
  p.sweep_step.strains = p.plan.window > 1;
  p.work.moduli.clear();
  for (std::size_t g = 0; p.work.own_moduli && g < p.model.groups.size(); ++g)
    p.work.moduli.push_back(p.work.own_moduli->of(g));
  if (p.work.own_moduli) p.sweep_step.moduli = &p.work.moduli;
  p.grid_step.dt = dt;
  p.grid_step.h = o.cell;
  for (int d = 0; d < D; ++d) p.grid_step.gravity[d] = S(o.gravity[d]);
  p.grid_step.shapes = &p.model.boundaries;
  p.grid_step.motions = &p.next.boundaries;
  if (!p.grid_step.obstacles.empty()) p.work.paths.move_to(0);
  if (o.method == Method::strong || !p.grid_step.obstacles.empty())
    find_touching(p.model, p.now, p.grid_step.obstacles, p.work.planning.touching);
  p.work.shear_viscosities.resize(p.model.groups.size());
  for (std::size_t g = 0; g < p.model.groups.size(); ++g) p.work.shear_viscosities[g] = shear_viscosity(p, g);
  p.sweep_step.shear_viscosities = &p.work.shear_viscosities;
}

template <int D, class S>
void finish(StepPart<D, S>& p) {
  const StepOptions& o = p.model.scene.step;
  p.report.time = p.next.time;
  p.report.blocks = p.work.layout.blocks.size();
  const std::size_t boundaries = p.model.boundaries.size();
  for (std::size_t k = 0; k < p.work.impulses.size(); ++k) {
    const Vec& v = p.work.impulses[k];
    if (k < boundaries)
      p.report.boundary_impulses.push_back({v[0], v[1], v[2]});
    else
      p.report.body_impulses[std::size_t(p.work.paths[k - boundaries].geom.id)] = {v[0], v[1], v[2]};
  }
  for (const Vec& v : p.work.sheets.impulses()) p.report.pin_impulses.push_back({v[0], v[1], v[2]});
  if (p.work.contacts()) finish_contacts(p);
  add_boundary_wrenches(p);
  if (!o.balance) return;
  p.report.after = balance(p.model, p.next, p.work);
  for (int d = 0; d < D; ++d) p.report.gravity_impulse[d] = p.report.after.mass * o.gravity[d] * p.dt;
}

template void prepare(StepPart<2, float>&);
template void prepare(StepPart<3, float>&);
template void prepare(StepPart<2, double>&);
template void prepare(StepPart<3, double>&);
template void sort_into_next(StepPart<2, float>&);
template void sort_into_next(StepPart<3, float>&);
template void sort_into_next(StepPart<2, double>&);
template void sort_into_next(StepPart<3, double>&);
template void on_sorted(StepPart<2, float>&);
template void on_sorted(StepPart<3, float>&);
template void on_sorted(StepPart<2, double>&);
template void on_sorted(StepPart<3, double>&);
template void on_swept(StepPart<2, float>&, Pass, const SweepReport&, int);
template void on_swept(StepPart<3, float>&, Pass, const SweepReport&, int);
template void on_swept(StepPart<2, double>&, Pass, const SweepReport&, int);
template void on_swept(StepPart<3, double>&, Pass, const SweepReport&, int);
template void finish(StepPart<2, float>&);
template void finish(StepPart<3, float>&);
template void finish(StepPart<2, double>&);
template void finish(StepPart<3, double>&);

}  // namespace pliant::step

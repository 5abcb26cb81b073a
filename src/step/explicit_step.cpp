// A step of matter in explicit substeps (S2).
#include "step/liquids.h"
#include "step/part.h"
#include "step/record.h"

#include <cmath>

namespace pliant::step {
namespace {

// particles are sorted again when this part of them is out of its cell
constexpr double max_strays = 0.2;

// particles move at the end of a window
Pass pass_after(const Plan& plan, int substep) {
  if (substep + 1 == plan.substeps) return Pass::gather;
  return (substep + 1) % plan.window == 0 ? Pass::gather_scatter : Pass::strain;
}

// in the middle of a step only points need to move: velocities are on the grid
template <int D, class S>
void sort_again(StepPart<D, S>& p, int substep) {
  Buffer<Point<D, S>>& points = points_in(p, substep);
  p.work.points.resize(points.size());
  p.work.next_layout.build(points, p.model.groups, S(p.model.scene.step.cell), p.work.workers);
  p.work.next_layout.reorder(points, p.work.points, p.work.workers);
  points.swap(p.work.points);
  p.work.grid.refit(p.work.layout, p.work.next_layout, p.work.workers);
  std::swap(p.work.layout, p.work.next_layout);
  if (p.work.record) record_order(p, substep, p.work.next_layout);
  on_sorted(p);
}

// from the points of one substep to those of the next
template <int D, class S>
SweepJob<D, S> job_of(StepPart<D, S>& p, Pass pass, int substep) {
  SweepJob<D, S> job = p.sweep_job(pass);
  job.from = points_in(p, substep).data();
  job.to = points_in(p, substep + 1).data();
  return job;
}

// cloth comes between taking velocities and giving momenta: its triangles reach over blocks
template <int D, class S>
void sweep_with_cloth(StepPart<D, S>& p, int substep, StageClock& clock) {
  if constexpr (D == 3) {
    const bool last = substep + 1 == p.plan.substeps;
    on_swept(p, Pass::gather, p.work.sweep.run(p.sweep_job(Pass::gather), p.work.workers), substep);
    clock.lap(p.work.sweep.times());
    p.work.sheets.advance(double(substep + 1) / p.plan.substeps, last, p.next.particles, p.work.workers);
    clock.lap(pulling);
    if (!last) on_swept(p, Pass::scatter, p.work.sweep.run(p.sweep_job(Pass::scatter), p.work.workers), substep);
  }
}

// momenta to velocities, gravity, boundaries; in between cloth takes its inner steps
template <int D, class S>
void update_grid(StepPart<D, S>& p, int substep, StageClock& clock) {
  Grid<D, S>& grid = p.work.grid;
  if (p.work.record) {
    record_nodes(p, substep);
    grid.hold_solids(p.work.layout, p.grid_step, p.work.workers, p.work.impulses);
  } else if (p.plan.inner == 1) {
    grid.update(p.work.layout, p.grid_step, p.work.workers, p.work.impulses);
  } else if constexpr (D == 3) {
    grid.take_momenta(p.work.layout, p.grid_step, p.work.workers);
    clock.lap(gridding);
    // contact holds on while waves pass
    p.work.loads.clear();
    if (const BodyContacts<S>* contacts = p.work.contacts())
      contacts->for_last_forces([&](std::size_t id, const Vec& force) { p.work.loads.push_back({id, force}); });
    const StepOptions& o = p.model.scene.step;
    p.work.sheets.run_inner({p.work.layout,
                             grid,
                             p.grid_step,
                             p.next.particles.points,
                             {o.kernel, o.transfer, S(o.cell)},
                             p.plan.inner,
                             p.plan.bends,
                             p.work.loads},
                            p.work.impulses, p.work.workers);
    clock.lap(pulling);
    grid.hold_solids(p.work.layout, p.grid_step, p.work.workers, p.work.impulses);
  }
  clock.lap(gridding);
}

// velocities of the grid before and after contact with bodies and boundaries
template <int D, class S>
void touch(StepPart<D, S>& p, int substep) {
  if constexpr (D == 3) {
    const double dt = double(p.sweep_step.dt), h = p.model.scene.step.cell;
    const double speed = std::sqrt(3.0) * p.last_move * h / dt, drift = p.drift * h + p.work.sheets.shift();
    const bool inner = p.plan.inner > 1;
    if (inner) p.work.sheets.shift_points(p.next.particles.points, p.work.points, p.work.workers);
    p.work.contact->run({p.work.layout,
                         p.work.grid,
                         p.next.particles.points,
                         {drift, speed, dt, h},
                         p.now.time + substep * dt,
                         inner ? &p.work.points : nullptr,
                         p.sweep_step.strains ? &p.next.particles.velocities : nullptr},
                        p.work.workers);
    p.work.grid.hold_boundaries(p.work.layout, p.grid_step, p.work.contact->changed_nodes(), p.work.impulses);
  }
}

}  // namespace

template <int D, class S>
void explicit_step(StepPart<D, S>& p) {
  prepare(p);
  if (p.work.record) begin_record(p);
  StageClock clock(p.report);

  // order the particles, scatter their momenta
  sort_into_next(p);
  if constexpr (D == 3) even_before_substeps(p);
  if (p.work.record) record_start(p);
  clock.lap(sorting);
  if constexpr (D == 3) p.work.sheets.push_off(p.next.particles, p.work.workers);
  clock.lap(pulling);
  on_swept(p, Pass::scatter, p.work.sweep.run(job_of(p, Pass::scatter, 0), p.work.workers), 0);
  clock.lap(p.work.sweep.times());
  p.last_move = p.now.max_speed * double(p.sweep_step.dt) / p.model.scene.step.cell;

  for (int substep = 0; substep < p.plan.substeps; ++substep) {
    // momenta to velocities, gravity, cloth, boundaries
    p.work.paths.move_to(substep * double(p.sweep_step.dt));
    update_grid(p, substep, clock);
    if constexpr (D == 3)
      if (substep == 0) relieve_in_substeps(p);

    // contact; then the boundaries move
    if (p.work.contact) touch(p, substep);
    for (BoundaryMotion& b : p.next.boundaries) b.center += double(p.sweep_step.dt) * b.velocity;
    clock.lap(contacting);

    // order again before anybody can leave its block's arena; not while particles strain where they are
    const bool far = p.drift + (1 + p.plan.window) * p.last_move > p.plan.max_drift;
    if (substep > 0 && substep % p.plan.window == 0 && (far || p.strays > max_strays)) sort_again(p, substep);
    clock.lap(sorting);

    // particles take velocities, move, and give momenta again
    const Pass pass = pass_after(p.plan, substep);
    p.grid_step.adds = pass == Pass::strain;
    if (p.work.sheets.empty())
      on_swept(p, pass, p.work.sweep.run(job_of(p, pass, substep), p.work.workers), substep);
    else
      sweep_with_cloth(p, substep, clock);
    clock.lap(p.work.sweep.times());
  }

  finish(p);
  clock.lap(balancing);
}

template void explicit_step(StepPart<2, float>&);
template void explicit_step(StepPart<3, float>&);
template void explicit_step(StepPart<2, double>&);
template void explicit_step(StepPart<3, double>&);

}  // namespace pliant::step

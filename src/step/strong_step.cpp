// A step of matter and bodies in one implicit solve (S1).
#include "implicit/implicit_matter.h"
#include "step/actuators.h"
#include "step/liquids.h"
#include "step/part.h"

#include <algorithm>
#include <cmath>

namespace pliant::step {
namespace {

// An implicit step has no limit of its own; matter that crosses so many cells in one is lost.
constexpr int most_cells_in_strong_step = 100;
// contacts are looked for within this, in cells: bodies may come closer than their present velocities say
constexpr double search_margin = 0.1;

// momenta go to the grid without stress
template <class S>
void scatter_momenta(StepPart<3, S>& p) {
  p.sweep_step.dt = 0;
  on_swept(p, Pass::scatter, p.work.sweep.run(p.sweep_job(Pass::scatter), p.work.workers), 0);
  p.sweep_step.dt = S(p.dt);
  p.sweep_step.most_cells = most_cells_in_strong_step;
  p.sweep_step.large = true;
  p.drift = 0;
}

// velocities with gravity; boundaries that stick keep theirs, the others are part of the solve
template <class S>
void update_grid(StepPart<3, S>& p) {
  Workspace<3, S>& work = p.work;
  work.paths.move_to(0);
  p.grid_step.solved = true;
  work.grid.update(work.layout, p.grid_step, work.workers, work.impulses);
  relieve_liquids(p, p.dt);
  work.strong->boundary_contacts().set_dt(p.dt);
  work.strong->boundary_contacts().find(work.layout, work.grid, p.grid_step, p.now.held);
}

// elasticity, contact and bodies
template <class S>
void solve(StepPart<3, S>& p) {
  Workspace<3, S>& work = p.work;
  const StepOptions& o = p.model.scene.step;
  const auto& points = p.next.particles.points;
  const double fall = norm(Vec{{o.gravity[0], o.gravity[1], o.gravity[2]}}) * p.dt;
  const SearchReach reach = {0, std::sqrt(3.0) * p.now.max_speed + fall, p.dt, o.cell, search_margin * o.cell};
  work.strong_actuations.assign(p.model.groups.size(), Matrix<double, 3>::zero());
  find_stresses(p.model, p.inputs, p.now.time, work.stresses);
  for (std::size_t g = 0; g < work.stresses.size(); ++g)
    std::copy(work.stresses[g].begin(), work.stresses[g].end(), work.strong_actuations[g].a);
  work.strong->set_warm_start(p.now.warm);
  work.strong->set_may_be_cut(p.may_be_cut);
  work.strong->run({work.layout, work.grid, points, reach, p.now.time},
                   {work.layout,
                    work.grid,
                    points,
                    p.next.particles.velocities,
                    p.model.materials,
                    work.strong_actuations,
                    o.kernel,
                    o.transfer,
                    p.dt,
                    o.cell,
                    {o.mass_damping, o.stiffness_damping},
                    o.exact_rotation,
                    o.plastic_flow,
                    work.strong->boundary_contacts().nodes(),
                    work.shear_viscosities,
                    p.model.masses_fitted},
                   work.bodies ? &work.bodies->bodies() : nullptr, work.workers);
  p.next.warm = work.strong->warm_start();
  work.strong->remember_boundaries(work.layout, p.next.held);
  work.strong->add_boundary_impulses(work.impulses);
}

}  // namespace

template <int D, class S>
void strong_step(StepPart<D, S>& p) {
  if constexpr (D == 3) {
    prepare(p);
    StageClock clock(p.report);

    // order the particles, scatter their momenta
    sort_into_next(p);
    calm_liquids(p);
    clock.lap(sorting);
    scatter_momenta(p);
    clock.lap(p.work.sweep.times());

    // the grid before the solve
    update_grid(p);
    clock.lap(gridding);

    // the solve; then the boundaries move
    solve(p);
    for (BoundaryMotion& b : p.next.boundaries) b.center += p.dt * b.velocity;
    clock.lap(contacting);

    // particles take velocities and move
    on_swept(p, Pass::gather, p.work.sweep.run(p.sweep_job(Pass::gather), p.work.workers), 0);
    clock.lap(p.work.sweep.times());
    finish(p);
    clock.lap(balancing);
  }
}

template void strong_step(StepPart<2, float>&);
template void strong_step(StepPart<3, float>&);
template void strong_step(StepPart<2, double>&);
template void strong_step(StepPart<3, double>&);

}  // namespace pliant::step

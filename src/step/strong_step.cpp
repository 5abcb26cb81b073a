// A step of matter and bodies in one implicit solve (S1).
#include "implicit/crowding.h"
#include "implicit/implicit_matter.h"
#include "material/law_info.h"
#include "step/part.h"
#include "step/walls_near.h"

#include <algorithm>
#include <cmath>

namespace pliant::step {
namespace {

// An implicit step has no limit of its own; matter that crosses so many cells in one is lost.
constexpr int most_cells_in_strong_step = 100;
// contacts are looked for within this, in cells: bodies may come closer than their present velocities say
constexpr double search_margin = 0.1;

// Forces that no pressure balances push particles of a liquid about by g dt^2. Over many small steps that is nothing,
// in a large one it would boil: what a particle stretches and shears within itself is forgotten, as PIC does. How it turns
// stays, so that what spins goes on spinning.
template <class S>
void calm_liquids(StepPart<3, S>& p) {
  for (std::size_t g = 0; g < p.model.groups.size(); ++g)
    if (info(p.model.materials[g].law).resists_only_pressure)
      for (std::size_t i = p.model.groups[g].begin; i < p.model.groups[g].end; ++i) {
        S* C = p.next.particles.velocities[i].C;
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c <= r; ++c) {
            const S turn = S(0.5) * (C[3 * r + c] - C[3 * c + r]);
            C[3 * r + c] = turn;
            C[3 * c + r] = -turn;
          }
      }
}

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

// particles of liquids that have come too close together
template <class S>
void relieve_liquids(StepPart<3, S>& p) {
  Workspace<3, S>& work = p.work;
  const double h = p.model.scene.step.cell;
  const auto flows = [](const Material& m) { return info(m.law).resists_only_pressure; };
  if (std::none_of(p.model.materials.begin(), p.model.materials.end(), flows)) return;
  const SolidWalls walls(work.paths, h);
  relieve_crowding({p.model.materials, p.dt, h, &walls}, work.layout, work.grid, p.next.particles.points, work.workers);
}

// velocities with gravity; boundaries that stick keep theirs, the others are part of the solve
template <class S>
void update_grid(StepPart<3, S>& p) {
  Workspace<3, S>& work = p.work;
  work.paths.move_to(0);
  p.grid_step.solved = true;
  work.grid.update(work.layout, p.grid_step, work.workers, work.impulses);
  relieve_liquids(p);
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
  for (std::size_t g = 0; g < p.inputs.actuations.size(); ++g)
    std::copy(p.inputs.actuations[g].begin(), p.inputs.actuations[g].end(), work.strong_actuations[g].a);
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
                    work.shear_viscosities},
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

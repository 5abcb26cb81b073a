#include "step/step.h"

#include "core/error.h"
#include "implicit/crowding.h"
#include "implicit/implicit_matter.h"
#include "material/law_info.h"
#include "step/balance.h"
#include "step/plan.h"

#include <chrono>
#include <cmath>

namespace pliant {
namespace {

double clock_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

enum Stage {
  sorting,
  loading,
  gathering,
  stressing,
  scattering,
  storing,
  gridding,
  contacting,
  pulling,
  balancing,
  stage_count
};
constexpr const char* stage_names[stage_count] = {"sort",  "load", "gather",  "stress", "scatter",
                                                  "store", "grid", "contact", "cloth",  "balance"};

class Clock {
 public:
  explicit Clock(StepReport& report) : report_(report), last_(clock_now()) {}
  void lap(Stage stage) { report_.stages[stage].seconds += split(); }
  // a sweep's wall time, shared out as its sampled blocks spent theirs
  void lap(const SweepTimes& t) {
    const double wall = split(), all = t.load + t.gather + t.stress + t.scatter + t.store;
    const double share = all > 0 ? wall / all : 0;
    report_.stages[loading].seconds += all > 0 ? t.load * share : wall;
    report_.stages[gathering].seconds += t.gather * share;
    report_.stages[stressing].seconds += t.stress * share;
    report_.stages[scattering].seconds += t.scatter * share;
    report_.stages[storing].seconds += t.store * share;
  }

 private:
  double split() {
    const double t = clock_now(), spent = t - last_;
    last_ = t;
    return spent;
  }
  StepReport& report_;
  double last_;
};

// An implicit step has no limit of its own; matter that crosses so many cells in one is lost.
constexpr int most_cells_in_strong_step = 100;

// particles are sorted again when this part of them is out of its cell
constexpr double max_strays = 0.2;

template <int D, class S>
struct Attempt {
  const Model<S>& model;
  const StepPart& part;
  const State<D, S>& now;
  State<D, S>& next;
  Workspace<D, S>& work;
  StepReport& report;
  Plan plan;
  SweepStep<D, S> sweep_step;
  GridStep<D, S> grid_step;
  double drift = 0;      // cells, since the last sort, at most
  double last_move = 0;  // cells, in the last substep, at most
  double strays = 0;     // part of the particles, in the last sweep
};

template <int D, class S>
void take_order(Attempt<D, S>& a) {
  if constexpr (D == 3) {
    if (ContactSet<S>* set = a.work.contacts()) set->take_order(a.work.layout);
    a.work.sheets.take_order(a.work.layout, a.next.particles.points, a.work.workers);
  }
  ++a.report.sorts;
  a.drift = 0;
}

template <int D, class S>
void sort_into_next(Attempt<D, S>& a) {
  const auto& o = a.model.scene.step;
  a.work.layout.build(a.now.particles.points, a.model.groups, S(o.cell), a.work.workers);
  a.work.layout.reorder(a.now.particles.points, a.next.particles.points, a.work.workers);
  a.work.layout.reorder(a.now.particles.rates, a.next.particles.rates, a.work.workers);
  a.work.grid.fit(a.work.layout);
  take_order(a);
}

// in the middle of a step only points need to move: velocities are on the grid
template <int D, class S>
void sort_again(Attempt<D, S>& a) {
  auto& points = a.next.particles.points;
  a.work.points.resize(points.size());
  a.work.next_layout.build(points, a.model.groups, S(a.model.scene.step.cell), a.work.workers);
  a.work.next_layout.reorder(points, a.work.points, a.work.workers);
  points.swap(a.work.points);
  a.work.grid.refit(a.work.layout, a.work.next_layout, a.work.workers);
  std::swap(a.work.layout, a.work.next_layout);
  take_order(a);
}

template <int D, class S>
[[noreturn]] void fail_at(const Attempt<D, S>& a, std::size_t block, int substep) {
  const auto& b = a.work.layout.blocks[block];
  const double side = block_side * a.model.scene.step.cell;
  double x[3] = {0, 0, 0};
  for (int d = 0; d < D; ++d) x[d] = (b.coord[d] + 0.5) * side;
  fail(ErrorCode::too_fast,
       "matter near ({:.4g}, {:.4g}, {:.4g}) m moved more than a cell of {} m in substep {} of {} at t = {:.6g} s, or "
       "its "
       "deformation is not finite; use more substeps (a smaller courant or dt), or softer material",
       x[0], x[1], x[2], a.model.scene.step.cell, substep + 1, a.plan.substeps, a.now.time);
}

template <int D, class S>
void sweep(Attempt<D, S>& a, Pass pass, int substep) {
  a.work.sweep.clear_times();
  const SweepReport r =
      a.work.sweep.run(pass, a.sweep_step, a.work.layout, a.work.grid, a.next.particles, a.work.workers);
  if (r.bad_block != SIZE_MAX) fail_at(a, r.bad_block, substep);
  if (pass != Pass::scatter) {
    const double speed = max(r.max_speed, a.work.sheets.pin_speed(a.part.dt));
    a.last_move = speed * double(a.sweep_step.dt) / a.model.scene.step.cell;
    a.drift += a.last_move + a.work.sheets.shift() / a.model.scene.step.cell;
  }
  if (pass != Pass::gather) {
    a.strays = double(r.strays) / double(a.next.particles.size());
    a.report.strays += a.strays / a.plan.substeps;
  }
  a.report.max_speed = max(a.report.max_speed, r.max_speed);
  if (pass == Pass::gather) a.next.max_speed = r.max_speed;
}

// cloth comes between taking velocities and giving momenta: its triangles reach over blocks
template <int D, class S>
void sweep_with_cloth(Attempt<D, S>& a, int substep, Clock& clock) {
  if constexpr (D == 3) {
    const bool last = substep + 1 == a.plan.substeps;
    sweep(a, Pass::gather, substep);
    clock.lap(a.work.sweep.times());
    a.work.sheets.advance(double(substep + 1) / a.plan.substeps, last, a.next.particles, a.work.workers);
    clock.lap(pulling);
    if (!last) sweep(a, Pass::scatter, substep);
  }
}

// as new, but without giving its memory back
void clear(StepReport& report) {
  StepReport fresh;
  std::swap(fresh.stages, report.stages);
  std::swap(fresh.boundary_impulses, report.boundary_impulses);
  std::swap(fresh.body_impulses, report.body_impulses);
  std::swap(fresh.pin_impulses, report.pin_impulses);
  fresh.before = report.before;
  std::swap(fresh, report);
  report.stages.clear();
  for (const char* name : stage_names) report.stages.push_back({name, 0});
  report.boundary_impulses.clear();
  report.pin_impulses.clear();
}

template <int D, class S>
void prepare(Attempt<D, S>& a) {
  const StepOptions& o = a.model.scene.step;
  clear(a.report);
  a.report.substeps = a.plan.substeps;
  a.report.inner_steps = a.plan.inner;
  a.grid_step.obstacles = a.work.obstacles;
  if (a.work.paths) a.report.body_impulses.assign(a.work.paths->geoms_in_model(), {0, 0, 0});
  if (ContactSet<S>* set = a.work.contacts()) {
    if (a.part.first) set->begin(a.now.contacts, a.now.particles.size());
    set->begin_sums();
  }
  a.work.impulses.assign(a.model.boundaries.size() + a.grid_step.obstacles.size(), Vec::zero());
  a.next.boundaries = a.now.boundaries;
  a.next.actuations = a.now.actuations;
  a.work.actuations.resize(a.now.actuations.size());
  for (std::size_t g = 0; g < a.now.actuations.size(); ++g)
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) a.work.actuations[g](i, j) = S(a.now.actuations[g][std::size_t(3 * i + j)]);
  const S dt = S(a.part.dt / a.plan.substeps);
  a.work.sheets.start(a.part.dt, a.part.dt / a.plan.substeps, a.plan.inner);
  a.sweep_step = {dt, S(o.cell), &a.model.laws, &a.work.actuations};
  a.sweep_step.cloth_acts = a.plan.inner == 1;
  a.grid_step.dt = dt;
  a.grid_step.h = S(o.cell);
  for (int d = 0; d < D; ++d) a.grid_step.gravity[d] = S(o.gravity[d]);
  a.grid_step.shapes = &a.model.boundaries;
  a.grid_step.motions = &a.next.boundaries;
}

// momenta to velocities, gravity, boundaries; in between cloth takes its inner steps
template <int D, class S>
void update_grid(Attempt<D, S>& a, Clock& clock) {
  Grid<D, S>& grid = a.work.grid;
  if (a.plan.inner == 1) {
    grid.update(a.work.layout, a.grid_step, a.work.workers, a.work.impulses);
  } else if constexpr (D == 3) {
    grid.take_momenta(a.work.layout, a.grid_step, a.work.workers);
    clock.lap(gridding);
    // contact holds on while waves pass
    a.work.loads.clear();
    if (const ContactSet<S>* set = a.work.contacts())
      set->for_last_forces([&](std::size_t id, const Vec& force) { a.work.loads.push_back({id, force}); });
    const StepOptions& o = a.model.scene.step;
    a.work.sheets.run_inner({a.work.layout,
                             grid,
                             a.grid_step,
                             a.next.particles.points,
                             {o.kernel, o.transfer, S(o.cell)},
                             a.plan.inner,
                             a.plan.bends,
                             a.work.loads},
                            a.work.impulses, a.work.workers);
    clock.lap(pulling);
    grid.hold_solids(a.work.layout, a.grid_step, a.work.workers, a.work.impulses);
  }
  clock.lap(gridding);
}

// velocities of the grid before and after contact with the bodies
template <int D, class S>
void touch_bodies(Attempt<D, S>& a, int substep) {
  if constexpr (D == 3) {
    const double dt = double(a.sweep_step.dt), h = a.model.scene.step.cell;
    const double speed = std::sqrt(3.0) * a.last_move * h / dt, drift = a.drift * h + a.work.sheets.shift();
    const bool inner = a.plan.inner > 1;
    if (inner) a.work.sheets.shift_points(a.next.particles.points, a.work.points, a.work.workers);
    a.work.contact->run({a.work.layout,
                         a.work.grid,
                         a.next.particles.points,
                         {drift, speed, dt, h},
                         a.now.time + substep * dt,
                         inner ? &a.work.points : nullptr},
                        a.work.workers);
    a.work.grid.hold_boundaries(a.work.layout, a.grid_step, a.work.contact->changed_nodes(), a.work.impulses);
  }
}

template <int D, class S>
void finish_contacts(Attempt<D, S>& a) {
  const ContactSet<S>& contact = *a.work.contacts();
  a.next.contacts = contact.memory();
  const ContactCounts counts = contact.counts();
  a.report.contacts = counts.mean;
  a.report.most_contacts = counts.most;
  a.report.iterations = counts.iterations;
  a.report.linear_iterations = counts.linear_iterations;
  a.report.residual = counts.residual;
  for (std::size_t i = 0; i < contact.paths().size(); ++i) {
    const Vec& v = contact.impulses()[i].linear;
    a.report.body_impulses[std::size_t((*a.work.paths)[i].geom.id)] = {-v[0], -v[1], -v[2]};
  }
}

template <int D, class S>
void finish(Attempt<D, S>& a) {
  const StepOptions& o = a.model.scene.step;
  a.next.time = a.now.time + a.part.dt;
  a.next.steps = a.now.steps + 1;
  a.report.time = a.next.time;
  a.report.blocks = a.work.layout.blocks.size();
  const std::size_t boundaries = a.model.boundaries.size();
  for (std::size_t k = 0; k < a.work.impulses.size(); ++k) {
    const Vec& v = a.work.impulses[k];
    if (k < boundaries)
      a.report.boundary_impulses.push_back({v[0], v[1], v[2]});
    else
      a.report.body_impulses[std::size_t((*a.work.paths)[k - boundaries].geom.id)] = {v[0], v[1], v[2]};
  }
  for (const Vec& v : a.work.sheets.impulses()) a.report.pin_impulses.push_back({v[0], v[1], v[2]});
  if (a.work.contacts()) finish_contacts(a);
  if (!o.balance) return;
  a.report.after = balance(a.model, a.next, a.work);
  for (int d = 0; d < D; ++d) a.report.gravity_impulse[d] = a.report.after.mass * o.gravity[d] * a.part.dt;
}

// the step, from top to bottom
template <int D, class S>
void attempt(Attempt<D, S>& a) {
  prepare(a);
  Clock clock(a.report);

  // order the particles, scatter their momenta
  sort_into_next(a);
  clock.lap(sorting);
  if constexpr (D == 3) a.work.sheets.push_off(a.next.particles, a.work.workers);
  clock.lap(pulling);
  sweep(a, Pass::scatter, 0);
  clock.lap(a.work.sweep.times());
  a.last_move = a.now.max_speed * double(a.sweep_step.dt) / a.model.scene.step.cell;

  for (int substep = 0; substep < a.plan.substeps; ++substep) {
    // momenta to velocities, gravity, cloth, boundaries
    if (a.work.paths) a.work.paths->move_to(substep * double(a.sweep_step.dt));
    update_grid(a, clock);

    // contact with the bodies; then the boundaries move
    if (a.work.contact) touch_bodies(a, substep);
    for (BoundaryMotion& b : a.next.boundaries) b.center += double(a.sweep_step.dt) * b.velocity;
    clock.lap(contacting);

    // order again before anybody can leave its block's arena
    const bool far = a.drift + 2 * a.last_move > a.plan.max_drift;
    if (substep > 0 && (far || a.strays > max_strays)) sort_again(a);
    clock.lap(sorting);

    // particles take velocities, move, and give momenta again
    const bool last = substep + 1 == a.plan.substeps;
    if (a.work.sheets.empty())
      sweep(a, last ? Pass::gather : Pass::gather_scatter, substep);
    else
      sweep_with_cloth(a, substep, clock);
    clock.lap(a.work.sweep.times());
  }

  finish(a);
  clock.lap(balancing);
}

// Forces that no pressure balances push particles of a liquid about by g dt^2. Over many small steps that is nothing,
// in a large one it would boil: what turns within a particle is forgotten, as PIC does.
template <class S>
void calm_liquids(Attempt<3, S>& a) {
  for (std::size_t g = 0; g < a.model.groups.size(); ++g)
    if (info(a.model.materials[g].law).resists_only_pressure)
      for (std::size_t i = a.model.groups[g].begin; i < a.model.groups[g].end; ++i)
        std::fill_n(a.next.particles.rates[i].C, 9, S(0));
}

// the step in one implicit solve
template <int D, class S>
void attempt_strong(Attempt<D, S>& a) {
  if constexpr (D == 3) {
    prepare(a);
    Clock clock(a.report);
    const StepOptions& o = a.model.scene.step;
    const double dt = a.part.dt;

    // order the particles, scatter their momenta without stress
    sort_into_next(a);
    calm_liquids(a);
    clock.lap(sorting);
    a.sweep_step.dt = 0;
    sweep(a, Pass::scatter, 0);
    a.sweep_step.dt = S(dt);
    a.sweep_step.most_cells = most_cells_in_strong_step;
    a.sweep_step.large = true;
    a.drift = 0;
    clock.lap(a.work.sweep.times());

    // velocities with gravity; boundaries that stick keep theirs, the others are part of the solve
    if (a.work.paths) a.work.paths->move_to(0);
    a.grid_step.solved = true;
    a.work.grid.update(a.work.layout, a.grid_step, a.work.workers, a.work.impulses);
    relieve_crowding({a.model.materials, dt, o.cell}, a.work.layout, a.work.grid, a.next.particles.points,
                     a.work.workers);
    a.work.strong->boundaries().set_dt(dt);
    a.work.strong->boundaries().find(a.work.layout, a.work.grid, a.grid_step, a.now.held);
    a.work.grid.weigh_down(a.work.layout, a.grid_step, a.work.workers);
    clock.lap(gridding);

    // elasticity, contact and bodies
    const auto& points = a.next.particles.points;
    const double fall = norm(Vec{{o.gravity[0], o.gravity[1], o.gravity[2]}}) * dt;
    // bodies may come closer than their present velocities say
    const SearchReach reach = {0, std::sqrt(3.0) * a.now.max_speed + fall, dt, o.cell, 0.1 * o.cell};
    a.work.strong_actuations.assign(a.model.groups.size(), Matrix<double, 3>::zero());
    for (std::size_t g = 0; g < a.now.actuations.size(); ++g)
      std::copy(a.now.actuations[g].begin(), a.now.actuations[g].end(), a.work.strong_actuations[g].a);
    a.work.strong->set_warm_start(a.now.warm);
    a.work.strong->set_may_be_cut(a.part.may_be_cut);
    a.work.strong->run({a.work.layout, a.work.grid, points, reach, a.now.time},
                       {a.work.layout,
                        a.work.grid,
                        points,
                        a.next.particles.rates,
                        a.model.materials,
                        a.work.strong_actuations,
                        o.kernel,
                        o.transfer,
                        dt,
                        o.cell,
                        {o.mass_damping, o.stiffness_damping},
                        o.exact_rotation,
                        o.plastic_flow},
                       a.work.bodies, a.work.workers);
    a.next.warm = a.work.strong->warm_start();
    a.work.strong->boundaries().remember(a.work.layout, a.next.held);
    a.work.strong->boundaries().add_impulses(a.work.impulses);
    a.work.grid.take_load(a.work.layout, a.grid_step, a.work.impulses);
    for (BoundaryMotion& b : a.next.boundaries) b.center += dt * b.velocity;
    clock.lap(contacting);

    // particles take velocities and move
    sweep(a, Pass::gather, 0);
    clock.lap(a.work.sweep.times());
    finish(a);
    clock.lap(balancing);
  }
}

}  // namespace

template <int D, class S>
void step(const Model<S>& model, const StepPart& part, const State<D, S>& now, State<D, S>& next, Workspace<D, S>& work,
          StepReport& report) {
  const StepOptions& o = model.scene.step;
  if (work.strong) {
    Attempt<D, S> a = {model, part, now, next, work, report, {1, 1.0, 1}, {}, {}};
    attempt_strong(a);
    return;
  }
  const bool automatic = o.substeps == 0;
  Plan plan = make_plan(model, now, work.sheets.pin_speed(part.dt));
  for (int retry = 0;; ++retry) {
    try {
      Attempt<D, S> a = {model, part, now, next, work, report, plan, {}, {}};
      attempt(a);
      break;
    } catch (const Error& error) {
      // once with sorting in every substep, then with more and more substeps
      if (error.code() != ErrorCode::too_fast) throw;
      if (retry == 0)
        plan.max_drift = 0;
      else if (automatic && 2 * plan.substeps <= o.max_substeps)
        plan.substeps *= 2;
      else
        throw;
      plan = plan_with(model, plan.substeps, plan.max_drift);
    }
  }
  if (automatic && plan.max_drift == 0)
    report.warnings.push_back(
        fmt::format("matter sped up within the step; it was repeated with {} substeps", plan.substeps));
}

template void step(const Model<float>&, const StepPart&, const State<2, float>&, State<2, float>&, Workspace<2, float>&,
                   StepReport&);
template void step(const Model<float>&, const StepPart&, const State<3, float>&, State<3, float>&, Workspace<3, float>&,
                   StepReport&);
template void step(const Model<double>&, const StepPart&, const State<2, double>&, State<2, double>&,
                   Workspace<2, double>&, StepReport&);
template void step(const Model<double>&, const StepPart&, const State<3, double>&, State<3, double>&,
                   Workspace<3, double>&, StepReport&);

}  // namespace pliant

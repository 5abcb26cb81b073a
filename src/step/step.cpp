// The table of contents of a step: plan, parts, method, retry. README.md has the way from here to every formula.
#include "step/step.h"

#include "contact/boundary_sides.h"
#include "step/body_pace.h"
#include "step/part.h"
#include "step/report.h"
#include "step/retry.h"
#include "step/touching.h"

namespace pliant::step {
namespace {

// boundaries with the velocities that bring those of a motion to their targets at the end of the part
template <int D, class S>
void aim_boundaries(StepPart<D, S>& p) {
  p.next.boundaries = p.now.boundaries;
  for (std::size_t k = 0; k < p.next.boundaries.size(); ++k)
    p.next.boundaries[k].velocity = p.inputs.boundary_velocities[k];
  for (const BoundaryTrack& track : p.model.boundary_motions) {
    BoundaryMotion& b = p.next.boundaries[track.boundary];
    const MotionSample aim = sample_motion(track.motion, p.now.time + p.dt);
    for (int d = 0; d < 3; ++d) b.velocity[d] = (aim.value[std::size_t(d)] - b.center[d]) / p.dt;
  }
  place_boundaries(p.model.boundaries, p.next.boundaries, p.now.time, p.work.paths);
}

// who is moved by the scene; the bodies on their way
template <int D, class S>
void begin_part(StepPart<D, S>& p) {
  if (p.work.bodies) p.work.bodies->begin(p.now.time, p.now.holds);
  aim_boundaries(p);
  p.model.pins.aim(p.now.time, p.dt, p.work.sheets.pins());
  p.next.time = p.now.time + p.dt;
  p.next.steps = p.now.steps + 1;
  p.next.holds = p.now.holds;
}

// the bodies, and what matter did to them
template <int D, class S>
void end_part(StepPart<D, S>& p) {
  if (!p.is_first) add_part(p.outcome.report, p.report);
  p.outcome.geom_poses.clear();
  if (p.model.particle_count() > 0)
    for (const GeomPath& path : p.work.paths) p.outcome.geom_poses.push_back(path.before);
  if (!p.work.bodies) return;
  const BodyContacts<S>* contacts = p.model.particle_count() > 0 ? p.work.contacts() : nullptr;
  p.work.bodies->finish(contacts ? contacts->impulses() : std::span<const GeomImpulse>(), p.next.holds, p.outcome);
  p.work.bodies->save_to(p.next.bodies);
}

// for the plan of explicit substeps; where bodies that are obstacles will be is not known yet
template <int D, class S>
void may_touch(const Model<S>& model, const State<D, S>& now, Workspace<D, S>& work) {
  if (work.obstacles().empty())
    find_touching(model, now, {}, work.planning.touching);
  else
    work.planning.touching.assign(model.groups.size(), 1);
}

template <int D, class S>
void begin_step(const Inputs& inputs, const State<D, S>& now, const Plan& plan, Outcome& outcome,
                Workspace<D, S>& work) {
  clear(outcome, work.bodies ? work.bodies->bodies().body_count() : 0, now.boundaries.size());
  outcome.plan = plan;
  if (work.bodies) work.bodies->start(now.bodies, inputs, plan.parts);
}

template <int D, class S>
void end_step(const Model<S>& model, const State<D, S>& now, State<D, S>& next, Outcome& outcome,
              Workspace<D, S>& work) {
  next.time = outcome.report.time = now.time + model.scene.step.dt;
  next.steps = now.steps + 1;
  if (outcome.plan.shaken_body >= 0)
    outcome.report.warnings.push_back(too_light(model.bodies, outcome.plan.shaken_body));
  if (work.bodies)
    for (std::string& w : work.bodies->bodies().take_warnings()) outcome.report.warnings.push_back(std::move(w));
}

template <int D, class S>
void run_parts(const Model<S>& model, const Inputs& inputs, const State<D, S>& now, State<D, S>& next, Outcome& outcome,
               Workspace<D, S>& work, bool may_be_cut) {
  const StepOptions& o = model.scene.step;
  const Plan& plan = outcome.plan;
  const State<D, S>* from = &now;
  for (int k = 0; k < plan.parts; ++k) {
    // the last part ends in `next`; what the later ones report is added to what the first one does
    State<D, S>& to = (plan.parts - k) % 2 == 1 ? next : work.between;
    StepReport& report = k == 0 ? outcome.report : work.part_report;
    StepPart<D, S> part = {model,  inputs,    *from, to, outcome, report, work, plan, o.dt / plan.parts,
                           k == 0, may_be_cut};
    begin_part(part);
    if (model.particle_count() > 0) o.method == Method::strong ? strong_step(part) : explicit_step(part);
    end_part(part);
    from = &to;
  }
}

}  // namespace

template <int D, class S>
void step(const Model<S>& model, const Inputs& inputs, const State<D, S>& now, State<D, S>& next, Outcome& outcome,
          Workspace<D, S>& work) {
  const StepOptions& o = model.scene.step;
  work.budget.begin(o.budget, now.time);
  work.own_moduli = own_moduli(model, inputs, std::move(work.own_moduli));
  work.planning.own_waves = work.own_moduli ? &work.own_moduli->waves : nullptr;
  Retry<S> retry(model);
  may_touch(model, now, work);
  for (Plan plan = work.given_plan ? *work.given_plan : make_plan(model, now, work.planning);;) {
    try {
      begin_step(inputs, now, plan, outcome, work);
      run_parts(model, inputs, now, next, outcome, work, retry.may_be_cut(plan));
      if (const auto more = work.given_plan ? std::nullopt : with_pace_of(model, next, plan, work.planning)) {
        plan = *more;
        continue;
      }
      end_step(model, now, next, outcome, work);
      retry.tell(plan, outcome.report);
      return;
    } catch (const Error& error) {
      if (work.given_plan) throw;
      plan = retry.after(error, plan);
    }
  }
}

template void step(const Model<float>&, const Inputs&, const State<2, float>&, State<2, float>&, Outcome&,
                   Workspace<2, float>&);
template void step(const Model<float>&, const Inputs&, const State<3, float>&, State<3, float>&, Outcome&,
                   Workspace<3, float>&);
template void step(const Model<double>&, const Inputs&, const State<2, double>&, State<2, double>&, Outcome&,
                   Workspace<2, double>&);
template void step(const Model<double>&, const Inputs&, const State<3, double>&, State<3, double>&, Outcome&,
                   Workspace<3, double>&);

}  // namespace pliant::step

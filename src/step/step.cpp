// The table of contents of a step: plan, parts, method, retry. README.md has the way from here to every formula.
#include "step/step.h"

#include "step/part.h"
#include "step/report.h"
#include "step/retry.h"

namespace pliant {
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
}

// matter and bodies over one part of the step
template <int D, class S>
void take_part(StepPart<D, S>& p) {
  // who is moved by the scene
  BodyStepper* bodies = p.work.bodies.get();
  if (bodies) bodies->begin(p.now.time, p.now.holds);
  aim_boundaries(p);
  p.model.pins.aim(p.now.time, p.dt, p.work.sheets.pins());
  p.next.time = p.now.time + p.dt;
  p.next.steps = p.now.steps + 1;

  // matter
  if (p.model.particle_count() == 0)
    clear(p.report);
  else if (p.model.scene.step.method == Method::strong)
    strong_step(p);
  else
    explicit_step(p);

  // bodies, and what matter did to them
  p.next.holds = p.now.holds;
  if (!bodies) return;
  const ContactSet<S>* contacts = p.model.particle_count() > 0 ? p.work.contacts() : nullptr;
  bodies->finish(contacts ? contacts->impulses() : std::span<const GeomImpulse>(), p.next.holds, p.outcome);
  bodies->bodies().save_to(p.next.bodies);
}

template <int D, class S>
void take_parts(const StepPart<D, S>& whole) {
  Workspace<D, S>& work = whole.work;
  Outcome& outcome = whole.outcome;
  const int parts = whole.plan.parts;
  clear(outcome, work.bodies ? work.bodies->bodies().body_count() : 0);
  if (work.bodies) work.bodies->start(whole.now.bodies, whole.inputs, parts);
  const State<D, S>* now = &whole.now;
  for (int k = 0; k < parts; ++k) {
    // the last part ends in `next`; reports of the later ones are added to that of the first
    State<D, S>& to = (parts - k) % 2 == 1 ? whole.next : work.between;
    StepReport& report = k == 0 ? outcome.report : work.part_report;
    StepPart<D, S> part = {whole.model, whole.inputs, *now,       to,     outcome,          report,
                       whole.work,  whole.plan,   whole.dt / parts, k == 0, whole.may_be_cut};
    take_part(part);
    if (k > 0) add_part(outcome.report, report);
    now = &to;
  }
  whole.next.time = outcome.report.time = whole.now.time + whole.dt;
  whole.next.steps = whole.now.steps + 1;
  outcome.plan = whole.plan;
}

}  // namespace

template <int D, class S>
void step(const Model<S>& model, const Inputs& inputs, const State<D, S>& now, State<D, S>& next, Outcome& outcome,
          Workspace<D, S>& work) {
  work.budget.begin(model.scene.step.budget, now.time);
  Plan plan = make_plan(model, now);
  Retry<S> retry(model);
  for (;;) {
    try {
      take_parts<D, S>({model, inputs, now, next, outcome, outcome.report, work, plan, model.scene.step.dt, true,
                        retry.may_be_cut(plan)});
      break;
    } catch (const Error& error) {
      plan = retry.after(error, plan);
    }
  }
  retry.tell(plan, outcome.report);
  if (work.bodies)
    for (std::string& w : work.bodies->bodies().take_warnings()) outcome.report.warnings.push_back(std::move(w));
}

template void step(const Model<float>&, const Inputs&, const State<2, float>&, State<2, float>&, Outcome&,
                   Workspace<2, float>&);
template void step(const Model<float>&, const Inputs&, const State<3, float>&, State<3, float>&, Outcome&,
                   Workspace<3, float>&);
template void step(const Model<double>&, const Inputs&, const State<2, double>&, State<2, double>&, Outcome&,
                   Workspace<2, double>&);
template void step(const Model<double>&, const Inputs&, const State<3, double>&, State<3, double>&, Outcome&,
                   Workspace<3, double>&);

}  // namespace pliant

#include "step/plan.h"

#include "core/error.h"
#include "material/law_info.h"
#include "step/touching.h"

#include <algorithm>
#include <cmath>

namespace pliant::step {
namespace {

// Of the limit of inner steps, cell / (speed of inner waves): that limit is for meshes up to the size of a cell, where
// it is reached by squeezed layers, and 0.9 of it at 1.5 cells (tests/step/cloth_inner_test.cpp).
constexpr double safe_part = 0.68;

// smallest value of the plastic number, which for hardening laws sets the wave speed
template <int D, class S>
double smallest_plastic(const Group& group, const State<D, S>& state) {
  double least = state.particles.points[group.begin].plastic;
  for (std::size_t i = group.begin; i < group.end; ++i)
    least = std::min(least, double(state.particles.points[i].plastic));
  return least;
}

// Automatic substeps are short enough for waves. The compact kernel has two grids; its cloth is stepped with all other
// matter.
template <class S>
bool has_inner_steps(const Model<S>& model) {
  const StepOptions& o = model.scene.step;
  return !model.sheets.empty() && o.substeps > 0 && o.kernel != Kernel::compact;
}

// With the kernel hinges are at least twice as slow as bending_rate says, up to meshes of 2 cells; not all of that.
constexpr double smoothed_bending = 0.625;

// inner steps per second that the sheets need, and how often their hinges must act
struct InnerRates {
  double wave = 0, bend = 0;
};

template <class S>
InnerRates inner_rates(const Model<S>& model) {
  const StepOptions& o = model.scene.step;
  InnerRates rates;
  for (const ModelSheet<S>& s : model.sheets) {
    const Material& material = model.materials[s.matter];
    const double crossing = inner_wave_speed(material) / o.cell;
    rates.wave = std::max(rates.wave, crossing / safe_part);
    const double bend = smoothed_bending * bending_rate(s.sheet, model.scene.matter[s.matter], material);
    rates.bend = std::max(rates.bend, bend);
  }
  return rates;
}

template <int D, class S>
double needed_substeps(const Model<S>& model, const State<D, S>& now, const PlanWork& work, double speed) {
  const StepOptions& o = model.scene.step;
  double needed = 1;
  for (std::size_t g = 0; g < model.groups.size(); ++g) {
    const Material& material = model.materials[g];
    const double plastic = info(material.law).hardens ? smallest_plastic(model.groups[g], now) : 0;
    const double own = work.own_waves ? (*work.own_waves)[g] : 0, wave = std::max(own, sound_speed(material, plastic));
    needed = std::max(needed, o.dt * (wave + speed) / (o.courant * o.cell));
    if (work.touching[g])
      needed = std::max(needed, o.dt / longest_with_loss(material, model.loss_viscosities[g], o.cell));
    // explicit diffusion of momentum is stable below h^2 / (2 D nu)
    needed = std::max(needed, o.dt * 2 * D * momentum_diffusivity(material) / (o.courant * o.cell * o.cell));
  }
  for (const ModelSheet<S>& s : model.sheets) {
    const double rate = bending_rate(s.sheet, model.scene.matter[s.matter], model.materials[s.matter]);
    needed = std::max(needed, o.dt * rate / o.courant);
  }
  return needed;
}

// Each transfer smooths velocities within a cell: a drag on contacts that move along matter, which takes energy from balls that
// roll, more of it the shorter the substeps are (resistance 0.0041 of the load without windows, 0.0011 with 128 substeps in
// each; r/h 9). So where matter that lasts touches and turns, one transfer serves several substeps, until somebody may
// have gone this far. What does not turn needs none, and comes to rest the sooner without. Sand that moves has them too: to
// flow through a slot of some cells it must shear within a cell, which a transfer in every substep holds up as if it stuck.
constexpr int longest_window = 128;      // substeps
constexpr double longest_way = 0.25;     // cells
constexpr double changing_way = 0.0025;  // cells in a step, by turning or flowing: for each substep of a window

// m/s, of the surface of a ball that turns as the piece does, and has its second moments
template <int D, class S>
double turning_speed(const Group& group, const State<D, S>& now) {
  double mass = 0, square = 0;
  Vec middle = Vec::zero(), spin = Vec::zero();
  for (std::size_t i = group.begin; i < group.end; ++i) {
    const Point<D, S>& p = now.particles.points[i];
    const S* C = now.particles.velocities[i].C;
    const double m = double(p.mass);
    mass += m;
    for (int d = 0; d < 3; ++d) {
      const double x = double(p.x[d]);
      middle[d] += m * x;
      square += m * x * x;
      const int e = (d + 1) % 3, f = (d + 2) % 3;
      spin[d] += 0.5 * m * (double(C[3 * f + e]) - double(C[3 * e + f]));
    }
  }
  const double spread = std::max(0.0, square / mass - dot(middle, middle) / (mass * mass));
  return norm(spin) / mass * std::sqrt(5.0 / 3 * spread);
}

template <int D, class S>
int window_of(const Model<S>& model, const State<D, S>& now, const Plan& plan, double speed) {
  const StepOptions& o = model.scene.step;
  if constexpr (D == 3) {
    if (o.method != Method::async || now.contacts.empty() || !model.sheets.empty()) return 1;
    double changing = 0;
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
      const Material& material = model.materials[g];
      const bool flows = info(material.law).flows_in_windows;
      if (!flows && !info(material.law).lasts(material)) return 1;
      changing = std::max(changing, flows ? speed : turning_speed(model.groups[g], now));
    }
    const double way = speed * o.dt / (plan.substeps * plan.parts * o.cell), changed = changing * o.dt / o.cell;
    return std::clamp(int(std::min(changed / changing_way, longest_way / std::max(way, 1e-6))), 1, longest_window);
  }
  return 1;
}

}  // namespace

template <class S>
Plan plan_with(const Model<S>& model, int substeps, double max_drift) {
  if (!has_inner_steps(model)) return {substeps, max_drift};
  const StepOptions& o = model.scene.step;
  const InnerRates rates = inner_rates(model);
  const double steps = o.dt * std::max(rates.wave, rates.bend);
  if (!(steps <= o.max_substeps))
    fail(
        ErrorCode::too_fast,
        "step of {} s needs {:.0f} inner steps for its cloth, more than max_substeps = {}; reduce dt, use larger cells "
        "or softer cloth, or raise max_substeps",
        o.dt, std::ceil(steps), o.max_substeps);
  const auto in_each = [&](double count) { return std::max(1, int(std::ceil(count / substeps))); };
  return {substeps, max_drift, in_each(steps), in_each(o.dt * rates.bend)};
}

template <int D, class S>
Plan make_plan(const Model<S>& model, const State<D, S>& now, PlanWork& work) {
  const StepOptions& o = model.scene.step;
  if (o.method == Method::strong || model.particle_count() == 0) return {};
  if (o.substeps > 0) return plan_with(model, o.substeps, 1.0);
  const double speed = std::max(now.max_speed, model.pins.speed(now.time, o.dt)),
               needed = needed_substeps(model, now, work, speed);
  if (!(needed <= o.max_substeps))
    fail(ErrorCode::too_fast,
         "step of {} s needs {:.0f} substeps for its stiffest material and fastest particle ({:.4g} m/s), more than "
         "max_substeps = {}; reduce dt, use larger cells or softer material, or raise max_substeps",
         o.dt, std::ceil(needed), speed, o.max_substeps);
  Plan plan = plan_with(model, int(std::ceil(needed)), 1.0);
  plan = with_pace_of(model, now, plan, work).value_or(plan);
  plan.window = window_of(model, now, plan, speed);
  return plan;
}

template <int D, class S>
std::optional<Plan> with_pace_of(const Model<S>& model, const State<D, S>& state, Plan plan, PlanWork& work) {
  const StepOptions& o = model.scene.step;
  if (o.method != Method::async || o.substeps > 0 || model.particle_count() == 0) return {};
  const int substeps = plan.substeps * plan.parts;
  const BodyPace pace = body_pace(model, state, substeps, work.pace);
  if (pace.parts < 2 * plan.parts) return {};
  plan = plan_with(model, (substeps + pace.parts - 1) / pace.parts, plan.max_drift);
  plan.parts = pace.parts;
  if (pace.quality > bad_pace) plan.shaken_body = pace.body;
  return plan;
}

template Plan plan_with(const Model<float>&, int, double);
template Plan plan_with(const Model<double>&, int, double);
template Plan make_plan(const Model<float>&, const State<2, float>&, PlanWork&);
template Plan make_plan(const Model<float>&, const State<3, float>&, PlanWork&);
template Plan make_plan(const Model<double>&, const State<2, double>&, PlanWork&);
template Plan make_plan(const Model<double>&, const State<3, double>&, PlanWork&);

template std::optional<Plan> with_pace_of(const Model<float>&, const State<2, float>&, Plan, PlanWork&);
template std::optional<Plan> with_pace_of(const Model<float>&, const State<3, float>&, Plan, PlanWork&);
template std::optional<Plan> with_pace_of(const Model<double>&, const State<2, double>&, Plan, PlanWork&);
template std::optional<Plan> with_pace_of(const Model<double>&, const State<3, double>&, Plan, PlanWork&);

}  // namespace pliant::step

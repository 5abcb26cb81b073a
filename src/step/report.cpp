#include "step/report.h"

#include "step/stage_clock.h"

#include <algorithm>
#include <utility>

namespace pliant::step {
namespace {

using Impulses = std::vector<std::array<double, 3>>;

void add(std::array<double, 3>& sum, const std::array<double, 3>& more) {
  for (std::size_t d = 0; d < 3; ++d) sum[d] += more[d];
}

void add(Impulses& sums, const Impulses& more) {
  for (std::size_t i = 0; i < sums.size(); ++i) add(sums[i], more[i]);
}

}  // namespace

void clear(StepReport& report) {
  StepReport fresh;
  std::swap(fresh.stages, report.stages);
  std::swap(fresh.boundary_impulses, report.boundary_impulses);
  std::swap(fresh.body_impulses, report.body_impulses);
  std::swap(fresh.pin_impulses, report.pin_impulses);
  fresh.before = report.before;
  report = std::move(fresh);
  report.stages.clear();
  for (const char* name : stage_names) report.stages.push_back({name, 0});
  report.boundary_impulses.clear();
  report.body_impulses.clear();
  report.pin_impulses.clear();
}

void clear(Outcome& outcome, std::size_t bodies, std::size_t boundaries) {
  clear(outcome.report);
  outcome.contacts.clear();
  outcome.wrenches.assign(bodies, Wrench{});
  outcome.boundary_wrenches.assign(boundaries, Wrench{});
  outcome.geom_poses.clear();
}

void add_part(StepReport& whole, const StepReport& part) {
  const int substeps = whole.substeps + part.substeps;
  const auto mean = [&](double a, double b) { return (whole.substeps * a + part.substeps * b) / substeps; };
  whole.strays = mean(whole.strays, part.strays);
  whole.contacts = mean(whole.contacts, part.contacts);
  whole.substeps = substeps;
  whole.time = part.time;
  whole.sorts += part.sorts;
  whole.max_speed = std::max(whole.max_speed, part.max_speed);
  whole.blocks = part.blocks;
  whole.most_contacts = std::max(whole.most_contacts, part.most_contacts);
  whole.iterations += part.iterations;
  whole.linear_iterations += part.linear_iterations;
  whole.residual = std::max(whole.residual, part.residual);
  whole.cone_excess = std::max(whole.cone_excess, part.cone_excess);
  whole.signorini_residual = std::max(whole.signorini_residual, part.signorini_residual);
  whole.penetration = std::max(whole.penetration, part.penetration);
  whole.friction_dissipation += part.friction_dissipation;
  for (std::size_t i = 0; i < whole.stages.size(); ++i) whole.stages[i].seconds += part.stages[i].seconds;
  whole.after = part.after;
  add(whole.gravity_impulse, part.gravity_impulse);
  add(whole.boundary_impulses, part.boundary_impulses);
  add(whole.pin_impulses, part.pin_impulses);
  add(whole.body_impulses, part.body_impulses);
  whole.warnings.insert(whole.warnings.end(), part.warnings.begin(), part.warnings.end());
}

}  // namespace pliant::step

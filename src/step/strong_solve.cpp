#include "step/strong_solve.h"

#include "core/error.h"
#include "implicit/implicit_matter.h"
#include "step/bodies_in_step.h"
#include "step/lagged.h"

#include <algorithm>
#include <cmath>

namespace pliant::step {
namespace {

// A solve in which conjugate gradients reach their limit more often than this seldom ends well: parts are quicker.
constexpr int hard_iterations_before_cut = 2;
// one that has spent this part of the step's budget leaves too little for what comes after it
constexpr int solves_in_budget = 8;
// what round-off leaves is good if it is below this
constexpr double good_enough = 1e-6;

}  // namespace

template <class S>
StrongStep<S>::StrongStep(const Scene& scene, const std::vector<Material>& materials, const GeomPaths& paths)
    : body_contacts_(scene, materials, paths),
      boundary_contacts_(materials, scene.step.cell, scene.contact.radius == Contact::Radius::following),
      rows_(materials),
      implicit_(std::make_unique<ImplicitMatter>()) {
  options_.relative_tolerance = solver_tolerance(scene.step);
  options_.max_iterations = scene.step.max_iterations;
  most_before_cut_ = scene.step.budget / solves_in_budget;
}

template <class S>
StrongStep<S>::~StrongStep() = default;

template <class S>
void StrongStep<S>::check(const NewtonReport& report, double time) const {
  if (!report.finite)
    fail(ErrorCode::not_finite, "strong step at t = {:.6g} s: a velocity is not finite; use a smaller dt", time);
  if (report.converged || (report.stalled && report.residual < good_enough)) return;
  fail(ErrorCode::not_converged,
       "strong step at t = {:.6g} s with {} contacts: residual {:.3g} after {} iterations ({} linear), wanted {:.3g}; "
       "raise step.tolerance or step.max_iterations, or use a smaller dt",
       time, body_contacts_.range(contacts_).size(), report.residual, report.iterations, report.cg_iterations,
       options_.relative_tolerance);
}

template <class S>
void StrongStep<S>::solve(double time, BodyCost& bodies, Workers& workers) {
  MatterCost* const matter[] = {implicit_.get()};
  number_unknowns(matter, bodies, unknowns_);
  StrongProblem problem;
  problem.unknowns = &unknowns_;
  problem.matter = matter;
  problem.bodies = &bodies;
  problem.jacobians = body_contacts_.partners().jacobians();
  problem.safe_start = implicit_->inertial_velocity();
  problem.first_of_one_node = boundary_contacts_.range(contacts_).first;
  contacts_.view(problem);
  problem.mean = rows_.view();
  NewtonOptions options = options_;
  if (may_be_cut_) {
    options.max_hard_iterations = hard_iterations_before_cut;
    options.max_total_iterations = most_before_cut_;
  }
  Lagged lagged(*implicit_, contacts_, workers);
  for (bool again = true; again;) {
    const NewtonReport report = solve_newton(problem, options, workers, solver_, {v_.data(), v_.size()}, w_);
    body_contacts_.count(report.iterations, report.residual, report.cg_iterations);
    check(report, time);
    contacts_.take(solver_.system.u.data(), solver_.system.contact_gradient.data());
    again = lagged.refresh(v_.data());
  }
}

// What the solver has left over would be momentum from nothing: all of matter moves against it.
template <class S>
void StrongStep<S>::balance(Workers& workers) {
  NodeVector<double> left = 0;
  double mass = 0;
  for (std::size_t i = 0; i < v_.size(); ++i) {
    left += solver_.system.gradient.nodes[i];
    mass += implicit_->mass()[i];
  }
  const NodeVector<double> shift = left / NodeVector<double>(mass);
  workers.for_each(v_.size(), 1024, [&](std::size_t i) { v_[i] -= shift; });
  const ContactRange own = body_contacts_.range(contacts_);
  for (std::size_t c = own.first; c < own.last; ++c) {
    const ContactData& contact = contacts_[c];
    body_contacts_.exchange(c, contact.impulse, cross(contact.position + contact.shift, contact.impulse), contacts_);
  }
}

// what boundaries give to the nodes that stick to them: nothing else balances stresses and contacts there
template <class S>
void StrongStep<S>::load_fixed(Workers& workers) {
  const Bundles& bundles = implicit_->bundles();
  fixed_impulses_.resize(bundles.fixed_nodes());
  fixed_to_.resize(bundles.fixed_nodes());
  if (fixed_impulses_.empty()) return;
  for (const BoundaryNode& node : boundary_contacts_.nodes())
    if (node.sticks()) fixed_to_[std::size_t(bundles.fixed_node(node.number))] = node.solid;
  implicit_->hold_fixed(v_.data(), fixed_impulses_, workers);
  for (const Contacts::LeftOut& entry : contacts_.left_out()) {
    const std::int32_t fixed = bundles.fixed_node(entry.node);
    if (fixed < 0) continue;
    const Vec push = entry.weight * contacts_[entry.contact].impulse;
    fixed_impulses_[std::size_t(fixed)] -= NodeVector<double>::Vector{push[0], push[1], push[2], 0};
  }
}

template <class S>
void StrongStep<S>::remember_boundaries(const Layout<3, S>& layout, std::vector<BoundaryMemory>& memory) const {
  boundary_contacts_.remember(contacts_, layout, memory);
}

template <class S>
void StrongStep<S>::add_boundary_impulses(std::vector<Vec>& impulses) const {
  boundary_contacts_.add_impulses(contacts_, impulses);
  for (std::size_t i = 0; i < fixed_impulses_.size(); ++i)
    for (int d = 0; d < 3; ++d) impulses[fixed_to_[i]][d] += fixed_impulses_[i][d];
}

// the velocities that the nodes would have if the solve changed them as the last one did
template <class S>
void StrongStep<S>::start(const Layout<3, S>& layout) {
  const auto inertial = implicit_->inertial_velocity();
  v_.resize(inertial.size());
  std::copy(inertial.begin(), inertial.end(), v_.begin());
  for (const WarmSlot& warm : warm_) {
    const std::int32_t slot = layout.find_slot(warm.coord);
    if (slot < 0) continue;
    for (std::size_t n = 0; n < std::size_t(block_nodes<3>); ++n) {
      const std::int32_t i = implicit_->bundles().node(std::size_t(slot) * block_nodes<3> + n);
      if (i < 0) continue;
      const float* d = warm.change[n];
      v_[std::size_t(i)] += NodeVector<double>::Vector{double(d[0]), double(d[1]), double(d[2]), 0};
    }
  }
}

template <class S>
void StrongStep<S>::keep_start(const Layout<3, S>& layout) {
  const auto inertial = implicit_->inertial_velocity();
  const auto numbers = implicit_->bundles().numbers();
  warm_.clear();
  warm_of_slot_.assign(layout.slots.size(), -1);
  for (std::size_t i = 0; i < v_.size(); ++i) {
    const std::size_t slot = numbers[i] / block_nodes<3>, node = numbers[i] % block_nodes<3>;
    if (warm_of_slot_[slot] < 0) {
      warm_of_slot_[slot] = std::int32_t(warm_.size());
      WarmSlot empty = {};
      std::copy_n(layout.slots[slot].coord, 3, empty.coord);
      warm_.push_back(empty);
    }
    float* change = warm_[std::size_t(warm_of_slot_[slot])].change[node];
    for (int d = 0; d < 3; ++d) change[d] = float(v_[i][d] - inertial[i][d]);
  }
}

template <class S>
void StrongStep<S>::run(const MatterNow<S>& matter, const MatterStep<S>& step, Bodies* bodies, Workers& workers) {
  implicit_->begin(step, workers);
  SolvedNodes<S> unknowns(implicit_->bundles().unknowns(), matter.grid);
  contacts_.clear();
  body_contacts_.partners().solve_for(bodies);
  body_contacts_.detect(matter, unknowns, contacts_, workers);
  boundary_contacts_.add_to(contacts_, matter.grid, unknowns);
  start(matter.layout);
  rows_.move_to_end({matter, implicit_->bundles(), v_.data(), implicit_->inertial_velocity().data(), step.h},
                    body_contacts_.range(contacts_), body_contacts_.partners(), contacts_);
  if (bodies && bodies->dofs() > 0) {
    w_.assign(bodies->velocity(), bodies->velocity() + bodies->dofs());
    if (body_cost_)
      body_cost_->take(*bodies, step.dt);
    else
      body_cost_ = std::make_unique<BodiesInStep>(*bodies, step.dt);
    solve(matter.time, *body_cost_, workers);
  } else {
    w_.clear();
    NoBodies none;
    solve(matter.time, none, workers);
  }
  keep_start(matter.layout);
  load_fixed(workers);
  balance(workers);
  implicit_->write(std::span<const NodeVector<double>>(v_.data(), v_.size()), matter.grid);
  body_contacts_.remember(contacts_, matter.points);
}

template class StrongStep<float>;
template class StrongStep<double>;

}  // namespace pliant::step

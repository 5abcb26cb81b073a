#include "step/strong_solve.h"

#include "core/error.h"
#include "implicit/implicit_matter.h"
#include "step/bodies_in_step.h"

#include <algorithm>
#include <cmath>

namespace pliant::step {
namespace {

constexpr int max_refreshes = 3;
constexpr int max_turns = 20;
// sand that flows has new normal impulses in every step, and yields by the pressures of the solve before anyway
constexpr int refreshes_of_sand = 1;
constexpr double first_tolerance = 1e-3, tolerance_per_turn = 1e-2;
// A solve in which conjugate gradients reach their limit more often than this seldom ends well: parts are quicker.
constexpr int hard_iterations_before_cut = 2;
// what round-off leaves is good if it is below this
constexpr double good_enough = 1e-6;

}  // namespace

template <class S>
StrongStep<S>::StrongStep(const Scene& scene, const std::vector<Material>& materials, const GeomPaths& paths)
    : set_(scene, materials, paths),
      boundaries_(materials, scene.step.cell),
      implicit_(std::make_unique<ImplicitMatter>()) {
  options_.relative_tolerance = solver_tolerance(scene.step);
  options_.max_iterations = scene.step.max_iterations;
}

template <class S>
StrongStep<S>::~StrongStep() = default;

// its Jacobian is added to the others if it is new and can move
template <class S>
const typename StrongStep<S>::Touched& StrongStep<S>::touch(int body, const Bodies& bodies) {
  std::int32_t& at = touched_of_body_[std::size_t(body)];
  if (at >= 0) return touched_[std::size_t(at)];
  at = std::int32_t(touched_.size());
  const std::size_t dofs = std::size_t(bodies.dofs()), begin = jacobians_.size();
  Touched t = {-1, bodies.center_of_mass(body), Vec::zero(), Vec::zero()};
  jacobians_.resize(begin + 6 * dofs);
  double* rows = jacobians_.data() + begin;
  bodies.twist_jacobian(body, t.center, {rows, 6 * dofs});
  if (std::any_of(rows, rows + 6 * dofs, [](double j) { return j != 0; })) {
    t.number = std::int32_t(begin / (6 * dofs));
    for (int r = 0; r < 3; ++r)
      for (std::size_t j = 0; j < dofs; ++j) {
        t.velocity[r] += rows[std::size_t(r) * dofs + j] * bodies.velocity()[j];
        t.turning[r] += rows[std::size_t(3 + r) * dofs + j] * bodies.velocity()[j];
      }
  } else {
    jacobians_.resize(begin);
  }
  touched_.push_back(t);
  return touched_.back();
}

// rows of weights by the nodes of the implicit problem; Jacobians of the bodies that are touched and can move
template <class S>
void StrongStep<S>::gather_contacts(const Bodies* bodies) {
  const ContactProblem rows = set_.rows().problem();
  const std::span<const std::uint32_t> numbers = set_.rows().numbers();
  begins_.assign(1, 0);
  nodes_.clear();
  weights_.clear();
  bias_.clear();
  arm_.clear();
  body_.clear();
  jacobians_.clear();
  touched_.clear();
  if (bodies) touched_of_body_.assign(bodies->body_count(), -1);
  for (std::size_t c = 0; c < set_.size(); ++c) {
    const Vec& x = set_[c].found.position;
    Vec given = set_.path(c).velocity_at(x);
    for (std::size_t k = rows.begins[c]; k < rows.begins[c + 1]; ++k) {
      const std::int32_t node = implicit_->bundles().node(numbers[rows.nodes[k]]);
      if (node >= 0) {
        nodes_.push_back(std::uint32_t(node));
        weights_.push_back(rows.weights[k]);
      } else {
        given -= rows.weights[k] * rows.free_velocity[rows.nodes[k]];  // too light to take part, or fixed
      }
    }
    begins_.push_back(std::uint32_t(nodes_.size()));
    const Touched& t = touch(set_.path(c).geom.body, *bodies);
    arm_.push_back(x - t.center);
    body_.push_back(t.number);
    // the path's velocity is that of the joints, which is solved for, and what moves the body by hand, which is given
    if (t.number >= 0) given -= t.velocity + cross(t.turning, arm_.back());
    bias_.push_back(given);
  }
}

// one row of one node each, after those of the bodies
template <class S>
void StrongStep<S>::gather_boundaries() {
  if (boundaries_.size() == 0) return;
  const auto add_row = [&](const Vec& given) {
    begins_.push_back(std::uint32_t(nodes_.size()));
    bias_.push_back(given);
    arm_.push_back(Vec::zero());
    body_.push_back(-1);
  };
  while (bias_.size() < JoinedPotential::start_of_second(set_.size())) add_row(Vec::zero());
  for (std::size_t c = 0; c < boundaries_.size(); ++c) {
    const std::int32_t node = implicit_->bundles().node(boundaries_.number(c));
    if (node >= 0) {
      nodes_.push_back(std::uint32_t(node));
      weights_.push_back(1);
    }
    // a node that is too light to take part is at rest on its boundary
    add_row(node >= 0 ? boundaries_.velocity(c) : Vec::zero());
  }
}

template <class S>
void StrongStep<S>::check(const NewtonReport& report, double time) const {
  if (!report.finite)
    fail(ErrorCode::not_finite, "strong step at t = {:.6g} s: a velocity is not finite; use a smaller dt", time);
  if (report.converged || (report.stalled && report.residual < good_enough)) return;
  fail(ErrorCode::not_converged,
       "strong step at t = {:.6g} s with {} contacts: residual {:.3g} after {} iterations ({} linear), wanted {:.3g}; "
       "raise step.tolerance or step.max_iterations, or use a smaller dt",
       time, set_.size(), report.residual, report.iterations, report.cg_iterations, options_.relative_tolerance);
}

template <class S>
void StrongStep<S>::solve(double time, BodyCost& bodies, Workers& workers) {
  MatterCost* const matter[] = {implicit_.get()};
  number_unknowns(matter, bodies, unknowns_);
  StrongProblem problem;
  problem.unknowns = &unknowns_;
  problem.matter = matter;
  problem.bodies = &bodies;
  problem.begins = begins_;
  problem.nodes = nodes_;
  problem.weights = weights_;
  problem.bias = bias_;
  problem.body = body_;
  problem.arm = arm_;
  problem.jacobians = jacobians_;
  problem.safe_start = implicit_->inertial_velocity();
  const JoinedPotential potential(set_.potential(), boundaries_.potential());
  problem.potential = &potential;
  const std::size_t first_held = JoinedPotential::start_of_second(set_.size());
  problem.first_of_one_node = first_held;
  implicit_->update_lagged_rotation(v_.data(), workers);
  NewtonOptions options = options_;
  if (may_be_cut_) options.max_hard_iterations = hard_iterations_before_cut;
  const int refreshes = implicit_->yields_by_pressure() ? refreshes_of_sand : max_refreshes;
  // the first solves need not be better than the turn that they assume
  double rough = implicit_->turned() ? first_tolerance : 0;
  for (int refresh = 0, turn = 0;;) {
    options.relative_tolerance = std::max(options_.relative_tolerance, rough);
    const NewtonReport report = solve_newton(problem, options, workers, solver_, {v_.data(), v_.size()}, w_);
    set_.count(report.iterations, report.residual, report.cg_iterations);
    check(report, time);
    for (std::size_t c = 0; c < set_.size(); ++c)
      set_.take(c, solver_.system.contact_velocity(c), solver_.system.impulse(c));
    for (std::size_t c = 0; c < boundaries_.size(); ++c)
      boundaries_.take(c, solver_.system.contact_velocity(first_held + c), solver_.system.impulse(first_held + c));
    // where round-off stops a solve the turn is as good as it gets
    const bool settled = report.iterations == 0 || report.stalled;
    const bool turned = implicit_->turned() && !(rough <= options_.relative_tolerance && settled);
    if (turned && turn++ == max_turns)
      fail(ErrorCode::not_converged,
           "strong step at t = {:.6g} s: the rotation of matter is not found after {} solves; use a smaller dt, or "
           "'exact_rotation: false'",
           time, max_turns);
    if (turned) implicit_->update_lagged_rotation(v_.data(), workers);
    rough *= tolerance_per_turn;
    const bool bodies_lag = set_.refresh_friction(), boundaries_lag = boundaries_.refresh_friction();
    const bool rubbed = refresh++ < refreshes && (bodies_lag || boundaries_lag);
    if (!turned && !rubbed) return;
    if (rubbed) implicit_->update_lagged_yield(v_.data(), workers);
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
  for (std::size_t c = 0; c < set_.size(); ++c)
    set_.exchange(c, set_[c].impulse, cross(set_[c].found.position, set_[c].impulse));
}

// what boundaries give to the nodes that stick to them: nothing else balances stresses and contacts there
template <class S>
void StrongStep<S>::load_fixed(Workers& workers) {
  const Bundles& bundles = implicit_->bundles();
  fixed_impulses_.resize(bundles.fixed_nodes());
  fixed_to_.resize(bundles.fixed_nodes());
  if (fixed_impulses_.empty()) return;
  for (const BoundaryNode& node : boundaries_.nodes())
    if (node.sticks()) fixed_to_[std::size_t(bundles.fixed_node(node.number))] = node.solid;
  implicit_->hold_fixed(v_.data(), fixed_impulses_, workers);
  const ContactProblem rows = set_.rows().problem();
  for (std::size_t c = 0; c < set_.size(); ++c)
    for (std::size_t k = rows.begins[c]; k < rows.begins[c + 1]; ++k) {
      const std::int32_t fixed = bundles.fixed_node(set_.rows().numbers()[rows.nodes[k]]);
      if (fixed < 0) continue;
      const Vec push = rows.weights[k] * set_[c].impulse;
      fixed_impulses_[std::size_t(fixed)] -= NodeVector<double>::Vector{push[0], push[1], push[2], 0};
    }
}

template <class S>
void StrongStep<S>::add_boundary_impulses(std::vector<Vec>& impulses) const {
  boundaries_.add_impulses(impulses);
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
  set_.detect(matter, workers);
  implicit_->begin(step, workers);
  gather_contacts(bodies);
  gather_boundaries();
  start(matter.layout);
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
  set_.remember(matter.reach.dt, matter.points.size());
}

template class StrongStep<float>;
template class StrongStep<double>;

}  // namespace pliant::step

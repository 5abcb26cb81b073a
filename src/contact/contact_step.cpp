#include "contact/contact_step.h"

#include "core/error.h"

#include <cmath>

namespace pliant::contact {
namespace {

constexpr int max_refreshes = 1;
// what round-off leaves is good if it is below this
constexpr double good_enough = 1e-6;

}  // namespace

template <class S>
ContactStep<S>::ContactStep(const Scene& scene, const std::vector<Material>& materials, const GeomPaths& paths)
    : bodies_(scene, materials, paths), cell_(scene.step.cell) {
  options_.relative_tolerance = solver_tolerance(scene.step);
  options_.max_iterations = scene.step.max_iterations;
}

template <class S>
ContactProblem ContactStep<S>::problem() {
  ContactProblem p = contacts_.problem();
  p.mass = nodes_.mass();
  p.free_velocity = nodes_.free_velocity();
  return p;
}

template <class S>
void ContactStep<S>::run(const MatterNow<S>& matter, Workers& workers) {
  nodes_.begin(matter.grid);
  contacts_.clear();
  bodies_.detect(matter, nodes_, contacts_, workers);
  if (contacts_.size() > 0) {
    start_from_memory(matter.reach.dt);
    for (int refresh = 0;; ++refresh) {
      const SolveReport report = solve_quasi_newton(problem(), options_, workers, solver_, velocity_);
      bodies_.count(report.iterations, report.residual);
      check(report, matter.time);
      contacts_.take(solver_.u.data(), solver_.contact_gradient.data());
      if (refresh == max_refreshes || !contacts_.refresh_friction()) break;
    }
    give_impulses(matter);
    bodies_.thin_balls(matter, contacts_);
  }
  bodies_.remember(contacts_, matter.points);
}

// the velocities that the impulses of the last substep would give
template <class S>
void ContactStep<S>::start_from_memory(double dt) {
  const ContactProblem p = problem();
  left_.assign(p.mass.size(), Lanes(0));
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    if (contacts_[c].remembered < 0) continue;
    const Vec impulse = dt * bodies_.last_force(contacts_[c]);
    const Lanes four = Lanes::Vector{impulse[0], impulse[1], impulse[2], 0};
    for (std::size_t k = p.begins[c]; k < p.begins[c + 1]; ++k) left_[p.nodes[k]] += Lanes(p.weights[k]) * four;
  }
  velocity_.resize(p.mass.size());
  for (std::size_t i = 0; i < p.mass.size(); ++i)
    velocity_[i] = p.free_velocity[i] + (1 / p.mass[i]) * Vec{{left_[i][0], left_[i][1], left_[i][2]}};
}

template <class S>
void ContactStep<S>::check(const SolveReport& report, double time) const {
  if (!report.finite)
    fail(ErrorCode::not_finite, "contact of {} particles at t = {:.6g} s: a velocity is not finite; use a smaller dt",
         contacts_.size(), time);
  if (report.converged || (report.stalled && report.residual < good_enough)) return;
  const Vec x = contacts_[0].position;
  fail(ErrorCode::not_converged,
       "contact of {} particles near ({:.4g}, {:.4g}, {:.4g}) m at t = {:.6g} s: residual {:.3g} after {} iterations, "
       "wanted {:.3g}; raise step.tolerance or step.max_iterations, or use a smaller dt",
       contacts_.size(), x[0], x[1], x[2], time, report.residual, report.iterations, options_.relative_tolerance);
}

// The solver stops at a tolerance, at velocities v. Nodes whose contacts all slip get what these give by their laws at v, and
// not v: friction is mu times the normal impulse in what is exchanged, too. Where one holds fast nodes get v, else what is
// left would shake its spring. The difference to what contacts give, there, and everywhere what a node's rounding leaves,
// goes to the node's contacts by their weights; so matter and bodies exchange momentum exactly.
template <class S>
void ContactStep<S>::give_impulses(const MatterNow<S>& matter) {
  const ContactProblem p = problem();
  const std::span<const std::uint32_t> numbers = nodes_.numbers();
  // what contacts take, and the weights of those who act
  left_.assign(p.mass.size(), Lanes(0));
  holds_.assign(p.mass.size(), 0);
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    if (!acts(c)) continue;
    const Vec& j = contacts_[c].impulse;
    for (std::uint32_t k = p.begins[c]; k < p.begins[c + 1]; ++k) {
      const double w = p.weights[k];
      holds_[p.nodes[k]] |= !contacts_[c].slips;
      left_[p.nodes[k]] += Lanes(Lanes::Vector{-w * j[0], -w * j[1], -w * j[2], std::fabs(w)});
    }
  }
  turned_.assign(p.mass.size(), Lanes(0));
  for (std::size_t i = 0; i < p.mass.size(); ++i) {
    const double share = left_[i][3];
    if (!(share > 0)) continue;
    Node<S>& node = matter.grid.node(numbers[i]);
    Vec rest;
    for (int d = 0; d < 3; ++d) {
      node.a[d] = S(holds_[i] ? velocity_[i][d] : p.free_velocity[i][d] - left_[i][d] / p.mass[i]);
      rest[d] = (left_[i][d] + p.mass[i] * (double(node.a[d]) - p.free_velocity[i][d])) / share;
    }
    const Vec turn = cross(matter.grid.position(matter.layout, numbers[i], cell_), rest);
    left_[i] = Lanes::Vector{rest[0], rest[1], rest[2], 0};
    turned_[i] = Lanes::Vector{turn[0], turn[1], turn[2], 0};
  }
  share_out(p);
}

template <class S>
void ContactStep<S>::share_out(const ContactProblem& p) {
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const Vec& j = contacts_[c].impulse;
    Lanes more = 0, turn = 0;
    for (std::uint32_t k = p.begins[c]; acts(c) && k < p.begins[c + 1]; ++k) {
      const Lanes share = std::fabs(p.weights[k]);
      more += share * left_[p.nodes[k]];
      turn += share * turned_[p.nodes[k]];
    }
    bodies_.exchange(c, j + Vec{{more[0], more[1], more[2]}},
                     cross(contacts_[c].position, j) + Vec{{turn[0], turn[1], turn[2]}}, contacts_);
  }
}

template class ContactStep<float>;
template class ContactStep<double>;

}  // namespace pliant::contact

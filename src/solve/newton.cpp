#include "solve/newton.h"

#include "solve/line_search.h"

#include <algorithm>
#include <cmath>

namespace pliant::solve {
namespace {

using Column = Eigen::VectorXd;

constexpr double line_tolerance = 1e-2;
// float conjugate gradients do not get further than the first; inside of contacts that change more is wasted
constexpr double least_forcing = 3e-5, forcing_in_contact = 0.05, most_forcing = 0.1;
constexpr double part_of_lag = 0.3;  // what following leaves of a change need not be solved for
constexpr double enough_decrease = 1e-4, enough_slope = 0.9, round_off = 1e-13;
// a step is made longer while this part of the slope is left
constexpr double steep = 0.5, longest_step = 1e3;
constexpr double short_step = 0.5;  // a straight one, after which a bent one is tried
constexpr int most_bends = 6, most_halvings = 30;
constexpr double poor_step = 0.2;  // of either kind, after which friction is taken as stiffer than it is
constexpr int iterations_majorized = 2;
// An iteration that leaves this part of the residual is slow: what was cut from the curvature of matter is missing.
constexpr double slow_part = 0.3;
constexpr int iterations_without_exact = 4;  // where it was found to be negative
// iterations without a better residual; where friction is held and the residual is above that of round-off, rounds
constexpr int patience = 25, rounds_of_patience = 400;
constexpr double round_off_residual = 1e-6;
// a residual like this after so many iterations: contacts give a billion times less than is missing, as in forged states
constexpr int iterations_of_hope = 10;
constexpr double hopeless = 1e9;
// Steps of no length in a row, after which friction of the present, a majorizer and the exact curvature have all been tried
// from the same place.
constexpr int most_idle = 12;

class StrongNewton {
 public:
  StrongNewton(const StrongProblem& problem, const NewtonOptions& options, Workers& workers, NewtonWork& work,
               std::span<NodeVector<double>> v, std::span<double> w);
  NewtonReport run();

 private:
  bool follow_matter();
  void evaluate(bool follow);
  System::Norms judge();
  System::Norms look_at_radius();
  void next_round();
  void take_better_start();
  bool improves(double gradient);
  bool find_direction(double forcing);
  void find_newton_direction(double forcing, bool& exact);
  double choose_forcing() const;
  void set_trial(double length);
  double value_at_trial();
  void take_trial(bool evaluated);
  double search_line();
  LineValue along(double length);
  bool decreases(double length, const LineValue& start);
  double lengthen(double length, const LineValue& start);
  double bend(double slope, double start, double straight);

  const StrongProblem& problem_;
  const NewtonOptions& options_;
  NewtonWork& work_;
  System system_;
  std::span<NodeVector<double>> v_;
  std::span<double> w_;
  NewtonReport report_;
  double value_ = 0, trial_value_ = 0;              // of matter
  double total_at_trial_ = 0, slope_at_trial_ = 0;  // of everything, after `decreases`
  double matter_slope_ = 0, matter_curvature_ = 0;  // along the direction
  double body_curvature_ = 0;
  bool trial_taken_ = false;  // v is the trial, at which matter has been evaluated
  double lag_ = 0;            // part of a change that comes back when matter follows
  FollowingRadius radius_;
  double best_ = std::numeric_limits<double>::infinity();
  int since_best_ = 0;
  int majorized_ = 0;  // iterations still to come in which friction that slips is taken as stiffer than it is
};

StrongNewton::StrongNewton(const StrongProblem& problem, const NewtonOptions& options, Workers& workers,
                           NewtonWork& work, std::span<NodeVector<double>> v, std::span<double> w)
    : problem_(problem),
      options_(options),
      work_(work),
      system_(problem, workers, work.system),
      v_(v),
      w_(w),
      radius_(problem.potential, work.radius) {
  for (auto* x : {&work_.direction, &work_.trial, &work_.trial_gradient}) x->resize(*problem.unknowns);
  work_.w = Eigen::Map<const Column>(w.data(), Eigen::Index(w.size()));
  work_.per_node.begin(problem);
}

// What matter takes as given of the motion becomes that of v. The start of a solve is not good enough for that.
bool StrongNewton::follow_matter() {
  if (!system_.follow_matter(v_.data())) return false;
  trial_taken_ = false;
  return true;
}

// gradients and Hessians at v and w
void StrongNewton::evaluate(bool follow) {
  const AskOfLaws ask = {majorized_ > 0, follow};
  if (trial_taken_) {
    value_ = trial_value_;
    system_.evaluate_rest(v_.data(), work_.w, work_.trial_gradient.nodes, ask);
  } else {
    value_ = system_.evaluate(v_.data(), work_.w, ask);
  }
  trial_taken_ = false;
}

// direction = -H^-1 gradient, nearly; false: H is not positive
bool StrongNewton::find_direction(double forcing) {
  const CgOptions options = {forcing, options_.max_cg_iterations, options_.budget, report_.residual};
  const CgReport cg = system_.solve<float>(work_.system.gradient, options, work_.direction);
  report_.cg_iterations += cg.iterations;
  system_.sums().each(v_.size(), [&](std::size_t i) { work_.direction.nodes[i] = -work_.direction.nodes[i]; });
  work_.direction.dofs = -work_.direction.dofs;
  return !cg.broken;
}

// With the exact curvature of matter where that is asked for and positive, otherwise with its positive part.
void StrongNewton::find_newton_direction(double forcing, bool& exact) {
  if (exact) {
    system_.use_exact_hessian(v_.data());
    exact = find_direction(forcing);
    if (exact) return;
    system_.linearise(v_.data());
  }
  find_direction(forcing);
}

double StrongNewton::choose_forcing() const {
  const double all = 0.3 * options_.relative_tolerance / report_.residual;
  const double wanted = system_.contacts() > 0 ? std::max(all, forcing_in_contact) : all;
  return std::clamp(std::max(wanted, part_of_lag * lag_), least_forcing, most_forcing);
}

void StrongNewton::set_trial(double length) {
  system_.sums().each(v_.size(), [&](std::size_t i) {
    work_.trial.nodes[i] = v_[i] + NodeVector<double>(length) * work_.direction.nodes[i];
  });
  work_.trial.dofs = work_.w + length * work_.direction.dofs;
}

// of everything
double StrongNewton::value_at_trial() {
  trial_value_ = system_.matter_value(work_.trial.nodes.data(), work_.trial_gradient.nodes.data());
  return trial_value_ + system_.body_value(work_.trial.dofs, work_.trial_gradient.dofs) +
         system_.contact_value(work_.trial.nodes.data(), work_.trial.dofs);
}

// evaluated: matter has been, there
void StrongNewton::take_trial(bool evaluated) {
  std::copy(work_.trial.nodes.begin(), work_.trial.nodes.end(), v_.begin());
  work_.w = work_.trial.dofs;
  std::copy(work_.w.begin(), work_.w.end(), w_.begin());
  trial_taken_ = evaluated;
  ++report_.iterations;
}

// A step along a path that starts in the direction and bends where nodes meet kinks of their contacts. Its trial stands
// if it is better than the straight step, which goes down by about half its length times the slope.
double StrongNewton::bend(double slope, double start, double straight) {
  for (double length = 1; length > straight && length > std::exp2(-most_bends); length *= 0.5) {
    set_trial(length);
    work_.per_node.bend(system_.laws(), system_.matter_blocks(), v_, work_.trial.nodes);
    if (value_at_trial() <= start + 0.5 * std::max(straight, 2 * enough_decrease * length) * slope) return length;
  }
  return 0;
}

// contacts and bodies, and matter by its quadratic model; the value is without matter
LineValue StrongNewton::along(double length) {
  LineValue l = system_.contacts_along(length);
  work_.trial.dofs = work_.w + length * work_.direction.dofs;
  l.value += system_.body_value(work_.trial.dofs, work_.trial_gradient.dofs);
  l.slope += work_.trial_gradient.dofs.dot(work_.direction.dofs) + matter_slope_ + length * matter_curvature_;
  l.curvature += body_curvature_ + matter_curvature_;
  return l;
}

// the true value falls by enough; where that is all round-off, the true slope does
bool StrongNewton::decreases(double length, const LineValue& start) {
  const LineValue rest = along(length);
  trial_value_ = system_.matter_value(work_.trial.nodes.data(), work_.trial_gradient.nodes.data());
  const double value = total_at_trial_ = trial_value_ + rest.value;
  const double slope = slope_at_trial_ =
      rest.slope - matter_slope_ - length * matter_curvature_ +
      system_.dot_nodes(work_.trial_gradient.nodes.data(), work_.direction.nodes.data());
  const double before = value_ + start.value, noise = round_off * (std::fabs(value_) + start.value);
  return value <= before + enough_decrease * length * start.slope + noise ||
         (value <= before + noise + system_.rounding() && std::fabs(slope) <= -enough_slope * start.slope);
}

// A step whose end is still steep was too short: what the positive part of the curvature adds can hold a whole solve
// back. The trial stands at the length that is given back.
double StrongNewton::lengthen(double length, const LineValue& start) {
  while (slope_at_trial_ < steep * start.slope && length < longest_step) {
    const double total = total_at_trial_;
    set_trial(2 * length);
    if (!decreases(2 * length, start) || !(total_at_trial_ < total)) {
      set_trial(length);
      decreases(length, start);
      return length;
    }
    length *= 2;
  }
  return length;
}

// moves v and w; the length, 0 if nothing is better
double StrongNewton::search_line() {
  const NodeVector<double>* direction = work_.direction.nodes.data();
  matter_slope_ = system_.dot_nodes(work_.system.matter_gradient.data(), direction);
  matter_curvature_ = std::max(0.0, system_.matter_curvature(direction));
  body_curvature_ = system_.body_curvature(work_.direction.dofs);
  system_.set_direction(direction, work_.direction.dofs);
  const LineValue start = along(0);
  if (!(start.slope < 0)) return 0;
  double length = minimise_along([&](double x) { return along(x); }, start, line_tolerance).length;
  if (length < short_step && !work_.per_node.empty())
    if (const double bent = bend(start.slope, value_ + start.value, length); bent > 0) {
      take_trial(true);
      return bent;
    }
  const bool quadratic = system_.quadratic();
  for (int trial = 0; trial < most_halvings && std::isfinite(length); ++trial, length *= 0.5) {
    set_trial(length);
    if (!quadratic && !decreases(length, start)) continue;
    if (!quadratic) length = lengthen(length, start);
    take_trial(!quadratic);
    return length;
  }
  return 0;
}

// a start that is so bad that any other may be better
void StrongNewton::take_better_start() {
  std::copy(v_.begin(), v_.end(), work_.trial.nodes.begin());
  work_.trial.dofs = work_.w;
  const double value = value_at_trial();
  std::copy(problem_.safe_start.begin(), problem_.safe_start.end(), work_.trial.nodes.begin());
  if (!(value_at_trial() < value)) return;
  std::copy(work_.trial.nodes.begin(), work_.trial.nodes.end(), v_.begin());
  trial_taken_ = true;
  system_.linearise(v_.data());
  evaluate(radius_.follows(0));
}

// at the last evaluate
System::Norms StrongNewton::judge() {
  const System::Norms norms = system_.measure(v_.data(), work_.w);
  const double scale = std::max(norms.momentum, norms.impulse);
  report_.finite = std::isfinite(norms.gradient) && std::isfinite(scale);
  report_.residual = scale > 0 ? norms.gradient / scale : 0;
  report_.converged =
      report_.finite && norms.gradient <= options_.absolute_tolerance + options_.relative_tolerance * scale;
  return norms;
}

// with friction of the present, where it is held
System::Norms StrongNewton::look_at_radius() {
  system_.evaluate_bodies_and_contacts(v_.data(), work_.w, {majorized_ > 0, true});
  return judge();
}

void StrongNewton::next_round() {
  radius_.next_round(report_.residual);
  system_.evaluate_bodies_and_contacts(v_.data(), work_.w, {majorized_ > 0, false});
  judge();
}

// round-off does not have the last word yet
bool StrongNewton::improves(double gradient) {
  since_best_ = gradient < 0.9 * best_ ? 0 : since_best_ + 1;
  best_ = std::min(best_, gradient);
  const bool patient = radius_.held() && !radius_.is_not_to_blame() && report_.residual > round_off_residual;
  return since_best_ <= (patient ? rounds_of_patience : patience);
}

NewtonReport StrongNewton::run() {
  system_.linearise(v_.data());
  const bool curved = !system_.quadratic();
  bool exact = false;
  int without_exact = 0, hard = 0, idle = 0;
  double length = 1;
  for (;;) {
    const double last = report_.residual;
    const bool followed = report_.iterations > 0 && follow_matter();
    evaluate(radius_.follows(report_.iterations));
    System::Norms norms = judge();
    if (report_.iterations == 0 && !problem_.safe_start.empty() &&
        norms.gradient > std::max(norms.momentum, norms.impulse)) {
      take_better_start();
      norms = judge();
    }
    if (report_.converged && report_.iterations == 0 && follow_matter()) {
      evaluate(radius_.follows(0));
      norms = judge();
    }
    lag_ = followed ? report_.residual / last : system_.lag();
    const bool looked = !radius_.held() || radius_.round_ends(report_.residual) || report_.converged || length == 0;
    if (radius_.held() && looked) norms = look_at_radius();
    if (report_.converged || !report_.finite || report_.iterations >= options_.max_iterations) return report_;
    if (looked && !improves(norms.gradient)) break;
    if (report_.iterations >= iterations_of_hope && report_.residual > hopeless) break;
    if (radius_.held() && looked) next_round();

    if (options_.budget) options_.budget->spend(report_.residual);
    const bool slow = report_.iterations > 0 && --without_exact < 0 && report_.residual > slow_part * last;
    const bool wants_exact = curved && (exact || slow);
    if (report_.iterations > 0 && curved) system_.linearise(v_.data());
    system_.precondition<float>();
    exact = wants_exact;
    const int linear = report_.cg_iterations;
    find_newton_direction(choose_forcing(), exact);
    if (report_.cg_iterations - linear >= options_.max_cg_iterations && ++hard > options_.max_hard_iterations) break;
    if (report_.iterations + report_.cg_iterations > options_.max_total_iterations) break;
    if (wants_exact && !exact) without_exact = iterations_without_exact;
    length = search_line();
    idle = length == 0 ? idle + 1 : 0;
    if (length == 0 && (!radius_.held() || idle > most_idle)) break;
    majorized_ = majorized_ > 0 ? majorized_ - 1 : length < poor_step ? iterations_majorized : 0;
  }
  if (radius_.held()) look_at_radius();
  report_.stalled = true;
  return report_;
}

}  // namespace

NewtonReport solve_newton(const StrongProblem& problem, const NewtonOptions& options, Workers& workers,
                          NewtonWork& work, std::span<NodeVector<double>> v, std::span<double> w) {
  return StrongNewton(problem, options, workers, work, v, w).run();
}

}  // namespace pliant::solve

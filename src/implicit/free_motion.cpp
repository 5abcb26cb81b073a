// Newton's method on the energy of the step. Directions come from conjugate gradients in float, gradients and energies
// in double: an inexact Newton method, and for quadratic energies a linear solve with refinement.

#include "implicit/implicit_matter.h"

namespace pliant {
namespace {

// float conjugate gradients do not get further than this
constexpr double least_forcing = 1e-5;
constexpr double most_forcing = 0.1;

// Armijo's part of the promised decrease, and the part of the slope that may be left where energies are all round-off
constexpr double enough_decrease = 1e-4, enough_slope = 0.9;
constexpr double round_off = 1e-10;
constexpr int max_trials = 40;
constexpr int max_turns = 50;
// An iteration that leaves this part of the residual is slow: the curvature that was cut away is what is missing. Where
// the exact curvature turns out negative it is not tried again for some iterations.
constexpr double slow = 0.3;
constexpr int iterations_without_exact = 4;
// a step is made longer while this part of the slope is left
constexpr double steep = 0.5, longest_step = 1e3;

// The part of the gradient that one inner solve may leave. What the residual will be measured by at the end is not yet
// known: the impulse shrinks as matter relaxes, the momentum hardly does.
double forcing(const MatterValue& at, double tolerance, bool quadratic) {
  const double all = 0.3 * tolerance * std::sqrt(at.momentum / at.gradient);
  const double wanted = quadratic ? all : max(all, min(most_forcing, std::sqrt(at.residual())));
  return min(max(wanted, least_forcing), most_forcing);
}

double dot(const Buffer<NodeVector<double>>& x, const Buffer<NodeVector<double>>& y, Workers& workers,
           Buffer<double>& pieces) {
  return sum_over_nodes(x.size(), workers, pieces, [&](std::size_t first, std::size_t last) {
    Pack<double, 4> sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += x[i] * y[i];
    return sum_of_lanes(sum);
  });
}

bool finite(const MatterValue& value) {
  return std::isfinite(value.energy) && std::isfinite(value.gradient) && std::isfinite(value.momentum);
}

}  // namespace

// direction = -A^-1 gradient, nearly
PcgReport ImplicitMatter::find_direction(const PcgOptions& options, Workers& workers) {
  const std::size_t n = nodes();
  right_.resize(n);
  direction_.resize(n);
  // floats have no room for very small or large momenta: the right side is scaled to a largest entry of about 1
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (int d = 0; d < 3; ++d) largest = max(largest, std::abs(gradient_[i][d]));
  const double scale = largest > 0 ? std::exp2(std::floor(std::log2(largest))) : 1;
  for (std::size_t i = 0; i < n; ++i) {
    const NodeVector<double> g = gradient_[i] * NodeVector<double>(-1 / scale);
    right_[i] = NodeVector<float>(__builtin_convertvector(g.v, VectorOf<float, 4>::type));
  }
  const auto product = [&](const NodeVector<float>* x, NodeVector<float>* y) { return operator_.apply(x, y, workers); };
  const PcgReport report =
      solve_pcg<float>(product, {{right_.data(), n}, {preconditioner_.data(), n}}, options, workers, pcg_);
  for (std::size_t i = 0; i < n; ++i)
    direction_[i] =
        NodeVector<double>(__builtin_convertvector(pcg_.x[i].v, VectorOf<double, 4>::type)) * NodeVector<double>(scale);
  return report;
}

// Goes along the direction until the energy is smaller by enough; v, its value and its gradient are then the new ones.
bool ImplicitMatter::search_line(MatterValue& at, std::span<NodeVector<double>> v, FreeMotionReport& report,
                                 Workers& workers) {
  const double slope = dot(gradient_, direction_, workers, pcg_.pieces);
  if (!(slope < 0)) return false;
  const MatterValue start = at;
  std::copy(v.begin(), v.end(), start_.begin());
  double length = 1;
  bool found = false;
  for (int trial = 0; trial < max_trials; ++trial) {
    for (std::size_t i = 0; i < v.size(); ++i) trial_[i] = start_[i] + length * direction_[i];
    const MatterValue value = evaluate(trial_.data(), trial_gradient_.data(), direction_.data(), workers);
    ++report.evaluations;
    const double noise = round_off * (start.size + value.size) + energy_noise_;
    const bool decreased = value.energy <= start.energy + enough_decrease * length * slope;
    const bool level = value.energy <= start.energy + noise && std::abs(value.slope) <= -enough_slope * slope;
    const bool good = finite(value) && (decreased || level);
    if (good && (!found || value.energy < at.energy)) {
      found = true;
      accept_trial(value, at, v);
      // still steep: the step was too short
      if (value.slope < steep * slope && length < longest_step) {
        length *= 2;
        continue;
      }
    }
    if (found) return true;
    // where the slope would be 0 if it were straight
    const double guess = value.slope > 0 ? slope / (slope - value.slope) : 0.5;
    length *= std::isfinite(guess) ? min(max(guess, 0.1), 0.5) : 0.1;
  }
  return found;
}

// Starts that no deformation makes bad: the inertial velocities, and one velocity for all. Takes the better one if it
// is better than v.
void ImplicitMatter::find_better_start(MatterValue& at, std::span<NodeVector<double>> v, FreeMotionReport& report,
                                       Workers& workers) {
  NodeVector<double> momentum = 0;
  double all = 0;
  for (std::size_t i = 0; i < nodes(); ++i) {
    momentum += mass()[i] * inertial_velocity()[i];
    all += mass()[i];
  }
  for (bool uniform : {false, true}) {
    for (std::size_t i = 0; i < nodes(); ++i)
      trial_[i] = uniform ? momentum * NodeVector<double>(1 / all) : inertial_velocity()[i];
    const MatterValue value = evaluate(trial_.data(), trial_gradient_.data(), nullptr, workers);
    ++report.evaluations;
    if (finite(value) && value.energy < at.energy) accept_trial(value, at, v);
  }
}

void ImplicitMatter::accept_trial(const MatterValue& value, MatterValue& at, std::span<NodeVector<double>> v) {
  std::copy(trial_.begin(), trial_.end(), v.begin());
  gradient_.swap(trial_gradient_);
  at = value;
}

// A direction from the exact curvature where that is asked for and positive, otherwise from its positive part.
bool ImplicitMatter::newton_direction(const PcgOptions& options, bool exact, std::span<const NodeVector<double>> v,
                                      FreeMotionReport& report, Workers& workers) {
  if (exact) {
    linearise(v.data(), Curvature::exact, operator_, workers);
    const PcgReport cg = find_direction(options, workers);
    report.cg_iterations += cg.iterations;
    if (!cg.broken) return true;
  }
  if (report.newton_iterations > 0 && !quadratic_) prepare(v.data(), workers);
  report.cg_iterations += find_direction(options, workers).iterations;
  return false;
}

FreeMotionReport ImplicitMatter::free_velocity(const FreeMotionOptions& options, std::span<NodeVector<double>> v,
                                               Workers& workers) {
  update_lagged_rotation(v.data(), workers);
  FreeMotionReport report = minimise(options, v, workers);
  // each time a part |dt curl v| of what was wrong is left
  for (int turn = 0; turned_ && report.status == FreeMotionReport::Status::converged; ++turn) {
    update_lagged_rotation(v.data(), workers);
    const FreeMotionReport again = minimise(options, v, workers);
    report.status = turn < max_turns ? again.status : FreeMotionReport::Status::out_of_iterations;
    report.newton_iterations += again.newton_iterations;
    report.cg_iterations += again.cg_iterations;
    report.evaluations += again.evaluations;
    report.residual = again.residual;
    if (again.newton_iterations == 0) break;
  }
  return report;
}

FreeMotionReport ImplicitMatter::minimise(const FreeMotionOptions& options, std::span<NodeVector<double>> v,
                                          Workers& workers) {
  using Status = FreeMotionReport::Status;
  FreeMotionReport report;
  for (auto* buffer : {&gradient_, &start_, &trial_, &trial_gradient_}) buffer->resize(nodes());
  prepare(v.data(), workers);
  MatterValue at = evaluate(v.data(), gradient_.data(), nullptr, workers);
  ++report.evaluations;
  bool exact = false;
  int patience = 0;  // iterations until the exact curvature may be tried again
  for (;;) {
    report.residual = at.residual();
    if (!finite(at)) {
      report.status = Status::not_finite;
      return report;
    }
    const double scale = std::sqrt(max(at.momentum, at.impulse));
    if (std::sqrt(at.gradient) <= options.absolute_tolerance + options.relative_tolerance * scale) {
      report.status = Status::converged;
      return report;
    }
    if (report.newton_iterations == options.max_newton_iterations) return report;

    const PcgOptions inner = {forcing(at, options.relative_tolerance, quadratic_), options.max_cg_iterations};
    const bool was_exact = newton_direction(inner, exact, v, report, workers);
    if (exact && !was_exact) patience = iterations_without_exact;
    ++report.newton_iterations;
    const int evaluations = report.evaluations;
    if (!search_line(at, v, report, workers)) {
      report.status = Status::stalled;
      return report;
    }
    const bool shortened = report.evaluations > evaluations + 1;
    if (report.newton_iterations == 1 && shortened && !quadratic_) find_better_start(at, v, report, workers);
    exact = !quadratic_ && (was_exact || (--patience < 0 && at.residual() > slow * report.residual));
  }
}

}  // namespace pliant

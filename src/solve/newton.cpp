#include "solve/newton.h"

#include "solve/line_search.h"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

using Column = BodyCoupling::Column;

constexpr double line_tolerance = 1e-2;
// float conjugate gradients do not get further than the first; inside of contacts that change more is wasted
constexpr double least_forcing = 3e-5, forcing_in_contact = 0.05, most_forcing = 0.1;
constexpr double enough_decrease = 1e-4, enough_slope = 0.9, round_off = 1e-13;
constexpr double short_step = 0.5;  // a straight one, after which a bent one is tried
constexpr int most_bends = 6;
constexpr double poor_step = 0.2;  // of either kind, after which friction is taken as stiffer than it is
constexpr int iterations_lifted = 2;
// An iteration that leaves this part of the residual is slow: what was cut from the curvature of matter is missing.
constexpr double slow_part = 0.3;
constexpr int iterations_without_exact = 4;  // where it was found to be negative
constexpr int patience = 25;                 // iterations without a better residual

Vec3d vector_of(const Four3& x, std::size_t lane) { return {{x[0][int(lane)], x[1][int(lane)], x[2][int(lane)]}}; }

NodeVector<float> narrow(NodeVector<double> x) { return __builtin_convertvector(x.v, VectorOf<float, 4>::type); }
NodeVector<double> wide(NodeVector<float> x) { return __builtin_convertvector(x.v, VectorOf<double, 4>::type); }

}  // namespace

Vec3d NewtonWork::contact_velocity(std::size_t c) const { return vector_of(u[c / 4], c % 4); }
Vec3d NewtonWork::impulse(std::size_t c) const { return -1.0 * vector_of(contact_gradient[c / 4], c % 4); }

class StrongNewton {
 public:
  StrongNewton(const StrongProblem& problem, const NewtonOptions& options, Workers& workers, NewtonWork& work,
               std::span<NodeVector<double>> v, std::span<double> w);
  NewtonReport run();

 private:
  struct Norms {
    double gradient = 0, momentum = 0, impulse = 0;  // |D ...|
  };

  std::size_t contacts() const { return p_.bias.size(); }
  BlockRange all_contacts() const { return {0, blocks_of(contacts())}; }
  void fit();
  void evaluate();
  void precondition();
  void take_better_start();
  void contact_velocities(const Four* v, const Column& w, bool with_bias, Buffer<Four3>& out);
  Norms measure();
  double largest_gradient() const;
  bool find_direction(double forcing, NewtonReport& report);
  void find_newton_direction(double forcing, bool& exact, NewtonReport& report);
  double apply();
  double begin_cg(double scale);
  double advance_cg(double alpha);
  void turn_cg(double beta);
  template <class F>
  void for_nodes(const F& f) const;
  double search_line(NewtonReport& report);
  double value_at_trial();
  double take_bent_step(double slope, double start, double straight);
  double dot_nodes(const Buffer<Four>& a, const Buffer<Four>& b) const;

  const StrongProblem& p_;
  const NewtonOptions& o_;
  Workers& workers_;
  NewtonWork& k_;
  BodyCoupling& b_;
  std::span<NodeVector<double>> v_;
  std::span<double> w_;
  std::size_t nodes_, dofs_;
  ContactProblem rows_;
  ContactWeights weights_;
  double value_ = 0, trial_value_ = 0;  // of matter
  bool trial_taken_ = false;            // v is the trial, at which matter has been evaluated
  int lifted_ = 0;  // iterations still to come in which friction that slips is taken as stiffer than it is

  static ContactProblem rows_of(const StrongProblem& p) {
    ContactProblem rows;
    rows.mass = p.matter->mass();
    rows.begins = p.begins;
    rows.nodes = p.nodes;
    rows.weights = p.weights;
    rows.bias = p.bias;
    rows.potential = p.potential;
    return rows;
  }
};

StrongNewton::StrongNewton(const StrongProblem& problem, const NewtonOptions& options, Workers& workers,
                           NewtonWork& work, std::span<NodeVector<double>> v, std::span<double> w)
    : p_(problem),
      o_(options),
      workers_(workers),
      k_(work),
      b_(work.bodies),
      v_(v),
      w_(w),
      nodes_(problem.matter->nodes()),
      dofs_(problem.bodies->dofs()),
      rows_(rows_of(problem)),
      weights_(rows_, workers, work.weights) {
  fit();
}

void StrongNewton::fit() {
  const std::size_t blocks = blocks_of(contacts());
  for (auto* b : {&k_.u, &k_.contact_gradient, &k_.du, &k_.force}) b->resize(blocks);
  k_.hessian.resize(blocks);
  for (auto* b : {&k_.gradient, &k_.matter_gradient, &k_.contact_sum, &k_.direction, &k_.trial, &k_.trial_gradient})
    b->resize(nodes_);
  for (auto* b : {&k_.x, &k_.residual, &k_.preconditioned, &k_.search, &k_.product}) b->resize(nodes_);
  b_.begin(p_);
  k_.bent.begin(p_);
  k_.node_blocks.resize(nodes_);
  k_.inverse_blocks.resize(nodes_);
}

// f(i) for all nodes
template <class F>
void StrongNewton::for_nodes(const F& f) const {
  constexpr std::size_t pieces_per_task = 8;
  workers_.for_each((nodes_ + nodes_per_piece - 1) / nodes_per_piece, pieces_per_task, [&](std::size_t piece) {
    const std::size_t first = piece * nodes_per_piece, last = std::min(first + nodes_per_piece, nodes_);
    for (std::size_t i = first; i < last; ++i) f(i);
  });
}

// u of the contacts for velocities of nodes and bodies, or without the given part: its change
void StrongNewton::contact_velocities(const Four* v, const Column& w, bool with_bias, Buffer<Four3>& out) {
  weights_.over_blocks([&](std::size_t first, std::size_t last) {
    weights_.multiply({first, last}, v, out.data());
    return ThreeSums{};
  });
  if (with_bias) b_.subtract_bias(out);
  b_.subtract_velocities(w, out);
}

// gradients and Hessians of contacts and bodies, gradient of matter, at v and w
void StrongNewton::evaluate() {
  if (trial_taken_) {
    value_ = trial_value_;
    k_.matter_gradient.swap(k_.trial_gradient);
  } else {
    value_ = p_.matter->evaluate(v_.data(), k_.matter_gradient.data(), workers_);
  }
  trial_taken_ = false;
  b_.now = Eigen::Map<const Column>(w_.data(), b_.dofs());
  p_.bodies->evaluate(w_, {b_.gradient.data(), dofs_});
  b_.take_hessian();
  b_.contact.setZero();
  if (contacts() > 0) {
    contact_velocities(v_.data(), b_.now, true, k_.u);
    weights_.over_blocks([&](std::size_t first, std::size_t last) {
      p_.potential->evaluate({first, last}, k_.u.data(), k_.contact_gradient.data(), k_.hessian.data());
      return ThreeSums{};
    });
    weights_.add_up(k_.contact_gradient.data(), k_.contact_sum.data());
    b_.add_forces(k_.contact_gradient, -1, b_.contact);
    if (lifted_ > 0) {
      k_.own_hessian.resize(k_.hessian.size());
      std::copy(k_.hessian.begin(), k_.hessian.end(), k_.own_hessian.begin());
      p_.potential->lift(all_contacts(), k_.u.data(), k_.hessian.data());
    }
  } else {
    std::fill(k_.contact_sum.begin(), k_.contact_sum.end(), Four(0));
  }
  for_nodes([&](std::size_t i) { k_.gradient[i] = k_.matter_gradient[i] + k_.contact_sum[i]; });
  b_.gradient += b_.contact;
}

void StrongNewton::precondition() {
  const auto blocks = p_.matter->blocks();
  if (contacts() > 0)
    weights_.add_up(k_.hessian.data(), k_.node_blocks.data());
  else
    std::fill(k_.node_blocks.begin(), k_.node_blocks.end(), NodeBlock{Four(0), Four(0)});
  for_nodes([&](std::size_t i) {
    NodeBlock3<double> sum = blocks[i];
    for (int d = 0; d < 3; ++d) {
      sum.a[d] += k_.node_blocks[i].diagonal[d];
      sum.a[3 + d] += k_.node_blocks[i].coupled[d];
    }
    k_.inverse_blocks[i] = inverse_block<float>(sum);
  });
  b_.factor(k_.hessian);
}

StrongNewton::Norms StrongNewton::measure() {
  const auto blocks = p_.matter->blocks();
  const auto mass = p_.matter->mass();
  const ThreeSums nodes = weights_.over_nodes([&](std::size_t first, std::size_t last) {
    Four gradient = 0, momentum = 0, impulse = 0;
    for (std::size_t i = first; i < last; ++i) {
      const double* a = blocks[i].a;
      const Four D2 = Four(1) / Four(Four::Vector{a[0], a[1], a[2], 1}), p = Four(mass[i]) * v_[i];
      gradient += D2 * k_.gradient[i] * k_.gradient[i];
      momentum += D2 * p * p;
      impulse += D2 * k_.contact_sum[i] * k_.contact_sum[i];
    }
    return ThreeSums{sum_of_lanes(gradient), sum_of_lanes(momentum), sum_of_lanes(impulse)};
  });
  Norms sums = {nodes.a, nodes.b, nodes.c};
  b_.product.noalias() = b_.hessian() * b_.now;
  for (Eigen::Index j = 0; j < b_.dofs(); ++j) {
    const double D2 = 1 / b_.hessian()(j, j);
    sums.gradient += D2 * b_.gradient[j] * b_.gradient[j];
    sums.momentum += D2 * b_.product[j] * b_.product[j];
    sums.impulse += D2 * b_.contact[j] * b_.contact[j];
  }
  return {std::sqrt(sums.gradient), std::sqrt(sums.momentum), std::sqrt(sums.impulse)};
}

// product = H search, of nodes and bodies; search . product
double StrongNewton::apply() {
  double sum = p_.matter->apply(k_.search.data(), k_.product.data(), workers_);
  b_.product.noalias() = b_.hessian() * b_.search;
  sum += b_.search.dot(b_.product);
  if (contacts() == 0) return sum;
  for_nodes([&](std::size_t i) { k_.trial[i] = wide(k_.search[i]); });
  contact_velocities(k_.trial.data(), b_.search, false, k_.du);
  sum += weights_
             .over_blocks([&](std::size_t first, std::size_t last) {
               Four parts = 0;
               for (std::size_t b = first; b < last; ++b) {
                 const Four3& x = k_.du[b];
                 const Symmetric3<Four>& g = k_.hessian[b];
                 k_.force[b] = {{g.xx * x[0] + g.xy * x[1] + g.xz * x[2], g.xy * x[0] + g.yy * x[1] + g.yz * x[2],
                                 g.xz * x[0] + g.yz * x[1] + g.zz * x[2]}};
                 parts += dot(k_.force[b], x);
               }
               return ThreeSums{sum_of_lanes(parts)};
             })
             .a;
  weights_.add_up(k_.force.data(), k_.trial.data());
  for_nodes([&](std::size_t i) { k_.product[i] += narrow(k_.trial[i]); });
  b_.add_forces(k_.force, -1, b_.product);
  return sum;
}

// x = 0, residual = -gradient / scale, search = preconditioned residual; residual . search
double StrongNewton::begin_cg(double scale) {
  b_.residual = (-1 / scale) * b_.gradient;
  b_.x.setZero();
  b_.solve(b_.residual, b_.search);
  return b_.residual.dot(b_.search) +
         sum_over_nodes(nodes_, workers_, k_.pieces, [&](std::size_t first, std::size_t last) {
           Four sum = 0;
           for (std::size_t i = first; i < last; ++i) {
             k_.x[i] = 0.0f;
             k_.residual[i] = narrow(Four(-1 / scale) * k_.gradient[i]);
             k_.search[i] = k_.inverse_blocks[i] * k_.residual[i];
             sum += wide_product(k_.residual[i], k_.search[i]);
           }
           return sum_of_lanes(sum);
         });
}

// x += alpha search, residual -= alpha product; residual . preconditioned residual
double StrongNewton::advance_cg(double alpha) {
  b_.x += alpha * b_.search;
  b_.residual -= alpha * b_.product;
  b_.solve(b_.residual, b_.preconditioned);
  const NodeVector<float> a = float(alpha);
  return b_.residual.dot(b_.preconditioned) +
         sum_over_nodes(nodes_, workers_, k_.pieces, [&](std::size_t first, std::size_t last) {
           Four sum = 0;
           for (std::size_t i = first; i < last; ++i) {
             k_.x[i] += a * k_.search[i];
             k_.residual[i] -= a * k_.product[i];
             k_.preconditioned[i] = k_.inverse_blocks[i] * k_.residual[i];
             sum += wide_product(k_.residual[i], k_.preconditioned[i]);
           }
           return sum_of_lanes(sum);
         });
}

void StrongNewton::turn_cg(double beta) {
  const NodeVector<float> b = float(beta);
  for_nodes([&](std::size_t i) { k_.search[i] = k_.preconditioned[i] + b * k_.search[i]; });
  b_.search = b_.preconditioned + beta * b_.search;
}

// direction = -H^-1 gradient, nearly; false: H is not positive
bool StrongNewton::find_direction(double forcing, NewtonReport& report) {
  // floats have no room for very small or large momenta
  const double largest = largest_gradient();
  const double scale = largest > 0 ? std::exp2(std::floor(std::log2(largest))) : 1;
  bool positive = true;
  double rz = begin_cg(scale);
  const double wanted = forcing * forcing * rz;
  for (int n = 0; n < o_.max_cg_iterations && rz > wanted; ++n) {
    if (o_.budget) o_.budget->spend(report.residual);
    const double alpha = rz / apply();
    positive = alpha > 0 && std::isfinite(alpha);
    if (!positive) break;
    ++report.cg_iterations;
    const double next = advance_cg(alpha);
    if (next > wanted) turn_cg(next / rz);
    rz = next;
  }
  for_nodes([&](std::size_t i) { k_.direction[i] = Four(scale) * wide(k_.x[i]); });
  b_.direction = scale * b_.x;
  return positive;
}

double StrongNewton::largest_gradient() const {
  Four largest = 0;
  for (std::size_t i = 0; i < nodes_; ++i) largest = max(largest, abs(k_.gradient[i]));
  double most = std::max({largest[0], largest[1], largest[2]});
  for (Eigen::Index j = 0; j < b_.dofs(); ++j) most = std::max(most, std::fabs(b_.gradient[j]));
  return most;
}

// With the exact curvature of matter where that is asked for and positive, otherwise with its positive part.
void StrongNewton::find_newton_direction(double forcing, bool& exact, NewtonReport& report) {
  if (exact) {
    p_.matter->sharpen(v_.data(), workers_);
    exact = find_direction(forcing, report);
    if (exact) return;
    p_.matter->linearise(v_.data(), workers_);
  }
  find_direction(forcing, report);
}

double StrongNewton::dot_nodes(const Buffer<Four>& a, const Buffer<Four>& b) const {
  return sum_over_nodes(nodes_, workers_, k_.pieces, [&](std::size_t first, std::size_t last) {
    Four sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += a[i] * b[i];
    return sum_of_lanes(sum);
  });
}

// of everything, at the trial
double StrongNewton::value_at_trial() {
  trial_value_ = p_.matter->evaluate(k_.trial.data(), k_.trial_gradient.data(), workers_);
  double value = trial_value_;
  value += p_.bodies->evaluate({b_.trial.data(), dofs_}, {b_.trial_gradient.data(), dofs_});
  if (contacts() == 0) return value;
  contact_velocities(k_.trial.data(), b_.trial, true, k_.force);
  return value + p_.potential->along(all_contacts(), k_.force.data(), k_.force.data(), 0).value;
}

// A step along a path that starts in the direction and bends where nodes meet kinks of their contacts. Its trial stands
// if it is better than the straight step, which goes down by about half its length times the slope.
double StrongNewton::take_bent_step(double slope, double start, double straight) {
  for (double length = 1; length > straight && length > std::exp2(-most_bends); length *= 0.5) {
    for_nodes([&](std::size_t i) { k_.trial[i] = v_[i] + Four(length) * k_.direction[i]; });
    k_.bent.bend(p_, {k_.u, k_.contact_gradient, lifted_ > 0 ? k_.own_hessian : k_.hessian}, v_, k_.trial);
    b_.trial = b_.now + length * b_.direction;
    const double value = value_at_trial();
    if (value <= start + 0.5 * std::max(straight, 2 * enough_decrease * length) * slope) return length;
  }
  return 0;
}

// moves v and w; the length, 0 if nothing is better
double StrongNewton::search_line(NewtonReport& report) {
  for_nodes([&](std::size_t i) { k_.search[i] = narrow(k_.direction[i]); });
  const double matter_slope = dot_nodes(k_.matter_gradient, k_.direction);
  const double matter_curvature = std::max(0.0, p_.matter->apply(k_.search.data(), k_.product.data(), workers_));
  b_.product.noalias() = b_.hessian() * b_.direction;
  const double body_curvature = b_.direction.dot(b_.product);
  if (contacts() > 0) contact_velocities(k_.direction.data(), b_.direction, false, k_.du);
  const auto at = [&](double length) {
    LineValue l = contacts() > 0 ? p_.potential->along(all_contacts(), k_.u.data(), k_.du.data(), length) : LineValue{};
    b_.trial = b_.now + length * b_.direction;
    l.value += p_.bodies->evaluate({b_.trial.data(), dofs_}, {b_.trial_gradient.data(), dofs_});
    l.slope += b_.trial_gradient.dot(b_.direction) + matter_slope + length * matter_curvature;
    l.curvature += body_curvature + matter_curvature;
    return l;
  };
  const LineValue start = at(0);
  if (!(start.slope < 0)) return 0;
  double length = minimise_along(at, start, line_tolerance).length;
  const bool kinks = length < short_step && !k_.bent.empty();
  if (const double bent = kinks ? take_bent_step(start.slope, value_ + start.value, length) : 0; bent > 0) {
    std::copy(k_.trial.begin(), k_.trial.end(), v_.begin());
    std::copy(b_.trial.begin(), b_.trial.end(), w_.begin());
    trial_taken_ = true;
    ++report.iterations;
    return bent;
  }
  // the true value falls by enough; where that is all round-off, the true slope does
  const auto accepted = [&] {
    const LineValue rest = at(length);
    trial_value_ = p_.matter->evaluate(k_.trial.data(), k_.trial_gradient.data(), workers_);
    const double value = trial_value_ + rest.value;
    const double slope =
        rest.slope - matter_slope - length * matter_curvature + dot_nodes(k_.trial_gradient, k_.direction);
    const double before = value_ + start.value, noise = round_off * (std::fabs(value_) + start.value);
    return value <= before + enough_decrease * length * start.slope + noise ||
           (value <= before + noise + p_.matter->rounding() && std::fabs(slope) <= -enough_slope * start.slope);
  };
  for (int trial = 0; trial < 30; ++trial, length *= 0.5) {
    const bool moved = std::isfinite(length);
    for_nodes([&](std::size_t i) { k_.trial[i] = v_[i] + Four(length) * k_.direction[i]; });
    if (!moved || !(p_.matter->quadratic() || accepted())) continue;
    std::copy(k_.trial.begin(), k_.trial.end(), v_.begin());
    trial_taken_ = !p_.matter->quadratic();
    b_.now += length * b_.direction;
    std::copy(b_.now.begin(), b_.now.end(), w_.begin());
    ++report.iterations;
    return length;
  }
  return 0;
}

// a start that is so bad that any other may be better
void StrongNewton::take_better_start() {
  std::copy(v_.begin(), v_.end(), k_.trial.begin());
  b_.trial = b_.now;
  const double value = value_at_trial();
  std::copy(p_.safe_start.begin(), p_.safe_start.end(), k_.trial.begin());
  if (!(value_at_trial() < value)) return;
  std::copy(k_.trial.begin(), k_.trial.end(), v_.begin());
  trial_taken_ = true;
  p_.matter->linearise(v_.data(), workers_);
  evaluate();
}

NewtonReport StrongNewton::run() {
  NewtonReport report;
  p_.matter->linearise(v_.data(), workers_);
  double best = std::numeric_limits<double>::infinity();
  bool exact = false;
  int without_exact = 0, since_best = 0, hard = 0;
  for (;;) {
    evaluate();
    Norms norms = measure();
    if (report.iterations == 0 && !p_.safe_start.empty() && norms.gradient > std::max(norms.momentum, norms.impulse)) {
      take_better_start();
      norms = measure();
    }
    const double scale = std::max(norms.momentum, norms.impulse), last = report.residual;
    report.finite = std::isfinite(norms.gradient) && std::isfinite(scale);
    report.residual = scale > 0 ? norms.gradient / scale : 0;
    report.converged = report.finite && norms.gradient <= o_.absolute_tolerance + o_.relative_tolerance * scale;
    if (report.converged || !report.finite || report.iterations >= o_.max_iterations) return report;
    since_best = norms.gradient < 0.9 * best ? 0 : since_best + 1;
    best = std::min(best, norms.gradient);
    if (since_best > patience) break;

    if (o_.budget) o_.budget->spend(report.residual);
    const bool curved = !p_.matter->quadratic();
    const bool slow = report.iterations > 0 && --without_exact < 0 && report.residual > slow_part * last;
    const bool wants_exact = curved && (exact || slow);
    if (report.iterations > 0 && curved) p_.matter->linearise(v_.data(), workers_);
    precondition();
    const double all = 0.3 * o_.relative_tolerance / report.residual;
    const double wanted = contacts() > 0 ? std::max(all, forcing_in_contact) : all;
    exact = wants_exact;
    const int linear = report.cg_iterations;
    find_newton_direction(std::clamp(wanted, least_forcing, most_forcing), exact, report);
    if (report.cg_iterations - linear >= o_.max_cg_iterations && ++hard > o_.max_hard_iterations) break;
    if (wants_exact && !exact) without_exact = iterations_without_exact;
    const double length = search_line(report);
    if (length == 0) break;
    lifted_ = lifted_ > 0 ? lifted_ - 1 : length < poor_step ? iterations_lifted : 0;
  }
  report.stalled = true;
  return report;
}

NewtonReport solve_newton(const StrongProblem& problem, const NewtonOptions& options, Workers& workers,
                          NewtonWork& work, std::span<NodeVector<double>> v, std::span<double> w) {
  return StrongNewton(problem, options, workers, work, v, w).run();
}

}  // namespace pliant

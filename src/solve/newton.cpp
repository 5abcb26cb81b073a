#include "solve/newton.h"

#include "solve/line_search.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

using Dense = Eigen::MatrixXd;
using Column = Eigen::VectorXd;
using Twist = Eigen::Matrix<double, 6, 1>;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

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
  Eigen::Map<const RowMajor> jacobian(std::int32_t body) const {
    return {p_.jacobians.data() + std::size_t(body) * 6 * dofs_, 6, Eigen::Index(dofs_)};
  }
  void fit();
  void evaluate();
  void evaluate_bodies();
  void precondition();
  void take_better_start();
  void contact_velocities(const Four* v, const Column& w, bool with_bias, Buffer<Four3>& out);
  void add_bodies(const Buffer<Four3>& force, double sign, Column& out) const;
  Norms measure() const;
  bool find_direction(double forcing, NewtonReport& report);
  void find_newton_direction(double forcing, bool& exact, NewtonReport& report);
  double apply(const Column& search, Column& product);
  double search_line(NewtonReport& report);
  double value_at_trial();
  double take_bent_step(double slope, double start, double straight);
  double dot_nodes(const Buffer<Four>& a, const Buffer<Four>& b) const;

  const StrongProblem& p_;
  const NewtonOptions& o_;
  Workers& workers_;
  NewtonWork& k_;
  std::span<NodeVector<double>> v_;
  std::span<double> w_;
  std::size_t nodes_, dofs_;
  ContactProblem rows_;
  ContactWeights weights_;
  double value_ = 0;  // of matter
  int lifted_ = 0;    // iterations still to come in which friction that slips is taken as stiffer than it is
  Column body_gradient_, body_contact_, body_direction_, body_now_, body_trial_, body_trial_gradient_;
  Dense body_hessian_;
  RowMajor body_rows_;
  Eigen::LLT<Dense> body_factor_;

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
  for (auto* b : {&k_.right, &k_.x, &k_.residual, &k_.preconditioned, &k_.search, &k_.product}) b->resize(nodes_);
  k_.bent.begin(p_);
  k_.node_blocks.resize(nodes_);
  k_.inverse_blocks.resize(nodes_);
  body_gradient_ = body_contact_ = body_direction_ = body_now_ = body_trial_ = body_trial_gradient_ =
      Column::Zero(Eigen::Index(dofs_));
  body_hessian_ = Dense::Zero(Eigen::Index(dofs_), Eigen::Index(dofs_));
}

// u of the contacts for velocities of nodes and bodies, or without the given part: its change
void StrongNewton::contact_velocities(const Four* v, const Column& w, bool with_bias, Buffer<Four3>& out) {
  weights_.multiply({0, blocks_of(contacts())}, v, out.data());
  const std::size_t count = dofs_ > 0 ? p_.jacobians.size() / (6 * dofs_) : 0;
  std::vector<Twist> twists(count);
  for (std::size_t b = 0; b < count; ++b) twists[b] = jacobian(std::int32_t(b)) * w;
  for (std::size_t c = 0; c < contacts(); ++c) {
    Vec3d other = with_bias ? p_.bias[c] : Vec3d::zero();
    if (p_.body[c] >= 0) {
      const Twist& t = twists[std::size_t(p_.body[c])];
      other += Vec3d{{t[0], t[1], t[2]}} + cross(Vec3d{{t[3], t[4], t[5]}}, p_.arm[c]);
    }
    for (int d = 0; d < 3; ++d) out[c / 4][d].set(int(c % 4), out[c / 4][d][int(c % 4)] - other[d]);
  }
}

// out += sign J^T (sum of forces and moments) over the bodies
void StrongNewton::add_bodies(const Buffer<Four3>& force, double sign, Column& out) const {
  if (dofs_ == 0) return;
  std::vector<Twist> wrenches(p_.jacobians.size() / (6 * dofs_), Twist::Zero());
  for (std::size_t c = 0; c < contacts(); ++c) {
    if (p_.body[c] < 0) continue;
    const Vec3d f = vector_of(force[c / 4], c % 4), m = cross(p_.arm[c], f);
    Twist& t = wrenches[std::size_t(p_.body[c])];
    for (int d = 0; d < 3; ++d) t[d] += f[d], t[3 + d] += m[d];
  }
  for (std::size_t b = 0; b < wrenches.size(); ++b) out += sign * (jacobian(std::int32_t(b)).transpose() * wrenches[b]);
}

// gradients and Hessians of contacts and bodies, gradient of matter, at v and w
void StrongNewton::evaluate() {
  value_ = p_.matter->evaluate(v_.data(), k_.matter_gradient.data(), workers_);
  body_now_ = Eigen::Map<const Column>(w_.data(), Eigen::Index(dofs_));
  p_.bodies->evaluate(w_, {body_gradient_.data(), dofs_});
  std::fill(k_.contact_sum.begin(), k_.contact_sum.end(), Four(0));
  body_contact_.setZero();
  if (contacts() > 0) {
    contact_velocities(v_.data(), body_now_, true, k_.u);
    p_.potential->evaluate({0, blocks_of(contacts())}, k_.u.data(), k_.contact_gradient.data(), k_.hessian.data());
    weights_.add_up(k_.contact_gradient.data(), k_.contact_sum.data());
    add_bodies(k_.contact_gradient, -1, body_contact_);
    if (lifted_ > 0) {
      k_.own_hessian.resize(k_.hessian.size());
      std::copy(k_.hessian.begin(), k_.hessian.end(), k_.own_hessian.begin());
      p_.potential->lift({0, blocks_of(contacts())}, k_.u.data(), k_.hessian.data());
    }
  }
  for (std::size_t i = 0; i < nodes_; ++i) k_.gradient[i] = k_.matter_gradient[i] + k_.contact_sum[i];
  body_gradient_ += body_contact_;
}

// the bodies' own matrix
void StrongNewton::evaluate_bodies() {
  if (dofs_ == 0) return;
  body_rows_.resize(Eigen::Index(dofs_), Eigen::Index(dofs_));
  p_.bodies->hessian({body_rows_.data(), dofs_ * dofs_});
  body_hessian_ = body_rows_;
}

void StrongNewton::precondition() {
  const auto blocks = p_.matter->blocks();
  if (contacts() > 0)
    weights_.add_up(k_.hessian.data(), k_.node_blocks.data());
  else
    std::fill(k_.node_blocks.begin(), k_.node_blocks.end(), NodeBlock{Four(0), Four(0)});
  for (std::size_t i = 0; i < nodes_; ++i) {
    NodeBlock3<double> sum = blocks[i];
    for (int d = 0; d < 3; ++d) {
      sum.a[d] += k_.node_blocks[i].diagonal[d];
      sum.a[3 + d] += k_.node_blocks[i].coupled[d];
    }
    k_.inverse_blocks[i] = inverse_block<float>(sum);
  }
  if (dofs_ == 0) return;
  // of the contacts: J^T (sum of T^T G T) J, T from the body's twist to the contact's velocity
  std::vector<Eigen::Matrix<double, 6, 6>> sums(p_.jacobians.size() / (6 * dofs_), Eigen::Matrix<double, 6, 6>::Zero());
  for (std::size_t c = 0; c < contacts(); ++c) {
    if (p_.body[c] < 0) continue;
    const Symmetric3<Four>& g = k_.hessian[c / 4];
    const int l = int(c % 4);
    Eigen::Matrix3d G;
    G << g.xx[l], g.xy[l], g.xz[l], g.xy[l], g.yy[l], g.yz[l], g.xz[l], g.yz[l], g.zz[l];
    const Vec3d& r = p_.arm[c];
    Eigen::Matrix<double, 3, 6> T;
    T << 1, 0, 0, 0, r[2], -r[1], 0, 1, 0, -r[2], 0, r[0], 0, 0, 1, r[1], -r[0], 0;
    sums[std::size_t(p_.body[c])] += T.transpose() * G * T;
  }
  Dense with_contacts = body_hessian_;
  for (std::size_t b = 0; b < sums.size(); ++b)
    with_contacts += jacobian(std::int32_t(b)).transpose() * sums[b] * jacobian(std::int32_t(b));
  body_factor_.compute(with_contacts);
}

StrongNewton::Norms StrongNewton::measure() const {
  const auto blocks = p_.matter->blocks();
  const auto mass = p_.matter->mass();
  Norms sums;
  for (std::size_t i = 0; i < nodes_; ++i)
    for (int d = 0; d < 3; ++d) {
      const double D2 = 1 / blocks[i].a[d], p = mass[i] * v_[i][d];
      sums.gradient += D2 * k_.gradient[i][d] * k_.gradient[i][d];
      sums.momentum += D2 * p * p;
      sums.impulse += D2 * k_.contact_sum[i][d] * k_.contact_sum[i][d];
    }
  if (dofs_ > 0) {
    const Column p = body_hessian_ * body_now_;
    for (Eigen::Index j = 0; j < Eigen::Index(dofs_); ++j) {
      const double D2 = 1 / body_hessian_(j, j);
      sums.gradient += D2 * body_gradient_[j] * body_gradient_[j];
      sums.momentum += D2 * p[j] * p[j];
      sums.impulse += D2 * body_contact_[j] * body_contact_[j];
    }
  }
  return {std::sqrt(sums.gradient), std::sqrt(sums.momentum), std::sqrt(sums.impulse)};
}

// product = H search, in k_.product and `product`; search . product
double StrongNewton::apply(const Column& search, Column& product) {
  double sum = p_.matter->apply(k_.search.data(), k_.product.data(), workers_);
  product = body_hessian_ * search;
  sum += search.dot(product);
  if (contacts() == 0) return sum;
  for (std::size_t i = 0; i < nodes_; ++i) k_.trial[i] = wide(k_.search[i]);
  contact_velocities(k_.trial.data(), search, false, k_.du);
  for (std::size_t b = 0; b < k_.du.size(); ++b) {
    const Four3& x = k_.du[b];
    const Symmetric3<Four>& g = k_.hessian[b];
    k_.force[b] = {{g.xx * x[0] + g.xy * x[1] + g.xz * x[2], g.xy * x[0] + g.yy * x[1] + g.yz * x[2],
                    g.xz * x[0] + g.yz * x[1] + g.zz * x[2]}};
    const Four parts = k_.force[b][0] * x[0] + k_.force[b][1] * x[1] + k_.force[b][2] * x[2];
    sum += (parts[0] + parts[1]) + (parts[2] + parts[3]);
  }
  weights_.add_up(k_.force.data(), k_.trial.data());
  for (std::size_t i = 0; i < nodes_; ++i) k_.product[i] += narrow(k_.trial[i]);
  add_bodies(k_.force, -1, product);
  return sum;
}

// direction = -H^-1 gradient, nearly; false: H is not positive
bool StrongNewton::find_direction(double forcing, NewtonReport& report) {
  double largest = 0;
  for (std::size_t i = 0; i < nodes_; ++i)
    for (int d = 0; d < 3; ++d) largest = std::max(largest, std::fabs(k_.gradient[i][d]));
  for (Eigen::Index j = 0; j < Eigen::Index(dofs_); ++j) largest = std::max(largest, std::fabs(body_gradient_[j]));
  // floats have no room for very small or large momenta
  const double scale = largest > 0 ? std::exp2(std::floor(std::log2(largest))) : 1;
  Column r = (-1 / scale) * body_gradient_, x = Column::Zero(Eigen::Index(dofs_)), z, p, q;
  const auto precondition = [&] {
    z = dofs_ > 0 ? Column(body_factor_.solve(r)) : r;
    return r.dot(z) + sum_over_nodes(nodes_, workers_, k_.pieces, [&](std::size_t first, std::size_t last) {
             Four sum = 0;
             for (std::size_t i = first; i < last; ++i) {
               k_.preconditioned[i] = k_.inverse_blocks[i] * k_.residual[i];
               sum += wide_product(k_.residual[i], k_.preconditioned[i]);
             }
             return sum_of_lanes(sum);
           });
  };
  for (std::size_t i = 0; i < nodes_; ++i) {
    k_.residual[i] = narrow(Four(-1 / scale) * k_.gradient[i]);
    k_.x[i] = 0.0f;
  }
  bool positive = true;
  double rz = precondition();
  const double wanted = forcing * forcing * rz;
  std::copy(k_.preconditioned.begin(), k_.preconditioned.end(), k_.search.begin());
  p = z;
  for (int n = 0; n < o_.max_cg_iterations && rz > wanted; ++n) {
    const double alpha = rz / apply(p, q);
    positive = alpha > 0 && std::isfinite(alpha);
    if (!positive) break;
    ++report.cg_iterations;
    for (std::size_t i = 0; i < nodes_; ++i) {
      k_.x[i] += NodeVector<float>(float(alpha)) * k_.search[i];
      k_.residual[i] -= NodeVector<float>(float(alpha)) * k_.product[i];
    }
    x += alpha * p;
    r -= alpha * q;
    const double next = precondition(), beta = next / rz;
    for (std::size_t i = 0; i < nodes_; ++i)
      k_.search[i] = k_.preconditioned[i] + NodeVector<float>(float(beta)) * k_.search[i];
    p = z + beta * p;
    rz = next;
  }
  for (std::size_t i = 0; i < nodes_; ++i) k_.direction[i] = Four(scale) * wide(k_.x[i]);
  body_direction_ = scale * x;
  return positive;
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

// of matter and contacts, at k_.trial and body_trial_
double StrongNewton::value_at_trial() {
  double value = p_.matter->evaluate(k_.trial.data(), k_.trial_gradient.data(), workers_);
  value += p_.bodies->evaluate({body_trial_.data(), dofs_}, {body_trial_gradient_.data(), dofs_});
  if (contacts() == 0) return value;
  contact_velocities(k_.trial.data(), body_trial_, true, k_.force);
  return value + p_.potential->along({0, blocks_of(contacts())}, k_.force.data(), k_.force.data(), 0).value;
}

// A step along a path that starts in the direction and bends where nodes meet kinks of their contacts. Its trial stands
// if it is better than the straight step, which goes down by about half its length times the slope.
double StrongNewton::take_bent_step(double slope, double start, double straight) {
  for (double length = 1; length > straight && length > std::exp2(-most_bends); length *= 0.5) {
    for (std::size_t i = 0; i < nodes_; ++i) k_.trial[i] = v_[i] + Four(length) * k_.direction[i];
    k_.bent.bend(p_, {k_.u, k_.contact_gradient, lifted_ > 0 ? k_.own_hessian : k_.hessian}, v_, k_.trial);
    body_trial_ = body_now_ + length * body_direction_;
    const double value = value_at_trial();
    if (value <= start + 0.5 * std::max(straight, 2 * enough_decrease * length) * slope) return length;
  }
  return 0;
}

// moves v and w; the length, 0 if nothing is better
double StrongNewton::search_line(NewtonReport& report) {
  for (std::size_t i = 0; i < nodes_; ++i) k_.search[i] = narrow(k_.direction[i]);
  const double matter_slope = dot_nodes(k_.matter_gradient, k_.direction);
  const double matter_curvature = std::max(0.0, p_.matter->apply(k_.search.data(), k_.product.data(), workers_));
  const double body_curvature = body_direction_.dot(body_hessian_ * body_direction_);
  if (contacts() > 0) contact_velocities(k_.direction.data(), body_direction_, false, k_.du);
  const BlockRange all = {0, blocks_of(contacts())};
  Column w(body_now_), g(body_now_);
  const auto at = [&](double length) {
    LineValue l = contacts() > 0 ? p_.potential->along(all, k_.u.data(), k_.du.data(), length) : LineValue{};
    w = body_now_ + length * body_direction_;
    l.value += p_.bodies->evaluate({w.data(), dofs_}, {g.data(), dofs_});
    l.slope += g.dot(body_direction_) + matter_slope + length * matter_curvature;
    l.curvature += body_curvature + matter_curvature;
    return l;
  };
  const LineValue start = at(0);
  if (!(start.slope < 0)) return 0;
  double length = minimise_along(at, start, line_tolerance).length;
  const bool kinks = length < short_step && !k_.bent.empty();
  if (const double bent = kinks ? take_bent_step(start.slope, value_ + start.value, length) : 0; bent > 0) {
    std::copy(k_.trial.begin(), k_.trial.end(), v_.begin());
    std::copy(body_trial_.begin(), body_trial_.end(), w_.begin());
    ++report.iterations;
    return bent;
  }
  // the true value falls by enough; where that is all round-off, the true slope does
  const auto accepted = [&] {
    const LineValue rest = at(length);
    const double value = p_.matter->evaluate(k_.trial.data(), k_.trial_gradient.data(), workers_) + rest.value;
    const double slope =
        rest.slope - matter_slope - length * matter_curvature + dot_nodes(k_.trial_gradient, k_.direction);
    const double before = value_ + start.value, noise = round_off * (std::fabs(value_) + start.value);
    return value <= before + enough_decrease * length * start.slope + noise ||
           (value <= before + noise + p_.matter->rounding() && std::fabs(slope) <= -enough_slope * start.slope);
  };
  for (int trial = 0; trial < 30; ++trial, length *= 0.5) {
    const bool moved = std::isfinite(length);
    for (std::size_t i = 0; i < nodes_; ++i) k_.trial[i] = v_[i] + Four(length) * k_.direction[i];
    if (!moved || !(p_.matter->quadratic() || accepted())) continue;
    std::copy(k_.trial.begin(), k_.trial.end(), v_.begin());
    body_now_ += length * body_direction_;
    std::copy(body_now_.begin(), body_now_.end(), w_.begin());
    ++report.iterations;
    return length;
  }
  return 0;
}

// a start that is so bad that any other may be better
void StrongNewton::take_better_start() {
  std::copy(v_.begin(), v_.end(), k_.trial.begin());
  body_trial_ = body_now_;
  const double value = value_at_trial();
  std::copy(p_.safe_start.begin(), p_.safe_start.end(), k_.trial.begin());
  if (!(value_at_trial() < value)) return;
  std::copy(k_.trial.begin(), k_.trial.end(), v_.begin());
  p_.matter->linearise(v_.data(), workers_);
  evaluate();
}

NewtonReport StrongNewton::run() {
  NewtonReport report;
  p_.matter->linearise(v_.data(), workers_);
  double best = std::numeric_limits<double>::infinity();
  bool exact = false;
  int without_exact = 0, since_best = 0;
  for (;;) {
    evaluate();
    evaluate_bodies();
    Norms norms = measure();
    if (report.iterations == 0 && !p_.safe_start.empty() && norms.gradient > std::max(norms.momentum, norms.impulse)) {
      take_better_start();
      evaluate_bodies();
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

    const bool curved = !p_.matter->quadratic();
    const bool slow = report.iterations > 0 && --without_exact < 0 && report.residual > slow_part * last;
    const bool wants_exact = curved && (exact || slow);
    if (report.iterations > 0 && curved) p_.matter->linearise(v_.data(), workers_);
    precondition();
    const double all = 0.3 * o_.relative_tolerance / report.residual;
    const double wanted = contacts() > 0 ? std::max(all, forcing_in_contact) : all;
    exact = wants_exact;
    find_newton_direction(std::clamp(wanted, least_forcing, most_forcing), exact, report);
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

#include "solve/quasi_newton.h"

#include "solve/line_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant::solve {
namespace {

using Direction = SolveOptions::Direction;

// the slope that an exact line search leaves, as a part of the slope at its start
constexpr double line_tolerance = 1e-2;
// a direction has to go down at least by this part of what the quasi-Newton direction does
constexpr double least_descent = 0.1;
// Round-off has the last word where so many iterations found no better residual and the energy falls by no more than
// this part of itself.
constexpr int patience = 50;
// the same in rounds, where friction is held and the residual is above that of round-off
constexpr int rounds_of_patience = 400;
constexpr double round_off_residual = 1e-6;
constexpr double no_descent = 1e-15;
// of the momentum, below which no impulse counts
constexpr double round_off = 1e-5;
// how far conjugate gradients reduce a residual, at most and at least; and no further than wanted
constexpr double loosest = 0.3, tightest = 1e-3, beyond_wanted = 0.3;
constexpr int most_inner = 200;
// iterations that mixed directions give to conjugate ones; enough for most problems at the default tolerance
constexpr int easy = 8;

double sum3(NodeVector<double> x) { return (x[0] + x[1]) + x[2]; }

// one solve: what an iteration consists of, and what it leaves for the next
class QuasiNewton {
 public:
  QuasiNewton(const ContactProblem& problem, const SolveOptions& options, Workers& workers, QuasiNewtonWork& work,
              SolveReport& report);

  bool load(std::span<const Vec3d> v);
  void start_contacts();
  void evaluate_contacts(double step, bool follow);
  bool measure(double step);
  bool measure_again(bool follow);
  bool choose_direction();
  LineStep search();
  // the last step, of this length, went down by more than round-off
  bool went_down(double step) const { return -start_.slope * step > no_descent * energy_; }

 private:
  double precondition();
  double conjugate(double descent);
  void newton(double descent);
  double inner_tolerance() const;
  ThreeSums add_to_direction(double beta, double part);

  // one solve of (M + J^T G J) x = g by conjugate gradients
  struct Inner {
    double begin();
    double apply();
    double advance(double alpha);
    void turn(double beta) { turn_nodes(newton.work_.cg, beta, newton.weights_.sums()); }
    QuasiNewton& newton;
    double descent;
  };

  const ContactProblem& problem_;
  const SolveOptions& options_;
  QuasiNewtonWork& work_;
  ContactWeights weights_;
  SolveReport& report_;
  double old_overlap_ = 0;               // old g . z
  double old_descent_ = 0;               // g . z of the last iteration, 0: none
  double scale_ = 0, old_residual_ = 0;  // |D j|, and of |D p| what is round-off
  double energy_ = 0;
  LineValue start_, matter_;  // along the direction, of all and of the matter alone
};

QuasiNewton::QuasiNewton(const ContactProblem& problem, const SolveOptions& options, Workers& workers,
                         QuasiNewtonWork& work, SolveReport& report)
    : problem_(problem), options_(options), work_(work), weights_(problem, workers, work.weights), report_(report) {
  const std::size_t nodes = weights_.nodes();
  for (auto* b :
       {&work_.free, &work_.velocity, &work_.gradient, &work_.old_gradient, &work_.direction, &work_.node_sum})
    b->resize(nodes);
  work_.blocks.resize(nodes);
  work_.factors.resize(nodes);
  CgVectors<double>& cg = work_.cg;
  for (auto* v : {&cg.x, &cg.residual, &cg.preconditioned, &cg.search, &cg.product}) v->nodes.resize(nodes);
  for (Buffer<Vec3Lanes>* b :
       {&work_.u, &work_.du, &work_.contact_gradient, &work_.contact_search, &work_.contact_product})
    b->resize(weights_.blocks());
  work_.contact_hessian.resize(weights_.blocks());
}

// false: something is not finite, or a mass is not above 0
bool QuasiNewton::load(std::span<const Vec3d> v) {
  bool good = true;
  for (std::size_t i = 0; i < weights_.nodes(); ++i) {
    const Vec3d &x = v[i], &f = problem_.free_velocity[i];
    good = good && problem_.mass[i] > 0 && std::isfinite(problem_.mass[i] + dot(x, x) + dot(f, f));
    work_.velocity[i] = NodeVector<double>::Vector{x[0], x[1], x[2], 0};
    work_.free[i] = NodeVector<double>::Vector{f[0], f[1], f[2], problem_.mass[i]};
    work_.direction[i] = NodeVector<double>(0);
  }
  return good;
}

// u = J v - b
void QuasiNewton::start_contacts() {
  weights_.over_blocks([&](std::size_t first, std::size_t last) {
    weights_.multiply({first, last}, work_.velocity.data(), work_.u.data());
    for (std::size_t c = 4 * first; c < std::min(weights_.contacts(), 4 * last); ++c)
      for (int d = 0; d < 3; ++d)
        work_.u[c / 4][d].set(int(c % 4), work_.u[c / 4][d][int(c % 4)] - problem_.bias[c][d]);
    return ThreeSums{};
  });
}

void QuasiNewton::evaluate_contacts(double step, bool follow) {
  weights_.over_blocks([&](std::size_t first, std::size_t last) {
    if (step != 0)
      for (std::size_t b = first; b < last; ++b) work_.u[b] += Lanes(step) * work_.du[b];
    if (follow) problem_.potential->follow({first, last}, work_.u.data());
    problem_.potential->evaluate({first, last}, work_.u.data(), work_.contact_gradient.data(),
                                 work_.contact_hessian.data());
    return ThreeSums{};
  });
  weights_.add_up(work_.contact_gradient.data(), work_.node_sum.data());
}

// moves v on by a step and finds the gradient there; true: it is small enough
bool QuasiNewton::measure(double step) {
  const ThreeSums s = weights_.over_nodes([&](std::size_t first, std::size_t last) {
    NodeVector<double> gg(0), pp(0), jj(0);
    for (std::size_t i = first; i < last; ++i) {
      const NodeVector<double> m(work_.free[i][3]), j = work_.node_sum[i];
      const NodeVector<double> v = work_.velocity[i] + NodeVector<double>(step) * work_.direction[i];
      const NodeVector<double> g = m * (v - work_.free[i]) + j;
      const NodeVector<double> by_mass = NodeVector<double>(1) / m;
      work_.velocity[i] = v;
      work_.old_gradient[i] = work_.gradient[i];
      work_.gradient[i] = g;
      gg += g * g * by_mass;
      pp += v * v * m;
      jj += j * j * by_mass;
    }
    return ThreeSums{sum3(gg), sum3(pp), sum3(jj)};
  });
  const double size = std::sqrt(s.a);
  scale_ = std::sqrt(std::max(round_off * round_off * s.b, s.c));
  energy_ = std::max(s.b, s.c);
  old_residual_ = report_.residual;
  report_.residual = size > 0 ? size / scale_ : 0;
  report_.finite = std::isfinite(s.a) && std::isfinite(s.b) && std::isfinite(s.c);
  return size <= options_.absolute_tolerance + options_.relative_tolerance * scale_;
}

// the same at the same v, after friction has changed; the last direction belongs to another problem
bool QuasiNewton::measure_again(bool follow) {
  evaluate_contacts(0, follow);
  old_descent_ = 0;
  return measure(0);
}

// H and z = H^-1 g; returns g . z
double QuasiNewton::precondition() {
  weights_.add_up(work_.contact_hessian.data(), work_.blocks.data());
  const ThreeSums s = weights_.over_nodes([&](std::size_t first, std::size_t last) {
    NodeVector<double> gz(0), old(0);
    for (std::size_t i = first; i < last; ++i) {
      work_.factors[i] = Factor3(work_.free[i][3], work_.blocks[i]);
      const NodeVector<double> z = work_.factors[i] * work_.gradient[i];
      work_.cg.preconditioned.nodes[i] = z;
      gz += work_.gradient[i] * z;
      old += work_.old_gradient[i] * z;
    }
    return ThreeSums{sum3(gz), sum3(old), 0};
  });
  old_overlap_ = s.b;
  return s.a;
}

// d = beta d - part z; sums g . d, d . M (v - v*), d . M d
ThreeSums QuasiNewton::add_to_direction(double beta, double part) {
  return weights_.over_nodes([&](std::size_t first, std::size_t last) {
    NodeVector<double> gd(0), slope(0), curvature(0);
    for (std::size_t i = first; i < last; ++i) {
      const NodeVector<double> m(work_.free[i][3]), z = work_.cg.preconditioned.nodes[i];
      const NodeVector<double> d = NodeVector<double>(beta) * work_.direction[i] - NodeVector<double>(part) * z,
                               md = m * d;
      work_.direction[i] = d;
      gd += work_.gradient[i] * d;
      slope += md * (work_.velocity[i] - work_.free[i]);
      curvature += md * d;
    }
    return ThreeSums{sum3(gd), sum3(slope), sum3(curvature)};
  });
}

// Polak and Ribiere with H^-1 as metric; 0 starts anew
double QuasiNewton::conjugate(double descent) {
  return old_descent_ > 0 ? std::max(0.0, (descent - old_overlap_) / old_descent_) : 0;
}

double QuasiNewton::inner_tolerance() const {
  const double fall = old_residual_ > 0 ? report_.residual / old_residual_ : 1;
  const double wanted = beyond_wanted * options_.relative_tolerance / report_.residual;
  return std::min(loosest, std::max({0.9 * fall * fall, wanted, tightest}));
}

// P g has been found with the blocks
double QuasiNewton::Inner::begin() {
  CgVectors<double>& cg = newton.work_.cg;
  std::copy(newton.work_.gradient.begin(), newton.work_.gradient.end(), cg.residual.nodes.begin());
  std::copy(cg.preconditioned.nodes.begin(), cg.preconditioned.nodes.end(), cg.search.nodes.begin());
  std::fill(cg.x.nodes.begin(), cg.x.nodes.end(), NodeVector<double>(0));
  std::fill(newton.work_.du.begin(), newton.work_.du.end(), Vec3Lanes::zero());
  return descent;
}

double QuasiNewton::Inner::apply() {
  QuasiNewtonWork& w = newton.work_;
  ContactWeights& weights = newton.weights_;
  const Buffer<NodeVector<double>>& search = w.cg.search.nodes;
  Buffer<NodeVector<double>>& product = w.cg.product.nodes;
  weights.over_blocks([&](std::size_t first, std::size_t last) {
    weights.multiply({first, last}, search.data(), w.contact_search.data());
    for (std::size_t b = first; b < last; ++b) w.contact_product[b] = w.contact_hessian[b] * w.contact_search[b];
    return ThreeSums{};
  });
  weights.add_up(w.contact_product.data(), product.data());
  return weights
      .over_nodes([&](std::size_t first, std::size_t last) {
        NodeVector<double> sum(0);
        for (std::size_t i = first; i < last; ++i) {
          product[i] += NodeVector<double>(w.free[i][3]) * search[i];
          sum += search[i] * product[i];
        }
        return ThreeSums{sum_of_lanes(sum)};
      })
      .a;
}

// the direction is -x: du goes along with it
double QuasiNewton::Inner::advance(double alpha) {
  QuasiNewtonWork& w = newton.work_;
  newton.weights_.over_blocks([&](std::size_t first, std::size_t last) {
    for (std::size_t b = first; b < last; ++b) w.du[b] -= Lanes(alpha) * w.contact_search[b];
    return ThreeSums{};
  });
  return advance_nodes(w.cg, alpha, w.factors, newton.weights_.sums());
}

// direction = -(M + J^T G J)^-1 g, nearly
void QuasiNewton::newton(double descent) {
  Inner inner = {*this, descent};
  const CgOptions options = {inner_tolerance(), most_inner, options_.budget, report_.residual};
  report_.inner_iterations += conjugate_gradients(inner, options).iterations;
  for (std::size_t i = 0; i < weights_.nodes(); ++i) work_.direction[i] = -work_.cg.x.nodes[i];
}

// false: no way down
bool QuasiNewton::choose_direction() {
  const double descent = precondition();
  const Direction way = options_.direction;
  ThreeSums d;
  if (way == Direction::newton || (way == Direction::mixed && report_.iterations >= easy)) {
    newton(descent);
    d = add_to_direction(1, 0);
  } else {
    const double beta = way == Direction::block ? 0 : conjugate(descent);
    d = add_to_direction(beta, 1);
    if (beta > 0 && !(d.a < -least_descent * descent)) d = add_to_direction(0, 1);
    weights_.over_blocks([&](std::size_t first, std::size_t last) {
      weights_.multiply({first, last}, work_.direction.data(), work_.du.data());
      return ThreeSums{};
    });
  }
  old_descent_ = descent;
  const double curvature = weights_
                               .over_blocks([&](std::size_t first, std::size_t last) {
                                 Lanes sum(0);
                                 for (std::size_t b = first; b < last; ++b)
                                   sum += work_.contact_hessian[b].along(work_.du[b]);
                                 return ThreeSums{sum_of_lanes(sum), 0, 0};
                               })
                               .a;
  matter_ = {0, d.b, d.c};
  start_ = {0, d.a, d.c + curvature};
  return d.a < 0;
}

LineStep QuasiNewton::search() {
  const auto line = [&](double length) {
    const ThreeSums s = weights_.over_blocks([&](std::size_t first, std::size_t last) {
      const LineValue l = problem_.potential->along({first, last}, work_.u.data(), work_.du.data(), length);
      return ThreeSums{l.value, l.slope, l.curvature};
    });
    return LineValue{0, matter_.slope + length * matter_.curvature + s.b, matter_.curvature + s.c};
  };
  return minimise_along(line, start_, line_tolerance);
}

}  // namespace

SolveReport solve_quasi_newton(const ContactProblem& problem, const SolveOptions& options, Workers& workers,
                               QuasiNewtonWork& work, std::span<Vec3d> v) {
  SolveReport report;
  QuasiNewton newton(problem, options, workers, work, report);
  report.finite = newton.load(v);
  if (!report.finite) return report;
  newton.start_contacts();
  FollowingRadius radius(problem.potential, work.radius);
  double step = 0, best = std::numeric_limits<double>::infinity();
  bool lost = false;  // no way down
  for (int since_best = 0;; ++report.iterations) {
    newton.evaluate_contacts(step, radius.follows(report.iterations));
    report.converged = newton.measure(step);
    const bool looked = !radius.held() || radius.round_ends(report.residual) || report.converged || lost;
    if (radius.held() && looked) report.converged = newton.measure_again(true);
    if (!report.finite) return report;
    if (looked) {
      since_best = report.residual < best || (!radius.held() && newton.went_down(step)) ? 0 : since_best + 1;
      best = std::min(best, report.residual);
    }
    const bool patient = radius.held() && report.residual > round_off_residual;
    report.stalled = looked && !report.converged && since_best > (patient ? rounds_of_patience : patience);
    if (report.converged || report.stalled || report.iterations == options.max_iterations) break;
    if (radius.held() && looked) {
      radius.next_round(report.residual);
      newton.measure_again(false);
    }
    if (options.budget) options.budget->spend(report.residual);
    lost = !newton.choose_direction();
    report.stalled = lost && !radius.held();
    if (report.stalled) break;
    const LineStep found = lost ? LineStep{} : newton.search();
    report.line_search_iterations += found.evaluations;
    step = found.length;
  }
  for (std::size_t i = 0; i < problem.mass.size(); ++i)
    v[i] = {{work.velocity[i][0], work.velocity[i][1], work.velocity[i][2]}};
  return report;
}

Vec3d QuasiNewtonWork::contact_velocity(std::size_t c) const { return vector_of(u.data(), c); }
Vec3d QuasiNewtonWork::impulse(std::size_t c) const { return -1.0 * vector_of(contact_gradient.data(), c); }

std::size_t QuasiNewtonWork::bytes() const {
  std::size_t n = weights.bytes() + blocks.bytes() + factors.bytes() + cg.bytes() + contact_hessian.bytes();
  for (const auto* b : {&free, &velocity, &gradient, &old_gradient, &direction, &node_sum}) n += b->bytes();
  for (const auto* b : {&u, &du, &contact_gradient, &contact_search, &contact_product}) n += b->bytes();
  return n;
}

}  // namespace pliant::solve

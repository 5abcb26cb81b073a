#include "solve/quasi_newton.h"

#include "solve/line_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant {
namespace {

using Direction = SolveOptions::Direction;

// the slope that an exact line search leaves, as a part of the slope at its start
constexpr double line_tolerance = 1e-2;
// a direction has to go down at least by this part of what the quasi-Newton direction does
constexpr double least_descent = 0.1;
// Round-off has the last word where so many iterations found no better residual and the energy falls by no more than
// this part of itself.
constexpr int patience = 50;
constexpr double no_descent = 1e-15;
// how far conjugate gradients reduce a residual, at most and at least; and no further than wanted
constexpr double loosest = 0.3, tightest = 1e-3, beyond_wanted = 0.3;
constexpr int most_inner = 200;
// iterations that mixed directions give to conjugate ones; enough for most problems at the default tolerance
constexpr int easy = 8;

double sum3(Four x) { return (x[0] + x[1]) + x[2]; }
double sum4(Four x) { return (x[0] + x[1]) + (x[2] + x[3]); }

// (m + H) = L D L^T: 1/D and L. No pivot of the exact matrix is below m.
NodeBlock factor(double m, const NodeBlock& h) {
  const double xx = m + h.diagonal[0], yy = m + h.diagonal[1], zz = m + h.diagonal[2];
  const double xy = h.coupled[0], xz = h.coupled[1], yz = h.coupled[2];
  const double i1 = 1 / xx, l21 = xy * i1, l31 = xz * i1;
  const double i2 = 1 / std::max(yy - l21 * xy, m), yz1 = yz - l31 * xy, l32 = yz1 * i2;
  const double i3 = 1 / std::max(zz - l31 * xz - l32 * yz1, m);
  return {Four(Four::Vector{i1, i2, i3, 0}), Four(Four::Vector{l21, l31, l32, 0})};
}
Four solve_factored(const NodeBlock& f, Four g) {
  const double l21 = f.coupled[0], l31 = f.coupled[1], l32 = f.coupled[2];
  const double y2 = g[1] - l21 * g[0], y3 = g[2] - l31 * g[0] - l32 * y2;
  const double z3 = y3 * f.diagonal[2], z2 = y2 * f.diagonal[1] - l32 * z3;
  return Four(Four::Vector{g[0] * f.diagonal[0] - l21 * z2 - l31 * z3, z2, z3, 0});
}

Four3 multiply(const Symmetric3<Four>& g, const Four3& x) {
  return {{g.xx * x[0] + g.xy * x[1] + g.xz * x[2], g.xy * x[0] + g.yy * x[1] + g.yz * x[2],
           g.xz * x[0] + g.yz * x[1] + g.zz * x[2]}};
}

class QuasiNewton {
 public:
  QuasiNewton(const ContactProblem& problem, const SolveOptions& options, Workers& workers, QuasiNewtonWork& work);
  SolveReport run(std::span<Vec3d> v);

 private:
  bool load(std::span<const Vec3d> v);
  void start_contacts();
  void evaluate_contacts(double step);
  bool measure(double step);
  bool choose_direction();
  double precondition();
  double conjugate(double descent);
  void newton(double descent);
  double inner_tolerance() const;
  double multiply_by_hessian();
  double inner_step(double length);
  ThreeSums turn(double beta, double part);
  LineStep search();

  const ContactProblem& p_;
  const SolveOptions& options_;
  QuasiNewtonWork& w_;
  ContactWeights weights_;
  SolveReport report_;
  double old_overlap_ = 0;               // old g . z
  double old_descent_ = 0;               // g . z of the last iteration, 0: none
  double scale_ = 0, old_residual_ = 0;  // max(|D p|, |D j|)
  LineValue start_, matter_;             // along the direction, of all and of the matter alone
};

QuasiNewton::QuasiNewton(const ContactProblem& problem, const SolveOptions& options, Workers& workers,
                         QuasiNewtonWork& work)
    : p_(problem), options_(options), w_(work), weights_(problem, workers, work.weights) {
  for (Buffer<Four>* b : {&w_.free, &w_.velocity, &w_.gradient, &w_.old_gradient, &w_.preconditioned, &w_.direction,
                          &w_.node_sum, &w_.residual, &w_.search})
    b->resize(weights_.nodes());
  w_.blocks.resize(weights_.nodes());
  for (Buffer<Four3>* b : {&w_.u, &w_.du, &w_.contact_gradient, &w_.contact_search, &w_.contact_product})
    b->resize(weights_.blocks());
  w_.contact_hessian.resize(weights_.blocks());
}

// false: something is not finite, or a mass is not above 0
bool QuasiNewton::load(std::span<const Vec3d> v) {
  bool good = true;
  for (std::size_t i = 0; i < weights_.nodes(); ++i) {
    const Vec3d &x = v[i], &f = p_.free_velocity[i];
    good = good && p_.mass[i] > 0 && std::isfinite(p_.mass[i] + dot(x, x) + dot(f, f));
    w_.velocity[i] = Four(Four::Vector{x[0], x[1], x[2], 0});
    w_.free[i] = Four(Four::Vector{f[0], f[1], f[2], p_.mass[i]});
    w_.direction[i] = Four(0);
  }
  return good;
}

// u = J v - b
void QuasiNewton::start_contacts() {
  weights_.over_blocks([&](std::size_t first, std::size_t last) {
    weights_.multiply({first, last}, w_.velocity.data(), w_.u.data());
    for (std::size_t c = 4 * first; c < std::min(weights_.contacts(), 4 * last); ++c)
      for (int d = 0; d < 3; ++d) w_.u[c / 4][d].set(int(c % 4), w_.u[c / 4][d][int(c % 4)] - p_.bias[c][d]);
    return ThreeSums{};
  });
}

void QuasiNewton::evaluate_contacts(double step) {
  weights_.over_blocks([&](std::size_t first, std::size_t last) {
    if (step != 0)
      for (std::size_t b = first; b < last; ++b) w_.u[b] += Four(step) * w_.du[b];
    p_.potential->evaluate({first, last}, w_.u.data(), w_.contact_gradient.data(), w_.contact_hessian.data());
    return ThreeSums{};
  });
  weights_.add_up(w_.contact_gradient.data(), w_.node_sum.data());
}

// moves v on by a step and finds the gradient there; true: it is small enough
bool QuasiNewton::measure(double step) {
  const ThreeSums s = weights_.over_nodes([&](std::size_t first, std::size_t last) {
    Four gg(0), pp(0), jj(0);
    for (std::size_t i = first; i < last; ++i) {
      const Four m(w_.free[i][3]), j = w_.node_sum[i];
      const Four v = w_.velocity[i] + Four(step) * w_.direction[i];
      const Four g = m * (v - w_.free[i]) + j;
      const Four by_mass = Four(1) / m;
      w_.velocity[i] = v;
      w_.old_gradient[i] = w_.gradient[i];
      w_.gradient[i] = g;
      gg += g * g * by_mass;
      pp += v * v * m;
      jj += j * j * by_mass;
    }
    return ThreeSums{sum3(gg), sum3(pp), sum3(jj)};
  });
  const double size = std::sqrt(s.a);
  scale_ = std::sqrt(std::max(s.b, s.c));
  old_residual_ = report_.residual;
  report_.residual = size > 0 ? size / scale_ : 0;
  report_.finite = std::isfinite(s.a) && std::isfinite(s.b) && std::isfinite(s.c);
  return size <= options_.absolute_tolerance + options_.relative_tolerance * scale_;
}

// H and z = H^-1 g; returns g . z
double QuasiNewton::precondition() {
  weights_.add_up(w_.contact_hessian.data(), w_.blocks.data());
  const ThreeSums s = weights_.over_nodes([&](std::size_t first, std::size_t last) {
    Four gz(0), old(0);
    for (std::size_t i = first; i < last; ++i) {
      w_.blocks[i] = factor(w_.free[i][3], w_.blocks[i]);
      const Four z = solve_factored(w_.blocks[i], w_.gradient[i]);
      w_.preconditioned[i] = z;
      gz += w_.gradient[i] * z;
      old += w_.old_gradient[i] * z;
    }
    return ThreeSums{sum3(gz), sum3(old), 0};
  });
  old_overlap_ = s.b;
  return s.a;
}

// d = beta d - part z; sums g . d, d . M (v - v*), d . M d
ThreeSums QuasiNewton::turn(double beta, double part) {
  return weights_.over_nodes([&](std::size_t first, std::size_t last) {
    Four gd(0), slope(0), curvature(0);
    for (std::size_t i = first; i < last; ++i) {
      const Four d = Four(beta) * w_.direction[i] - Four(part) * w_.preconditioned[i], md = Four(w_.free[i][3]) * d;
      w_.direction[i] = d;
      gd += w_.gradient[i] * d;
      slope += md * (w_.velocity[i] - w_.free[i]);
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

// node_sum = (M + J^T G J) search; returns search . node_sum
double QuasiNewton::multiply_by_hessian() {
  weights_.over_blocks([&](std::size_t first, std::size_t last) {
    weights_.multiply({first, last}, w_.search.data(), w_.contact_search.data());
    for (std::size_t b = first; b < last; ++b)
      w_.contact_product[b] = multiply(w_.contact_hessian[b], w_.contact_search[b]);
    return ThreeSums{};
  });
  weights_.add_up(w_.contact_product.data(), w_.node_sum.data());
  return weights_
      .over_nodes([&](std::size_t first, std::size_t last) {
        Four sum(0);
        for (std::size_t i = first; i < last; ++i) {
          w_.node_sum[i] += Four(w_.free[i][3]) * w_.search[i];
          sum += w_.search[i] * w_.node_sum[i];
        }
        return ThreeSums{sum3(sum), 0, 0};
      })
      .a;
}

// x += length p, r -= length q, z = H^-1 r; returns r . z
double QuasiNewton::inner_step(double length) {
  weights_.over_blocks([&](std::size_t first, std::size_t last) {
    for (std::size_t b = first; b < last; ++b) w_.du[b] -= Four(length) * w_.contact_search[b];
    return ThreeSums{};
  });
  return weights_
      .over_nodes([&](std::size_t first, std::size_t last) {
        Four rz(0);
        for (std::size_t i = first; i < last; ++i) {
          w_.direction[i] -= Four(length) * w_.search[i];
          w_.residual[i] -= Four(length) * w_.node_sum[i];
          const Four z = solve_factored(w_.blocks[i], w_.residual[i]);
          w_.preconditioned[i] = z;
          rz += w_.residual[i] * z;
        }
        return ThreeSums{sum3(rz), 0, 0};
      })
      .a;
}

// conjugate gradients on (M + J^T G J) d = -g, from 0
void QuasiNewton::newton(double descent) {
  const double tolerance = inner_tolerance(), enough = tolerance * tolerance * descent;
  std::copy(w_.gradient.begin(), w_.gradient.end(), w_.residual.begin());
  std::copy(w_.preconditioned.begin(), w_.preconditioned.end(), w_.search.begin());
  std::fill(w_.direction.begin(), w_.direction.end(), Four(0));
  std::fill(w_.du.begin(), w_.du.end(), Four3::zero());
  for (int n = 1;; ++n) {
    if (options_.budget) options_.budget->spend(report_.residual);
    const double length = descent / multiply_by_hessian();
    const double next = inner_step(length);
    ++report_.inner_iterations;
    if (!(next > enough) || n == most_inner) return;
    for (std::size_t i = 0; i < weights_.nodes(); ++i)
      w_.search[i] = w_.preconditioned[i] + Four(next / descent) * w_.search[i];
    descent = next;
  }
}

// false: no way down
bool QuasiNewton::choose_direction() {
  const double descent = precondition();
  const Direction way = options_.direction;
  ThreeSums d;
  if (way == Direction::newton || (way == Direction::mixed && report_.iterations >= easy)) {
    newton(descent);
    d = turn(1, 0);
  } else {
    const double beta = way == Direction::block ? 0 : conjugate(descent);
    d = turn(beta, 1);
    if (beta > 0 && !(d.a < -least_descent * descent)) d = turn(0, 1);
    weights_.over_blocks([&](std::size_t first, std::size_t last) {
      weights_.multiply({first, last}, w_.direction.data(), w_.du.data());
      return ThreeSums{};
    });
  }
  old_descent_ = descent;
  const double curvature = weights_
                               .over_blocks([&](std::size_t first, std::size_t last) {
                                 Four sum(0);
                                 for (std::size_t b = first; b < last; ++b)
                                   sum += w_.contact_hessian[b].along(w_.du[b]);
                                 return ThreeSums{sum4(sum), 0, 0};
                               })
                               .a;
  matter_ = {0, d.b, d.c};
  start_ = {0, d.a, d.c + curvature};
  return d.a < 0;
}

LineStep QuasiNewton::search() {
  const auto line = [&](double length) {
    const ThreeSums s = weights_.over_blocks([&](std::size_t first, std::size_t last) {
      const LineValue l = p_.potential->along({first, last}, w_.u.data(), w_.du.data(), length);
      return ThreeSums{l.value, l.slope, l.curvature};
    });
    return LineValue{0, matter_.slope + length * matter_.curvature + s.b, matter_.curvature + s.c};
  };
  return minimise_along(line, start_, line_tolerance);
}

SolveReport QuasiNewton::run(std::span<Vec3d> v) {
  report_.finite = load(v);
  if (!report_.finite) return report_;
  start_contacts();
  double step = 0, best = std::numeric_limits<double>::infinity();
  for (int since_best = 0;; ++report_.iterations) {
    evaluate_contacts(step);
    report_.converged = measure(step);
    if (!report_.finite) return report_;
    since_best = report_.residual < best || -start_.slope * step > no_descent * scale_ * scale_ ? 0 : since_best + 1;
    best = std::min(best, report_.residual);
    report_.stalled = !report_.converged && since_best > patience;
    if (report_.converged || report_.stalled || report_.iterations == options_.max_iterations) break;
    if (options_.budget) options_.budget->spend(report_.residual);
    report_.stalled = !choose_direction();
    if (report_.stalled) break;
    const LineStep found = search();
    report_.line_search_iterations += found.evaluations;
    step = found.length;
  }
  for (std::size_t i = 0; i < weights_.nodes(); ++i) v[i] = {{w_.velocity[i][0], w_.velocity[i][1], w_.velocity[i][2]}};
  return report_;
}

Vec3d lane_of(const Four3& x, std::size_t c) {
  const int lane = int(c % 4);
  return {{x[0][lane], x[1][lane], x[2][lane]}};
}

}  // namespace

SolveReport solve_quasi_newton(const ContactProblem& problem, const SolveOptions& options, Workers& workers,
                               QuasiNewtonWork& work, std::span<Vec3d> v) {
  return QuasiNewton(problem, options, workers, work).run(v);
}

Vec3d QuasiNewtonWork::contact_velocity(std::size_t c) const { return lane_of(u[c / 4], c); }
Vec3d QuasiNewtonWork::impulse(std::size_t c) const { return -1.0 * lane_of(contact_gradient[c / 4], c); }

std::size_t QuasiNewtonWork::bytes() const {
  std::size_t n = weights.bytes() + blocks.bytes() + contact_hessian.bytes();
  for (const Buffer<Four>* b :
       {&free, &velocity, &gradient, &old_gradient, &preconditioned, &direction, &node_sum, &residual, &search})
    n += b->bytes();
  for (const Buffer<Four3>* b : {&u, &du, &contact_gradient, &contact_search, &contact_product}) n += b->bytes();
  return n;
}

}  // namespace pliant

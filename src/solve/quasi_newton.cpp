#include "solve/quasi_newton.h"

#include "solve/line_search.h"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr std::size_t nodes_per_piece = 128, blocks_per_piece = 32;
// below this, starting a loop on threads takes longer than the loop
constexpr std::size_t contacts_for_threads = 512;
// the slope that an exact line search leaves, as a part of the slope at its start
constexpr double line_tolerance = 1e-2;
// a direction has to go down at least by this part of what the quasi-Newton direction does
constexpr double least_descent = 0.1;
// as many iterations without a better residual say that round-off has the last word
constexpr int patience = 200;

double sum3(Four x) { return (x[0] + x[1]) + x[2]; }

// sum of w_k x_k over a row
Four gather(const ContactProblem& p, std::size_t c, const Four* x) {
  std::uint32_t k = p.begins[c];
  const std::uint32_t end = p.begins[c + 1];
  Four a(0), b(0), d(0), e(0);
  for (; k + 4 <= end; k += 4) {
    a += Four(p.weights[k]) * x[p.nodes[k]];
    b += Four(p.weights[k + 1]) * x[p.nodes[k + 1]];
    d += Four(p.weights[k + 2]) * x[p.nodes[k + 2]];
    e += Four(p.weights[k + 3]) * x[p.nodes[k + 3]];
  }
  for (; k < end; ++k) a += Four(p.weights[k]) * x[p.nodes[k]];
  return (a + b) + (d + e);
}

// Solves (m + H) z = g by L D L^T. No pivot of the exact matrix is below m.
Four solve_block(double m, Four diagonal, Four coupled, Four g) {
  const double xx = m + diagonal[0], yy = m + diagonal[1], zz = m + diagonal[2];
  const double xy = coupled[0], xz = coupled[1], yz = coupled[2];
  const double i1 = 1 / xx, l21 = xy * i1, l31 = xz * i1;
  const double i2 = 1 / std::max(yy - l21 * xy, m), yz1 = yz - l31 * xy, l32 = yz1 * i2;
  const double i3 = 1 / std::max(zz - l31 * xz - l32 * yz1, m);
  const double y2 = g[1] - l21 * g[0], y3 = g[2] - l31 * g[0] - l32 * y2;
  const double z3 = y3 * i3, z2 = y2 * i2 - l32 * z3, z1 = g[0] * i1 - l21 * z2 - l31 * z3;
  return Four(Four::Vector{z1, z2, z3, 0});
}

}  // namespace

// One solve. Results of loops over pieces do not depend on who runs which piece.
class QuasiNewton {
 public:
  QuasiNewton(const ContactProblem& problem, const SolveOptions& options, Workers& workers, QuasiNewtonWork& work);
  SolveReport run(std::span<Vec3d> v);

 private:
  using Sums = QuasiNewtonWork::Sums;
  using NodeSum = QuasiNewtonWork::NodeSum;

  // f(first, last) -> Sums of the items in between, all of them added in order
  template <class F>
  Sums in_pieces(std::size_t count, std::size_t piece, const F& f);

  bool load(std::span<const Vec3d> v);
  void transpose_rows();
  void start_contacts();
  void evaluate_contacts(double step);
  void sum_by_node();
  void scatter_contact(std::size_t c);
  void gather_node(std::size_t i);
  bool measure(double step, SolveReport& report);
  Sums precondition();
  Sums turn(double beta);
  double contact_directions();
  double choose_direction(LineValue& start, LineValue& matter);
  LineStep search(const LineValue& start, const LineValue& matter);

  const ContactProblem& p_;
  const SolveOptions& options_;
  Workers& workers_;
  QuasiNewtonWork& w_;
  std::size_t nodes_, contacts_, blocks_;
  bool threaded_;
  double old_descent_ = 0;  // g . z of the last iteration, 0: none
};

QuasiNewton::QuasiNewton(const ContactProblem& problem, const SolveOptions& options, Workers& workers,
                         QuasiNewtonWork& work)
    : p_(problem),
      options_(options),
      workers_(workers),
      w_(work),
      nodes_(problem.mass.size()),
      contacts_(problem.potential->size()),
      blocks_(blocks_of(contacts_)),
      threaded_(workers.threads() > 1 && contacts_ >= contacts_for_threads) {
  for (Buffer<Four>* b :
       {&w_.free_, &w_.velocity_, &w_.gradient_, &w_.old_gradient_, &w_.preconditioned_, &w_.direction_})
    b->resize(nodes_);
  w_.sums_.resize(nodes_);
  for (Buffer<Four3>* b : {&w_.u_, &w_.du_, &w_.contact_gradient_}) b->resize(blocks_);
  w_.contact_hessian_.resize(blocks_);
  w_.pieces_.resize(std::max(nodes_ / nodes_per_piece, blocks_ / blocks_per_piece) + 1);
  if (threaded_) transpose_rows();
}

template <class F>
QuasiNewton::Sums QuasiNewton::in_pieces(std::size_t count, std::size_t piece, const F& f) {
  const std::size_t pieces = (count + piece - 1) / piece;
  const auto one = [&](std::size_t i) { w_.pieces_[i] = f(i * piece, std::min(count, (i + 1) * piece)); };
  if (threaded_)
    workers_.for_each(pieces, 1, one);
  else
    for (std::size_t i = 0; i < pieces; ++i) one(i);
  Sums total = {0, 0, 0};
  for (std::size_t i = 0; i < pieces; ++i) {
    total.a += w_.pieces_[i].a;
    total.b += w_.pieces_[i].b;
    total.c += w_.pieces_[i].c;
  }
  return total;
}

// false: something is not finite, or a mass is not above 0
bool QuasiNewton::load(std::span<const Vec3d> v) {
  bool good = true;
  for (std::size_t i = 0; i < nodes_; ++i) {
    const Vec3d &x = v[i], &f = p_.free_velocity[i];
    good = good && p_.mass[i] > 0 && std::isfinite(p_.mass[i] + dot(x, x) + dot(f, f));
    w_.velocity_[i] = Four(Four::Vector{x[0], x[1], x[2], 0});
    w_.free_[i] = Four(Four::Vector{f[0], f[1], f[2], p_.mass[i]});
    w_.direction_[i] = Four(0);
  }
  return good;
}

// entries by node, each node's in the order of contacts
void QuasiNewton::transpose_rows() {
  w_.entry_begins_.resize(nodes_ + 2);
  w_.entries_.resize(p_.nodes.size());
  std::uint32_t* begins = w_.entry_begins_.data();
  std::fill(begins, begins + nodes_ + 2, 0u);
  for (const std::uint32_t node : p_.nodes) ++begins[node + 2];
  for (std::size_t i = 2; i < nodes_ + 2; ++i) begins[i] += begins[i - 1];
  for (std::size_t c = 0; c < contacts_; ++c)
    for (std::uint32_t k = p_.begins[c]; k < p_.begins[c + 1]; ++k)
      w_.entries_[begins[p_.nodes[k] + 1]++] = {std::uint32_t(c), p_.weights[k]};
}

// u = J v - b
void QuasiNewton::start_contacts() {
  if (blocks_ > 0) w_.u_[blocks_ - 1] = w_.du_[blocks_ - 1] = Four3::zero();
  in_pieces(blocks_, blocks_per_piece, [&](std::size_t first, std::size_t last) {
    for (std::size_t c = 4 * first; c < std::min(contacts_, 4 * last); ++c) {
      const Four u = gather(p_, c, w_.velocity_.data());
      for (int d = 0; d < 3; ++d) w_.u_[c / 4][d].set(int(c % 4), u[d] - p_.bias[c][d]);
    }
    return Sums{0, 0, 0};
  });
}

void QuasiNewton::evaluate_contacts(double step) {
  in_pieces(blocks_, blocks_per_piece, [&](std::size_t first, std::size_t last) {
    if (step != 0)
      for (std::size_t b = first; b < last; ++b) w_.u_[b] += Four(step) * w_.du_[b];
    p_.potential->evaluate({first, last}, w_.u_.data(), w_.contact_gradient_.data(), w_.contact_hessian_.data());
    return Sums{0, 0, 0};
  });
}

void QuasiNewton::scatter_contact(std::size_t c) {
  const std::size_t b = c / 4;
  const int lane = int(c % 4);
  const Four3& f = w_.contact_gradient_[b];
  const Symmetric3<Four>& h = w_.contact_hessian_[b];
  const Four gradient(Four::Vector{f[0][lane], f[1][lane], f[2][lane], 0});
  const Four diagonal(Four::Vector{h.xx[lane], h.yy[lane], h.zz[lane], 0});
  const Four coupled(Four::Vector{h.xy[lane], h.xz[lane], h.yz[lane], 0});
  for (std::uint32_t k = p_.begins[c]; k < p_.begins[c + 1]; ++k) {
    const Four w(p_.weights[k]), ww = w * w;
    NodeSum& s = w_.sums_[p_.nodes[k]];
    s.gradient += w * gradient;
    s.diagonal += ww * diagonal;
    s.coupled += ww * coupled;
  }
}

void QuasiNewton::gather_node(std::size_t i) {
  NodeSum s = {Four(0), Four(0), Four(0)};
  for (std::uint32_t e = w_.entry_begins_[i]; e < w_.entry_begins_[i + 1]; ++e) {
    const auto [c, weight] = w_.entries_[e];
    const int lane = int(c % 4);
    const Four3& f = w_.contact_gradient_[c / 4];
    const Symmetric3<Four>& h = w_.contact_hessian_[c / 4];
    const Four w(weight), ww = w * w;
    s.gradient += w * Four(Four::Vector{f[0][lane], f[1][lane], f[2][lane], 0});
    s.diagonal += ww * Four(Four::Vector{h.xx[lane], h.yy[lane], h.zz[lane], 0});
    s.coupled += ww * Four(Four::Vector{h.xy[lane], h.xz[lane], h.yz[lane], 0});
  }
  w_.sums_[i] = s;
}

// J^T gradient and the diagonal blocks of J^T G J. Both ways add up each node in the order of its contacts.
void QuasiNewton::sum_by_node() {
  if (threaded_) {
    workers_.for_each((nodes_ + nodes_per_piece - 1) / nodes_per_piece, 1, [&](std::size_t piece) {
      const std::size_t last = std::min(nodes_, (piece + 1) * nodes_per_piece);
      for (std::size_t i = piece * nodes_per_piece; i < last; ++i) gather_node(i);
    });
    return;
  }
  std::fill(w_.sums_.begin(), w_.sums_.end(), NodeSum{Four(0), Four(0), Four(0)});
  for (std::size_t c = 0; c < contacts_; ++c) scatter_contact(c);
}

// Moves v on by a step and finds the gradient there; true: it is small enough.
bool QuasiNewton::measure(double step, SolveReport& report) {
  const Sums s = in_pieces(nodes_, nodes_per_piece, [&](std::size_t first, std::size_t last) {
    Four gg(0), pp(0), jj(0);
    for (std::size_t i = first; i < last; ++i) {
      const Four m(w_.free_[i][3]), j = w_.sums_[i].gradient;
      const Four v = w_.velocity_[i] + Four(step) * w_.direction_[i];
      const Four g = m * (v - w_.free_[i]) + j;
      const Four by_mass = Four(1) / m;
      w_.velocity_[i] = v;
      w_.old_gradient_[i] = w_.gradient_[i];
      w_.gradient_[i] = g;
      gg += g * g * by_mass;
      pp += v * v * m;
      jj += j * j * by_mass;
    }
    return Sums{sum3(gg), sum3(pp), sum3(jj)};
  });
  const double scale = std::sqrt(std::max(s.b, s.c)), size = std::sqrt(s.a);
  report.finite = std::isfinite(s.a) && std::isfinite(s.b) && std::isfinite(s.c);
  report.residual = size > 0 ? size / scale : 0;
  return size <= options_.absolute_tolerance + options_.relative_tolerance * scale;
}

// z = H^-1 g; sums g . z, old g . z
QuasiNewton::Sums QuasiNewton::precondition() {
  return in_pieces(nodes_, nodes_per_piece, [&](std::size_t first, std::size_t last) {
    Four gz(0), old(0);
    for (std::size_t i = first; i < last; ++i) {
      const NodeSum& s = w_.sums_[i];
      const Four z = solve_block(w_.free_[i][3], s.diagonal, s.coupled, w_.gradient_[i]);
      w_.preconditioned_[i] = z;
      gz += w_.gradient_[i] * z;
      old += w_.old_gradient_[i] * z;
    }
    return Sums{sum3(gz), sum3(old), 0};
  });
}

// d = -z + beta d; sums g . d, d . M (v - v*), d . M d
QuasiNewton::Sums QuasiNewton::turn(double beta) {
  return in_pieces(nodes_, nodes_per_piece, [&](std::size_t first, std::size_t last) {
    Four gd(0), slope(0), curvature(0);
    for (std::size_t i = first; i < last; ++i) {
      const Four d = Four(beta) * w_.direction_[i] - w_.preconditioned_[i], md = Four(w_.free_[i][3]) * d;
      w_.direction_[i] = d;
      gd += w_.gradient_[i] * d;
      slope += md * (w_.velocity_[i] - w_.free_[i]);
      curvature += md * d;
    }
    return Sums{sum3(gd), sum3(slope), sum3(curvature)};
  });
}

// du = J d; the curvature of the contacts along it
double QuasiNewton::contact_directions() {
  const Sums s = in_pieces(blocks_, blocks_per_piece, [&](std::size_t first, std::size_t last) {
    for (std::size_t c = 4 * first; c < std::min(contacts_, 4 * last); ++c) {
      const Four du = gather(p_, c, w_.direction_.data());
      for (int d = 0; d < 3; ++d) w_.du_[c / 4][d].set(int(c % 4), du[d]);
    }
    Four curvature(0);
    for (std::size_t b = first; b < last; ++b) curvature += w_.contact_hessian_[b].along(w_.du_[b]);
    return Sums{sum3(curvature) + curvature[3], 0, 0};
  });
  return s.a;
}

// Polak and Ribiere, with H^-1 as metric; the quasi-Newton direction itself where that does not go down. Returns the
// slope.
double QuasiNewton::choose_direction(LineValue& start, LineValue& matter) {
  const Sums z = precondition();
  double beta = 0;
  if (options_.conjugate && old_descent_ > 0) beta = std::max(0.0, (z.a - z.b) / old_descent_);
  Sums d = turn(beta);
  if (beta > 0 && !(d.a < -least_descent * z.a)) d = turn(0);
  old_descent_ = z.a;
  matter = {0, d.b, d.c};
  start = {0, d.a, d.c};
  return d.a;
}

LineStep QuasiNewton::search(const LineValue& start, const LineValue& matter) {
  const auto line = [&](double length) {
    const Sums s = in_pieces(blocks_, blocks_per_piece, [&](std::size_t first, std::size_t last) {
      const LineValue l = p_.potential->along({first, last}, w_.u_.data(), w_.du_.data(), length);
      return Sums{l.value, l.slope, l.curvature};
    });
    return LineValue{0, matter.slope + length * matter.curvature + s.b, matter.curvature + s.c};
  };
  return minimise_along(line, start, line_tolerance);
}

SolveReport QuasiNewton::run(std::span<Vec3d> v) {
  SolveReport report;
  report.finite = load(v);
  if (!report.finite) return report;
  start_contacts();
  double step = 0, best = std::numeric_limits<double>::infinity();
  for (int since_best = 0;; ++report.iterations) {
    evaluate_contacts(step);
    sum_by_node();
    report.converged = measure(step, report);
    if (!report.finite) return report;
    since_best = report.residual < best ? 0 : since_best + 1;
    best = std::min(best, report.residual);
    report.stalled = !report.converged && since_best > patience;
    if (report.converged || report.stalled || report.iterations == options_.max_iterations) break;

    LineValue start, matter;
    if (!(choose_direction(start, matter) < 0)) {
      report.stalled = true;
      break;
    }
    start.curvature += contact_directions();
    const LineStep found = search(start, matter);
    report.line_search_iterations += found.evaluations;
    step = found.length;
  }
  for (std::size_t i = 0; i < nodes_; ++i) v[i] = {{w_.velocity_[i][0], w_.velocity_[i][1], w_.velocity_[i][2]}};
  return report;
}

SolveReport solve_quasi_newton(const ContactProblem& problem, const SolveOptions& options, Workers& workers,
                               QuasiNewtonWork& work, std::span<Vec3d> v) {
  return QuasiNewton(problem, options, workers, work).run(v);
}

Vec3d QuasiNewtonWork::contact_velocity(std::size_t c) const {
  const Four3& u = u_[c / 4];
  const int lane = int(c % 4);
  return {{u[0][lane], u[1][lane], u[2][lane]}};
}

Vec3d QuasiNewtonWork::impulse(std::size_t c) const {
  const Four3& g = contact_gradient_[c / 4];
  const int lane = int(c % 4);
  return {{-g[0][lane], -g[1][lane], -g[2][lane]}};
}

std::size_t QuasiNewtonWork::bytes() const {
  std::size_t n = sums_.bytes() + contact_hessian_.bytes() + pieces_.bytes() + entry_begins_.bytes() + entries_.bytes();
  for (const Buffer<Four>* b : {&free_, &velocity_, &gradient_, &old_gradient_, &preconditioned_, &direction_})
    n += b->bytes();
  for (const Buffer<Four3>* b : {&u_, &du_, &contact_gradient_}) n += b->bytes();
  return n;
}

}  // namespace pliant

#include "solve/system.h"

#include <algorithm>
#include <cmath>

namespace pliant::solve {
namespace {

// from double, or to it
template <class T>
NodeVector<T> rounded(NodeVector<double> x) {
  if constexpr (std::is_same_v<T, float>)
    return narrow(x);
  else
    return x;
}

// the power of two below the largest entry: floats have no room for very small or large momenta
double scale_of(const UnknownVector<double>& x) {
  NodeVector<double> largest = 0;
  for (const NodeVector<double>& v : x.nodes) largest = max(largest, abs(v));
  double most = std::max({largest[0], largest[1], largest[2]});
  for (const double d : x.dofs) most = std::max(most, std::fabs(d));
  return most > 0 ? std::exp2(std::floor(std::log2(most))) : 1;
}

}  // namespace

Vec3d SystemWork::contact_velocity(std::size_t c) const { return vector_of(u.data(), c); }
Vec3d SystemWork::impulse(std::size_t c) const { return -1.0 * vector_of(contact_gradient.data(), c); }

System::System(const StrongProblem& problem, Workers& workers, SystemWork& work)
    : problem_(problem),
      workers_(workers),
      work_(work),
      bodies_(work.bodies),
      nodes_(problem.unknowns->nodes()),
      dofs_(problem.unknowns->dofs),
      sums_(workers, work.pieces),
      rows_(gather_rows()),
      weights_(rows_, workers, work.weights),
      mean_(problem.mean, workers, work.mean) {
  const std::size_t blocks = blocks_of(contacts());
  for (auto* b : {&work_.u, &work_.contact_gradient, &work_.du, &work_.force}) b->resize(blocks);
  work_.contact_hessian.resize(blocks);
  for (auto* v : {&work_.gradient, &work_.contact_sum}) v->resize(*problem_.unknowns);
  for (auto* b : {&work_.matter_gradient, &work_.inverse_diagonal, &work_.sums}) b->resize(nodes_);
  for (auto* b : {&work_.matter_blocks, &work_.contact_blocks}) b->resize(nodes_);
  work_.single.vectors.resize(*problem_.unknowns);
  work_.single.inverse_blocks.resize(nodes_);
  bodies_.begin(problem_);
}

ContactProblem System::gather_rows() {
  work_.mass.resize(nodes_);
  for (std::size_t m = 0; m < problem_.matter.size(); ++m) {
    const std::span<const double> mass = problem_.matter[m]->mass();
    std::copy(mass.begin(), mass.end(), work_.mass.begin() + problem_.unknowns->matter[m].first);
  }
  ContactProblem rows;
  rows.mass = {work_.mass.data(), nodes_};
  rows.begins = problem_.begins;
  rows.nodes = problem_.nodes;
  rows.weights = problem_.weights;
  rows.bias = problem_.bias;
  rows.potential = problem_.potential;
  return rows;
}

template <>
SystemCg<float>& System::cg() {
  return work_.single;
}
template <>
SystemCg<double>& System::cg() {
  return work_.exact;
}

bool System::quadratic() const {
  return std::all_of(problem_.matter.begin(), problem_.matter.end(),
                     [](const MatterCost* m) { return m->quadratic(); });
}

double System::rounding() const {
  double sum = 0;
  for (const MatterCost* m : problem_.matter) sum += m->rounding();
  return sum;
}

bool System::follow_matter(const NodeVector<double>* v) {
  bool any = false;
  for (std::size_t m = 0; m < problem_.matter.size(); ++m)
    any |= problem_.matter[m]->follow(v + problem_.unknowns->matter[m].first, workers_);
  return any;
}

double System::lag() const {
  double most = 0;
  for (const MatterCost* m : problem_.matter) most = std::max(most, m->lag());
  return most;
}

void System::linearise(const NodeVector<double>* v) {
  for (std::size_t m = 0; m < problem_.matter.size(); ++m) {
    const std::size_t first = problem_.unknowns->matter[m].first;
    problem_.matter[m]->linearise(v + first, work_.matter_blocks.data() + first, workers_);
  }
  sums_.each(nodes_, [&](std::size_t i) {
    const Block3<double>& b = work_.matter_blocks[i];
    work_.inverse_diagonal[i] =
        NodeVector<double>(1) / NodeVector<double>(NodeVector<double>::Vector{b.xx, b.yy, b.zz, 1});
  });
}

void System::use_exact_hessian(const NodeVector<double>* v) {
  for (std::size_t m = 0; m < problem_.matter.size(); ++m)
    problem_.matter[m]->use_exact_hessian(v + problem_.unknowns->matter[m].first, workers_);
}

void System::linearise_in_double(const NodeVector<double>* v, Curvature curvature) {
  for (std::size_t m = 0; m < problem_.matter.size(); ++m)
    problem_.matter[m]->linearise_in_double(v + problem_.unknowns->matter[m].first, curvature, workers_);
}

double System::matter_value(const NodeVector<double>* v, NodeVector<double>* gradient) {
  double sum = 0;
  for (std::size_t m = 0; m < problem_.matter.size(); ++m) {
    const std::size_t first = problem_.unknowns->matter[m].first;
    sum += problem_.matter[m]->evaluate(v + first, gradient + first, workers_);
  }
  return sum;
}

template <class T>
double System::apply_matter(const NodeVector<T>* x, NodeVector<T>* y) {
  double sum = 0;
  for (std::size_t m = 0; m < problem_.matter.size(); ++m) {
    const std::size_t first = problem_.unknowns->matter[m].first;
    sum += problem_.matter[m]->apply(x + first, y + first, workers_);
  }
  return sum;
}

// u of the contacts for velocities of nodes and bodies, or without the given part: its change
void System::contact_velocities(const NodeVector<double>* v, const Column& w, bool with_bias, Buffer<Vec3Lanes>& out) {
  weights_.over_blocks([&](std::size_t first, std::size_t last) {
    weights_.multiply({first, last}, v, out.data());
    return ThreeSums{};
  });
  mean_.add_velocities(v, out.data());
  if (with_bias) bodies_.subtract_bias(out);
  bodies_.subtract_velocities(w, out);
}

double System::contact_value(const NodeVector<double>* v, const Column& w) {
  if (contacts() == 0) return 0;
  contact_velocities(v, w, true, work_.force);
  return problem_.potential->along(all_contacts(), work_.force.data(), work_.force.data(), 0).value;
}

void System::set_direction(const NodeVector<double>* v, const Column& w) {
  if (contacts() > 0) contact_velocities(v, w, false, work_.du);
}

LineValue System::contacts_along(double length) const {
  if (contacts() == 0) return {};
  return problem_.potential->along(all_contacts(), work_.u.data(), work_.du.data(), length);
}

double System::evaluate(const NodeVector<double>* v, const Column& w, AskOfLaws ask) {
  const double value = matter_value(v, work_.matter_gradient.data());
  evaluate_bodies_and_contacts(v, w, ask);
  return value;
}

void System::evaluate_rest(const NodeVector<double>* v, const Column& w, Buffer<NodeVector<double>>& matter_gradient,
                           AskOfLaws ask) {
  work_.matter_gradient.swap(matter_gradient);
  evaluate_bodies_and_contacts(v, w, ask);
}

void System::evaluate_bodies_and_contacts(const NodeVector<double>* v, const Column& w, AskOfLaws ask) {
  body_value(w, work_.gradient.dofs);
  bodies_.take_hessian();
  work_.contact_sum.dofs.setZero();
  if (contacts() > 0) {
    contact_velocities(v, w, true, work_.u);
    weights_.over_blocks([&](std::size_t first, std::size_t last) {
      if (ask.follow) problem_.potential->follow({first, last}, work_.u.data());
      problem_.potential->evaluate({first, last}, work_.u.data(), work_.contact_gradient.data(),
                                   work_.contact_hessian.data());
      return ThreeSums{};
    });
    weights_.add_up(work_.contact_gradient.data(), work_.contact_sum.nodes.data());
    mean_.add_up(work_.contact_gradient.data(), work_.contact_sum.nodes.data());
    bodies_.add_forces(work_.contact_gradient, -1, work_.contact_sum.dofs);
  } else {
    std::fill(work_.contact_sum.nodes.begin(), work_.contact_sum.nodes.end(), NodeVector<double>(0));
  }
  majorized_ = ask.majorize && contacts() > 0;
  if (majorized_) {
    work_.own_hessian.resize(work_.contact_hessian.size());
    std::copy(work_.contact_hessian.begin(), work_.contact_hessian.end(), work_.own_hessian.begin());
    problem_.potential->add_majorizer(all_contacts(), work_.u.data(), work_.contact_hessian.data());
  }
  sums_.each(nodes_,
             [&](std::size_t i) { work_.gradient.nodes[i] = work_.matter_gradient[i] + work_.contact_sum.nodes[i]; });
  work_.gradient.dofs += work_.contact_sum.dofs;
}

System::Norms System::measure(const NodeVector<double>* v, const Column& w) {
  const ThreeSums nodes = weights_.over_nodes([&](std::size_t first, std::size_t last) {
    NodeVector<double> gradient = 0, momentum = 0, impulse = 0;
    for (std::size_t i = first; i < last; ++i) {
      const NodeVector<double> D2 = work_.inverse_diagonal[i], p = NodeVector<double>(work_.mass[i]) * v[i];
      gradient += D2 * work_.gradient.nodes[i] * work_.gradient.nodes[i];
      momentum += D2 * p * p;
      impulse += D2 * work_.contact_sum.nodes[i] * work_.contact_sum.nodes[i];
    }
    return ThreeSums{sum_of_lanes(gradient), sum_of_lanes(momentum), sum_of_lanes(impulse)};
  });
  Norms sums = {nodes.a, nodes.b, nodes.c};
  work_.product.noalias() = bodies_.hessian() * w;
  for (Eigen::Index j = 0; j < w.size(); ++j) {
    const double D2 = 1 / bodies_.hessian()(j, j);
    sums.gradient += D2 * work_.gradient.dofs[j] * work_.gradient.dofs[j];
    sums.momentum += D2 * work_.product[j] * work_.product[j];
    sums.impulse += D2 * work_.contact_sum.dofs[j] * work_.contact_sum.dofs[j];
  }
  return {std::sqrt(sums.gradient), std::sqrt(sums.momentum), std::sqrt(sums.impulse)};
}

double System::matter_curvature(const NodeVector<double>* direction) {
  CgVectors<float>& scratch = work_.single.vectors;
  sums_.each(nodes_, [&](std::size_t i) { scratch.search.nodes[i] = narrow(direction[i]); });
  return apply_matter(scratch.search.nodes.data(), scratch.product.nodes.data());
}

double System::body_curvature(const Column& direction) {
  work_.product.noalias() = bodies_.hessian() * direction;
  return direction.dot(work_.product);
}

double System::dot_nodes(const NodeVector<double>* a, const NodeVector<double>* b) const {
  return sums_
      .over(nodes_, nodes_per_piece,
            [&](std::size_t first, std::size_t last) {
              NodeVector<double> sum = 0;
              for (std::size_t i = first; i < last; ++i) sum += a[i] * b[i];
              return ThreeSums{sum_of_lanes(sum)};
            })
      .a;
}

template <class T>
void System::precondition() {
  if (contacts() > 0)
    weights_.add_up(work_.contact_hessian.data(), work_.contact_blocks.data());
  else
    std::fill(work_.contact_blocks.begin(), work_.contact_blocks.end(), Block3<double>{});
  Buffer<Inverse3<T>>& inverse_blocks = cg<T>().inverse_blocks;
  inverse_blocks.resize(nodes_);
  sums_.each(nodes_, [&](std::size_t i) {
    Block3<double> sum = work_.matter_blocks[i];
    sum += work_.contact_blocks[i];
    inverse_blocks[i] = Inverse3<T>(sum);
  });
  bodies_.factor(work_.contact_hessian);
}

template <class T>
double System::apply(const UnknownVector<T>& x, UnknownVector<T>& y) {
  double sum = apply_matter(x.nodes.data(), y.nodes.data());
  y.dofs.noalias() = bodies_.hessian() * x.dofs;
  sum += x.dofs.dot(y.dofs);
  if (contacts() == 0) return sum;
  sums_.each(nodes_, [&](std::size_t i) { work_.sums[i] = wide(x.nodes[i]); });
  contact_velocities(work_.sums.data(), x.dofs, false, work_.du);
  sum += weights_
             .over_blocks([&](std::size_t first, std::size_t last) {
               Lanes parts = 0;
               for (std::size_t b = first; b < last; ++b) {
                 work_.force[b] = work_.contact_hessian[b] * work_.du[b];
                 parts += dot(work_.force[b], work_.du[b]);
               }
               return ThreeSums{sum_of_lanes(parts)};
             })
             .a;
  weights_.add_up(work_.force.data(), work_.sums.data());
  mean_.add_up(work_.force.data(), work_.sums.data());
  sums_.each(nodes_, [&](std::size_t i) { y.nodes[i] += rounded<T>(work_.sums[i]); });
  bodies_.add_forces(work_.force, -1, y.dofs);
  return sum;
}

// one solve by conjugate gradients
template <class T>
class SystemSolve {
 public:
  SystemSolve(System& system, const UnknownVector<double>& right, double scale)
      : system_(system), cg_(system.cg<T>()), right_(right), scale_(scale) {}

  double begin() {
    CgVectors<T>& v = cg_.vectors;
    v.residual.dofs = (1 / scale_) * right_.dofs;
    v.x.dofs.setZero();
    system_.bodies_.solve(v.residual.dofs, v.search.dofs);
    const NodeVector<double> by = 1 / scale_;
    return v.residual.dofs.dot(v.search.dofs) + system_.sums_
                                                    .over(system_.nodes_, nodes_per_piece,
                                                          [&](std::size_t first, std::size_t last) {
                                                            NodeVector<double> sum = 0;
                                                            for (std::size_t i = first; i < last; ++i) {
                                                              const NodeVector<T> r = rounded<T>(by * right_.nodes[i]),
                                                                                  z = cg_.inverse_blocks[i] * r;
                                                              v.x.nodes[i] = T(0);
                                                              v.residual.nodes[i] = r;
                                                              v.search.nodes[i] = z;
                                                              sum += wide_product(r, z);
                                                            }
                                                            return ThreeSums{sum_of_lanes(sum)};
                                                          })
                                                    .a;
  }
  double apply() { return system_.apply(cg_.vectors.search, cg_.vectors.product); }
  double advance(double alpha) {
    CgVectors<T>& v = cg_.vectors;
    v.x.dofs += alpha * v.search.dofs;
    v.residual.dofs -= alpha * v.product.dofs;
    system_.bodies_.solve(v.residual.dofs, v.preconditioned.dofs);
    return v.residual.dofs.dot(v.preconditioned.dofs) + advance_nodes(v, T(alpha), cg_.inverse_blocks, system_.sums_);
  }
  void turn(double beta) {
    CgVectors<T>& v = cg_.vectors;
    turn_nodes(v, T(beta), system_.sums_);
    v.search.dofs = v.preconditioned.dofs + beta * v.search.dofs;
  }

 private:
  System& system_;
  SystemCg<T>& cg_;
  const UnknownVector<double>& right_;
  double scale_;
};

template <class T>
CgReport System::solve(const UnknownVector<double>& right, const CgOptions& options, UnknownVector<double>& x) {
  cg<T>().vectors.resize(*problem_.unknowns);
  x.resize(*problem_.unknowns);
  const double scale = scale_of(right);
  SystemSolve<T> solve(*this, right, scale);
  const CgReport report = conjugate_gradients(solve, options);
  const UnknownVector<T>& found = cg<T>().vectors.x;
  sums_.each(nodes_, [&](std::size_t i) { x.nodes[i] = NodeVector<double>(scale) * wide(found.nodes[i]); });
  x.dofs = scale * found.dofs;
  return report;
}

template void System::precondition<float>();
template void System::precondition<double>();
template double System::apply(const UnknownVector<float>&, UnknownVector<float>&);
template double System::apply(const UnknownVector<double>&, UnknownVector<double>&);
template CgReport System::solve<float>(const UnknownVector<double>&, const CgOptions&, UnknownVector<double>&);
template CgReport System::solve<double>(const UnknownVector<double>&, const CgOptions&, UnknownVector<double>&);

}  // namespace pliant::solve

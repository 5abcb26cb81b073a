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
    : p_(problem),
      workers_(workers),
      k_(work),
      bodies_(work.bodies),
      nodes_(problem.unknowns->nodes()),
      dofs_(problem.unknowns->dofs),
      sums_(workers, work.pieces),
      rows_(gather_rows()),
      weights_(rows_, workers, work.weights) {
  const std::size_t blocks = blocks_of(contacts());
  for (auto* b : {&k_.u, &k_.contact_gradient, &k_.du, &k_.force}) b->resize(blocks);
  k_.contact_hessian.resize(blocks);
  for (auto* v : {&k_.gradient, &k_.contact_sum}) v->resize(*p_.unknowns);
  for (auto* b : {&k_.matter_gradient, &k_.inverse_diagonal, &k_.sums}) b->resize(nodes_);
  for (auto* b : {&k_.matter_blocks, &k_.contact_blocks}) b->resize(nodes_);
  k_.single.vectors.resize(*p_.unknowns);
  k_.single.inverse_blocks.resize(nodes_);
  bodies_.begin(p_);
}

ContactProblem System::gather_rows() {
  k_.mass.resize(nodes_);
  for (std::size_t m = 0; m < p_.matter.size(); ++m) {
    const std::span<const double> mass = p_.matter[m]->mass();
    std::copy(mass.begin(), mass.end(), k_.mass.begin() + p_.unknowns->matter[m].first);
  }
  ContactProblem rows;
  rows.mass = {k_.mass.data(), nodes_};
  rows.begins = p_.begins;
  rows.nodes = p_.nodes;
  rows.weights = p_.weights;
  rows.bias = p_.bias;
  rows.potential = p_.potential;
  return rows;
}

template <>
SystemCg<float>& System::cg() {
  return k_.single;
}
template <>
SystemCg<double>& System::cg() {
  return k_.exact;
}

bool System::quadratic() const {
  return std::all_of(p_.matter.begin(), p_.matter.end(), [](const MatterCost* m) { return m->quadratic(); });
}

double System::rounding() const {
  double sum = 0;
  for (const MatterCost* m : p_.matter) sum += m->rounding();
  return sum;
}

void System::linearise(const NodeVector<double>* v) {
  for (std::size_t m = 0; m < p_.matter.size(); ++m) {
    const std::size_t first = p_.unknowns->matter[m].first;
    p_.matter[m]->linearise(v + first, k_.matter_blocks.data() + first, workers_);
  }
  sums_.each(nodes_, [&](std::size_t i) {
    const Block3<double>& b = k_.matter_blocks[i];
    k_.inverse_diagonal[i] =
        NodeVector<double>(1) / NodeVector<double>(NodeVector<double>::Vector{b.xx, b.yy, b.zz, 1});
  });
}

void System::use_exact_hessian(const NodeVector<double>* v) {
  for (std::size_t m = 0; m < p_.matter.size(); ++m)
    p_.matter[m]->use_exact_hessian(v + p_.unknowns->matter[m].first, workers_);
}

void System::linearise_in_double(const NodeVector<double>* v, Curvature curvature) {
  for (std::size_t m = 0; m < p_.matter.size(); ++m)
    p_.matter[m]->linearise_in_double(v + p_.unknowns->matter[m].first, curvature, workers_);
}

double System::matter_value(const NodeVector<double>* v, NodeVector<double>* gradient) {
  double sum = 0;
  for (std::size_t m = 0; m < p_.matter.size(); ++m) {
    const std::size_t first = p_.unknowns->matter[m].first;
    sum += p_.matter[m]->evaluate(v + first, gradient + first, workers_);
  }
  return sum;
}

template <class T>
double System::apply_matter(const NodeVector<T>* x, NodeVector<T>* y) {
  double sum = 0;
  for (std::size_t m = 0; m < p_.matter.size(); ++m) {
    const std::size_t first = p_.unknowns->matter[m].first;
    sum += p_.matter[m]->apply(x + first, y + first, workers_);
  }
  return sum;
}

// u of the contacts for velocities of nodes and bodies, or without the given part: its change
void System::contact_velocities(const NodeVector<double>* v, const Column& w, bool with_bias, Buffer<Vec3Lanes>& out) {
  weights_.over_blocks([&](std::size_t first, std::size_t last) {
    weights_.multiply({first, last}, v, out.data());
    return ThreeSums{};
  });
  if (with_bias) bodies_.subtract_bias(out);
  bodies_.subtract_velocities(w, out);
}

double System::contact_value(const NodeVector<double>* v, const Column& w) {
  if (contacts() == 0) return 0;
  contact_velocities(v, w, true, k_.force);
  return p_.potential->along(all_contacts(), k_.force.data(), k_.force.data(), 0).value;
}

void System::set_direction(const NodeVector<double>* v, const Column& w) {
  if (contacts() > 0) contact_velocities(v, w, false, k_.du);
}

LineValue System::contacts_along(double length) const {
  if (contacts() == 0) return {};
  return p_.potential->along(all_contacts(), k_.u.data(), k_.du.data(), length);
}

double System::evaluate(const NodeVector<double>* v, const Column& w, bool majorize) {
  const double value = matter_value(v, k_.matter_gradient.data());
  evaluate_bodies_and_contacts(v, w, majorize);
  return value;
}

void System::evaluate_rest(const NodeVector<double>* v, const Column& w, Buffer<NodeVector<double>>& matter_gradient,
                           bool majorize) {
  k_.matter_gradient.swap(matter_gradient);
  evaluate_bodies_and_contacts(v, w, majorize);
}

void System::evaluate_bodies_and_contacts(const NodeVector<double>* v, const Column& w, bool majorize) {
  body_value(w, k_.gradient.dofs);
  bodies_.take_hessian();
  k_.contact_sum.dofs.setZero();
  if (contacts() > 0) {
    contact_velocities(v, w, true, k_.u);
    weights_.over_blocks([&](std::size_t first, std::size_t last) {
      p_.potential->evaluate({first, last}, k_.u.data(), k_.contact_gradient.data(), k_.contact_hessian.data());
      return ThreeSums{};
    });
    weights_.add_up(k_.contact_gradient.data(), k_.contact_sum.nodes.data());
    bodies_.add_forces(k_.contact_gradient, -1, k_.contact_sum.dofs);
  } else {
    std::fill(k_.contact_sum.nodes.begin(), k_.contact_sum.nodes.end(), NodeVector<double>(0));
  }
  majorized_ = majorize && contacts() > 0;
  if (majorized_) {
    k_.own_hessian.resize(k_.contact_hessian.size());
    std::copy(k_.contact_hessian.begin(), k_.contact_hessian.end(), k_.own_hessian.begin());
    p_.potential->add_majorizer(all_contacts(), k_.u.data(), k_.contact_hessian.data());
  }
  sums_.each(nodes_, [&](std::size_t i) { k_.gradient.nodes[i] = k_.matter_gradient[i] + k_.contact_sum.nodes[i]; });
  k_.gradient.dofs += k_.contact_sum.dofs;
}

System::Norms System::measure(const NodeVector<double>* v, const Column& w) {
  const ThreeSums nodes = weights_.over_nodes([&](std::size_t first, std::size_t last) {
    NodeVector<double> gradient = 0, momentum = 0, impulse = 0;
    for (std::size_t i = first; i < last; ++i) {
      const NodeVector<double> D2 = k_.inverse_diagonal[i], p = NodeVector<double>(k_.mass[i]) * v[i];
      gradient += D2 * k_.gradient.nodes[i] * k_.gradient.nodes[i];
      momentum += D2 * p * p;
      impulse += D2 * k_.contact_sum.nodes[i] * k_.contact_sum.nodes[i];
    }
    return ThreeSums{sum_of_lanes(gradient), sum_of_lanes(momentum), sum_of_lanes(impulse)};
  });
  Norms sums = {nodes.a, nodes.b, nodes.c};
  k_.product.noalias() = bodies_.hessian() * w;
  for (Eigen::Index j = 0; j < w.size(); ++j) {
    const double D2 = 1 / bodies_.hessian()(j, j);
    sums.gradient += D2 * k_.gradient.dofs[j] * k_.gradient.dofs[j];
    sums.momentum += D2 * k_.product[j] * k_.product[j];
    sums.impulse += D2 * k_.contact_sum.dofs[j] * k_.contact_sum.dofs[j];
  }
  return {std::sqrt(sums.gradient), std::sqrt(sums.momentum), std::sqrt(sums.impulse)};
}

double System::matter_curvature(const NodeVector<double>* direction) {
  CgVectors<float>& scratch = k_.single.vectors;
  sums_.each(nodes_, [&](std::size_t i) { scratch.search.nodes[i] = narrow(direction[i]); });
  return apply_matter(scratch.search.nodes.data(), scratch.product.nodes.data());
}

double System::body_curvature(const Column& direction) {
  k_.product.noalias() = bodies_.hessian() * direction;
  return direction.dot(k_.product);
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
    weights_.add_up(k_.contact_hessian.data(), k_.contact_blocks.data());
  else
    std::fill(k_.contact_blocks.begin(), k_.contact_blocks.end(), Block3<double>{});
  Buffer<Inverse3<T>>& inverse_blocks = cg<T>().inverse_blocks;
  inverse_blocks.resize(nodes_);
  sums_.each(nodes_, [&](std::size_t i) {
    Block3<double> sum = k_.matter_blocks[i];
    sum += k_.contact_blocks[i];
    inverse_blocks[i] = Inverse3<T>(sum);
  });
  bodies_.factor(k_.contact_hessian);
}

template <class T>
double System::apply(const UnknownVector<T>& x, UnknownVector<T>& y) {
  double sum = apply_matter(x.nodes.data(), y.nodes.data());
  y.dofs.noalias() = bodies_.hessian() * x.dofs;
  sum += x.dofs.dot(y.dofs);
  if (contacts() == 0) return sum;
  sums_.each(nodes_, [&](std::size_t i) { k_.sums[i] = wide(x.nodes[i]); });
  contact_velocities(k_.sums.data(), x.dofs, false, k_.du);
  sum += weights_
             .over_blocks([&](std::size_t first, std::size_t last) {
               Lanes parts = 0;
               for (std::size_t b = first; b < last; ++b) {
                 k_.force[b] = k_.contact_hessian[b] * k_.du[b];
                 parts += dot(k_.force[b], k_.du[b]);
               }
               return ThreeSums{sum_of_lanes(parts)};
             })
             .a;
  weights_.add_up(k_.force.data(), k_.sums.data());
  sums_.each(nodes_, [&](std::size_t i) { y.nodes[i] += rounded<T>(k_.sums[i]); });
  bodies_.add_forces(k_.force, -1, y.dofs);
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
  cg<T>().vectors.resize(*p_.unknowns);
  x.resize(*p_.unknowns);
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

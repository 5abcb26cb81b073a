// Newton's system of a StrongProblem: gradient and Hessian of everything at one place (v, w). G: those of the contacts.
//
//   [ A + W^T G W     -W^T G J    ] [x_v]   [right_v]
//   [ -J^T G W        H + J^T G J ] [x_w] = [right_w]
//
// Applied in float or in double, preconditioned by 3x3 blocks of the nodes and a factor of the bodies' matrix, solved
// for any right side by conjugate gradients. Bodies and contacts are always in double.
#pragma once

#include "solve/body_coupling.h"
#include "solve/contact_weights.h"
#include "solve/krylov.h"
#include "solve/mean_rows.h"
#include "solve/namespace.h"
#include "solve/per_node_newton.h"
#include "solve/strong_problem.h"

#include <span>

namespace pliant::solve {

// of conjugate gradients in one precision
template <class T>
struct SystemCg {
  CgVectors<T> vectors;
  Buffer<Inverse3<T>> inverse_blocks;
};

// Scratch memory, and after `evaluate` its result.
struct SystemWork {
  // by block of contacts
  Buffer<Vec3Lanes> u, contact_gradient;
  Buffer<Block3<Lanes>> contact_hessian, own_hessian;  // with, and without, what makes it a majorizer
  UnknownVector<double> gradient;                      // of everything
  UnknownVector<double> contact_sum;                   // of the contacts alone
  Buffer<NodeVector<double>> matter_gradient;

  Vec3d contact_velocity(std::size_t c) const;
  Vec3d impulse(std::size_t c) const;  // N s, on the matter

  // by node
  Buffer<double> mass;
  Buffer<Block3<double>> matter_blocks, contact_blocks;
  Buffer<NodeVector<double>> inverse_diagonal, sums;  // D^2 of matter alone
  // by block of contacts
  Buffer<Vec3Lanes> du, force;
  SystemCg<float> single;
  SystemCg<double> exact;  // empty until it is asked for
  Eigen::VectorXd product;
  Buffer<ThreeSums> pieces;
  ContactWeightsWork weights;
  MeanRowsWork mean;
  BodyCoupling bodies;
};

// what is asked of the laws of contacts: see ContactPotential
struct AskOfLaws {
  bool majorize = false, follow = false;
};

class System {
 public:
  using Column = Eigen::VectorXd;

  // what is given must live as long as this is used
  System(const StrongProblem& problem, Workers& workers, SystemWork& work);
  System(const System&) = delete;

  std::size_t nodes() const { return nodes_; }
  std::size_t dofs() const { return dofs_; }
  std::size_t contacts() const { return problem_.bias.size(); }
  bool quadratic() const;  // matter is

  // Matter at v, for products in float: A and the blocks of its diagonal, which D is made of
  void linearise(const NodeVector<double>* v);
  // its second derivative as it is; blocks stay
  void use_exact_hessian(const NodeVector<double>* v);
  // the same for products in double
  void linearise_in_double(const NodeVector<double>* v, Curvature curvature);

  // Gradient at (v, w), Hessians of contacts and bodies. Gives the value of matter.
  double evaluate(const NodeVector<double>* v, const Column& w, AskOfLaws ask = {});
  // the same where value and gradient of matter are known; the gradient is taken away
  void evaluate_rest(const NodeVector<double>* v, const Column& w, Buffer<NodeVector<double>>& matter_gradient,
                     AskOfLaws ask);
  // the same where matter is as at the last one
  void evaluate_bodies_and_contacts(const NodeVector<double>* v, const Column& w, AskOfLaws ask);

  // |D ...|, D = diag(A, H)^-1/2, of gradient, momentum and impulse of the contacts, at the last evaluate
  struct Norms {
    double gradient = 0, momentum = 0, impulse = 0;
  };
  Norms measure(const NodeVector<double>* v, const Column& w);

  // blocks and factor, for the matrices as they are now
  template <class T>
  void precondition();
  // y = (this) x; x . y
  template <class T>
  double apply(const UnknownVector<T>& x, UnknownVector<T>& y);
  // x = (this)^-1 right, after `precondition`
  template <class T>
  CgReport solve(const UnknownVector<double>& right, const CgOptions& options, UnknownVector<double>& x);

  // parts of the problem
  bool follow_matter(const NodeVector<double>* v);  // see MatterCost
  double lag() const;
  double matter_value(const NodeVector<double>* v, NodeVector<double>* gradient);
  double rounding() const;  // J, of that value
  double body_value(const Column& w, Column& gradient) {
    return problem_.bodies->evaluate(span_of(w), span_of(gradient));
  }
  double contact_value(const NodeVector<double>* v, const Column& w);
  // of matter's A, in float
  double matter_curvature(const NodeVector<double>* direction);
  double body_curvature(const Column& direction);
  // contacts along a direction from the last evaluate
  void set_direction(const NodeVector<double>* v, const Column& w);
  LineValue contacts_along(double length) const;

  // the contacts at the last evaluate, their Hessians as they are
  LawsAtStart laws() const {
    return {work_.u, work_.contact_gradient, majorized_ ? work_.own_hessian : work_.contact_hessian};
  }
  std::span<const Block3<double>> matter_blocks() const { return {work_.matter_blocks.data(), nodes_}; }

  const PieceSums& sums() const { return sums_; }
  double dot_nodes(const NodeVector<double>* a, const NodeVector<double>* b) const;

 private:
  template <class T>
  friend class SystemSolve;

  static std::span<const double> span_of(const Column& c) { return {c.data(), std::size_t(c.size())}; }
  static std::span<double> span_of(Column& c) { return {c.data(), std::size_t(c.size())}; }
  template <class T>
  SystemCg<T>& cg();
  BlockRange all_contacts() const { return {0, blocks_of(contacts())}; }
  ContactProblem gather_rows();
  void contact_velocities(const NodeVector<double>* v, const Column& w, bool with_bias, Buffer<Vec3Lanes>& out);
  template <class T>
  double apply_matter(const NodeVector<T>* x, NodeVector<T>* y);

  const StrongProblem& problem_;
  Workers& workers_;
  SystemWork& work_;
  BodyCoupling& bodies_;
  std::size_t nodes_, dofs_;
  PieceSums sums_;
  ContactProblem rows_;
  ContactWeights weights_;
  MeanProducts mean_;
  bool majorized_ = false;
};

}  // namespace pliant::solve

// Matter, bodies and their contacts as one minimisation (S1, Eq. 7), over the velocities v of nodes and w of bodies:
//   minimise  sum E(v) + l(w) + sum_c l_c(u_c),     u_c = sum_i w_ci v_i + G d_c - b_c - (V + Omega x r_c),   (V, Omega) = J w
// with J that of the body which contact c touches, at a point of reference from which the contact is r_c away.
// What matter and bodies are is not known here.
#pragma once

#include "core/parallel.h"
#include "solve/block3.h"
#include "solve/contact_problem.h"
#include "solve/namespace.h"
#include "solve/unknowns.h"

#include <limits>
#include <span>

namespace pliant::solve {

// of an energy: without its negative part, or as it is
enum class Curvature { positive, exact };

// E of some matter, convex or nearly, over its own nodes
class MatterCost {
 public:
  virtual ~MatterCost() = default;
  virtual std::size_t nodes() const = 0;
  virtual std::span<const double> mass() const = 0;
  virtual bool quadratic() const = 0;
  virtual double evaluate(const NodeVector<double>* v, NodeVector<double>* gradient, Workers& workers) = 0;
  // What E takes as given of the motion is from now on that of v. True: some is, and values of before no longer hold.
  virtual bool follow(const NodeVector<double>*, Workers&) { return false; }
  // about the part of a change that is missed by taking it as given
  virtual double lag() const { return 0; }
  virtual double rounding() const { return 0; }  // J, of a value, beyond that of its own size

  // A, the positive part of the second derivative at v, for `apply` in float; blocks: of its diagonal, by node
  virtual void linearise(const NodeVector<double>* v, Block3<double>* blocks, Workers& workers) = 0;
  // the second derivative itself, for `apply` in float; blocks stay
  virtual void use_exact_hessian(const NodeVector<double>*, Workers&) {}
  // either of them, for `apply` in double
  virtual void linearise_in_double(const NodeVector<double>* v, Curvature curvature, Workers& workers) = 0;
  // y = A x; x . y
  virtual double apply(const NodeVector<float>* x, NodeVector<float>* y, Workers& workers) = 0;
  virtual double apply(const NodeVector<double>* x, NodeVector<double>* y, Workers& workers) = 0;
};

// l, convex
class BodyCost {
 public:
  virtual ~BodyCost() = default;
  virtual std::size_t dofs() const = 0;
  virtual double evaluate(std::span<const double> w, std::span<double> gradient) = 0;
  // at the last evaluate; dofs x dofs
  virtual void hessian(std::span<double> out) = 0;
};

// the bodies of a scene without any that move
class NoBodies final : public BodyCost {
 public:
  std::size_t dofs() const override { return 0; }
  double evaluate(std::span<const double>, std::span<double>) override { return 0; }
  void hessian(std::span<double>) override {}
};

// Contacts may act on a piece of matter as a whole, too: u_c += G d_c, with the mean gradient G = sum_i v_i s_i^T of the
// velocities of its nodes. Empty: none do.
struct MeanRows {
  std::span<const std::uint32_t> begins, nodes;  // by piece; a node may be of several, once of each
  std::span<const Vec3d> weights;                // 1/m, s_i by entry of nodes
  std::span<const std::int32_t> piece;           // by contact; -1: of none
  std::span<const Vec3d> shift;                  // m, by contact: d_c
};

struct StrongProblem {
  const Unknowns* unknowns = nullptr;
  std::span<MatterCost* const> matter;  // each over its range of the unknowns
  BodyCost* bodies = nullptr;
  // weights by contact, as in ContactProblem; nodes are those of the unknowns
  std::span<const std::uint32_t> begins, nodes;
  std::span<const double> weights;
  MeanRows mean;
  std::span<const Vec3d> bias;         // m/s, by contact: what of the other side's velocity is given
  std::span<const std::int32_t> body;  // by contact: which of the Jacobians; -1: a body that cannot move
  std::span<const Vec3d> arm;          // m, by contact: r_c
  std::span<const double> jacobians;   // 6 x dofs each, linear rows before angular
  ContactPotential* potential = nullptr;
  // another start, by node; tried where the first is a bad one
  std::span<const NodeVector<double>> safe_start;
  // The contacts from here on have one node each, with weight 1, or none, and no body; those of a node are together.
  // A multiple of 4.
  std::size_t first_of_one_node = std::numeric_limits<std::size_t>::max();
};

// the unknowns of these costs, in their order
inline void number_unknowns(std::span<MatterCost* const> matter, const BodyCost& bodies, Unknowns& unknowns) {
  unknowns.clear();
  for (const MatterCost* cost : matter) unknowns.add_nodes(cost->nodes());
  unknowns.dofs = bodies.dofs();
}

}  // namespace pliant::solve

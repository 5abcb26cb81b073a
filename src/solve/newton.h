// Newton's method for a StrongProblem: directions by conjugate gradients on matter and bodies together, exact line
// search. Equations: README.md.
#pragma once

#include "core/parallel.h"
#include "solve/bent_step.h"
#include "solve/body_coupling.h"
#include "solve/budget.h"
#include "solve/contact_weights.h"
#include "solve/strong_problem.h"

#include <span>
#include <vector>

namespace pliant {

struct NewtonOptions {
  double relative_tolerance = 1e-6;   // 1e-10..1
  double absolute_tolerance = 1e-16;  // kg^1/2 m/s
  int max_iterations = 100;           // of Newton
  int max_cg_iterations = 2000;       // in one of them
  int max_hard_iterations = 1000000;  // of Newton, that use all of these
  Budget* budget = nullptr;           // of the step, if it has one: each iteration of either kind is spent
};

struct NewtonReport {
  bool converged = false;
  bool finite = true;    // false: a number is not; v and w are the last good ones
  bool stalled = false;  // round-off does not let the residual fall any further
  int iterations = 0;
  int cg_iterations = 0;
  double residual = 0;  // |D grad| / max(|D p|, |D j|)
};

// Scratch memory, and after a solve the contacts' share of its result.
struct NewtonWork {
  // by block of contacts, at the result
  Buffer<Four3> u, contact_gradient;
  Buffer<Four> gradient;  // of everything, by node: what the solver has left over

  Vec3d contact_velocity(std::size_t c) const;
  Vec3d impulse(std::size_t c) const;  // N s, on the matter

  // inside a solve
  Buffer<Four3> du, force;
  Buffer<Symmetric3<Four>> hessian, own_hessian;
  Buffer<Four> matter_gradient, contact_sum, direction, trial, trial_gradient;
  Buffer<NodeBlock> node_blocks;
  Buffer<NodeVector<float>> x, residual, preconditioned, search, product;
  Buffer<InverseBlock<float>> inverse_blocks;
  Buffer<double> pieces;
  ContactWeightsWork weights;
  BentStep bent;
  BodyCoupling bodies;
};

// v and w: the start (any) and the result. Never throws for want of convergence; Error(over_budget).
NewtonReport solve_newton(const StrongProblem& problem, const NewtonOptions& options, Workers& workers,
                          NewtonWork& work, std::span<NodeVector<double>> v, std::span<double> w);

}  // namespace pliant

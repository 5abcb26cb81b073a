// Minimises a ContactProblem by quasi-Newton steps with 3x3 blocks and an exact line search (S2 Algorithm 1), or by
// steps that go further for the same work. Equations: README.md.
#pragma once

#include "core/parallel.h"
#include "solve/budget.h"
#include "solve/contact_problem.h"
#include "solve/contact_weights.h"
#include "solve/following_radius.h"
#include "solve/krylov.h"
#include "solve/namespace.h"

#include <span>

namespace pliant::solve {

struct SolveOptions {
  enum class Direction {
    block,      // H^-1 g with the diagonal blocks H, the paper's
    conjugate,  // the same, conjugate to the direction before
    newton,     // conjugate gradients on the whole Hessian, with H^-1 as preconditioner
    mixed,      // conjugate, and newton for what a few iterations do not solve
  };
  double relative_tolerance = 5e-2;   // eps_r, 1e-10..1
  double absolute_tolerance = 1e-18;  // eps_a, kg^1/2 m/s
  int max_iterations = 1000;
  Direction direction = Direction::mixed;
  Budget* budget = nullptr;  // of the step, if it has one: each iteration, outer or inner, is spent
};

struct SolveReport {
  bool converged = false;
  bool finite = true;    // false: input or result is not; v was not touched
  bool stalled = false;  // round-off does not let the residual fall any further
  int iterations = 0;
  int line_search_iterations = 0;
  int inner_iterations = 0;  // of conjugate gradients; newton
  double residual = 0;       // |D grad| / max(|D p|, |D j|)
};

// Scratch memory, kept for the next solve; nothing in it changes a result.
struct QuasiNewtonWork {
  ContactWeightsWork weights;
  // by node
  Buffer<NodeVector<double>> free, velocity, gradient, old_gradient, direction, node_sum;
  Buffer<Block3<double>> blocks;
  Buffer<Factor3> factors;
  CgVectors<double> cg;
  // by block of contacts
  Buffer<Vec3Lanes> u, du, contact_gradient, contact_search, contact_product;
  Buffer<Block3<Lanes>> contact_hessian;
  FollowingRadiusWork radius;

  // after a solve, at its v: m/s
  Vec3d contact_velocity(std::size_t c) const;
  // N s, on the matter
  Vec3d impulse(std::size_t c) const;
  std::size_t bytes() const;
};

// v: the start (any) and the result. Never throws for want of convergence; Error(over_budget).
SolveReport solve_quasi_newton(const ContactProblem& problem, const SolveOptions& options, Workers& workers,
                               QuasiNewtonWork& work, std::span<Vec3d> v);

}  // namespace pliant::solve

// Newton's method for a StrongProblem: directions by conjugate gradients on matter and bodies together, exact line
// search. Equations: README.md.
#pragma once

#include "core/parallel.h"
#include "solve/budget.h"
#include "solve/following_radius.h"
#include "solve/namespace.h"
#include "solve/per_node_newton.h"
#include "solve/strong_problem.h"
#include "solve/system.h"

#include <span>

namespace pliant::solve {

struct NewtonOptions {
  double relative_tolerance = 1e-6;    // 1e-10..1
  double absolute_tolerance = 1e-16;   // kg^1/2 m/s
  int max_iterations = 100;            // of Newton
  int max_cg_iterations = 2000;        // in one of them
  int max_hard_iterations = 1000000;   // of Newton, that use all of these
  int max_total_iterations = 1000000;  // of both kinds
  Budget* budget = nullptr;            // of the step, if it has one: each iteration of either kind is spent
};

struct NewtonReport {
  bool converged = false;
  bool finite = true;    // false: a number is not; v and w are the last good ones
  bool stalled = false;  // round-off does not let the residual fall any further
  int iterations = 0;
  int cg_iterations = 0;
  double residual = 0;  // |D grad| / max(|D p|, |D j|)
};

// Scratch memory, and in `system` after a solve the gradient and the contacts' share of its result.
struct NewtonWork {
  SystemWork system;
  Eigen::VectorXd w;
  UnknownVector<double> direction, trial, trial_gradient;  // of matter, and of the bodies' own cost
  PerNodeNewton per_node;
  FollowingRadiusWork radius;
};

// v and w: the start (any) and the result. Never throws for want of convergence; Error(over_budget).
NewtonReport solve_newton(const StrongProblem& problem, const NewtonOptions& options, Workers& workers,
                          NewtonWork& work, std::span<NodeVector<double>> v, std::span<double> w);

}  // namespace pliant::solve

// Conjugate gradients for A x = b with A symmetric and positive, known only by what it does to a vector, and a
// preconditioner P. The method is here once; what a vector is, where its sums go and what A and P are, a caller says.
#pragma once

#include "solve/budget.h"
#include "solve/namespace.h"
#include "solve/sums.h"
#include "solve/unknowns.h"

#include <cmath>

namespace pliant::solve {

struct CgOptions {
  double tolerance = 1e-3;  // of the residual, relative to b, both in the norm of P; 1e-15..1
  int max_iterations = 1000;
  Budget* budget = nullptr;  // of the step that asks; nullptr: none
  double asked_at = 0;       // residual of the solve that asks, for the budget's error
};

struct CgReport {
  bool converged = false;
  bool broken = false;  // A is not positive along a direction, or a number is not finite; x is the last good one
  int iterations = 0;
  double residual = 0;  // relative
};

// p = search, q = A p = product, r = residual = b - A x by the recursion, z = P r = preconditioned
template <class T>
struct CgVectors {
  UnknownVector<T> x, residual, preconditioned, search, product;

  void resize(const Unknowns& unknowns) {
    for (auto* v : {&x, &residual, &preconditioned, &search, &product}) v->resize(unknowns);
  }
  std::size_t bytes() const {
    return x.bytes() + residual.bytes() + preconditioned.bytes() + search.bytes() + product.bytes();
  }
};

// x += alpha p, r -= alpha q, z = P r with a block of P per node; r . z. Of nodes alone.
template <class T, class Blocks>
double advance_nodes(CgVectors<T>& cg, T alpha, const Blocks& blocks, const PieceSums& sums) {
  const auto piece = [&](std::size_t first, std::size_t last) {
    NodeVector<double> sum = 0;
    const NodeVector<T> a = alpha;
    for (std::size_t i = first; i < last; ++i) {
      cg.x.nodes[i] += a * cg.search.nodes[i];
      const NodeVector<T> r = cg.residual.nodes[i] - a * cg.product.nodes[i], z = blocks[i] * r;
      cg.residual.nodes[i] = r;
      cg.preconditioned.nodes[i] = z;
      sum += wide_product(r, z);
    }
    return ThreeSums{sum_of_lanes(sum)};
  };
  return sums.over(cg.x.nodes.size(), nodes_per_piece, piece).a;
}

// p = z + beta p, of nodes alone
template <class T>
void turn_nodes(CgVectors<T>& cg, T beta, const PieceSums& sums) {
  const NodeVector<T> b = beta;
  sums.each(cg.search.nodes.size(),
            [&](std::size_t i) { cg.search.nodes[i] = cg.preconditioned.nodes[i] + b * cg.search.nodes[i]; });
}

// A solve is any type with
//   begin()         x = 0, r = b, z = P r, p = z; gives r . z
//   apply()         q = A p; gives p . q
//   advance(alpha)  x += alpha p, r -= alpha q, z = P r; gives r . z
//   turn(beta)      p = z + beta p
template <class Solve>
CgReport conjugate_gradients(Solve& solve, const CgOptions& options) {
  CgReport report;
  double rz = solve.begin();
  const double first = rz, wanted = options.tolerance * options.tolerance * first;
  report.broken = !(rz >= 0 && std::isfinite(rz));
  while (!report.broken && rz > wanted && report.iterations < options.max_iterations) {
    if (options.budget) options.budget->spend(options.asked_at);
    const double alpha = rz / solve.apply();
    report.broken = !(alpha > 0 && std::isfinite(alpha));
    if (report.broken) break;
    const double next = solve.advance(alpha);
    ++report.iterations;
    report.broken = !(next >= 0 && std::isfinite(next));
    if (next > wanted) solve.turn(next / rz);
    rz = next;
  }
  report.residual = first > 0 ? std::sqrt(rz / first) : 0;
  report.converged = !report.broken && rz <= wanted;
  return report;
}

}  // namespace pliant::solve

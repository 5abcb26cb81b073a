// Minimises a ContactProblem by quasi-Newton steps with 3x3 blocks and an exact line search (S2 Algorithm 1). Equations
// and the order of sums: README.md.
#pragma once

#include "core/buffer.h"
#include "core/parallel.h"
#include "solve/contact_problem.h"

#include <span>

namespace pliant {

struct SolveOptions {
  double relative_tolerance = 5e-2;   // eps_r, 1e-10..1
  double absolute_tolerance = 1e-14;  // eps_a, kg^1/2 m/s
  int max_iterations = 1000;
  bool conjugate = true;  // directions conjugate to the ones before; false: those of the paper
};

struct SolveReport {
  bool converged = false;
  bool finite = true;    // false: input or result is not; v was not touched
  bool stalled = false;  // round-off does not let the residual fall any further
  int iterations = 0;
  int line_search_iterations = 0;
  double residual = 0;  // |D grad| / max(|D p|, |D j|)
};

// Scratch memory, kept for the next solve; nothing in it changes a result.
class QuasiNewtonWork {
 public:
  // after a solve, at its v: m/s
  Vec3d contact_velocity(std::size_t c) const;
  // N s, on the matter
  Vec3d impulse(std::size_t c) const;
  std::size_t bytes() const;

 private:
  friend class QuasiNewton;

  // x, y, z and the mass, a zero, or nothing
  struct NodeSum {
    Four gradient;           // of the contacts
    Four diagonal, coupled;  // of the Hessian: xx, yy, zz; xy, xz, yz
  };
  struct Entry {
    std::uint32_t contact;
    double weight;
  };
  // of a piece of nodes or contacts
  struct Sums {
    double a, b, c;
  };

  // by node
  Buffer<Four> free_, velocity_, gradient_, old_gradient_, preconditioned_, direction_;
  Buffer<NodeSum> sums_;
  // by block of contacts
  Buffer<Four3> u_, du_, contact_gradient_;
  Buffer<Symmetric3<Four>> contact_hessian_;
  Buffer<Sums> pieces_;
  // the weights by node, where several threads add up
  Buffer<std::uint32_t> entry_begins_;
  Buffer<Entry> entries_;
};

// v: the start (any) and the result. Never throws for want of convergence.
SolveReport solve_quasi_newton(const ContactProblem& problem, const SolveOptions& options, Workers& workers,
                               QuasiNewtonWork& work, std::span<Vec3d> v);

}  // namespace pliant

// Minimises a ContactProblem by quasi-Newton steps with 3x3 blocks and an exact line search. Equations: README.md.
#pragma once

namespace pliant {

struct SolveReport {
  bool converged = false;
  int iterations = 0;
  int line_search_iterations = 0;
  double residual = 0;  // |D grad| / max(|D p|, |D j|)
};

}  // namespace pliant

// How much work the solves of a step may take, over all that is tried. It is counted, not timed: a step that is over its
// budget ends at the same place on every machine and with any number of threads.
#pragma once

#include "core/error.h"
#include "solve/namespace.h"

#include <cstdint>

namespace pliant::solve {

class Budget {
 public:
  // a step begins at this time
  void begin(std::int64_t limit, double time) {
    limit_ = limit;
    spent_ = 0;
    time_ = time;
  }
  // An iteration of any solver, or of conjugate gradients inside of one. Error(over_budget) if there is none left; the
  // residual tells how far the solve has come.
  void spend(double residual) {
    if (spent_ == limit_)
      fail(
          ErrorCode::over_budget,
          "step at t = {:.6g} s: all {} iterations of step.budget are spent, and the residual is {:.3g}; use a smaller "
          "dt, or raise step.tolerance or step.budget",
          time_, limit_, residual);
    ++spent_;
  }

 private:
  std::int64_t limit_ = INT64_MAX, spent_ = 0;
  double time_ = 0;  // s
};

}  // namespace pliant::solve

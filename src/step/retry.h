// What is tried again when a step fails: the one place that says so.
//
//   explicit  too_fast: once with particles sorted in every substep, then with 2, 4, ... times the substeps up to
//             max_substeps, if these are automatic
//   strong    not_converged, not_finite, too_fast: in 2, 4, ... 2^max_cuts equal parts
//
// All tries together have one budget of iterations (solve/budget.h); a step that is over it is not tried again.
#pragma once

#include "core/error.h"
#include "pliant/report.h"
#include "step/namespace.h"
#include "step/plan.h"

#include <optional>

namespace pliant::step {

template <class S>
class Retry {
 public:
  explicit Retry(const Model<S>& model) : model_(model) {}

  // whether a step that fails with this plan may still be repeated in parts
  bool may_be_cut(const Plan& plan) const { return plan.parts < most_parts(); }
  // A plan to try after this failure; throws what the step fails with if there is none.
  Plan after(const Error& error, const Plan& failed);
  // for the report of a step that went well in the end
  void tell(const Plan& plan, StepReport& report) const;

 private:
  int most_parts() const;
  [[noreturn]] void fail_over_budget(const Error& error, const Plan& plan) const;
  Plan in_parts(const Error& error, Plan plan);
  Plan with_more_substeps(const Error& error, const Plan& plan);

  const Model<S>& model_;
  std::optional<Error> first_;  // of the whole step
};

}  // namespace pliant::step

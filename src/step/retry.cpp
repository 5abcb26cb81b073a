#include "step/retry.h"

namespace pliant::step {
namespace {

// a step that fails like this may go well in smaller parts
bool parts_may_help(const Error& error) {
  const ErrorCode code = error.code();
  return code == ErrorCode::not_converged || code == ErrorCode::not_finite || code == ErrorCode::too_fast;
}

}  // namespace

template <class S>
int Retry<S>::most_parts() const {
  const bool cuts = model_.scene.step.method == Method::strong && model_.particle_count() > 0;
  return cuts ? 1 << model_.scene.step.max_cuts : 1;
}

template <class S>
Plan Retry<S>::after(const Error& error, const Plan& failed) {
  if (error.code() == ErrorCode::interrupted) throw error;
  if (error.code() == ErrorCode::over_budget) fail_over_budget(error, failed);
  if (!first_) first_ = error;
  if (model_.scene.step.method == Method::strong) return in_parts(error, failed);
  return with_more_substeps(error, failed);
}

// with how far it had come
template <class S>
void Retry<S>::fail_over_budget(const Error& error, const Plan& plan) const {
  if (!first_) throw error;
  const bool cut = model_.scene.step.method == Method::strong && plan.parts > 1;
  throw Error(error.code(), fmt::format("{} (this try was in {} {}; the first failed: {})", error.what(),
                                        cut ? plan.parts : plan.substeps, cut ? "parts" : "substeps", first_->what()));
}

template <class S>
Plan Retry<S>::in_parts(const Error& error, Plan plan) {
  if (may_be_cut(plan) && parts_may_help(error)) {
    plan.parts *= 2;
    return plan;
  }
  if (plan.parts == 1) throw error;
  throw Error(first_->code(), fmt::format("{} (it fails in {} parts too)", first_->what(), plan.parts));
}

template <class S>
Plan Retry<S>::with_more_substeps(const Error& error, const Plan& plan) {
  const StepOptions& o = model_.scene.step;
  if (error.code() != ErrorCode::too_fast) throw error;
  const bool more = !(plan.max_drift > 0);
  if (more && !(o.substeps == 0 && 2 * plan.substeps * plan.parts <= o.max_substeps)) throw error;
  Plan again = plan_with(model_, more ? 2 * plan.substeps : plan.substeps, 0);
  again.parts = plan.parts;
  return again;
}

template <class S>
void Retry<S>::tell(const Plan& plan, StepReport& report) const {
  const StepOptions& o = model_.scene.step;
  if (!first_) return;
  if (o.method == Method::strong)
    report.warnings.push_back(fmt::format("the step failed ({}) and was repeated in {} parts of {:.4g} s",
                                          name(first_->code()), plan.parts, o.dt / plan.parts));
  else if (o.substeps == 0)
    report.warnings.push_back(
        fmt::format("matter sped up within the step; it was repeated with {} substeps", plan.substeps * plan.parts));
}

template class Retry<float>;
template class Retry<double>;

}  // namespace pliant::step

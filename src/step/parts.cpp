#include "step/parts.h"

#include <algorithm>

namespace pliant {
namespace {

using Impulses = std::vector<std::array<double, 3>>;

void add(std::array<double, 3>& sum, const std::array<double, 3>& more) {
  for (std::size_t d = 0; d < 3; ++d) sum[d] += more[d];
}

void add(Impulses& sums, const Impulses& more) {
  for (std::size_t i = 0; i < sums.size(); ++i) add(sums[i], more[i]);
}

}  // namespace

bool parts_may_help(const Error& error) {
  const ErrorCode code = error.code();
  return code == ErrorCode::not_converged || code == ErrorCode::not_finite || code == ErrorCode::too_fast;
}

void add_part(StepReport& whole, const StepReport& part) {
  const int substeps = whole.substeps + part.substeps;
  const auto mean = [&](double a, double b) { return (whole.substeps * a + part.substeps * b) / substeps; };
  whole.strays = mean(whole.strays, part.strays);
  whole.contacts = mean(whole.contacts, part.contacts);
  whole.substeps = substeps;
  whole.time = part.time;
  whole.sorts += part.sorts;
  whole.max_speed = std::max(whole.max_speed, part.max_speed);
  whole.blocks = part.blocks;
  whole.most_contacts = std::max(whole.most_contacts, part.most_contacts);
  whole.iterations += part.iterations;
  whole.linear_iterations += part.linear_iterations;
  whole.residual = std::max(whole.residual, part.residual);
  for (std::size_t i = 0; i < whole.stages.size(); ++i) whole.stages[i].seconds += part.stages[i].seconds;
  whole.after = part.after;
  add(whole.gravity_impulse, part.gravity_impulse);
  add(whole.boundary_impulses, part.boundary_impulses);
  add(whole.pin_impulses, part.pin_impulses);
  add(whole.body_impulses, part.body_impulses);
  whole.warnings.insert(whole.warnings.end(), part.warnings.begin(), part.warnings.end());
}

std::string repeated_in_parts(const Error& whole, int parts, double dt) {
  return fmt::format("the step failed ({}) and was repeated in {} parts of {:.4g} s", name(whole.code()), parts, dt);
}

Error failed_in_parts(const Error& whole, int parts) {
  return Error(whole.code(), fmt::format("{} (it fails in {} parts too)", whole.what(), parts));
}

}  // namespace pliant

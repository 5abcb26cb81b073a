// A tape behind its door: one class for all dimensions and precisions.
#pragma once

#include "gradient/namespace.h"
#include "pliant/tape.h"
#include "step/plan.h"

#include <optional>

namespace pliant {

class Tape::Impl {
 public:
  virtual ~Impl() = default;
  virtual std::size_t steps() const = 0;
  virtual std::size_t memory() const = 0;
  virtual std::vector<Gradient> backward(std::span<const std::vector<LossSeed>> losses, std::size_t last,
                                         const std::function<void(std::size_t, std::size_t)>& progress,
                                         const AtStep& at_step) = 0;

  virtual std::vector<step::Plan> plans() const = 0;

  // of the next step, if it is given
  std::optional<step::Plan> next_plan() const {
    return steps() < given_plans.size() ? std::optional(given_plans[steps()]) : std::nullopt;
  }

  bool is_recording = true;
  std::vector<step::Plan> given_plans;
};

}  // namespace pliant

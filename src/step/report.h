// The making of a StepReport.
#pragma once

#include "pliant/report.h"
#include "step/namespace.h"
#include "step/outcome.h"

namespace pliant::step {

// as new, but without giving its memory back; `before` stays
void clear(StepReport& report);
void clear(Outcome& outcome, std::size_t bodies, std::size_t boundaries);

// adds what the next part of the step says of itself
void add_part(StepReport& whole, const StepReport& part);

}  // namespace pliant::step

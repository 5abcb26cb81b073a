// A strong step that fails is repeated in smaller parts: when, and what its report says.
#pragma once

#include "core/error.h"
#include "pliant/report.h"

#include <string>

namespace pliant {

// a step that fails like this may go well in smaller parts
bool parts_may_help(const Error& error);

// adds what the next part says of itself
void add_part(StepReport& whole, const StepReport& part);

// for the report of a step that failed whole and went well in so many parts
std::string repeated_in_parts(const Error& whole, int parts, double dt);
// what the whole step failed with, if parts fail too
Error failed_in_parts(const Error& whole, int parts);

}  // namespace pliant

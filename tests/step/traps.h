// Included by a test program, this makes it stop at invalid operations, divisions by zero and overflows. Threads that
// are started later inherit it. Laws that decompose F divide by zero in lanes that are then not selected: their tests
// do without.
#pragma once

#include <cfenv>

namespace pliant::test {

inline const int traps_on = feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);

}  // namespace pliant::test

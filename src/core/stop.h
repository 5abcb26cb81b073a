// Where long work looks whether somebody wants it to stop. Loops of Workers look at each of their pieces.
#pragma once

#include "core/namespace.h"
#include "pliant/stop.h"

#include <cstddef>

namespace pliant {

extern constinit thread_local StopScope* innermost_stop_scope;
void ask_to_stop();

// Error(interrupted) if a scope of this thread says so; next to nothing where there is none
inline void check_stop() {
  if (innermost_stop_scope) ask_to_stop();
}

// the same, for loops whose rounds are much shorter than the question
inline void check_stop_at(std::size_t round) {
  constexpr std::size_t rounds = 4096;
  if (round % rounds == 0) check_stop();
}

}  // namespace pliant

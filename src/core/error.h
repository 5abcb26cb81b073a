// Named errors: what went wrong, where, and the cure. The library throws nothing else on purpose.
#pragma once

#include "core/namespace.h"
#include "pliant/error.h"

#include <fmt/core.h>

namespace pliant::core {

template <class... A>
[[noreturn]] void fail(ErrorCode code, fmt::format_string<A...> text, A&&... args) {
  throw Error(code, fmt::format(text, std::forward<A>(args)...));
}

}  // namespace pliant::core

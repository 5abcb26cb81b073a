#include "core/stop.h"

#include "core/error.h"

#include <utility>

namespace pliant {

constinit thread_local StopScope* innermost_stop_scope = nullptr;

StopScope::StopScope(std::function<bool()> asked)
    : asked_(std::move(asked)), outer_(std::exchange(innermost_stop_scope, this)) {}
StopScope::~StopScope() { innermost_stop_scope = outer_; }

void ask_to_stop() {
  for (const StopScope* scope = innermost_stop_scope; scope; scope = scope->outer_)
    if (scope->asked_()) fail(ErrorCode::interrupted, "stopped on request; nothing has changed");
}

}  // namespace pliant

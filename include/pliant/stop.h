// How to end long work from outside: a step, the making of a world, a distance field.
#pragma once

#include <functional>

namespace pliant {

// While it lives, what this thread does in the library asks it every few milliseconds whether to stop, and then ends
// with Error(interrupted): a step changes nothing, a world is not made. A scope within another one adds to it.
//
//     std::atomic<bool> stop = false;  // set by another thread, or by a signal
//     StopScope scope([&] { return stop.load(); });
//     world.step();
class StopScope {
 public:
  explicit StopScope(std::function<bool()> asked);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  friend void ask_to_stop();
  std::function<bool()> asked_;
  StopScope* outer_;
};

}  // namespace pliant

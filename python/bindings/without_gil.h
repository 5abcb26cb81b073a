// Long work in C++: other Python threads run meanwhile, and signals are heard.
#pragma once

#include "pliant/error.h"
#include "pliant/stop.h"

#include <chrono>
#include <optional>
#include <utility>

#include "bindings.h"

namespace pliant::python {

// Whether Ctrl-C was pressed, or another handler of a signal raised something. Python runs handlers in its main thread
// only; elsewhere there is nothing to hear.
class Signals {
 public:
  Signals();
  // now and then takes the GIL and lets the handlers run; true: one raised
  bool asked() { return hears_ && Clock::now() >= next_ && run_handlers(); }
  // raises what the handler raised, if one did
  void raise() const {
    if (raised_) throw *raised_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool run_handlers();

  bool hears_;
  Clock::time_point next_;
  std::optional<nb::python_error> raised_;
};

// Work that ends soon if a signal's handler raises, as if it had not been begun.
template <class Work>
auto without_gil(Work&& work) {
  Signals signals;
  try {
    nb::gil_scoped_release released;
    StopScope scope([&signals] { return signals.asked(); });
    return work();
  } catch (const Error&) {
    signals.raise();
    throw;
  }
}

}  // namespace pliant::python

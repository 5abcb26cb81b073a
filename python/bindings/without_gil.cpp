#include "without_gil.h"

namespace pliant::python {

namespace {

// short for a person, long for the GIL that others may hold
constexpr std::chrono::milliseconds interval(50);

unsigned long main_thread = 0;

}  // namespace

void bind_signals(nb::module_&) {
  main_thread = nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
}

Signals::Signals() : hears_(PyThread_get_thread_ident() == main_thread), next_(Clock::now() + interval) {}

bool Signals::run_handlers() {
  nb::gil_scoped_acquire acquired;
  const bool raised = PyErr_CheckSignals() != 0;
  if (raised) raised_.emplace();
  next_ = Clock::now() + interval;
  return raised;
}

}  // namespace pliant::python

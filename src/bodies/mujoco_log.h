// What MuJoCo says while it works for us. Its errors must not end the program and its warnings must not go to a file,
// so every call that can raise one is run through a MujocoLog.
//
// How: MuJoCo hands errors and warnings to a handler of the calling thread, if one is set, else to a global one. Its
// own Python bindings use the handler of the thread, and so do we: it is set only during our calls and the one before
// it is put back, so both live side by side, on many threads. An error handler may not return; the one way out that
// MuJoCo documents is longjmp (its C frames are compiled without exceptions, so throwing through them is not defined).
//
// Limits: a call given to run() must not own anything with a destructor, because an error jumps over it. Memory that
// MuJoCo itself had taken in the call is lost, and an mjData is left in mid-call (see Bodies for how it is put right).
// An error on a worker thread of a thread pool that a user gave to mjData does not reach us.
#pragma once

#include "bodies/namespace.h"

#include <string>
#include <type_traits>
#include <vector>

namespace pliant::bodies {

class MujocoLog {
 public:
  // false if MuJoCo raised an error, whose text is then error()
  template <class Call>
  bool run(const Call& call) {
    static_assert(std::is_trivially_destructible_v<Call>, "an error jumps over the call: capture by reference");
    return run_plain([](const void* c) { (*static_cast<const Call*>(c))(); }, &call);
  }

  const std::string& error() const { return error_; }

  // warnings since the last take
  std::vector<std::string> take_warnings();
  void add_warning(const std::string& text) { warnings_.push_back(text); }

 private:
  bool run_plain(void (*call)(const void*), const void* context);

  std::string error_;
  std::vector<std::string> warnings_;
};

}  // namespace pliant::bodies

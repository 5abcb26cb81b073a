// The errors that Pliant raises. Each has a code with a name, and a text that says what, where, and the cure.
#pragma once

#include <stdexcept>
#include <string>

namespace pliant {

enum class ErrorCode {
  bad_input,      // a value of the user's scene or call is not allowed
  too_large,      // more particles, memory or cells than the limits allow
  out_of_range,   // matter left the range of the grid (10^6 cells per axis)
  too_fast,       // matter moved more than a cell in one substep
  not_finite,     // a number became infinite or NaN
  not_converged,  // the contact solver did not reach its tolerance
  over_budget,    // a step took more iterations than step.budget allows
  interrupted,    // somebody asked to stop, see stop.h
  bad_file,       // a file is missing, truncated, corrupt or of an unknown version
};

// "bad_input", "too_large", ...
const char* name(ErrorCode code);

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& what) : std::runtime_error(what), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace pliant

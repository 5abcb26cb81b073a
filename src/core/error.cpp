#include "core/error.h"

namespace pliant {

const char* name(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_input: return "bad_input";
    case ErrorCode::too_large: return "too_large";
    case ErrorCode::out_of_range: return "out_of_range";
    case ErrorCode::too_fast: return "too_fast";
    case ErrorCode::not_finite: return "not_finite";
    case ErrorCode::not_converged: return "not_converged";
    case ErrorCode::over_budget: return "over_budget";
    case ErrorCode::interrupted: return "interrupted";
    case ErrorCode::bad_file: return "bad_file";
  }
  return "unknown";
}

}  // namespace pliant

// How much a case does: under a sanitizer steps take ten to forty times as long.
#pragma once

namespace pliant::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

// A twentieth under a sanitizer, which looks at each line and not at figures. A case whose figures need all of it checks
// them only if !is_sanitized.
constexpr int as_many(int steps) { return is_sanitized ? (steps + 19) / 20 : steps; }
constexpr double as_long(double seconds) { return is_sanitized ? seconds / 20 : seconds; }

// for GTEST_SKIP of a whole case, where another one of its program takes the same steps
inline constexpr const char* only_figures =
    "figures of many steps, whose code other cases reach: not under a sanitizer";

}  // namespace pliant::test

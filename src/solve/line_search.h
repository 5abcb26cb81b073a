// The minimum of a convex function along a line, by Newton's method on its slope inside a bracket.
#pragma once

#include "solve/contact_problem.h"
#include "solve/namespace.h"

#include <cmath>
#include <limits>

namespace pliant::solve {

struct LineStep {
  double length = 0;
  int evaluations = 0;
};

// at(length) -> LineValue, whose value is not used. start: at length 0, slope below 0, curvature above 0.
// Ends where |slope| <= tolerance |slope at 0|, or where the bracket has no more numbers inside.
template <class Line>
LineStep minimise_along(const Line& at, const LineValue& start, double tolerance) {
  constexpr int most = 100;
  double low = 0, high = std::numeric_limits<double>::infinity(), older_width = high, old_width = high;
  double length = -start.slope / start.curvature;
  for (int n = 1;; ++n) {
    const LineValue now = at(length);
    if (std::fabs(now.slope) <= tolerance * -start.slope || n == most) return {length, n};
    (now.slope < 0 ? low : high) = length;
    const double width = high - low;
    double next = length - now.slope / now.curvature;
    // two Newton steps have to halve the bracket
    const bool stalls = std::isfinite(older_width) && width > 0.5 * older_width;
    if (stalls || !(next > low && next < high)) next = std::isfinite(high) ? 0.5 * (low + high) : 4 * length;
    if (!(next > low && next < high)) return {length, n};
    older_width = old_width;
    old_width = width;
    length = next;
  }
}

}  // namespace pliant::solve

// What a strong solve takes as given and what is taken anew after it, until nothing is off by much: the rotation of matter,
// the normal impulses that friction goes by, the pressures that sand yields by.
#pragma once

#include "contact/contacts.h"
#include "core/error.h"
#include "implicit/implicit_matter.h"
#include "solve/newton.h"
#include "step/namespace.h"

#include <algorithm>

namespace pliant::step {

class Lagged {
 public:
  // tolerance: that the last solve has to reach
  Lagged(ImplicitMatter& matter, Contacts& contacts, double tolerance, Workers& workers)
      : matter_(matter),
        contacts_(contacts),
        workers_(workers),
        tolerance_(tolerance),
        rough_(matter.turned() ? first_tolerance : 0),
        refreshes_(matter.yields_by_pressure() ? refreshes_of_sand : max_refreshes) {}

  // of the next solve; the first ones need not be better than the rotation that they assume
  double tolerance() const { return std::max(tolerance_, rough_); }

  // after a solve that ended at v; true: solve again. Error(not_converged) where the rotation is not found.
  bool refresh(const NodeVector<double>* v, const NewtonReport& report, double time) {
    const bool rotation = refresh_rotation(v, report, time), friction = refresh_friction();
    if (friction) matter_.update_lagged_yield(v, workers_);
    return rotation || friction;
  }

 private:
  static constexpr int max_refreshes = 3, max_turns = 20;
  // sand that flows has new normal impulses in every step, and yields by the pressures of the solve before anyway
  static constexpr int refreshes_of_sand = 1;
  static constexpr double first_tolerance = 1e-3, tolerance_per_turn = 1e-2;

  bool refresh_rotation(const NodeVector<double>* v, const NewtonReport& report, double time) {
    // where round-off stops a solve the rotation is as good as it gets
    const bool settled = report.iterations == 0 || report.stalled;
    const bool again = matter_.turned() && !(rough_ <= tolerance_ && settled);
    rough_ *= tolerance_per_turn;
    if (!again) return false;
    if (turns_++ == max_turns)
      fail(ErrorCode::not_converged,
           "strong step at t = {:.6g} s: the rotation of matter is not found after {} solves; use a smaller dt, or "
           "'exact_rotation: false'",
           time, max_turns);
    matter_.update_lagged_rotation(v, workers_);
    return true;
  }

  bool refresh_friction() {
    const bool off = contacts_.refresh_friction();
    return refreshed_++ < refreshes_ && off;
  }

  ImplicitMatter& matter_;
  Contacts& contacts_;
  Workers& workers_;
  double tolerance_, rough_;
  int refreshes_, refreshed_ = 0, turns_ = 0;
};

}  // namespace pliant::step

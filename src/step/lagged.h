// What a strong solve takes as given and what is taken anew after it, until nothing is off by much: the normal impulses
// that friction goes by, the pressures that sand yields by. (Rotation follows within a solve, see MatterCost::follow.)
#pragma once

#include "contact/contacts.h"
#include "implicit/implicit_matter.h"
#include "step/namespace.h"

namespace pliant::step {

class Lagged {
 public:
  Lagged(ImplicitMatter& matter, Contacts& contacts, Workers& workers)
      : matter_(matter),
        contacts_(contacts),
        workers_(workers),
        refreshes_(matter.yields_by_pressure() ? refreshes_of_sand : max_refreshes) {}

  // after a solve that ended at v; true: solve again
  bool refresh(const NodeVector<double>* v) {
    const bool friction = refresh_friction();
    if (friction) matter_.update_lagged_yield(v, workers_);
    return friction;
  }

 private:
  static constexpr int max_refreshes = 3;
  // sand that flows has new normal impulses in every step, and yields by the pressures of the solve before anyway
  static constexpr int refreshes_of_sand = 1;

  bool refresh_friction() {
    const bool off = contacts_.refresh_friction();
    return refreshed_++ < refreshes_ && off;
  }

  ImplicitMatter& matter_;
  Contacts& contacts_;
  Workers& workers_;
  int refreshes_, refreshed_ = 0;
};

}  // namespace pliant::step

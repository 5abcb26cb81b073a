// All that the law of one contact needs to know in one substep.
#pragma once

#include "contact/namespace.h"
#include "core/small.h"

namespace pliant::contact {

struct ContactTerms {
  Vector<double, 3> normal;  // unit, from the body to the matter
  double gap = 0;            // m, at the start of the substep; < 0: overlap
  double friction = 0;       // Coulomb coefficient
  double stiffness = 0;      // N/m, normal and (with memory) tangential
  double stop_depth = 1e30;  // m, overlap beyond which the normal spring is stop_factor times stiffer; lagged
  double stop_factor = 1000;
  double dissipation = 0;  // s/m, Hunt-Crossley; lagged
  double relaxation = 0;   // s; sap
  double dt = 0;           // s

  double last_impulse = 0;           // N s, normal, of the last substep; lagged
  Vector<double, 3> offset;          // m, tangential, of the matter from its anchor; with memory
  double stiction = 1e-4;            // m/s; lagged without memory
  double tangential_resistance = 0;  // 1/kg, R_t; sap without memory
};

}  // namespace pliant::contact

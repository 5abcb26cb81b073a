// How well the contacts of a solve keep the laws of Coulomb and Signorini. Equations: README.md.
#pragma once

#include "contact/contacts.h"
#include "contact/namespace.h"

#include <algorithm>

namespace pliant::contact {

struct ContactQuality {
  double cone_excess = 0;           // |gamma_t| - mu gamma_n, over the largest gamma_n
  double signorini_residual = 0;    // normal impulse that is not the spring's, over the largest
  double penetration = 0;           // m, at the end of the substep
  double friction_dissipation = 0;  // J

  // of the next substep
  void add(const ContactQuality& next) {
    cone_excess = std::max(cone_excess, next.cone_excess);
    signorini_residual = std::max(signorini_residual, next.signorini_residual);
    penetration = std::max(penetration, next.penetration);
    friction_dissipation += next.friction_dissipation;
  }
};

// after Contacts::take
ContactQuality quality_of(const Contacts& contacts);

}  // namespace pliant::contact

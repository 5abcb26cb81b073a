// What a scene says of the contact between a piece of matter and a geom.
#pragma once

#include "bodies/geoms.h"
#include "contact/namespace.h"
#include "pliant/scene.h"

#include <vector>

namespace pliant::contact {

struct PairLaw {
  double friction;
  double stiffness;    // N/m^3; 0: from the material
  double dissipation;  // s/m
};

// the pair means this geom: by its own name, its body's, or that of the file it came from; an empty name means all
bool names(const ContactPair& pair, const Geom& geom);

PairLaw pair_law(const Contact& contact, const std::string& matter, const Geom& geom);

}  // namespace pliant::contact

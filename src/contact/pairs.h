// What a scene says of the contact between a piece of matter and what it meets.
#pragma once

#include "bodies/geoms.h"
#include "contact/namespace.h"
#include "pliant/scene.h"

#include <string>
#include <vector>

namespace pliant::contact {

struct PairLaw {
  double friction;
  double stiffness;    // N/m^3; 0: from the material
  double dissipation;  // s/m
};

// a partner of matter, as pairs know it
struct PairPartner {
  std::vector<std::string> names;  // its own and those of all that carries it
  double friction;                 // its own Coulomb coefficient
  int priority = 0;  // as MuJoCo's: the higher one's friction counts, of equal ones the larger. Matter has 0
};
PairPartner partner_of(const Geom& geom);

// the name fits the pattern, in which a * stands for any letters, or what is before one of its slashes does: "arm" means
// "arm/hand/pad" too
bool fits(const std::string& pattern, const std::string& name);

// the pair means this partner; an empty name means all
bool names(const ContactPair& pair, const PairPartner& partner);

// Friction is that of the last pair that fits, if it says so; else the scene's `contact.friction`, if there is one; else
// the larger of the material's own and the partner's. On liquids it is 0 unless a pair says otherwise.
PairLaw pair_law(const Contact& contact, const std::string& matter, const Material& material,
                 const PairPartner& partner);

}  // namespace pliant::contact

#include "contact/pairs.h"

#include <algorithm>

namespace pliant::contact {

bool names(const ContactPair& pair, const Geom& geom) {
  if (pair.body.empty()) return true;
  const std::string folder = pair.body + "/";
  const auto fits = [&](const std::string& name) { return name == pair.body || name.starts_with(folder); };
  return fits(geom.name) || fits(geom.body_name) || std::any_of(geom.carriers.begin(), geom.carriers.end(), fits);
}

PairLaw pair_law(const Contact& contact, const std::string& matter, const Geom& geom) {
  PairLaw law = {geom.boundary < 0 ? contact.friction : geom.friction, contact.stiffness, contact.dissipation};
  for (const ContactPair& pair : contact.pairs) {
    if (!names(pair, geom) || !(pair.matter.empty() || pair.matter == matter)) continue;
    law.friction = pair.friction;
    law.stiffness = pair.stiffness > 0 ? pair.stiffness : contact.stiffness;
    law.dissipation = pair.dissipation >= 0 ? pair.dissipation : contact.dissipation;
  }
  return law;
}

}  // namespace pliant::contact

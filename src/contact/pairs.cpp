#include "contact/pairs.h"

namespace pliant {

bool names(const ContactPair& pair, const Geom& geom) {
  if (pair.body.empty() || pair.body == geom.name || pair.body == geom.body_name) return true;
  const std::string folder = pair.body + "/";
  return geom.body_name.starts_with(folder) || geom.name.starts_with(folder);
}

PairLaw pair_law(const Contact& contact, const std::string& matter, const Geom& geom) {
  PairLaw law = {contact.friction, contact.stiffness, contact.dissipation};
  for (const ContactPair& pair : contact.pairs) {
    if (!names(pair, geom) || !(pair.matter.empty() || pair.matter == matter)) continue;
    law.friction = pair.friction;
    law.stiffness = pair.stiffness > 0 ? pair.stiffness : contact.stiffness;
    law.dissipation = pair.dissipation >= 0 ? pair.dissipation : contact.dissipation;
  }
  return law;
}

}  // namespace pliant

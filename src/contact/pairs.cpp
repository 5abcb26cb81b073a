#include "contact/pairs.h"

#include "material/law_info.h"

#include <algorithm>
#include <string_view>

namespace pliant::contact {
namespace {

bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, after = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      // the last star takes one letter more
      p = star + 1;
      n = ++after;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

// what material and partner have between them
double own_friction(const Material& material, const PairPartner& partner) {
  if (!(material.friction >= 0) || partner.priority > 0) return partner.friction;
  return partner.priority < 0 ? material.friction : std::max(material.friction, partner.friction);
}

}  // namespace

PairPartner partner_of(const Geom& geom) {
  PairPartner partner = {geom.carriers, geom.friction, geom.priority};
  partner.names.push_back(geom.body_name);
  partner.names.push_back(geom.name);
  return partner;
}

bool fits(const std::string& pattern, const std::string& name) {
  if (matches(pattern, name)) return true;
  for (std::size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1))
    if (matches(pattern, std::string_view(name).substr(0, slash))) return true;
  return false;
}

bool names(const ContactPair& pair, const PairPartner& partner) {
  return pair.partner.empty() || std::any_of(partner.names.begin(), partner.names.end(),
                                             [&](const std::string& name) { return fits(pair.partner, name); });
}

PairLaw pair_law(const Contact& contact, const std::string& matter, const Material& material,
                 const PairPartner& partner) {
  PairLaw law = {-1, contact.stiffness, contact.dissipation};
  for (const ContactPair& pair : contact.pairs) {
    if (!names(pair, partner) || !(pair.matter.empty() || matches(pair.matter, matter))) continue;
    law.friction = pair.friction;
    law.stiffness = pair.stiffness > 0 ? pair.stiffness : contact.stiffness;
    law.dissipation = pair.dissipation >= 0 ? pair.dissipation : contact.dissipation;
  }
  if (law.friction >= 0) return law;
  if (info(material.law).resists_only_pressure)
    law.friction = 0;
  else
    law.friction = contact.friction >= 0 ? contact.friction : own_friction(material, partner);
  return law;
}

}  // namespace pliant::contact

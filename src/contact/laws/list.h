// The contact laws there are. A law is a file of this folder and a line in each of the lists here.
#pragma once

#include "contact/laws/lagged.h"
#include "contact/laws/sap.h"
#include "contact/namespace.h"
#include "solve/contact_problem.h"

#include <variant>
#include <vector>

namespace pliant::contact {

using AnyContactLaw = std::variant<LaggedLaw<double>, SapLaw<double>>;

// of contacts four at a time
using LawBlocks = std::variant<std::vector<LaggedLaw<Lanes>>, std::vector<SapLaw<Lanes>>>;

inline AnyContactLaw law_of(const ContactData& contact) {
  switch (contact.law) {
    case LawKind::sap: return SapLaw<double>(contact);
    case LawKind::lagged: break;
  }
  return LaggedLaw<double>(contact);
}

inline LawBlocks no_blocks(LawKind kind) {
  switch (kind) {
    case LawKind::sap: return std::vector<SapLaw<Lanes>>();
    case LawKind::lagged: break;
  }
  return std::vector<LaggedLaw<Lanes>>();
}

// of one contact
inline LawValue<double> law_value(const ContactData& contact, const Vec3d& u) {
  return std::visit([&](const auto& law) { return value_at<double>(law, u); }, law_of(contact));
}

// N s, along the normal: exactly 0 apart, whatever friction does
inline double normal_impulse(const ContactData& contact, const Vec3d& u) {
  return std::visit(
      [&](const auto& law) {
        const SplitVector<double> x = law.frame.missing(u);
        return law.at(x.normal, dot(x.tangent, x.tangent)).normal;
      },
      law_of(contact));
}

// friction gives all it can
inline bool slips(const ContactData& contact, const Vec3d& u) {
  return std::visit(
      [&](const auto& law) {
        const SplitVector<double> x = law.frame.missing(u);
        return bool(law.slips(x.normal, dot(x.tangent, x.tangent)));
      },
      law_of(contact));
}

// m, of the matter from its anchor at the end of the substep; zero without memory
inline Vec3d offset_after(const ContactData& c, const Vec3d& u) {
  if (!c.memory || !(c.stiffness > 0)) return Vec3d::zero();
  if (!slips(c, u)) return SplitVector<double>(c.normal, c.offset + c.dt * u).tangent;
  // the spring pulls with the friction of this substep: it lies on the cone
  return (1 / (c.dt * c.stiffness)) * SplitVector<double>(c.normal, law_value(c, u).gradient).tangent;
}

}  // namespace pliant::contact

#include "contact/quality.h"

#include <cmath>

namespace pliant::contact {
namespace {

// N, of the normal spring alone
double spring_force(const ContactData& c, double depth) {
  const double stop = c.law == LawKind::lagged ? c.stop_factor * std::max(0.0, depth - c.stop_depth) : 0;
  return c.stiffness * ((c.pulls ? depth : std::max(0.0, depth)) + stop);
}

// J, friction times the way that its anchor, or without memory the matter, slips
double dissipated(const ContactData& c, const Vec3d& friction) {
  if (!c.memory) return -dot(friction, c.velocity);
  if (!c.slips || !(c.stiffness > 0)) return 0;
  const Vec3d offset_after = (-1 / (c.dt * c.stiffness)) * friction;
  return -dot(friction, (1 / c.dt) * (c.offset - offset_after) + c.velocity);
}

}  // namespace

ContactQuality quality_of(const Contacts& contacts) {
  ContactQuality q;
  double largest = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ContactData& c = contacts[i];
    const double depth = -c.gap - c.dt * dot(c.normal, c.velocity);
    const Vec3d friction = SplitVector<double>(c.normal, c.impulse).tangent;
    largest = std::max(largest, c.normal_impulse);
    if (!c.sticks) q.cone_excess = std::max(q.cone_excess, norm(friction) - c.friction * c.normal_impulse);
    q.signorini_residual = std::max(q.signorini_residual, std::fabs(c.normal_impulse - c.dt * spring_force(c, depth)));
    if (!c.multiplier) q.penetration = std::max(q.penetration, depth);
    q.friction_dissipation += dissipated(c, friction);
  }
  const double by_largest = largest > 0 ? 1 / largest : 0;
  q.cone_excess *= by_largest;
  q.signorini_residual *= by_largest;
  return q;
}

}  // namespace pliant::contact

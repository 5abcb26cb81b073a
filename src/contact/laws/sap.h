// The SAP law (Castro, Permenter, Han 2022): the impulse is the projection of R^-1 (u_hat - u) onto the friction cone
// in the metric of R. Equations: README.md.
#pragma once

#include "contact/contact_data.h"
#include "contact/laws/form.h"
#include "contact/namespace.h"

namespace pliant::contact {

template <class T>
struct SapLaw {
  static constexpr bool lags = false;

  ContactFrame<T> frame;
  T pressing = T(0);         // kg, 1/R_n
  T holding = T(0);          // kg, 1/R_t
  T slipping = T(0);         // kg, 1/(R_n (1 + mu mu_hat)): pressing on the cone's surface
  T friction = T(0);         // mu
  T scaled_friction = T(0);  // mu_hat = mu R_t / R_n

  SapLaw() = default;
  explicit SapLaw(const ContactData& contact);

  LawResponse<T> at(T x, T w_squared) const {
    const T w = sqrt(w_squared);
    const T one_by_w = T(1) / max(w, T(tiny_slip));
    const Truth<T> sticks = w < scaled_friction * x;
    const T depth = max(T(0), x + friction * w);
    const T on_cone = slipping * depth;
    const T cone_drag = friction * on_cone * one_by_w;
    // both are zero apart from each other
    const T slope = select(depth > T(0), slipping, T(0));
    const T mu_by_w = friction * one_by_w;
    LawResponse<T> r;
    r.value = T(0.5) * select(sticks, pressing * x * x + holding * w_squared, on_cone * depth);
    r.normal = select(sticks, pressing * x, on_cone);
    r.drag = select(sticks, holding, cone_drag);
    r.a = select(sticks, pressing, slope);
    r.b = select(sticks, T(0), slope * mu_by_w);
    r.c = select(sticks, T(0), slope * mu_by_w * mu_by_w - cone_drag * one_by_w * one_by_w);
    return r;
  }
  Truth<T> slips(T x, T w_squared) const {
    const T w = sqrt(w_squared);
    return !(w < scaled_friction * x) & (x + friction * w > T(0));
  }
};

template <>
inline SapLaw<double>::SapLaw(const ContactData& t) {
  const double span = t.dt + t.relaxation;
  pressing = t.dt * t.stiffness * span;
  friction = t.friction;
  frame.normal = t.normal;
  frame.normal_target = -t.gap / span;
  if (t.memory) {
    frame.tangent_target = (-1 / span) * SplitVector<double>(t.normal, t.offset).tangent;
    holding = pressing;
    scaled_friction = friction;
  } else {
    holding = t.tangential_resistance > 0 ? 1 / t.tangential_resistance : 0;
    scaled_friction = friction * t.tangential_resistance * pressing;
  }
  slipping = pressing / (1 + friction * scaled_friction);
}

inline void set_lane(SapLaw<Pack<double, 4>>& four, int lane, const SapLaw<double>& one) {
  set_lane(four.frame, lane, one.frame);
  four.pressing.set(lane, one.pressing);
  four.holding.set(lane, one.holding);
  four.slipping.set(lane, one.slipping);
  four.friction.set(lane, one.friction);
  four.scaled_friction.set(lane, one.scaled_friction);
}

}  // namespace pliant::contact

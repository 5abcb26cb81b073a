// The lagged law (Castro, Han, Masterjohn 2023): a Hunt-Crossley spring along the normal, and friction that goes by the
// normal impulse that is fixed in a convex problem: that of the last substep, or one that follows the solve. Equations:
// README.md.
#pragma once

#include "contact/contact_data.h"
#include "contact/laws/form.h"
#include "contact/namespace.h"

#include <algorithm>

namespace pliant::contact {

// a velocity or an impulse that no contact has
inline constexpr double never = 1e100;

template <class T>
struct LaggedLaw {
  static constexpr bool lags = true;  // friction goes by a normal impulse that is given

  ContactFrame<T> frame;
  T linear = T(0), quadratic = T(0);  // normal impulse x (linear + quadratic x)
  T stop = T(0), stop_at = T(0);      // kg, m/s: more impulse stop (x - stop_at), where a thin wall would be passed
  T lowest = T(0);                    // m/s, of what the normal spring answers to: 0, or very low where it pulls
  T friction = T(0);                  // mu
  T radius = T(0);                    // N s, mu gamma_n0: the most that friction gives
  T least_radius = T(0);              // N s, whatever the normal impulse is: large where matter sticks
  T holding = T(0);                   // kg, 1/R_t; with memory
  T knee = T(0);                      // m/s, |w| where holding ends; with memory
  T stiction = T(1);                  // m/s; without memory
  bool memory = true;

  LaggedLaw() = default;
  explicit LaggedLaw(const ContactData& contact);

  // the cone's radius is that of the normal impulse at u from here on (`contact.radius: following`)
  void follow(const Vector<T, 3>& u) {
    const T x = frame.normal_target - dot(frame.normal, u);
    set_radius(friction * normal_at(max(T(0), x), max(T(0), x - stop_at)));
  }

  // Coulomb's cone |gamma_t| <= radius; most: mu times a normal impulse
  void set_radius(T most) {
    radius = max(least_radius, memory ? select(holding > T(0), most, T(0)) : most);
    knee = radius / max(holding, T(tiny_slip));
  }

  LawResponse<T> at(T x, T w_squared) const {
    const T pressed = max(lowest, x), beyond = max(T(0), x - stop_at);
    LawResponse<T> r = memory ? held(w_squared) : viscous(w_squared);
    r.value +=
        pressed * pressed * (T(0.5) * linear + T(1.0 / 3) * quadratic * pressed) + T(0.5) * stop * beyond * beyond;
    r.normal = normal_at(pressed, beyond);
    r.a = select(x > lowest, linear + T(2) * quadratic * pressed, T(0)) + select(x > stop_at, stop, T(0));
    r.b = T(0);
    return r;
  }
  Truth<T> slips(T /*x*/, T w_squared) const { return sqrt(w_squared) > (memory ? knee : stiction); }

 private:
  T normal_at(T pressed, T beyond) const { return pressed * (linear + quadratic * pressed) + stop * beyond; }
  LawResponse<T> held(T w_squared) const {
    const T w = sqrt(w_squared);
    const T one_by_w = T(1) / max(w, T(tiny_slip));
    const Truth<T> holds = w < knee;
    LawResponse<T> r;
    r.value = select(holds, T(0.5) * holding * w_squared, radius * (w - T(0.5) * knee));
    r.drag = select(holds, holding, radius * one_by_w);
    r.c = select(holds, T(0), -radius * one_by_w * one_by_w * one_by_w);
    return r;
  }
  LawResponse<T> viscous(T w_squared) const {
    const T soft = sqrt(w_squared + stiction * stiction);
    LawResponse<T> r;
    r.value = radius * w_squared / (soft + stiction);
    r.drag = radius / soft;
    r.c = -r.drag / (soft * soft);
    return r;
  }
};

template <>
inline LaggedLaw<double>::LaggedLaw(const ContactData& t) : memory(t.memory) {
  const double spring = t.dt * t.dt * t.stiffness;
  const double closed = -t.gap / t.dt;
  // the product of spring and damper is zero beyond the smaller of its two roots
  const double damped = t.dissipation > 0 ? 1 / t.dissipation : closed;
  frame.normal = t.normal;
  frame.normal_target = std::min(closed, damped);
  linear = spring * std::fabs(1 - t.dissipation * closed);
  quadratic = spring * t.dissipation;
  // as a depth at the end of the substep, counted from the spring's own end
  stop = t.stop_factor * spring;
  stop_at = t.stop_depth / t.dt - (closed - frame.normal_target);
  friction = t.friction;
  if (t.pulls) lowest = -never;
  if (t.sticks) least_radius = never;
  if (memory) {
    frame.tangent_target = (-1 / t.dt) * SplitVector<double>(t.normal, t.offset).tangent;
    holding = spring;
  } else {
    stiction = std::max(t.stiction, 1e-12);
  }
  set_radius(friction * t.last_impulse);
}

inline void set_lane(LaggedLaw<Pack<double, 4>>& four, int lane, const LaggedLaw<double>& one) {
  set_lane(four.frame, lane, one.frame);
  four.linear.set(lane, one.linear);
  four.quadratic.set(lane, one.quadratic);
  four.stop.set(lane, one.stop);
  four.stop_at.set(lane, one.stop_at);
  four.lowest.set(lane, one.lowest);
  four.friction.set(lane, one.friction);
  four.radius.set(lane, one.radius);
  four.least_radius.set(lane, one.least_radius);
  four.holding.set(lane, one.holding);
  four.knee.set(lane, one.knee);
  four.stiction.set(lane, one.stiction);
  four.memory = one.memory;
}

}  // namespace pliant::contact

// Contacts at random, over decades of everything, and velocities near all that can happen to them.
#pragma once

#include "contact/contacts.h"

#include <cmath>
#include <random>

namespace pliant::tests {

using namespace contact;

struct LawCase {
  LawKind kind;
  bool memory;
};
inline constexpr LawCase all_laws[] = {
    {LawKind::lagged, true}, {LawKind::lagged, false}, {LawKind::sap, true}, {LawKind::sap, false}};

class LawSamples {
 public:
  explicit LawSamples(unsigned seed) : random_(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<>(low, high)(random_); }
  double decade(double low, double high) { return std::pow(10, uniform(low, high)); }
  bool chance(double p) { return uniform(0, 1) < p; }
  Vec3d ball() { return {{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}}; }
  Vec3d direction() {
    for (;;) {
      const Vec3d x = ball();
      if (norm(x) > 0.1 && norm(x) < 1) return (1 / norm(x)) * x;
    }
  }
  Vec3d tangent(const Vec3d& n) {
    for (;;) {
      const Vec3d x = SplitVector<double>(n, ball()).tangent;
      if (norm(x) > 0.1) return (1 / norm(x)) * x;
    }
  }

  // speeds are of the order of 1 m/s
  ContactData terms() {
    ContactData t;
    t.normal = direction();
    t.dt = decade(-5, -2);
    t.gap = chance(0.1) ? 0 : t.dt * uniform(-1, 1);
    t.friction = chance(0.15) ? 0 : uniform(0, 2);
    t.stiffness = decade(2, 8);
    t.dissipation = chance(0.3) ? 0 : decade(-2, 1);
    t.relaxation = chance(0.3) ? 0 : t.dt * decade(-1, 1);
    const double spring = t.dt * t.dt * t.stiffness;
    t.last_impulse = chance(0.15) ? 0 : spring * uniform(0, 2);
    t.offset = t.dt * uniform(0, 1) * tangent(t.normal);
    t.stiction = decade(-4, 0);
    t.tangential_resistance = decade(-3, 1) / spring;
    return t;
  }

 private:
  std::mt19937 random_;
};

// a pool of contacts of one law, without rows
class LawContacts : public Contacts {
 public:
  LawContacts(LawKind kind, bool memory) : kind_(kind), memory_(memory) { start_kind(); }
  void clear() {
    Contacts::clear();
    start_kind();
  }
  void add(ContactData contact) {
    contact.law = kind_;
    contact.memory = memory_;
    Contacts::add(contact);
  }
  const ContactData& terms(std::size_t c) const { return (*this)[c]; }

  // of one contact
  using Contacts::along, Contacts::evaluate;
  LawValue<double> evaluate(std::size_t c, const Vec3d& u) const { return law_value(terms(c), u); }
  LawLine<double> along(std::size_t c, const Vec3d& u, const Vec3d& du, double alpha) const {
    return std::visit([&](const auto& law) { return line_at<double>(law, u, du, alpha); }, law_of(terms(c)));
  }
  Vec3d gradient(std::size_t c, const Vec3d& u) const { return evaluate(c, u).gradient; }
  double normal_impulse(std::size_t c, const Vec3d& u) const { return contact::normal_impulse(terms(c), u); }
  bool slips(std::size_t c, const Vec3d& u) const { return contact::slips(terms(c), u); }
  Vec3d offset_after(std::size_t c, const Vec3d& u) const { return contact::offset_after(terms(c), u); }

 private:
  LawKind kind_;
  bool memory_;
};

// a potential with one contact
struct OneContact {
  LawCase law;
  LawContacts potential;
  OneContact(LawCase c, const ContactData& t) : law(c), potential(c.kind, c.memory) { potential.add(t); }

  LawValue<double> at(const Vec3d& u) const { return potential.evaluate(0, u); }
  Vec3d impulse(const Vec3d& u) const { return -1.0 * at(u).gradient; }
  SplitVector<double> split_impulse(const Vec3d& u) const {
    return SplitVector<double>(potential.terms(0).normal, impulse(u));
  }
  // which of its formulas a law uses
  int region(const Vec3d& u) const { return 2 * int(potential.slips(0, u)) + int(potential.normal_impulse(0, u) > 0); }
  // m/s, over which a law changes its form
  double smallest_scale(const Vec3d& u) const {
    const ContactData& t = potential.terms(0);
    const auto frame = law.kind == LawKind::lagged ? LaggedLaw<double>(t).frame : SapLaw<double>(t).frame;
    const double scale = std::min(norm(frame.missing(u).tangent), 1.0);
    return law.kind == LawKind::lagged && !law.memory ? std::min(scale, t.stiction) : scale;
  }
};

}  // namespace pliant::tests

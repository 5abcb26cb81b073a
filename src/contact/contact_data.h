// A contact as data: who meets whom and where, what its law reads, and what the solver found. Which kinds of points and
// partners there are is known to those who add contacts, and to nobody below.
#pragma once

#include "contact/namespace.h"
#include "core/small.h"

#include <cstdint>

namespace pliant::contact {

enum class LawKind : std::uint8_t { lagged, sap };  // in the order of laws/list.h

struct ContactData {
  // a point of matter and a partner, by the numbers of their kinds: a particle (its place in the order of now) or a node
  // of the grid; a geom (its path) or a boundary
  std::uint32_t point = 0, partner = 0;
  std::int32_t remembered = -1;                            // entry of the last substep's memory; -1: a new contact
  Vector<double, 3> position = Vector<double, 3>::zero();  // m
  Vector<double, 3> shift = Vector<double, 3>::zero();     // m, from there to where its impulse acts

  // for the law
  LawKind law = LawKind::lagged;
  bool memory = true;                                    // friction is a spring from an anchor
  bool pulls = false;                                    // the normal spring does so too
  bool sticks = false;                                   // and nothing slips
  bool follows = false;                                  // friction goes by the present normal impulse; lagged
  Vector<double, 3> normal = Vector<double, 3>::zero();  // unit, from the partner to the matter
  bool multiplier = false;                               // gap and offset stand for the impulse of before
  double gap = 0;                                        // m, at the start of the substep; < 0: overlap
  double friction = 0;                                   // Coulomb coefficient
  double stiffness = 0;                                  // N/m, normal and (with memory) tangential
  double wall = 0;                                       // m, how thick the partner is behind the contact
  double radius = 0;                                     // m, of the ball that the point is; 0: a point
  double stop_depth = 1e30;  // m, overlap beyond which the normal spring is stop_factor times stiffer; lagged
  double stop_factor = 1000;
  double dissipation = 0;                                // s/m, Hunt-Crossley; lagged
  double relaxation = 0;                                 // s; sap
  double dt = 0;                                         // s
  double last_impulse = 0;                               // N s, normal, that friction goes by; lagged
  Vector<double, 3> offset = Vector<double, 3>::zero();  // m, tangential, of the matter from its anchor; with memory
  double stiction = 1e-4;                                // m/s; lagged without memory
  double tangential_resistance = 0;                      // 1/kg, R_t; sap without memory

  // by the solver
  Vector<double, 3> velocity = Vector<double, 3>::zero();   // m/s, of the matter relative to the partner
  Vector<double, 3> impulse = Vector<double, 3>::zero();    // N s, on the matter, by the law
  Vector<double, 3> exchanged = Vector<double, 3>::zero();  // N s, and with what the solver has left over
  double normal_impulse = 0;                                // N s, by the law: exactly 0 apart
  bool slips = false;                                       // friction gives all it can
};

// the partner's side of a contact
struct PartnerSide {
  Vector<double, 3> given = Vector<double, 3>::zero();  // m/s, velocity of the partner there
  // a body whose velocity is solved for
  std::int32_t body = -1;                                // which of the Jacobians; -1: none
  Vector<double, 3> arm = Vector<double, 3>::zero();     // m, of the contact from the body's point of reference
  Vector<double, 3> solved = Vector<double, 3>::zero();  // m/s, the part of `given` that the solve finds anew
};

}  // namespace pliant::contact

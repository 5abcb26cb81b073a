// Geoms of bodies, and boundaries, as partners of contact: what the scene says of each pair, how a contact goes on from its memory, and how
// the geom moves there.
#pragma once

#include "bodies/bodies.h"
#include "bodies/geom_paths.h"
#include "contact/contact_data.h"
#include "contact/detect.h"
#include "contact/memory.h"
#include "contact/namespace.h"
#include "contact/pairs.h"
#include "pliant/material.h"
#include "solve/contact_problem.h"

#include <span>
#include <vector>

namespace pliant::contact {

// the point that meets a geom
struct PointAtGeom {
  std::size_t group;
  double area;      // m^2, of the matter's surface that it stands for
  double mobility;  // 1/kg, sum of w^2 / m; 0 where nobody asks for it
};

// A contact is stiffer than a cell of its material by this: it gives way as a thin layer of matter would.
double stiffer_than_matter(const Material& material);

class GeomPartners {
 public:
  // materials by group of particles
  GeomPartners(const Scene& scene, const std::vector<Material>& materials, const GeomPaths& paths);

  const GeomPaths& paths() const { return paths_; }

  // friction of the SAP law without memory
  bool asks_for_mobility() const { return contact_.law == Contact::Law::sap && !contact_.memory; }
  // a boundary that does not let go has this one
  bool holds(const FoundContact& found) const;
  // N, of the contact's memory, along the surface as it lies now
  Vec3d last_friction(std::uint32_t path, const ContactMemory& memory, const Vec3d& normal) const;
  // the contact as its law reads it; memory: nullptr for a new one
  ContactData describe(const FoundContact& found, const PointAtGeom& point, const ContactMemory* memory,
                       double dt) const;
  // what is remembered of it after a solve
  ContactMemory memory_of(const ContactData& contact, std::uint32_t id, const ContactMemory* before) const;

  // Bodies follow their paths; or, after this, their velocities are solved for. nullptr: there are none.
  void solve_for(const Bodies* bodies);
  PartnerSide side(std::uint32_t path, const Vec3d& x);
  // rad/s, of a geom that has had a `side`, by the joints: zero where these do not move it
  Vec3d solved_turning(std::uint32_t path) const;
  std::span<const double> jacobians() const { return jacobians_; }  // 6 x dofs each, linear rows before angular

 private:
  struct Pair {
    PairLaw law;
    double per_area;  // N/m^3
    double stop_factor;
    bool flows;  // the matter does not last
  };
  // a body that matter touches
  struct Touched {
    std::int32_t number;  // among the Jacobians; -1: it cannot move
    Vec3d center;
    Vec3d velocity, turning;  // m/s, rad/s, by the joints
  };
  double wall_behind(const FoundContact& found) const;
  const Touched& touch(int body);

  const GeomPaths& paths_;
  double cell_;
  Contact contact_;
  std::vector<Pair> pairs_;  // by group and path
  const Bodies* bodies_ = nullptr;
  std::vector<double> jacobians_;
  std::vector<std::int32_t> touched_of_body_;  // -1: none
  std::vector<Touched> touched_;
};

}  // namespace pliant::contact

#include "contact/partners.h"

#include "contact/laws/list.h"
#include "geometry/distance_field.h"
#include "material/law_info.h"

#include <algorithm>
#include <cmath>

namespace pliant::contact {
namespace {

// matter presses in no deeper than about this part of a wall
constexpr double wall_part = 0.25;
// beyond that depth springs are stiffer by this; in a liquid by less, so that the spring there is this times its limit
constexpr double stiffest_stop = 1000, stop_of_liquid = 30;
// friction without memory in the SAP law: R_t as a part of the contact's own inverse inertia
constexpr double viscous_part = 1e-3;

// N/m^3, by the scene's dt also in a part of a step, so that a contact does not get stiff for life there. In large
// steps springs as stiff as those of matter cost thousands of iterations and hold a liquid no better than softer ones:
// a column of height d sinks in by d g dt^2 / (30 h).
double liquid_limit(const Scene& scene, const Material& m) {
  const bool limited = info(m.law).resists_only_pressure && scene.step.method == Method::strong;
  return limited ? 30 * m.density * scene.step.cell / (scene.step.dt * scene.step.dt) : 1e300;
}

// in cells: matter this near to a boundary that does not let go belongs to it, whatever the rounding
constexpr double touching = 1e-3;

// a boundary that does not let go
void hold(const Geom& geom, ContactData& c) {
  c.law = LawKind::lagged;
  c.memory = true;
  c.pulls = true;
  c.sticks = geom.sticks;
  c.dissipation = 0;
  c.stop_depth = 1e30;
}

Vec3d tangential(const Vec3d& v, const Vec3d& n) { return v - dot(v, n) * n; }

// of the limit, where the search for the other side begins
constexpr double thinnest = 1.0 / 16;

// m, how thick the shape is behind a point of its surface, up to a limit; in the shape's frame. A point on an edge looks
// along another face of the shape, which is in it as well as out of it, and the surface of a mesh is where its field has it:
// what is this near to the shape counts as inside.
double thickness_behind(const RigidShape& shape, const Vec3d& surface, const Vec3d& normal, double limit) {
  const double doubt = shape.kind == RigidShape::Kind::mesh ? shape.field->tolerance() : 0;
  const double near = std::max(touching * limit, doubt);
  const auto is_inside = [&](double depth) { return distance(shape, surface - depth * normal).phi < near; };
  double inside = 0, outside = std::min(std::max(thinnest * limit, 2 * doubt), limit);
  while (is_inside(outside)) {
    if (outside >= limit) return limit;
    inside = outside;
    outside = std::min(2 * outside, limit);
  }
  for (int i = 0; i < 10; ++i) {
    const double middle = 0.5 * (inside + outside);
    (is_inside(middle) ? inside : outside) = middle;
  }
  return std::max(0.0, inside - near);
}

}  // namespace

// As a layer of the matter, of a tenth of a cell. Of what lasts a thirtieth: a ball on a plate is 4 % softer than Hertz at 7
// cells to its radius, where a tenth makes it 12 %.
double stiffer_than_matter(const Material& material) { return info(material.law).lasts(material) ? 30 : 10; }

GeomPartners::GeomPartners(const Scene& scene, const std::vector<Material>& materials, const GeomPaths& paths)
    : paths_(paths), cell_(scene.step.cell), contact_(scene.contact) {
  for (std::size_t g = 0; g < materials.size(); ++g)
    for (const GeomPath& path : paths) {
      const PairLaw law = pair_law(scene.contact, scene.matter[g].name, materials[g], partner_of(path.geom));
      const LawInfo& of = info(materials[g].law);
      const double own = stiffer_than_matter(materials[g]) * of.modulus(materials[g]) / cell_,
                   limit = liquid_limit(scene, materials[g]);
      const double per_area = law.stiffness > 0 ? law.stiffness : std::min(own, limit);
      pairs_.push_back(
          {law, per_area, std::min(stiffest_stop, stop_of_liquid * limit / per_area), !of.lasts(materials[g])});
    }
}

double GeomPartners::wall_behind(const FoundContact& found) const {
  const GeomPath& path = paths_[found.path];
  const Mat3d to_local = transpose(path.now.rotation);
  const Vec3d surface = to_local * (found.position - found.gap * found.normal - path.now.position);
  return thickness_behind(path.geom.shape, surface, to_local * found.normal, cell_);
}

bool GeomPartners::holds(const FoundContact& found) const {
  return paths_[found.path].geom.pulls && (found.memory >= 0 || found.gap <= touching * cell_);
}

Vec3d GeomPartners::last_friction(std::uint32_t path, const ContactMemory& memory, const Vec3d& normal) const {
  return tangential(paths_[path].now.rotation * tangential(memory.force, memory.normal), normal);
}

ContactData GeomPartners::describe(const FoundContact& found, const PointAtGeom& point, const ContactMemory* memory,
                                   double dt) const {
  const GeomPath& path = paths_[found.path];
  const Pair& pair = pairs_[point.group * paths_.size() + found.path];
  ContactData c;
  c.point = found.particle;
  c.partner = found.path;
  c.remembered = found.memory;
  c.position = found.position;
  c.law = contact_.law == Contact::Law::sap ? LawKind::sap : LawKind::lagged;
  c.memory = contact_.memory;
  c.follows = contact_.radius == Contact::Radius::following;
  c.normal = found.normal;
  c.gap = found.gap;
  c.radius = found.radius;
  c.friction = pair.law.friction;
  c.dissipation = pair.law.dissipation;
  c.relaxation = contact_.relaxation;
  c.stiction = contact_.stiction;
  c.dt = dt;
  c.tangential_resistance = viscous_part * point.mobility;
  if (memory) {
    const Vec3d anchor = path.now.position + path.now.rotation * memory->anchor;
    // What flows has no point of its skin that lasts, and so no way to its anchor: the spring goes on from its force.
    const bool from_force = pair.flows && found.radius > 0 && c.law == LawKind::lagged;
    c.offset = from_force ? (-1 / memory->stiffness) * last_friction(found.path, *memory, found.normal)
                          : tangential(found.position - anchor, found.normal);
    c.last_impulse = dt * std::max(0.0, dot(memory->force, memory->normal));
    c.stiffness = memory->stiffness;
    c.wall = memory->wall;
  } else {
    c.stiffness = pair.per_area * point.area;
    c.wall = wall_behind(found);
  }
  if (c.wall < cell_) c.stop_depth = wall_part * c.wall;
  if (holds(found)) hold(path.geom, c);
  c.stop_factor = pair.stop_factor;
  return c;
}

// anchor, side and force at the end of the problem's dt
ContactMemory GeomPartners::memory_of(const ContactData& c, std::uint32_t id, const ContactMemory* before) const {
  const GeomPath& path = paths_[c.partner];
  const Mat3d to_local = transpose(path.now.rotation);
  ContactMemory m;
  m.particle = id;
  m.geom = std::uint32_t(path.geom.id);
  m.normal = to_local * c.normal;
  m.force = (1 / c.dt) * (to_local * c.impulse);
  m.stiffness = c.stiffness;
  m.wall = c.wall;
  m.radius = c.radius;
  const bool holds = c.memory && !c.slips;
  if (holds && before) {
    m.anchor = before->anchor;
    return m;
  }
  // in the geom's frame the particle moves by dt times its velocity relative to the geom
  m.anchor = to_local * (c.position - path.now.position) - c.gap * m.normal;
  if (holds) return m;
  const Vec3d offset = c.memory ? offset_after(c, c.velocity) : Vec3d::zero();
  m.anchor += to_local * (c.dt * tangential(c.velocity, c.normal) - offset);
  return m;
}

void GeomPartners::solve_for(const Bodies* bodies) {
  bodies_ = bodies;
  jacobians_.clear();
  touched_.clear();
  if (bodies) touched_of_body_.assign(bodies->body_count(), -1);
}

// its Jacobian is added to the others if it is new and can move
const GeomPartners::Touched& GeomPartners::touch(int body) {
  std::int32_t& at = touched_of_body_[std::size_t(body)];
  if (at >= 0) return touched_[std::size_t(at)];
  at = std::int32_t(touched_.size());
  const std::size_t dofs = std::size_t(bodies_->dofs()), begin = jacobians_.size();
  Touched t = {-1, bodies_->center_of_mass(body), Vec3d::zero(), Vec3d::zero()};
  jacobians_.resize(begin + 6 * dofs);
  double* rows = jacobians_.data() + begin;
  bodies_->twist_jacobian(body, t.center, {rows, 6 * dofs});
  if (std::any_of(rows, rows + 6 * dofs, [](double j) { return j != 0; })) {
    t.number = std::int32_t(begin / (6 * dofs));
    for (int r = 0; r < 3; ++r)
      for (std::size_t j = 0; j < dofs; ++j) {
        t.velocity[r] += rows[std::size_t(r) * dofs + j] * bodies_->velocity()[j];
        t.turning[r] += rows[std::size_t(3 + r) * dofs + j] * bodies_->velocity()[j];
      }
  } else {
    jacobians_.resize(begin);
  }
  touched_.push_back(t);
  return touched_.back();
}

Vec3d GeomPartners::solved_turning(std::uint32_t path) const {
  const std::int32_t at = bodies_ ? touched_of_body_[std::size_t(paths_[path].geom.body)] : -1;
  return at < 0 ? Vec3d::zero() : touched_[std::size_t(at)].turning;
}

PartnerSide GeomPartners::side(std::uint32_t path, const Vec3d& x) {
  PartnerSide side;
  side.given = paths_[path].velocity_at(x);
  if (!bodies_ || paths_[path].geom.body < 0) return side;
  const Touched& t = touch(paths_[path].geom.body);
  side.body = t.number;
  side.arm = x - t.center;
  // the path's velocity is that of the joints, which is solved for, and what moves the body by hand, which is given
  if (t.number >= 0) side.solved = t.velocity + cross(t.turning, side.arm);
  return side;
}

}  // namespace pliant::contact

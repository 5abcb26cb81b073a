#include "contact/seams.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace pliant::contact {
namespace {

using Kind = RigidShape::Kind;

constexpr double endless = std::numeric_limits<double>::infinity();
// in cells: solids this near to each other touch; and how deep matter may be in one of two that meet
constexpr double skin = 1e-2, reach = seam_reach;
// cells: matter deeper than this in all uncovered faces has none of them
constexpr double deepest = 0.5;
// m/s, of solids that rest against each other
constexpr double at_rest = 1e-3;

// of a box or a cylinder: the one of two opposite faces, or the round one, that is nearer to a point
struct Face {
  double excess;        // m, of the point beyond it; < 0: inside
  Vec3d normal, point;  // outwards; on the face, near the point, not at its rim
};

double into(double x, double half, double margin) {
  const double most = std::max(0.0, half - margin);
  return std::clamp(x, -most, most);
}

int faces_of(const RigidShape& shape, const Vec3d& x, double margin, Face* faces) {
  const double* s = shape.size;
  if (shape.kind == Kind::box) {
    for (int i = 0; i < 3; ++i) {
      const double side = x[i] < 0 ? -1 : 1;
      faces[i] = {side * x[i] - s[i], Vec3d::zero(), Vec3d::zero()};
      for (int j = 0; j < 3; ++j) faces[i].point[j] = j == i ? side * s[i] : into(x[j], s[j], margin);
      faces[i].normal[i] = side;
    }
    return 3;
  }
  const double rho = std::hypot(x[0], x[1]), side = x[2] < 0 ? -1 : 1,
               inner = std::min(rho, std::max(0.0, s[0] - margin));
  const Vec3d radial = rho > 1e-12 * s[0] ? Vec3d{{x[0] / rho, x[1] / rho, 0}} : Vec3d{{1, 0, 0}};
  faces[0] = {rho - s[0], radial, s[0] * radial + Vec3d{{0, 0, into(x[2], s[1], margin)}}};
  faces[1] = {side * x[2] - s[1], {{0, 0, side}}, inner * radial + Vec3d{{0, 0, side * s[1]}}};
  return 2;
}

// distance to what these faces bound, the others being without end
ShapeDistance distance_of(const Face* faces, int count) {
  double squares = 0;
  const Face* nearest = nullptr;
  Vec3d outside = Vec3d::zero();
  for (int i = 0; i < count; ++i) {
    const double e = std::max(0.0, faces[i].excess);
    outside += e * faces[i].normal;
    squares += e * e;
    if (!nearest || faces[i].excess > nearest->excess) nearest = &faces[i];
  }
  if (!nearest) return {endless, {{0, 0, 1}}};
  if (nearest->excess <= 0) return {nearest->excess, nearest->normal};
  return {std::sqrt(squares), (1 / std::sqrt(squares)) * outside};
}

bool overlap(const Bounds& a, const Bounds& b, double margin) {
  for (int d = 0; d < 3; ++d)
    if (!(a.lower[d] <= b.upper[d] + margin && b.lower[d] <= a.upper[d] + margin)) return false;
  return true;
}

// outside of the ball around the solid
bool is_out_of_reach(const GeomPath& path, const Vec3d& x) {
  const Vec3d from = x - path.now.position;
  return !path.geom.shape.inside_out && dot(from, from) > path.reach * path.reach;
}

bool may_touch(const GeomPath& a, const GeomPath& b, double margin) {
  const auto apart = [&](const GeomPath& solid, const GeomPath& other) {
    const Vec3d x = transpose(solid.now.rotation) * (other.now.position - solid.now.position);
    return other.reach < endless && distance_at_least(solid.geom.shape, x) > other.reach + margin;
  };
  return !apart(a, b) && !apart(b, a);
}

}  // namespace

void Seams::find(const GeomPaths& paths, double cell) {
  cell_ = cell;
  bounds_.clear();
  for (const GeomPath& p : paths) bounds_.push_back(world_bounds(p.geom.shape, p.now));
  begins_.assign(1, 0);
  neighbours_.clear();
  for (std::size_t a = 0; a < paths.size(); ++a) {
    for (std::size_t b = 0; b < paths.size(); ++b) {
      const Geom &one = paths[a].geom, &other = paths[b].geom;
      const bool of_one_boundary = one.boundary >= 0 && one.boundary == other.boundary;
      // fingers that have closed are not one solid: a sheet may be between them
      if (a == b || of_one_boundary || one.rigid != other.rigid || !overlap(bounds_[a], bounds_[b], skin * cell))
        continue;
      if (may_touch(paths[a], paths[b], skin * cell)) neighbours_.push_back(std::uint32_t(b));
    }
    begins_.push_back(std::uint32_t(neighbours_.size()));
  }
}

// another solid, at rest against this one, is there; in the world
bool Seams::inside_other(const GeomPaths& paths, std::size_t path, const Vec3d& x) const {
  for (std::size_t k = begins_[path]; k < begins_[path + 1]; ++k) {
    const GeomPath& other = paths[neighbours_[k]];
    if (is_out_of_reach(other, x) || !(geometry::distance(other.geom.shape, other.now, x).phi < 0)) continue;
    const Vec3d slip = other.velocity_at(x) - paths[path].velocity_at(x);
    if (dot(slip, slip) < at_rest * at_rest) return true;
  }
  return false;
}

// Of a place on the surface and its normal, in the world: another solid lies on it, and on the surface around it as far as
// matter may have come under its edge.
bool Seams::covered(const GeomPaths& paths, std::size_t path, const Vec3d& at, const Vec3d& normal) const {
  const Vec3d step = (skin * cell_) * normal;
  if (!inside_other(paths, path, at + step)) return false;
  const Mat3d frame = frame_along(normal);
  constexpr int probes = 8;
  for (int k = 0; k < probes; ++k) {
    const double angle = 2 * std::numbers::pi * k / probes;
    const Vec3d beside = at + (reach * cell_) * (frame * Vec3d{{std::cos(angle), std::sin(angle), 0}});
    const bool on_surface = geometry::distance(paths[path].geom.shape, paths[path].now, beside - step).phi < 0 &&
                            !(geometry::distance(paths[path].geom.shape, paths[path].now, beside + step).phi < 0);
    if (on_surface && !inside_other(paths, path, beside + step)) return false;
  }
  return true;
}

// Of a place beyond a covered face, where the solid only goes on in thought: the solid behind that face has its surface there,
// flush with this one. What slides from one to the other then touches one of them at a time.
bool Seams::continued(const GeomPaths& paths, std::size_t path, const Vec3d& at, const Vec3d& normal) const {
  constexpr double nearly_one = 0.99;
  const double flush = skin * cell_, above = reach * cell_;
  for (std::size_t k = begins_[path]; k < begins_[path + 1]; ++k) {
    const GeomPath& other = paths[neighbours_[k]];
    if (!(geometry::distance(other.geom.shape, other.now, at - flush * normal).phi < 0)) continue;
    const ShapeDistance d = geometry::distance(other.geom.shape, other.now, at + above * normal);
    const Vec3d slip = other.velocity_at(at) - paths[path].velocity_at(at);
    if (std::fabs(d.phi - above) < flush && dot(d.normal, normal) > nearly_one && dot(slip, slip) < at_rest * at_rest)
      return true;
  }
  return false;
}

ShapeDistance Seams::distance(const GeomPaths& paths, std::size_t path, const Vec3d& x) const {
  const GeomPath& p = paths[path];
  const auto is_covered = [&](const Vec3d& at, const Vec3d& normal) {
    return covered(paths, path, p.now.position + p.now.rotation * at, p.now.rotation * normal);
  };
  const ShapeDistance whole = geometry::distance(p.geom.shape, x);
  const Kind kind = p.geom.shape.kind;
  if (p.geom.shape.inside_out || (kind != Kind::box && kind != Kind::cylinder))
    return is_covered(x - whole.phi * whole.normal, whole.normal) ? ShapeDistance{endless, whole.normal} : whole;

  Face faces[3];
  int count = faces_of(p.geom.shape, x, 2 * skin * cell_, faces), good = 0;
  ShapeDistance d = whole;
  bool beyond = false;  // a covered face
  // faces in question: the point is beyond them, or they are as near as any; the first `good` are not covered
  for (int i = 0; i < count;) {
    const bool in_question = i >= good && (faces[i].excess > 0 || faces[i].excess >= d.phi);
    if (!in_question) {
      ++i;
    } else if (!is_covered(faces[i].point, faces[i].normal)) {
      std::swap(faces[i++], faces[good++]);
    } else if (faces[i].excess > reach * cell_) {
      return {endless, whole.normal};
    } else {
      beyond = beyond || faces[i].excess > 0;
      faces[i] = faces[--count];
      d = distance_of(faces, count);
      i = good;
    }
  }
  const auto in_world = [&](const Vec3d& at) { return p.now.position + p.now.rotation * at; };
  if (beyond && continued(paths, path, in_world(x - d.phi * d.normal), p.now.rotation * d.normal))
    return {endless, whole.normal};
  // so far inside that no other face is near: as if there were no seam
  return d.phi < -deepest * cell_ ? whole : d;
}

}  // namespace pliant::contact

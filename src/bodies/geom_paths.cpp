#include "bodies/geom_paths.h"

#include <cmath>

namespace pliant::bodies {
namespace {

using Vec = Vector<double, 3>;

// the rotation by |turn| about turn
Matrix<double, 3> rotation_by(const Vec& turn) {
  const double angle = norm(turn);
  const Matrix<double, 3> K = {{0, -turn[2], turn[1], turn[2], 0, -turn[0], -turn[1], turn[0], 0}};
  // sin(x)/x and (1 - cos x)/x^2, by their series near 0
  const double s = angle > 1e-6 ? std::sin(angle) / angle : 1 - angle * angle / 6;
  const double half = 0.5 * angle;
  const double sinc_half = angle > 1e-6 ? std::sin(half) / half : 1 - half * half / 6;
  return Matrix<double, 3>::identity() + s * K + (0.5 * sinc_half * sinc_half) * (K * K);
}

// the turn that leads from rotation a to rotation b the short way
Vec turn_between(const Matrix<double, 3>& a, const Matrix<double, 3>& b) {
  const Matrix<double, 3> R = b * transpose(a);
  const Vec twice_sin = {{R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)}};
  const double s = 0.5 * norm(twice_sin), c = 0.5 * (R(0, 0) + R(1, 1) + R(2, 2) - 1);
  const double angle = std::atan2(s, c);
  if (s > 1e-9) return (0.5 * angle / s) * twice_sin;
  if (c > 0) return 0.5 * twice_sin;
  // half a turn: R + I = 2 n n^T
  int longest = 0;
  for (int d = 1; d < 3; ++d)
    if (R(d, d) > R(longest, longest)) longest = d;
  Vec n = {{R(0, longest), R(1, longest), R(2, longest)}};
  n[longest] += 1;
  return (angle / norm(n)) * n;
}

bool same(const Pose& a, const Pose& b) {
  for (int k = 0; k < 3; ++k)
    if (a.position[k] != b.position[k]) return false;
  for (int k = 0; k < 9; ++k)
    if (a.rotation.a[k] != b.rotation.a[k]) return false;
  return true;
}

}  // namespace

Pose GeomPath::pose_after(double seconds) const {
  return {now.position + seconds * velocity, rotation_by(seconds * turning) * now.rotation};
}

GeomPaths::GeomPaths(const Bodies& bodies, const GeomOptions& options, Workers& workers) {
  Geoms geoms = touchable_geoms(bodies.model(), options, workers);
  warnings_ = std::move(geoms.warnings);
  in_model_ = geoms.in_model;
  for (Geom& geom : geoms.list) {
    GeomPath path;
    path.reach = bounding_radius(geom.shape);
    path.geom = std::move(geom);
    paths_.push_back(std::move(path));
  }
}

void GeomPaths::add_boundary(Geom geom, const Pose& pose) {
  GeomPath path;
  path.reach = bounding_radius(geom.shape);
  geom.id = int(ids());
  geom.body = -1;
  path.geom = std::move(geom);
  path.before = path.now = pose;
  path.from_center = pose;
  paths_.push_back(std::move(path));
  ++boundary_sides_;
}

void GeomPaths::place_boundary(int b, const BoundaryPlace& place) {
  const Matrix<double, 3> turned = rotation_by(place.turned);
  for (GeomPath& p : paths_) {
    if (p.geom.boundary != b) continue;
    const Vec arm = turned * p.from_center.position;
    p.before = p.now = {place.center + arm, turned * p.from_center.rotation};
    p.velocity = place.velocity + cross(place.turning, arm);
    p.turning = place.turning;
  }
}

void GeomPaths::remember_poses(const Bodies& bodies) {
  for (GeomPath& p : of_bodies()) p.before = p.now = bodies.geom_pose(p.geom.id);
}

void GeomPaths::lead_to_poses(const Bodies& bodies, double dt) {
  for (GeomPath& p : of_bodies()) {
    const Pose after = bodies.geom_pose(p.geom.id);
    p.velocity = (1 / dt) * (after.position - p.before.position);
    p.turning = (1 / dt) * turn_between(p.before.rotation, after.rotation);
  }
}

void GeomPaths::follow_velocities(const Bodies& bodies, double dt) {
  for (GeomPath& p : of_bodies()) {
    const Pose put = bodies.geom_pose(p.geom.id);
    p.velocity = bodies.velocity_at(p.geom.body, put.position);
    p.turning = bodies.angular_velocity(p.geom.body);
    if (same(put, p.before)) continue;
    p.velocity += (1 / dt) * (put.position - p.before.position);
    p.turning += (1 / dt) * turn_between(p.before.rotation, put.rotation);
  }
}

void GeomPaths::move_to(double seconds) {
  for (GeomPath& p : paths_) {
    p.now.position = p.before.position + seconds * p.velocity;
    p.now.rotation = rotation_by(seconds * p.turning) * p.before.rotation;
  }
}

}  // namespace pliant::bodies

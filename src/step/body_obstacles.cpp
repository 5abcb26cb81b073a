#include "step/body_obstacles.h"

#include "bodies/geoms.h"

#include <cmath>

namespace pliant {
namespace {

Vec cross(const Vec& a, const Vec& b) {
  return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}

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

// a pair that names the geom, its body, or the body's whole file decides; the last one wins
double friction_of(const Scene& scene, const Geom& geom) {
  double friction = scene.contact.friction;
  for (const ContactPair& pair : scene.contact.pairs) {
    const bool file = geom.body_name.starts_with(pair.body + "/") || geom.name.starts_with(pair.body + "/");
    if (pair.body == geom.name || pair.body == geom.body_name || file) friction = pair.friction;
  }
  return friction;
}

}  // namespace

GeomObstacle::GeomObstacle(int geom, const RigidShape& shape, double friction)
    : geom_(geom), shape_(shape), friction_(friction), reach_(bounding_radius(shape)) {}

void GeomObstacle::set_path(const Pose& before, const Pose& after, double dt) {
  before_ = now_ = before;
  dt_ = dt;
  velocity_ = (1 / dt) * (after.position - before.position);
  turning_ = (1 / dt) * turn_between(before.rotation, after.rotation);
}

void GeomObstacle::move_to(double part) {
  now_.position = before_.position + (part * dt_) * velocity_;
  now_.rotation = rotation_by((part * dt_) * turning_) * before_.rotation;
}

bool GeomObstacle::is_near(const Vec& center, double radius) const {
  const Vec r = center - now_.position;
  const double far = reach_ + radius;
  if (dot(r, r) > far * far) return false;
  return distance_at_least(shape_, transpose(now_.rotation) * r) <= radius;
}

ObstacleAt GeomObstacle::at(const Vec& x) const {
  const ShapeDistance d = distance(shape_, now_, x);
  return {d.phi, d.normal, velocity_ + cross(turning_, x - now_.position)};
}

BodyObstacles::BodyObstacles(const Bodies& bodies, const Scene& scene, Workers& workers) {
  // far finer than the grid that feels it
  const GeomOptions options = {0.02 * scene.step.cell, scene.cache_folder};
  Geoms geoms = touchable_geoms(bodies.model(), options, workers);
  warnings_ = std::move(geoms.warnings);
  geom_count_ = geoms.in_model;
  for (const Geom& geom : geoms.list) geoms_.emplace_back(geom.id, geom.shape, friction_of(scene, geom));
  for (const GeomObstacle& geom : geoms_) pointers_.push_back(&geom);
  before_.resize(geoms_.size());
}

void BodyObstacles::remember_poses(const Bodies& bodies) {
  for (std::size_t i = 0; i < geoms_.size(); ++i) before_[i] = bodies.geom_pose(geoms_[i].geom());
}

void BodyObstacles::take_paths(const Bodies& bodies, double dt) {
  for (std::size_t i = 0; i < geoms_.size(); ++i)
    geoms_[i].set_path(before_[i], bodies.geom_pose(geoms_[i].geom()), dt);
}

void BodyObstacles::move_to(double part) {
  for (GeomObstacle& geom : geoms_) geom.move_to(part);
}

}  // namespace pliant

#include "step/body_obstacles.h"

#include "contact/pairs.h"

namespace pliant::step {

bool GeomObstacle::is_near(const Vec& center, double radius) const {
  const Vec r = center - path_.now.position;
  const double far = path_.reach + radius;
  if (dot(r, r) > far * far) return false;
  return distance_at_least(path_.geom.shape, transpose(path_.now.rotation) * r) <= radius;
}

ObstacleAt GeomObstacle::at(const Vec& x) const {
  const ShapeDistance d = distance(path_.geom.shape, path_.now, x);
  return {d.phi, d.normal, path_.velocity_at(x)};
}

// nodes mix matter, so a pair counts for all matter
BodyObstacles::BodyObstacles(const GeomPaths& paths, const Scene& scene) {
  for (const GeomPath& path : paths) {
    double friction = scene.contact.friction;
    for (const ContactPair& pair : scene.contact.pairs)
      if (names(pair, path.geom)) friction = pair.friction;
    geoms_.emplace_back(path, friction);
  }
  for (const GeomObstacle& geom : geoms_) pointers_.push_back(&geom);
}

}  // namespace pliant::step

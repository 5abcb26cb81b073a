#include "step/body_obstacles.h"

#include "contact/pairs.h"

#include <algorithm>

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

// nodes mix matter, so a pair counts for all matter, and the largest friction of all materials
BodyObstacles::BodyObstacles(const GeomPaths& paths, const Scene& scene) {
  for (const GeomPath& path : paths) {
    Contact contact = scene.contact;
    for (ContactPair& pair : contact.pairs) pair.matter.clear();
    double friction = 0;
    for (const Material& material : scene.materials)
      friction = std::max(friction, pair_law(contact, "", material, partner_of(path.geom)).friction);
    geoms_.emplace_back(path, friction);
  }
  for (const GeomObstacle& geom : geoms_) pointers_.push_back(&geom);
}

}  // namespace pliant::step

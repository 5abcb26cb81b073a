#include "contact/clearance.h"

#include "geometry/distance_field.h"

#include <algorithm>
#include <cmath>

namespace pliant::contact {
namespace {

// a field's phi is off by less than its tolerance near the surface, and by a tenth of itself elsewhere
constexpr double off = 0.1;

// m, of any point of the shape
double moved(const GeomPath& path, const Pose& before) {
  double turned = 0;
  for (int k = 0; k < 9; ++k) {
    const double d = path.now.rotation.a[k] - before.rotation.a[k];
    turned += d * d;
  }
  return norm(path.now.position - before.position) + std::sqrt(turned) * path.reach;
}

}  // namespace

void MeshClearance::begin(const GeomPaths& paths, std::size_t particles) {
  ++search_;
  if (poses_.size() != paths.size()) {
    poses_.assign(paths.size(), Pose{});
    seen_.clear();
  }
  double most = 0;
  bool any = false;
  for (std::size_t k = 0; k < paths.size(); ++k) {
    if (!is_mesh(paths[k])) continue;
    any = true;
    tolerance_ = std::max(tolerance_, paths[k].geom.shape.field->tolerance());
    most = std::max(most, moved(paths[k], poses_[k]));
    poses_[k] = paths[k].now;
  }
  travel_ += most;
  if (any && seen_.size() < particles) seen_.resize(particles, Seen{});
}

bool MeshClearance::is_clear(std::uint32_t id, const Vector<double, 3>& x, double limit) const {
  const Seen& seen = seen_[id];
  if (seen.search == 0) return false;
  const Vector<double, 3> way = x - Vector<double, 3>{{double(seen.x[0]), double(seen.x[1]), double(seen.x[2])}};
  const double left = double(seen.clearance) - norm(way) - (travel_ - seen.travel);
  return (1 - off) * left - tolerance_ > limit;
}

void MeshClearance::note(std::uint32_t id, const Vector<double, 3>& x, double phi, double others) {
  Seen& seen = seen_[id];
  if (seen.search != search_) seen = {{float(x[0]), float(x[1]), float(x[2])}, float(others), travel_, search_};
  seen.clearance = std::min(seen.clearance, float((1 - off) * phi));
}

}  // namespace pliant::contact

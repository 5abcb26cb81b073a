#include "geometry/surface.h"

#include "core/error.h"

#include <algorithm>
#include <cmath>

namespace pliant::geometry {

SurfaceDarts::SurfaceDarts(const Mesh& mesh) : mesh_(mesh) {
  double area = 0;
  area_up_to_.reserve(mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Point a = mesh.corner(t, 0);
    area += 0.5 * norm(cross(mesh.corner(t, 1) - a, mesh.corner(t, 2) - a));
    area_up_to_.push_back(area);
  }
}

SurfaceDarts::Dart SurfaceDarts::next(Random& random) const {
  const double area = area_up_to_.back() * random.uniform();
  const auto found = std::upper_bound(area_up_to_.begin(), area_up_to_.end() - 1, area);
  const auto t = std::size_t(found - area_up_to_.begin());
  const double root = std::sqrt(random.uniform()), part = random.uniform();
  return {t,
          (1 - root) * mesh_.corner(t, 0) + root * (1 - part) * mesh_.corner(t, 1) + root * part * mesh_.corner(t, 2)};
}

void check_overlap(const MeshTree& tree, const std::string& path) {
  constexpr int darts = 4096;
  const Mesh& mesh = tree.mesh();
  const double step = 1e-6 * norm(mesh.upper - mesh.lower);
  const SurfaceDarts surface(mesh);
  Random random(1);
  Point place = mesh.lower;
  int bad = 0;
  for (int n = 0; n < darts; ++n) {
    // just outside and just inside, a solid winds 0 and 1 times
    const auto [t, at] = surface.next(random);
    const Point normal = cross(mesh.corner(t, 1) - mesh.corner(t, 0), mesh.corner(t, 2) - mesh.corner(t, 0));
    const Point offset = (step / std::max(norm(normal), 1e-300)) * normal;
    const int inside = tree.winding(at - offset), outside = tree.winding(at + offset);
    if (std::min(inside, outside) >= 0 && std::max(inside, outside) <= 1) continue;
    place = at;
    ++bad;
  }
  if (bad > darts / 100) {
    fail(ErrorCode::bad_file,
         "mesh file '{}': parts of the mesh overlap, for example at ({:g} {:g} {:g}), on {:.2g} % of its surface; join "
         "them into one solid",
         path, place[0], place[1], place[2], 100.0 * bad / darts);
  }
}

}  // namespace pliant::geometry

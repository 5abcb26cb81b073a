#include "world/overlap.h"

#include "contact/boundary_sides.h"

#include <fmt/format.h>

namespace pliant::world {
namespace {

// cells; less is a fit or a rounding
constexpr double deep = 0.1;

using Place = Vector<double, 3>;

struct Deepest {
  double depth = 0;  // m
  Vec3 place = {};
};

GeomPaths placed_geoms(const Scene& scene, std::span<const BoundaryShape> shapes, GeomPaths geoms) {
  std::vector<BoundaryMotion> motions;
  for (const Boundary& b : scene.boundaries)
    motions.push_back({{{b.center[0], b.center[1], b.center[2]}}, Place::zero()});
  contact::place_boundaries(shapes, motions, 0, geoms);
  return geoms;
}

std::string name_of(const Scene& scene, const Geom& geom) {
  if (geom.boundary >= 0) return fmt::format("boundary '{}'", scene.boundaries[std::size_t(geom.boundary)].name);
  return geom.name.empty() ? fmt::format("body '{}'", geom.body_name) : fmt::format("geom '{}'", geom.name);
}

// of the particles that touch: those from `first` on are of this piece, in its order
Deepest deepest_in(const GeomPath& path, const PieceSurface& piece, std::size_t first,
                   const std::vector<Vec3>& places) {
  Deepest found;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto id = std::uint32_t(first + i);
    if (!piece.all_touch() && !piece.touches(id)) continue;
    const Place x = {{places[i][0], places[i][1], places[i][2]}}, off = x - path.now.position;
    const double radius = piece.radius(id), near = path.reach + radius;
    if (dot(off, off) > near * near) continue;
    const double depth = radius - geometry::distance(path.geom.shape, path.now, x).phi;
    if (depth > found.depth) found = {depth, places[i]};
  }
  return found;
}

}  // namespace

template <class S>
std::vector<std::string> overlap_warnings(const Model<S>& model, const Sampled& sampled) {
  std::vector<std::string> warnings;
  const Scene& scene = model.scene;
  if (scene.dimension == 2 || scene.step.method == Method::one_way) return warnings;
  for (const GeomPath& path : placed_geoms(scene, model.boundaries, model.bodies.geoms)) {
    if (path.geom.pulls) continue;
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
      const Deepest d = deepest_in(path, model.surfaces[g], model.groups[g].begin, sampled.matter[g].positions);
      if (d.depth > deep * scene.step.cell)
        warnings.push_back(fmt::format(
            "matter '{}' starts {:.3g} m inside of {}, near ({:.4g}, {:.4g}, {:.4g}) m: it is thrown out in the first "
            "steps; move one of them",
            scene.matter[g].name, d.depth, name_of(scene, path.geom), d.place[0], d.place[1], d.place[2]));
    }
  }
  return warnings;
}

template std::vector<std::string> overlap_warnings(const Model<float>&, const Sampled&);
template std::vector<std::string> overlap_warnings(const Model<double>&, const Sampled&);

}  // namespace pliant::world

#include "scene/touching.h"

#include "material/law_info.h"

namespace pliant::scene {

TouchBy touch_by(const Matter& matter, const Material& material, int dimension) {
  const LawInfo& law = info(material.law);
  const SurfaceLayer layer = matter.sampling.surface_layer;
  if (dimension == 2 || law.sheet) return TouchBy::centers;
  if (!matter.points.empty()) return TouchBy::balls;
  // a layer on matter that flows: its particles start on the surface, not half of their size below
  if (!law.lasts(material)) return layer == SurfaceLayer::yes ? TouchBy::centers : TouchBy::balls;
  return layer == SurfaceLayer::no ? TouchBy::centers : TouchBy::surface;
}

Sampling sampling_of(const Matter& matter, const Material& material, int dimension) {
  using Method = Sampling::Method;
  Sampling sampling = matter.sampling;
  // points at random are no flat layer of balls at a wall
  const bool balls = touch_by(matter, material, dimension) == TouchBy::balls;
  if (sampling.method == Method::by_law) sampling.method = balls ? Method::lattice : Method::poisson;
  if (sampling.surface_layer == SurfaceLayer::by_law)
    sampling.surface_layer =
        touch_by(matter, material, dimension) == TouchBy::surface ? SurfaceLayer::yes : SurfaceLayer::no;
  return sampling;
}

}  // namespace pliant::scene

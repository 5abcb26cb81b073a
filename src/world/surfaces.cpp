#include "world/surfaces.h"

namespace pliant::world {

template <int D, class S>
Surface surface_of(const Model<S>& model, std::size_t g, const State<D, S>& state, std::span<const Touch> touches) {
  const PieceSurface& piece = model.surfaces[g];
  Surface surface;
  const std::size_t count = piece.areas.size();
  surface.vertices.resize(count);
  for (std::size_t k = model.groups[g].begin; count > 0 && k < model.groups[g].end; ++k) {
    const Point<D, S>& p = state.particles.points[k];
    if (!piece.touches(std::uint32_t(p.id))) continue;
    Vec3& vertex = surface.vertices[std::size_t(p.id) - piece.begin];
    for (int d = 0; d < D; ++d) vertex[std::size_t(d)] = double(p.x[d]);
  }
  for (const auto& [a, b, c] : piece.triangles)
    surface.triangles.push_back({std::int32_t(a), std::int32_t(b), std::int32_t(c)});
  surface.area = piece.areas;
  surface.pressure.assign(count, 0);
  surface.traction.assign(count, {0, 0, 0});
  for (const Touch& touch : touches) {
    if (count == 0 || !piece.touches(touch.particle)) continue;
    const std::size_t v = touch.particle - piece.begin;
    const double per_area = -1 / (model.scene.step.dt * piece.areas[v]);  // the impulse is that on the body
    for (std::size_t d = 0; d < 3; ++d) {
      surface.traction[v][d] += per_area * touch.impulse[d];
      surface.pressure[v] += per_area * touch.impulse[d] * touch.normal[d];
    }
  }
  return surface;
}

template Surface surface_of(const Model<float>&, std::size_t, const State<2, float>&, std::span<const Touch>);
template Surface surface_of(const Model<float>&, std::size_t, const State<3, float>&, std::span<const Touch>);
template Surface surface_of(const Model<double>&, std::size_t, const State<2, double>&, std::span<const Touch>);
template Surface surface_of(const Model<double>&, std::size_t, const State<3, double>&, std::span<const Touch>);

}  // namespace pliant::world

#include "step/touching.h"

#include <algorithm>

namespace pliant::step {
namespace {

// cells: from here on nodes inside of a boundary carry a good part of a particle
constexpr double reach_of_nodes = 1;

template <int D, class S>
bool is_near_solid(const Model<S>& model, const State<D, S>& now, std::span<const Obstacle* const> obstacles,
                   const Group& group) {
  const double reach = reach_of_nodes * model.scene.step.cell;
  for (std::size_t i = group.begin; i < group.end; ++i) {
    Vec x = Vec::zero();
    for (int d = 0; d < D; ++d) x[d] = double(now.particles.points[i].x[d]);
    for (std::size_t k = 0; k < model.boundaries.size(); ++k)
      if (distance(model.boundaries[k], now.boundaries[k].center, x).phi < reach) return true;
    for (const Obstacle* obstacle : obstacles)
      if (obstacle->is_near(x, reach) && obstacle->at(x).phi < reach) return true;
  }
  return false;
}

}  // namespace

template <int D, class S>
void find_touching(const Model<S>& model, const State<D, S>& now, std::span<const Obstacle* const> obstacles,
                   std::vector<char>& touching) {
  touching.assign(model.groups.size(), 0);
  const auto in_group = [](std::size_t id, const Group& group) { return id < group.end; };
  // ids of a group are those of its place in the arrays
  for (const ContactMemory& m : now.contacts) {
    const auto g = std::lower_bound(model.groups.begin(), model.groups.end(), std::size_t(m.particle),
                                    [&](const Group& group, std::size_t id) { return !in_group(id, group); });
    touching[std::size_t(g - model.groups.begin())] = 1;
  }
  for (std::size_t g = 0; g < model.groups.size(); ++g) {
    if (!(model.loss_viscosities[g] > 0))
      touching[g] = 0;
    else if (!touching[g])
      touching[g] = is_near_solid(model, now, obstacles, model.groups[g]);
  }
}

double longest_with_loss(const Material& material, double viscosity, double cell) {
  return viscosity > 0 ? material.density * cell * cell / (8 * viscosity) : 1e300;
}

template void find_touching(const Model<float>&, const State<2, float>&, std::span<const Obstacle* const>,
                            std::vector<char>&);
template void find_touching(const Model<float>&, const State<3, float>&, std::span<const Obstacle* const>,
                            std::vector<char>&);
template void find_touching(const Model<double>&, const State<2, double>&, std::span<const Obstacle* const>,
                            std::vector<char>&);
template void find_touching(const Model<double>&, const State<3, double>&, std::span<const Obstacle* const>,
                            std::vector<char>&);

}  // namespace pliant::step

#include "step/touching.h"

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
      if (model.boundaries[k].at_nodes && distance(model.boundaries[k], now.boundaries[k].center, x).phi < reach)
        return true;
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
  for (const ContactMemory& m : now.contacts) touching[model.group_of(m.particle)] = 1;
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

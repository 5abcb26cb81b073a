#include "step/actuators.h"

#include "bodies/motion.h"

#include <cmath>

namespace pliant::step {

std::array<double, 9> stress_per_value(const Actuator& actuator, int dimension) {
  const Vec3& a = actuator.direction;
  const double length = std::hypot(a[0], a[1], a[2]);
  std::array<double, 9> stress = {};
  for (std::size_t i = 0; i < std::size_t(dimension); ++i)
    for (std::size_t j = 0; j < std::size_t(dimension); ++j)
      stress[3 * i + j] = actuator.strength * (length > 0 ? (a[i] / length) * (a[j] / length) : i == j ? 1 : 0);
  return stress;
}

template <class S>
void find_stresses(const Model<S>& model, const Inputs& inputs, double time,
                   std::vector<std::array<double, 9>>& stresses) {
  stresses = inputs.actuations;
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    const ModelActuator& actuator = model.actuators[k];
    const bool moves = !actuator.motion.empty();
    const double value = moves ? sample_motion(actuator.motion[0], time).value[0] : inputs.actuator_values[k];
    for (std::size_t i = 0; i < 9; ++i) stresses[actuator.group][i] += value * actuator.stress[i];
  }
}

template void find_stresses(const Model<float>&, const Inputs&, double, std::vector<std::array<double, 9>>&);
template void find_stresses(const Model<double>&, const Inputs&, double, std::vector<std::array<double, 9>>&);

}  // namespace pliant::step

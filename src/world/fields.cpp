#include "world/fields.h"

#include "bodies/state_check.h"
#include "world/field_checks.h"

namespace pliant::world {
namespace {

using Check = std::function<std::string()>;

template <class T>
Field fixed(const char* name, T* data, std::size_t count, Check check) {
  return {name, data, count * sizeof(T), sizeof(T), std::move(check)};
}

template <class T>
Field growing(const char* name, std::vector<T>& list, std::size_t most, Check check) {
  const auto room = [&list](std::size_t count) -> void* {
    list.resize(count);
    return list.data();
  };
  return {name, list.data(), list.size() * sizeof(T), sizeof(T), std::move(check), room, most};
}

// shared with other inputs, so that room for new entries is made elsewhere
Field elasticity_field(Inputs& inputs, std::size_t particles, Check check) {
  const auto* list = inputs.elasticity.get();
  const auto room = [&inputs](std::size_t count) -> void* {
    auto fresh = std::make_shared<std::vector<Elasticity>>(count);
    inputs.elasticity = count > 0 ? fresh : nullptr;
    return fresh->data();
  };
  return {"elasticity",
          list ? const_cast<Elasticity*>(list->data()) : nullptr,
          list ? list->size() * sizeof(Elasticity) : 0,
          sizeof(Elasticity),
          std::move(check),
          room,
          particles};
}

}  // namespace

template <int D, class S>
std::vector<Field> fields_of(const Model<S>& model, State<D, S>& state, Inputs& inputs, const Particles<D, S>& known) {
  const std::size_t particles = state.particles.size(), geoms = model.bodies.geoms.ids(),
                    boundaries = model.boundaries.size();
  // a particle's block is among 27 slots
  const std::size_t slots = neighbour_count<3> * particles;
  auto& points = state.particles.points;
  auto& velocities = state.particles.velocities;
  auto& speeds = inputs.boundary_velocities;
  const auto wrong_bodies = [&] {
    return model.bodies.mujoco ? wrong_state(model.bodies.mujoco.get(), state.bodies) : std::string();
  };
  return {fixed("time", &state.time, 1, [&] { return wrong_time(state.time); }),
          fixed("steps", &state.steps, 1, [&] { return wrong_steps(state.steps, state.time); }),
          fixed("max_speed", &state.max_speed, 1,
                [&] { return wrong_max_speed(state.max_speed, state.particles, !model.sheets.empty()); }),
          fixed("boundaries", state.boundaries.data(), boundaries, [&] { return wrong_boundaries(state.boundaries); }),
          fixed("actuations", inputs.actuations.data(), inputs.actuations.size(),
                [&] { return wrong_actuations(inputs.actuations); }),
          fixed("actuators", inputs.actuator_values.data(), inputs.actuator_values.size(),
                [&] { return wrong_actuator_values(inputs.actuator_values); }),
          elasticity_field(inputs, particles, [&] { return wrong_elasticity(model, inputs); }),
          fixed("boundary_speed", speeds.data(), speeds.size(), [&] { return wrong_boundary_velocities(speeds); }),
          fixed("bodies", state.bodies.numbers.data(), state.bodies.numbers.size(), wrong_bodies),
          growing("contacts", state.contacts, particles * geoms,
                  [&, particles, geoms] { return wrong_contacts(state.contacts, particles, geoms); }),
          growing("warm", state.warm, slots, [&] { return wrong_warm(state.warm); }),
          growing("held", state.held, slots * block_nodes<3> * boundaries,
                  [&, boundaries] { return wrong_held(state.held, boundaries); }),
          fixed("holds", state.holds.data(), state.holds.size(), [&] { return wrong_holds(state.holds); }),
          fixed("points", points.data(), particles, [&] { return wrong_points(model, points, known.points); }),
          fixed("velocities", velocities.data(), particles, [&] { return wrong_velocities(velocities); })};
}

template std::vector<Field> fields_of(const Model<float>&, State<2, float>&, Inputs&, const Particles<2, float>&);
template std::vector<Field> fields_of(const Model<float>&, State<3, float>&, Inputs&, const Particles<3, float>&);
template std::vector<Field> fields_of(const Model<double>&, State<2, double>&, Inputs&, const Particles<2, double>&);
template std::vector<Field> fields_of(const Model<double>&, State<3, double>&, Inputs&, const Particles<3, double>&);

}  // namespace pliant::world

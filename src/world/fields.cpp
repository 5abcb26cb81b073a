#include "world/fields.h"

#include "world/field_checks.h"

namespace pliant::world {
namespace {

template <class T>
Field fixed(const char* name, T* data, std::size_t count) {
  return {name, data, count * sizeof(T)};
}

template <class T>
Field growing(const char* name, std::vector<T>& list, std::function<std::string(const std::byte*, std::size_t)> check) {
  const auto room = [&list](std::size_t bytes) -> void* {
    list.resize(bytes / sizeof(T));
    return list.data();
  };
  return {name, list.data(), list.size() * sizeof(T), room, std::move(check)};
}

}  // namespace

template <int D, class S>
std::vector<Field> fields_of(const Model<S>& model, State<D, S>& state, Inputs& inputs) {
  const std::size_t particles = state.particles.size(), geoms = model.bodies.geoms.geoms_in_model(),
                    boundaries = model.boundaries.size();
  std::vector<Field> list = {
      fixed("time", &state.time, 1),
      fixed("steps", &state.steps, 1),
      fixed("max_speed", &state.max_speed, 1),
      fixed("boundaries", state.boundaries.data(), state.boundaries.size()),
      fixed("actuations", inputs.actuations.data(), inputs.actuations.size()),
      fixed("boundary_speed", inputs.boundary_velocities.data(), inputs.boundary_velocities.size()),
      fixed("bodies", state.bodies.numbers.data(), state.bodies.numbers.size()),
      growing("contacts", state.contacts,
              [=](const std::byte* data, std::size_t size) { return wrong_contacts(data, size, particles, geoms); }),
      growing("warm", state.warm, [](const std::byte*, std::size_t size) { return wrong_warm(size); }),
      growing("held", state.held,
              [=](const std::byte* data, std::size_t size) { return wrong_held(data, size, boundaries); }),
      fixed("holds", state.holds.data(), state.holds.size()),
      fixed("points", state.particles.points.data(), particles),
      fixed("velocities", state.particles.rates.data(), particles)};
  list[10].check = wrong_holds;
  return list;
}

template std::vector<Field> fields_of(const Model<float>&, State<2, float>&, Inputs&);
template std::vector<Field> fields_of(const Model<float>&, State<3, float>&, Inputs&);
template std::vector<Field> fields_of(const Model<double>&, State<2, double>&, Inputs&);
template std::vector<Field> fields_of(const Model<double>&, State<3, double>&, Inputs&);

}  // namespace pliant::world

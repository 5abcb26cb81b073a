#include "world/first_state.h"

#include "core/stop.h"

#include <algorithm>
#include <cmath>

namespace pliant::world {
namespace {

Vec center_of_mass(const Samples& samples) {
  Vec sum = Vec::zero();
  double volume = 0;
  for (std::size_t i = 0; i < samples.positions.size(); ++i) {
    const Vec3& p = samples.positions[i];
    sum += samples.volumes[i] * Vec{{p[0], p[1], p[2]}};
    volume += samples.volumes[i];
  }
  return (1 / volume) * sum;
}

// of the velocity about the centre of mass, row-major
std::array<double, 9> turning(const Matter& matter) {
  const Vec3& w = matter.angular_velocity;
  return {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
}

bool turns(const Matter& matter) {
  return std::any_of(matter.angular_velocity.begin(), matter.angular_velocity.end(), [](double w) { return w != 0; });
}

template <int D, class S>
FirstPlaces<S> first_places(const Matter& matter, const Samples& samples) {
  FirstPlaces<S> first;
  const Vec center = center_of_mass(samples);
  const std::array<double, 9> turn = turning(matter);
  first.positions.reserve(samples.positions.size() * D);
  if (turns(matter)) first.velocities.reserve(samples.positions.size() * D);
  for (const Vec3& x : samples.positions)
    for (int d = 0; d < D; ++d) {
      first.positions.push_back(S(x[std::size_t(d)]));
      if (!turns(matter)) continue;
      double v = matter.velocity[std::size_t(d)];
      for (int e = 0; e < D; ++e) v += turn[std::size_t(3 * d + e)] * (x[std::size_t(e)] - center[e]);
      first.velocities.push_back(S(v));
    }
  return first;
}

// where particle `id` of group g was, how fast, and at rest; its mass and volume are its own
template <int D, class S>
void place(const Model<S>& model, std::size_t g, Point<D, S>& p, ParticleVelocity<D, S>& q) {
  const std::size_t i = (std::size_t(p.id) - model.groups[g].begin) * D;
  const FirstPlaces<S>& first = model.first[g];
  const Matter& matter = model.scene.matter[g];
  const std::array<double, 9> turn = turning(matter);
  for (int d = 0; d < D; ++d) {
    p.x[d] = first.positions[i + std::size_t(d)];
    q.v[d] = first.velocities.empty() ? S(matter.velocity[std::size_t(d)]) : first.velocities[i + std::size_t(d)];
    for (int e = 0; e < D; ++e) {
      q.C[d * D + e] = S(turn[std::size_t(3 * d + e)]);
      p.F[d * D + e] = S(d == e);
    }
  }
  p.plastic = S(std::visit([](const auto& law) { return double(law.initial_plastic); }, model.laws[g]));
}

// F of the triangles starts as their frames
template <int D, class S>
void place_frames(const ModelSheet<S>& s, State<D, S>& state) {
  for (std::size_t e = 0; e < s.sheet.frames.size() && D == 3; ++e)
    std::copy_n(s.sheet.frames[e].a, D * D, state.particles.points[s.group.begin + s.sheet.vertices + e].F);
}

// all but masses and volumes, which the particles have, in the order of their ids
template <int D, class S>
void place_all(const Model<S>& model, State<D, S>& state) {
  for (std::size_t g = 0; g < model.groups.size(); ++g)
    for (std::size_t k = model.groups[g].begin; k < model.groups[g].end; ++k) {
      check_stop_at(k);
      ParticleVelocity<D, S>& q = state.particles.velocities[k];
      place(model, g, state.particles.points[k], q);
      for (int d = 0; d < D; ++d) state.max_speed = max(state.max_speed, std::fabs(double(q.v[d])));
    }
  for (const ModelSheet<S>& s : model.sheets) place_frames(s, state);
  for (const Boundary& b : model.scene.boundaries)
    state.boundaries.push_back(
        {{{b.center[0], b.center[1], b.center[2]}}, {{b.velocity[0], b.velocity[1], b.velocity[2]}}});
  state.holds.resize(model.bodies.motion.hold_count());
  state.bodies = model.bodies.first;
}

}  // namespace

template <int D, class S>
State<D, S> first_state(Model<S>& model, const Sampled& sampled) {
  State<D, S> state;
  state.particles.fit(sampled.count);
  for (std::size_t g = 0; g < model.groups.size(); ++g) {
    const Samples& samples = sampled.matter[g];
    model.first.push_back(first_places<D, S>(model.scene.matter[g], samples));
    for (std::size_t i = 0; i < samples.volumes.size(); ++i) {
      Point<D, S>& p = state.particles.points[model.groups[g].begin + i];
      p.volume = S(samples.volumes[i]);
      const double counts = samples.masses.empty() ? samples.volumes[i] : samples.masses[i];
      p.mass = S(model.materials[g].density * counts);
      p.id = IdOf<S>(model.groups[g].begin + i);
    }
  }
  place_all(model, state);
  return state;
}

template <int D, class S>
State<D, S> first_state(const Model<S>& model, const State<D, S>& later) {
  State<D, S> state;
  state.particles.fit(later.particles.size());
  for (const Point<D, S>& p : later.particles.points) state.particles.points[std::size_t(p.id)] = p;
  place_all(model, state);
  return state;
}

template <class S>
Inputs first_inputs(const Model<S>& model) {
  Inputs inputs;
  inputs.actuations.assign(model.groups.size(), {});
  inputs.actuator_values.assign(model.actuators.size(), 0);
  for (const Boundary& b : model.scene.boundaries)
    inputs.boundary_velocities.push_back({{b.velocity[0], b.velocity[1], b.velocity[2]}});
  return inputs;
}

template State<2, float> first_state(Model<float>&, const Sampled&);
template State<3, float> first_state(Model<float>&, const Sampled&);
template State<2, double> first_state(Model<double>&, const Sampled&);
template State<3, double> first_state(Model<double>&, const Sampled&);
template State<2, float> first_state(const Model<float>&, const State<2, float>&);
template State<3, float> first_state(const Model<float>&, const State<3, float>&);
template State<2, double> first_state(const Model<double>&, const State<2, double>&);
template State<3, double> first_state(const Model<double>&, const State<3, double>&);
template Inputs first_inputs(const Model<float>&);
template Inputs first_inputs(const Model<double>&);

}  // namespace pliant::world

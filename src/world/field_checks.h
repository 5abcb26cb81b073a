// Whether a state that someone else has written can be one of this model: each function looks at one field and says
// what is wrong with it; empty: nothing. All a step reads as an index, a count or a divisor is looked at.
#pragma once

#include "step/inputs.h"
#include "step/model.h"
#include "step/state.h"
#include "world/namespace.h"

#include <span>
#include <string>

namespace pliant::world {

std::string wrong_time(double time);
std::string wrong_steps(std::uint64_t steps, double time);
std::string wrong_boundaries(std::span<const BoundaryMotion> boundaries);
std::string wrong_actuations(std::span<const std::array<double, 9>> stresses);
std::string wrong_actuator_values(std::span<const double> values);
template <class S>
std::string wrong_elasticity(const Model<S>& model, const Inputs& inputs);
std::string wrong_boundary_velocities(std::span<const Vec> velocities);
std::string wrong_contacts(std::span<const ContactMemory> contacts, std::size_t particles, std::size_t geoms);
std::string wrong_warm(std::span<const WarmSlot> slots);
std::string wrong_held(std::span<const BoundaryMemory> held, std::size_t boundaries);
std::string wrong_holds(std::span<const MotionHold> holds);

// that of the fastest particle
template <int D, class S>
std::string wrong_max_speed(double max_speed, const Particles<D, S>& particles, bool has_cloth);
// Ids, masses and volumes never change: `known` are particles of this model, in any order.
template <int D, class S>
std::string wrong_points(const Model<S>& model, const Buffer<Point<D, S>>& points, const Buffer<Point<D, S>>& known);
template <int D, class S>
std::string wrong_velocities(const Buffer<ParticleVelocity<D, S>>& velocities);

}  // namespace pliant::world

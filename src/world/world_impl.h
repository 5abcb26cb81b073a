// The world behind its door: one class for all dimensions and precisions.
#pragma once

#include "gradient/tape_impl.h"
#include "pliant/world.h"
#include "step/outcome.h"
#include "world/fields.h"
#include "world/namespace.h"

#include <memory>
#include <span>
#include <vector>

namespace pliant {

class World::Impl {
 public:
  virtual ~Impl() = default;
  virtual void step() = 0;
  virtual void reset() = 0;
  // all steps from now on are recorded, until the tape ends
  virtual std::shared_ptr<Tape::Impl> start_tape(std::size_t memory, bool plain) = 0;
  // threads 0: as many; in this data, or in one of its own if nullptr
  virtual std::unique_ptr<Impl> clone(int threads, std::shared_ptr<mjData> data) const = 0;

  virtual const step::Outcome& outcome() const = 0;
  virtual double time() const = 0;
  virtual const Scene& scene() const = 0;
  virtual const step::BodyModel& body_model() const = 0;
  virtual mjData* data() const = 0;
  virtual int threads() const = 0;
  virtual std::size_t particle_count() const = 0;
  virtual std::size_t memory() const = 0;
  virtual View view(const std::string& matter, Attribute attribute) const = 0;
  virtual std::vector<std::array<std::int32_t, 3>> triangles(const std::string& matter) const = 0;
  virtual std::vector<std::string> surface_names() const = 0;
  virtual Surface surface(const std::string& matter) const = 0;
  virtual std::vector<Vec3> boundary_centers() const = 0;
  virtual Balance balance() = 0;

  virtual void set(const std::string& matter, Attribute attribute, std::span<const double> values) = 0;
  virtual void set_bodies(std::span<const double> qpos, std::span<const double> qvel, std::span<const double> act) = 0;
  virtual void set_actuation(const std::string& matter, const std::array<double, 9>& stress) = 0;
  virtual void set_actuation(const std::string& actuator, double value) = 0;
  virtual void set_elasticity(const std::string& matter, std::span<const double> E, std::span<const double> nu) = 0;
  virtual std::vector<std::array<double, 2>> elasticity(const std::string& matter) const = 0;
  virtual void set_boundary_velocity(const std::string& boundary, const Vec3& velocity) = 0;

  // what a snapshot must agree in, identity.h
  virtual const std::string& identity() const = 0;
  // the whole state, to read
  virtual std::vector<world::Field> fields() = 0;
  // A second state of the same sizes, to write into; `take_incoming` makes it that of the world. Before, nothing of the
  // world has changed.
  virtual std::vector<world::Field> incoming() = 0;
  virtual void take_incoming() = 0;
};

}  // namespace pliant

namespace pliant::world {

// checked and made of any dimension and precision
std::unique_ptr<World::Impl> make_world(const Scene& scene, const SharedBodies& bodies, int threads);

}  // namespace pliant::world

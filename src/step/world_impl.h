// The world behind its door: one class for all dimensions and precisions, and the state as sections of bytes.
#pragma once

#include "pliant/world.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace pliant {

// A part of the state as bytes. Its size is fixed by the scene, unless it has a `resize`.
struct Section {
  const char* name;
  void* data;
  std::size_t size;
  // gives room for so many bytes
  std::function<void*(std::size_t)> resize = nullptr;
  // what is wrong with bytes that someone else has written; empty: nothing
  std::function<std::string(const std::byte*, std::size_t)> check = nullptr;
};

class World::Impl {
 public:
  virtual ~Impl() = default;
  virtual const StepReport& step() = 0;
  virtual const StepReport& report() const = 0;
  virtual const mjModel* model() const = 0;
  virtual mjData* data() const = 0;
  virtual double time() const = 0;
  virtual const Scene& scene() const = 0;
  virtual int threads() const = 0;
  virtual std::size_t particle_count() const = 0;
  virtual std::size_t memory() const = 0;
  virtual View view(const std::string& matter, Attribute attribute) const = 0;
  virtual std::vector<std::array<std::int32_t, 3>> triangles(const std::string& matter) const = 0;
  virtual void set_actuation(const std::string& matter, const std::array<double, 9>& stress) = 0;
  virtual void set_boundary_velocity(const std::string& boundary, const Vec3& velocity) = 0;
  virtual std::vector<Vec3> boundary_centers() const = 0;
  virtual Balance balance() = 0;
  virtual const std::vector<Touch>& contacts() const = 0;
  virtual Wrench wrench(const std::string& body) const = 0;
  virtual Taxels taxels(const std::string& geom, int rows, int columns) const = 0;
  // the whole state; who writes into it calls `state_replaced` afterwards
  virtual std::vector<Section> sections() = 0;
  virtual void state_replaced() = 0;
};

}  // namespace pliant

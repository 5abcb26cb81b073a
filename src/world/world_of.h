// A world of one dimension and precision: two states, of which a good step swaps the second in.
#pragma once

#include "gradient/tape_of.h"
#include "step/step.h"
#include "world/namespace.h"
#include "world/sampled.h"
#include "world/world_impl.h"

namespace pliant::world {

template <int D, class S>
class WorldOf : public World::Impl {
 public:
  WorldOf(const Scene& scene, const Sampled& sampled, const SharedBodies& bodies, int threads);
  WorldOf(const WorldOf& other, int threads, std::shared_ptr<mjData> data);

  void step() override;
  void reset() override;
  std::shared_ptr<Tape::Impl> start_tape(std::size_t memory, bool plain) override;
  std::unique_ptr<World::Impl> clone(int threads, std::shared_ptr<mjData> data) const override;

  const Outcome& outcome() const override { return outcome_; }
  double time() const override { return now_.time; }
  const Scene& scene() const override { return model_->scene; }
  const BodyModel& body_model() const override { return model_->bodies; }
  mjData* data() const override { return data_.get(); }
  int threads() const override { return workers_.threads(); }
  std::size_t particle_count() const override { return now_.particles.size(); }
  std::size_t memory() const override;
  View view(const std::string& matter, Attribute attribute) const override;
  std::vector<std::array<std::int32_t, 3>> triangles(const std::string& matter) const override;
  std::vector<std::string> surface_names() const override;
  Surface surface(const std::string& matter) const override;
  std::vector<Vec3> boundary_centers() const override;
  Balance balance() override;

  void set(const std::string& matter, Attribute attribute, std::span<const double> values) override;
  void set_bodies(std::span<const double> qpos, std::span<const double> qvel, std::span<const double> act) override;
  void set_actuation(const std::string& matter, const std::array<double, 9>& stress) override;
  void set_actuation(const std::string& actuator, double value) override;
  void set_elasticity(const std::string& matter, std::span<const double> E, std::span<const double> nu) override;
  std::vector<std::array<double, 2>> elasticity(const std::string& matter) const override;
  void set_boundary_velocity(const std::string& boundary, const Vec3& velocity) override;

  const std::string& identity() const override { return model_->identity; }
  std::vector<Field> fields() override;
  std::vector<Field> incoming() override;
  void take_incoming() override;

 private:
  Workspace<D, S>& workspace();
  void read_data();
  void write_data();
  void state_replaced();
  void forget_outcome();
  bool is_taped() const { return tape_ && tape_->is_recording; }
  void refuse_on_tape(const char* what) const;

  std::shared_ptr<const Model<S>> model_;
  Workers workers_;
  State<D, S> now_, next_;
  Inputs inputs_, next_inputs_;  // the second is for `incoming`
  Outcome outcome_, next_outcome_;
  bool balance_known_ = false;                    // outcome_.report.after belongs to now_
  bool told_ = false;                             // the warnings of loading
  std::shared_ptr<mjData> data_;                  // that the user sees
  std::unique_ptr<Bodies> front_;                 // at work in it
  std::unique_ptr<Workspace<D, S>> work_;         // nullptr until it is needed
  std::shared_ptr<gradient::TapeOf<D, S>> tape_;  // the last that was started
  std::shared_ptr<gradient::RecordPool<D, S>> tape_memory_;
};

}  // namespace pliant::world

#include "world/world_of.h"

#include "core/stop.h"
#include "step/balance.h"
#include "step/report.h"
#include "world/elasticity.h"
#include "world/first_state.h"
#include "world/make_model.h"
#include "world/named.h"
#include "world/surfaces.h"
#include "world/views.h"

#include <cmath>
#include <utility>

namespace pliant::world {

template <int D, class S>
WorldOf<D, S>::WorldOf(const Scene& scene, const Sampled& sampled, const SharedBodies& given, int threads)
    : workers_(threads) {
  const SharedBodies bodies = given.model ? given : assemble_bodies(scene);
  auto model = std::make_shared<Model<S>>(make_model<S>(scene, sampled, bodies, workers_));
  now_ = first_state<D, S>(*model, sampled);
  model_ = std::move(model);
  inputs_ = first_inputs(*model_);
  data_ = bodies.data;
  if (data_) front_ = std::make_unique<Bodies>(bodies.model, data_);
  workspace();  // refuses what cannot be stepped
}

template <int D, class S>
WorldOf<D, S>::WorldOf(const WorldOf& other, int threads, std::shared_ptr<mjData> data)
    : model_(other.model_),
      workers_(threads > 0 ? threads : other.threads()),
      now_(other.now_),
      inputs_(other.inputs_),
      outcome_(other.outcome_),
      balance_known_(other.balance_known_),
      told_(other.told_) {
  if (!other.data_) return;
  const mjModel* bodies = model_->bodies.mujoco.get();
  if (data)
    other.front_->copy_to(data.get());
  else
    data = copy_of(bodies, other.data_.get());
  data_ = std::move(data);
  front_ = std::make_unique<Bodies>(model_->bodies.mujoco, data_);
}

template <int D, class S>
std::unique_ptr<World::Impl> WorldOf<D, S>::clone(int threads, std::shared_ptr<mjData> data) const {
  return std::make_unique<WorldOf>(*this, threads, std::move(data));
}

template <int D, class S>
Workspace<D, S>& WorldOf<D, S>::workspace() {
  // without matter there is nothing but MuJoCo, and it works in the user's own data
  if (!work_)
    work_ = std::make_unique<Workspace<D, S>>(*model_, workers_, model_->particle_count() > 0 ? nullptr : data_);
  return *work_;
}

// what the user may have changed since the last step
template <int D, class S>
void WorldOf<D, S>::read_data() {
  if (!front_) return;
  front_->save_to(now_.bodies);
  front_->read(inputs_.bodies);
}

template <int D, class S>
void WorldOf<D, S>::write_data() {
  if (front_ && model_->particle_count() > 0) work_->bodies->bodies().copy_to(data_.get());
}

template <int D, class S>
void WorldOf<D, S>::step() {
  check_stop();  // without matter the only place: MuJoCo works in the user's data
  Workspace<D, S>& work = workspace();
  if (model_->particle_count() > 0)
    read_data();
  else if (front_)
    front_->save_to(now_.bodies);  // for a step that fails: all else stays in the data
  work.given_plan = is_taped() ? tape_->next_plan() : std::nullopt;
  work.record = is_taped() ? tape_->history().begin_step(inputs_, now_) : nullptr;
  try {
    if (model_->scene.step.balance && model_->particle_count() > 0)
      next_outcome_.report.before = balance_known_ ? outcome_.report.after : balance();
    step::step(*model_, inputs_, now_, next_, next_outcome_, work);
  } catch (...) {
    if (front_ && model_->particle_count() == 0) front_->restore(now_.bodies);
    work_.reset();  // it may have been left in the middle of anything
    throw;
  }
  if (is_taped()) tape_->history().end_step(next_outcome_.plan);
  write_data();
  if (!std::exchange(told_, true))
    for (const auto* list : {&model_->warnings, &model_->bodies.warnings})
      next_outcome_.report.warnings.insert(next_outcome_.report.warnings.end(), list->begin(), list->end());
  std::swap(now_, next_);
  std::swap(outcome_, next_outcome_);
  balance_known_ = model_->scene.step.balance;
}

template <int D, class S>
std::shared_ptr<Tape::Impl> WorldOf<D, S>::start_tape(std::size_t memory, bool plain) {
  if (is_taped()) fail(ErrorCode::bad_input, "tape: another tape records this world; end it first, or clone the world");
  if (!tape_memory_) tape_memory_ = std::make_shared<gradient::RecordPool<D, S>>();
  tape_.reset();  // whose memory comes back, if nobody else has it
  tape_memory_->trim(memory);
  tape_ = std::make_shared<gradient::TapeOf<D, S>>(model_, threads(), memory, plain, tape_memory_);
  return tape_;
}

// what would change the run without being part of it
template <int D, class S>
void WorldOf<D, S>::refuse_on_tape(const char* what) const {
  if (is_taped())
    fail(ErrorCode::bad_input, "{} while a tape records the world: the tape would not know of it; end the tape first",
         what);
}

template <int D, class S>
void WorldOf<D, S>::reset() {
  refuse_on_tape("reset");
  now_ = first_state(*model_, now_);
  inputs_ = first_inputs(*model_);
  outcome_ = {};
  state_replaced();
}

template <int D, class S>
void WorldOf<D, S>::state_replaced() {
  forget_outcome();
  if (!front_) return;
  front_->restore(now_.bodies);
  front_->update_kinematics();
}

// what was read after the last step does not belong to the state of now
template <int D, class S>
void WorldOf<D, S>::forget_outcome() {
  balance_known_ = false;
  outcome_.contacts.clear();
  for (std::vector<Wrench>* wrenches : {&outcome_.wrenches, &outcome_.boundary_wrenches})
    std::fill(wrenches->begin(), wrenches->end(), Wrench{});
}

template <int D, class S>
std::vector<Field> WorldOf<D, S>::fields() {
  read_data();
  return fields_of(*model_, now_, inputs_, now_.particles);
}

template <int D, class S>
std::vector<Field> WorldOf<D, S>::incoming() {
  read_data();
  next_.particles.fit(now_.particles.size());
  next_.boundaries.resize(now_.boundaries.size());
  next_.holds.resize(now_.holds.size());
  next_.bodies.numbers.resize(now_.bodies.numbers.size());
  next_inputs_ = inputs_;
  return fields_of(*model_, next_, next_inputs_, now_.particles);
}

template <int D, class S>
void WorldOf<D, S>::take_incoming() {
  refuse_on_tape("restore");
  std::swap(now_, next_);
  std::swap(inputs_, next_inputs_);
  state_replaced();
}

template <int D, class S>
std::size_t WorldOf<D, S>::memory() const {
  return now_.particles.bytes() + next_.particles.bytes() + model_->bytes() + (work_ ? work_->bytes() : 0);
}

template <int D, class S>
Balance WorldOf<D, S>::balance() {
  Workspace<D, S>& work = workspace();
  work.own_moduli = step::own_moduli(*model_, inputs_, std::move(work.own_moduli));
  return step::balance(*model_, now_, work);
}

template <int D, class S>
std::vector<Vec3> WorldOf<D, S>::boundary_centers() const {
  std::vector<Vec3> centers;
  for (const BoundaryMotion& b : now_.boundaries) centers.push_back({b.center[0], b.center[1], b.center[2]});
  return centers;
}

template <int D, class S>
View WorldOf<D, S>::view(const std::string& matter, Attribute attribute) const {
  return view_of(now_, model_->groups[find_named(model_->scene.matter, matter, "matter")], attribute);
}

template <int D, class S>
void WorldOf<D, S>::set(const std::string& matter, Attribute attribute, std::span<const double> values) {
  refuse_on_tape("matter is set");
  set_values(*model_, find_named(model_->scene.matter, matter, "matter"), attribute, values, now_);
  balance_known_ = false;
}

template <int D, class S>
std::vector<std::array<std::int32_t, 3>> WorldOf<D, S>::triangles(const std::string& matter) const {
  const std::size_t g = find_named(model_->scene.matter, matter, "matter");
  std::vector<std::array<std::int32_t, 3>> list;
  for (const ModelSheet<S>& s : model_->sheets)
    if (s.matter == g)
      for (const Element<S>& e : s.sheet.elements)
        list.push_back({std::int32_t(e.corner[0]), std::int32_t(e.corner[1]), std::int32_t(e.corner[2])});
  return list;
}

template <int D, class S>
std::vector<std::string> WorldOf<D, S>::surface_names() const {
  std::vector<std::string> names;
  for (std::size_t g = 0; g < model_->surfaces.size(); ++g)
    if (!model_->surfaces[g].areas.empty()) names.push_back(model_->scene.matter[g].name);
  return names;
}

template <int D, class S>
Surface WorldOf<D, S>::surface(const std::string& matter) const {
  return surface_of(*model_, find_named(model_->scene.matter, matter, "matter"), now_, outcome_.contacts);
}

template <int D, class S>
void WorldOf<D, S>::set_bodies(std::span<const double> qpos, std::span<const double> qvel,
                               std::span<const double> act) {
  if (!front_) fail(ErrorCode::bad_input, "set_bodies: the world has no bodies; add some to the scene");
  front_->set(qpos, qvel, act);
}

template <int D, class S>
void WorldOf<D, S>::set_actuation(const std::string& matter, const std::array<double, 9>& stress) {
  const std::size_t g = find_named(model_->scene.matter, matter, "matter");
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      if (!std::isfinite(stress[3 * i + j]))
        fail(ErrorCode::bad_input, "actuation of '{}': entry ({}, {}) is {} Pa; give finite numbers", matter, i, j,
             stress[3 * i + j]);
      if (stress[3 * i + j] != stress[3 * j + i])
        fail(ErrorCode::bad_input,
             "actuation of '{}': {} Pa at ({}, {}) but {} Pa at ({}, {}); give a symmetric stress", matter,
             stress[3 * i + j], i, j, stress[3 * j + i], j, i);
    }
  inputs_.actuations[g] = stress;
}

template <int D, class S>
void WorldOf<D, S>::set_actuation(const std::string& actuator, double value) {
  const std::size_t k = find_named(model_->scene.actuators, actuator, "actuator of matter");
  if (!std::isfinite(value))
    fail(ErrorCode::bad_input, "actuator '{}': its value is {}; give a finite number", actuator, value);
  if (!model_->actuators[k].motion.empty())
    fail(ErrorCode::bad_input, "actuator '{}': a motion of the scene sets its value; take that out first", actuator);
  inputs_.actuator_values[k] = value;
}

template <int D, class S>
void WorldOf<D, S>::set_elasticity(const std::string& matter, std::span<const double> E, std::span<const double> nu) {
  refuse_on_tape("elasticity is set");
  inputs_.elasticity = with_elasticity(*model_, find_named(model_->scene.matter, matter, "matter"), E, nu, inputs_);
  balance_known_ = false;
}

template <int D, class S>
std::vector<std::array<double, 2>> WorldOf<D, S>::elasticity(const std::string& matter) const {
  return elasticity_of(*model_, find_named(model_->scene.matter, matter, "matter"), inputs_);
}

template <int D, class S>
void WorldOf<D, S>::set_boundary_velocity(const std::string& boundary, const Vec3& velocity) {
  const std::size_t k = find_named(model_->scene.boundaries, boundary, "boundary");
  for (double v : velocity)
    if (!std::isfinite(v))
      fail(ErrorCode::bad_input, "velocity of boundary '{}' is {} m/s; give finite numbers", boundary, v);
  inputs_.boundary_velocities[k] = {{velocity[0], velocity[1], velocity[2]}};
}

template class WorldOf<2, float>;
template class WorldOf<2, double>;
template class WorldOf<3, float>;
template class WorldOf<3, double>;

std::unique_ptr<World::Impl> make_world(const Scene& scene, const SharedBodies& bodies, int threads) {
  check(scene, bodies.model != nullptr);
  if (threads < 0 || threads > 1024)
    fail(ErrorCode::bad_input, "threads is {}; give 1 to 1024, or 0 for all cores", threads);
  if (scene.matter.size() > 1023)
    fail(ErrorCode::too_large, "the scene has {} pieces of matter; at most 1023 are possible", scene.matter.size());
  const Sampled sampled = sample_all(scene);
  const bool single = scene.precision == Precision::float32;
  if (scene.dimension == 2) {
    if (single) return std::make_unique<WorldOf<2, float>>(scene, sampled, bodies, threads);
    return std::make_unique<WorldOf<2, double>>(scene, sampled, bodies, threads);
  }
  if (single) return std::make_unique<WorldOf<3, float>>(scene, sampled, bodies, threads);
  return std::make_unique<WorldOf<3, double>>(scene, sampled, bodies, threads);
}

}  // namespace pliant::world

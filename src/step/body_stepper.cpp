#include "step/body_stepper.h"

namespace pliant::step {
namespace {

Bodies bodies_in(const BodyModel& model, std::shared_ptr<mjData> data) {
  return data ? Bodies(model.mujoco, std::move(data)) : Bodies(model.mujoco);
}

}  // namespace

BodyStepper::BodyStepper(const BodyModel& model, const Scene& scene, GeomPaths& paths, std::shared_ptr<mjData> data)
    : model_(model),
      own_data_(!data),
      bodies_(bodies_in(model, std::move(data))),
      paths_(paths),
      obstacles_(paths_, scene),
      part_wrenches_(bodies_.body_count()),
      dt_(scene.step.dt),
      part_dt_(scene.step.dt),
      has_matter_(!scene.matter.empty()),
      one_way_(scene.step.method == Method::one_way),
      strong_(scene.step.method == Method::strong) {}

void BodyStepper::start(const BodiesState& now, const Inputs& inputs, int parts) {
  start_ = &now;
  bodies_.take_options(parts);
  if (own_data_) {
    bodies_.load(now);
    bodies_.apply(inputs.bodies);
  }
  parts_ = parts;
  parts_done_ = 0;
  part_dt_ = dt_ / parts;
}

void BodyStepper::begin(double time, std::span<const MotionHold> holds) {
  end_ = time + part_dt_;
  if (has_matter_) {
    bodies_.update_kinematics();
    paths_.remember_poses(bodies_);
  }
  model_.motion.apply(end_, bodies_, holds);
  if (one_way_ || !has_matter_) bodies_.step_from(*start_);
  if (!has_matter_) return bodies_.update_poses();
  strong_ ? bodies_.forward() : bodies_.update_kinematics();
  if (one_way_)
    paths_.lead_to_poses(bodies_, part_dt_);
  else
    paths_.follow_velocities(bodies_, part_dt_);
}

void BodyStepper::finish(std::span<const GeomImpulse> impulses, std::span<MotionHold> holds, Outcome& outcome) {
  const bool has_stepped = one_way_ || !has_matter_;
  if (!has_stepped) {
    take_wrenches(impulses, outcome.wrenches);
    bodies_.step(part_wrenches_);
  }
  // motions go by the mean of a step, which users read too
  if (++parts_done_ == parts_) model_.motion.feel(end_, bodies_, outcome.wrenches, holds);
  if (!has_stepped) bodies_.update_kinematics();
}

// of the part, and as a share of the whole step's
void BodyStepper::take_wrenches(std::span<const GeomImpulse> impulses, std::vector<Wrench>& sum) {
  std::fill(part_wrenches_.begin(), part_wrenches_.end(), Wrench{});
  for (std::size_t i = 0; i < impulses.size(); ++i) {
    const int body = paths_[i].geom.body;
    if (body < 0) continue;  // a boundary
    const Vec force = (1 / part_dt_) * impulses[i].linear;
    const Vec torque = (1 / part_dt_) * impulses[i].angular - cross(bodies_.center_of_mass(body), force);
    Wrench& w = part_wrenches_[std::size_t(body)];
    for (std::size_t d = 0; d < 3; ++d) {
      w.force[d] += force[int(d)];
      w.torque[d] += torque[int(d)];
    }
  }
  for (std::size_t b = 0; b < part_wrenches_.size(); ++b)
    for (std::size_t d = 0; d < 3; ++d) {
      sum[b].force[d] += part_wrenches_[b].force[d] / parts_;
      sum[b].torque[d] += part_wrenches_[b].torque[d] / parts_;
    }
}

}  // namespace pliant::step

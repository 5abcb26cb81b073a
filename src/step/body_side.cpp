#include "step/body_side.h"

#include "bodies/assemble.h"
#include "bodies/ik.h"
#include "bodies/names.h"
#include "contact/taxels.h"
#include "core/error.h"

#include <cmath>

namespace pliant {

BodySide::BodySide(const Scene& scene, Bodies&& bodies, std::vector<std::string> warnings, Workers& workers)
    : bodies_(std::move(bodies)),
      // distances far finer than the grid that feels them
      paths_(bodies_, {0.02 * scene.step.cell, scene.cache_folder}, workers),
      obstacles_(paths_, scene),
      motion_(plan_grippers(scene.motion, bodies_), bodies_.model()),
      warnings_(std::move(warnings)),
      wrenches_(bodies_.body_count()),
      next_wrenches_(bodies_.body_count()),
      part_wrenches_(bodies_.body_count()),
      dt_(scene.step.dt),
      part_dt_(scene.step.dt),
      has_matter_(!scene.matter.empty()),
      one_way_(scene.step.method == Method::one_way),
      strong_(scene.step.method == Method::strong) {
  for (const std::string& w : paths_.warnings()) warnings_.push_back(w);
  bodies_.update_kinematics();
}

BodySide::BodySide(const Scene& scene, Workers& workers) : BodySide(scene, assemble(scene), workers) {}

BodySide::BodySide(const Scene& scene, const Assembly& assembly, Workers& workers)
    : BodySide(scene, Bodies(assembly.model), assembly.warnings, workers) {}

BodySide::BodySide(const Scene& scene, const SharedBodies& bodies, Workers& workers)
    : BodySide(scene, Bodies(bodies.model, bodies.data), bodies.warnings, workers) {
  const double timestep = timestep_of(bodies.model.get());
  if (std::fabs(timestep - scene.step.dt) > 1e-12 * timestep)
    fail(ErrorCode::bad_input, "step.dt is {} s, but the model's own timestep is {} s; make them equal", scene.step.dt,
         timestep);
}

void BodySide::start(int parts) {
  bodies_.save_to(before_);
  std::fill(next_wrenches_.begin(), next_wrenches_.end(), Wrench{});
  parts_ = parts;
  part_dt_ = dt_ / parts;
  timestep_ = timestep_of(bodies_.model());
  if (parts > 1) bodies_.set_timestep(timestep_ / parts);
}

void BodySide::begin(double time, std::span<const MotionHold> holds) {
  end_ = time + part_dt_;
  if (has_matter_) {
    bodies_.update_kinematics();
    paths_.remember_poses(bodies_);
  }
  motion_.apply(end_, bodies_, holds);
  if (one_way_ || !has_matter_) bodies_.step();
  if (strong_ && has_matter_)
    bodies_.forward();
  else
    bodies_.update_kinematics();
  if (!has_matter_) return;
  if (one_way_)
    paths_.lead_to_poses(bodies_, part_dt_);
  else
    paths_.follow_velocities(bodies_, part_dt_);
}

void BodySide::finish(std::span<const GeomImpulse> impulses, std::span<MotionHold> holds) {
  const bool has_stepped = one_way_ || !has_matter_;
  if (!has_stepped) {
    take_wrenches(impulses);
    bodies_.step(part_wrenches_);
  }
  motion_.feel(end_, bodies_, part_wrenches_, holds);
  if (!has_stepped) bodies_.update_kinematics();
}

void BodySide::end() {
  put_back_timestep();
  std::swap(wrenches_, next_wrenches_);
}

void BodySide::put_back_timestep() {
  if (parts_ > 1) bodies_.set_timestep(timestep_);
  parts_ = 1;
}

// of the part, and as a share of the whole step's
void BodySide::take_wrenches(std::span<const GeomImpulse> impulses) {
  std::fill(part_wrenches_.begin(), part_wrenches_.end(), Wrench{});
  for (std::size_t i = 0; i < impulses.size(); ++i) {
    const int body = paths_[i].geom.body;
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
      next_wrenches_[b].force[d] += part_wrenches_[b].force[d] / parts_;
      next_wrenches_[b].torque[d] += part_wrenches_[b].torque[d] / parts_;
    }
}

void BodySide::undo() {
  put_back_timestep();
  bodies_.restore(before_);
  bodies_.update_kinematics();
}

Taxels BodySide::taxels(const std::string& geom, int rows, int columns, std::span<const Touch> touches) const {
  const int id = require_part(bodies_.model(), Part::geom, geom, "taxels");
  for (const GeomPath& path : paths_)
    if (path.geom.id == id) return pliant::taxels(touches, path, dt_, rows, columns);
  fail(ErrorCode::bad_input, "taxels: matter cannot touch geom '{}' (contype and conaffinity are 0); choose another",
       geom);
}

std::vector<std::string> BodySide::take_warnings() {
  std::vector<std::string> all = std::move(warnings_);
  warnings_.clear();
  for (std::string& w : bodies_.take_warnings()) all.push_back(std::move(w));
  return all;
}

std::vector<double>& BodySide::state() {
  bodies_.save_to(saved_);
  return saved_.numbers;
}

void BodySide::state_replaced() {
  std::fill(wrenches_.begin(), wrenches_.end(), Wrench{});
  bodies_.restore(saved_);
  bodies_.update_kinematics();
}

}  // namespace pliant

#include "step/body_side.h"

#include "bodies/assemble.h"
#include "bodies/geoms.h"
#include "bodies/ik.h"
#include "core/error.h"

#include <cmath>

namespace pliant {

BodySide::BodySide(const Scene& scene, Bodies&& bodies, std::vector<std::string> warnings, Workers& workers)
    : bodies_(std::move(bodies)),
      obstacles_(bodies_, scene, workers),
      motion_(plan_grippers(scene.motion, bodies_), bodies_.model()),
      warnings_(std::move(warnings)),
      dt_(scene.step.dt),
      has_matter_(!scene.matter.empty()) {
  for (const std::string& w : obstacles_.warnings()) warnings_.push_back(w);
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

void BodySide::advance(double time) {
  before_ = bodies_.save();
  if (has_matter_) {
    bodies_.update_kinematics();
    obstacles_.remember_poses(bodies_);
  }
  motion_.apply(time + dt_, bodies_);
  bodies_.step();
  bodies_.update_kinematics();
  if (has_matter_) obstacles_.take_paths(bodies_, dt_);
}

void BodySide::undo() {
  bodies_.restore(before_);
  bodies_.update_kinematics();
}

std::vector<std::string> BodySide::take_warnings() {
  std::vector<std::string> all = std::move(warnings_);
  warnings_.clear();
  for (std::string& w : bodies_.take_warnings()) all.push_back(std::move(w));
  return all;
}

std::vector<double>& BodySide::state() {
  saved_ = bodies_.save();
  return saved_.numbers;
}

void BodySide::state_replaced() {
  bodies_.restore(saved_);
  bodies_.update_kinematics();
}

}  // namespace pliant

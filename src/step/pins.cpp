#include "step/pins.h"

#include "bodies/motion.h"
#include "core/error.h"

#include <algorithm>
#include <cmath>

namespace pliant::step {
namespace {

constexpr double same_place = 1e-6;  // m

}  // namespace

Pins::Pins(const Scene& scene) {
  std::string known;
  for (const Matter& matter : scene.matter)
    for (const Pin& pin : matter.pins) {
      pins_.push_back({matter.name + "/" + pin.name, pin, {}});
      known += fmt::format("{}'{}'", known.empty() ? "" : ", ", pins_.back().name);
    }
  for (const Motion& motion : scene.motion) {
    if (motion.kind != Motion::Kind::pin) continue;
    check_motion(motion);
    const auto found =
        std::find_if(pins_.begin(), pins_.end(), [&](const Moved& pin) { return pin.name == motion.target; });
    if (found == pins_.end())
      fail(ErrorCode::bad_input, "motion of '{}': there is no such pin; known are {}", motion.target,
           known.empty() ? "none" : known);
    if (!found->motion.empty())
      fail(ErrorCode::bad_input, "motion of '{}': it is given twice; put all times into one", motion.target);
    const std::vector<double>& first = motion.values.front();
    const Vec3& c = found->pin.center;
    if (!(std::hypot(first[0] - c[0], first[1] - c[1], first[2] - c[2]) <= same_place))
      fail(ErrorCode::bad_input,
           "motion of '{}': it starts at ({} {} {}) m, but the pin's centre is ({} {} {}) m; start there",
           motion.target, first[0], first[1], first[2], c[0], c[1], c[2]);
    found->motion.push_back(motion);
  }
}

Vec Pins::offset(const Moved& moved, double time) {
  Vec offset = Vec::zero();
  if (moved.motion.empty()) return offset;
  const MotionSample sample = sample_motion(moved.motion[0], time);
  for (std::size_t d = 0; d < 3; ++d) offset[int(d)] = sample.value[d] - moved.pin.center[d];
  return offset;
}

PinPath Pins::path(const Moved& moved, double time, double dt) {
  const bool held = time + 1e-9 * dt < moved.pin.until;
  return {held, offset(moved, time), offset(moved, time + dt)};
}

void Pins::aim(double time, double dt, std::vector<PinPath>& paths) const {
  paths.resize(pins_.size());
  for (std::size_t k = 0; k < pins_.size(); ++k) paths[k] = path(pins_[k], time, dt);
}

double Pins::speed(double time, double dt) const {
  double speed = 0;
  for (const Moved& pin : pins_) speed = std::max(speed, speed_of(path(pin, time, dt), dt));
  return speed;
}

}  // namespace pliant::step

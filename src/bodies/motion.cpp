#include "bodies/motion.h"

#include "bodies/names.h"
#include "bodies/rotation.h"
#include "core/error.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace pliant::bodies {
namespace {

std::string title(const Motion& motion) { return fmt::format("motion of '{}'", motion.target); }

// part of the stretch that is done, and its rate per unit of u
struct Progress {
  double s, rate;
};

Progress progress(Motion::Path path, double u) {
  if (path == Motion::Path::hold) return {0, 0};
  if (path == Motion::Path::linear) return {u, 1};
  const double rest = 1 - u;
  return {u * u * u * (10 - u * (15 - 6 * u)), 30 * u * u * rest * rest};
}

bool has_rotation(const Motion& motion) { return motion_width(motion.kind) == 7; }

MotionSample at_rest(const Motion& motion, std::size_t i) {
  MotionSample sample;
  std::copy(motion.values[i].begin(), motion.values[i].end(), sample.value.begin());
  if (has_rotation(motion)) {
    const Quaternion q = normalized(quaternion_at(motion.values[i].data() + 3));
    std::copy(q.begin(), q.end(), sample.value.begin() + 3);
  }
  return sample;
}

void check_quaternion(const Motion& motion, std::size_t i) {
  const double length = norm(quaternion_at(motion.values[i].data() + 3));
  if (!(std::abs(length - 1) < 1e-3)) {
    fail(ErrorCode::bad_input, "{}: the quaternion at {} s has length {}; give a unit quaternion w, x, y, z",
         title(motion), motion.times[i], length);
  }
}

std::vector<std::string> mocap_names(const mjModel* m) {
  std::vector<std::string> names;
  for (const std::string& name : names_of(m, Part::body)) {
    if (m->body_mocapid[find_part(m, Part::body, name)] >= 0) names.push_back(name);
  }
  return names;
}

int mocap_number(const Motion& motion, const mjModel* m) {
  const int body = find_part(m, Part::body, motion.target);
  const int number = body < 0 ? -1 : m->body_mocapid[body];
  if (number >= 0) return number;
  const char* problem = body < 0 ? "there is no such mocap body" : "this body is not a mocap body";
  fail(ErrorCode::bad_input, "{}: {}; {}", title(motion), problem, suggest(motion.target, mocap_names(m)));
}

int control_address(const Motion& motion, const mjModel* m) {
  const int actuator = require_part(m, Part::actuator, motion.target, title(motion));
  if (m->actuator_ctrlnum[actuator] != 1) {
    fail(ErrorCode::bad_input, "{}: this actuator has {} controls; a motion can move actuators with one", title(motion),
         m->actuator_ctrlnum[actuator]);
  }
  return m->actuator_ctrladr[actuator];
}

void check_until_force(const Motion& motion) {
  const UntilForce& rule = motion.until_force;
  if (!motion.release.empty() && motion.release.size() != motion.times.size()) {
    fail(ErrorCode::bad_input, "{}: {} times and {} of release; give as many of each, or no release", title(motion),
         motion.times.size(), motion.release.size());
  }
  if (rule.body.empty()) {
    if (motion.release.empty() && rule.newton == 0) return;
    fail(ErrorCode::bad_input, "{}: until_force names no body; name the one that feels the force", title(motion));
  }
  if (motion.kind != Motion::Kind::actuator) {
    fail(ErrorCode::bad_input, "{}: until_force stops actuators and nothing else; remove it", title(motion));
  }
  if (!(rule.newton > 0) || !std::isfinite(rule.newton)) {
    fail(ErrorCode::bad_input, "{}: until_force is {} N on '{}'; give a positive number", title(motion), rule.newton,
         rule.body);
  }
}

bool is_release(const Motion& motion, std::size_t i) { return i < motion.release.size() && motion.release[i]; }

// number of the waypoint that the motion leaves at this time; the last also after it. Not before the first.
std::size_t stretch_at(const Motion& motion, double time) {
  const auto after = std::upper_bound(motion.times.begin(), motion.times.end(), time);
  return std::size_t(after - motion.times.begin()) - 1;
}

// a force may stop it: it is on its way to another value, and not to let go
bool can_stop(const Motion& motion, double time) {
  if (time < motion.times.front() || time >= motion.times.back()) return false;
  const std::size_t i = stretch_at(motion, time);
  return motion.values[i] != motion.values[i + 1] && !is_release(motion, i + 1);
}

bool is_held(const Motion& motion, const MotionHold& hold, double time) {
  if (hold.since > time) return false;
  for (std::size_t i = 0; i < motion.times.size() && motion.times[i] <= time; ++i) {
    if (motion.times[i] > hold.since && is_release(motion, i)) return false;
  }
  return true;
}

// where a motion is that may have been stopped: there, or on its way from there to where it lets go
double held_control(const Motion& motion, const MotionHold& hold, double time) {
  if (!is_held(motion, hold, time)) return sample_motion(motion, time).value[0];
  const std::size_t i = stretch_at(motion, time);
  if (!is_release(motion, i + 1)) return hold.control;
  const double u = (time - motion.times[i]) / (motion.times[i + 1] - motion.times[i]);
  return hold.control + progress(motion.path, u).s * (motion.values[i + 1][0] - hold.control);
}

}  // namespace

int motion_width(Motion::Kind kind) {
  switch (kind) {
    case Motion::Kind::actuator:
    case Motion::Kind::actuation: return 1;
    case Motion::Kind::mocap:
    case Motion::Kind::gripper: return 7;
    case Motion::Kind::boundary:
    case Motion::Kind::pin: return 3;
  }
  return 0;
}

void check_motion(const Motion& motion) {
  const std::size_t width = std::size_t(motion_width(motion.kind));
  if (motion.target.empty()) fail(ErrorCode::bad_input, "a motion has no target; name what it moves");
  if (motion.times.empty() || motion.times.size() != motion.values.size()) {
    fail(ErrorCode::bad_input, "{}: {} times and {} values; give as many of each, at least one", title(motion),
         motion.times.size(), motion.values.size());
  }
  for (std::size_t i = 0; i < motion.times.size(); ++i) {
    if (!std::isfinite(motion.times[i]) || (i > 0 && !(motion.times[i] > motion.times[i - 1]))) {
      fail(ErrorCode::bad_input, "{}: time {} is {} s; give finite times, each after the one before", title(motion),
           i + 1, motion.times[i]);
    }
    if (motion.values[i].size() != width) {
      fail(ErrorCode::bad_input, "{}: {} numbers at {} s; give {}", title(motion), motion.values[i].size(),
           motion.times[i], width);
    }
    for (double x : motion.values[i]) {
      if (!std::isfinite(x)) {
        fail(ErrorCode::bad_input, "{}: the number {} at {} s; give finite numbers", title(motion), x, motion.times[i]);
      }
    }
    if (has_rotation(motion)) check_quaternion(motion, i);
  }
  check_until_force(motion);
}

MotionSample sample_motion(const Motion& motion, double time) {
  if (!(time >= motion.times.front())) return at_rest(motion, 0);
  if (time >= motion.times.back()) return at_rest(motion, motion.times.size() - 1);
  const std::size_t i = stretch_at(motion, time);
  const double duration = motion.times[i + 1] - motion.times[i];
  const Progress done = progress(motion.path, (time - motion.times[i]) / duration);

  MotionSample sample = at_rest(motion, i);
  const MotionSample end = at_rest(motion, i + 1);
  const std::size_t straight = has_rotation(motion) ? 3 : motion.values[i].size();
  for (std::size_t k = 0; k < straight; ++k) {
    const double way = end.value[k] - sample.value[k];
    sample.value[k] += done.s * way;
    sample.velocity[k] = done.rate * way / duration;
  }
  if (!has_rotation(motion)) return sample;

  // q(s) = exp(s w) q0, with w the whole turn in world axes
  const Quaternion start = quaternion_at(sample.value.data() + 3);
  const std::array<double, 3> turn = turn_between(start, quaternion_at(end.value.data() + 3));
  const Quaternion q = normalized(turned(start, turn, done.s));
  std::copy(q.begin(), q.end(), sample.value.begin() + 3);
  for (std::size_t k = 0; k < 3; ++k) sample.velocity[3 + k] = done.rate * turn[k] / duration;
  return sample;
}

MotionPlayer::MotionPlayer(const std::vector<Motion>& motions, const mjModel* model) {
  std::set<std::pair<Motion::Kind, std::string>> seen;
  for (const Motion& motion : motions) {
    check_motion(motion);
    if (!seen.insert({motion.kind, motion.target}).second) {
      fail(ErrorCode::bad_input, "{}: it is given twice; put all times into one", title(motion));
    }
    if (motion.kind == Motion::Kind::gripper) {
      fail(ErrorCode::bad_input, "{}: a gripper's motion must be turned into that of its arm's servos first",
           title(motion));
    }
    if (!moves_bodies(motion.kind)) continue;
    const bool mocap = motion.kind == Motion::Kind::mocap;
    const int address = mocap ? mocap_number(motion, model) : control_address(motion, model);
    if (!mocap) check_range(motion, address, model);
    tracks_.push_back({motion, address});
    if (motion.until_force.body.empty()) continue;
    tracks_.back().force_body =
        require_part(model, Part::body, motion.until_force.body, title(motion) + ", until_force");
    tracks_.back().hold = int(hold_count_++);
  }
}

// MuJoCo would clamp it in silence
void MotionPlayer::check_range(const Motion& motion, int control, const mjModel* m) const {
  if (!m->actuator_ctrllimited[control]) return;
  const double low = m->actuator_ctrlrange[2 * control], high = m->actuator_ctrlrange[2 * control + 1];
  for (std::size_t i = 0; i < motion.times.size(); ++i) {
    const double x = motion.values[i][0];
    if (x >= low && x <= high) continue;
    fail(ErrorCode::bad_input, "{}: control {} at {} s is outside of the actuator's range {} to {}; stay inside",
         title(motion), x, motion.times[i], low, high);
  }
}

void MotionPlayer::apply(double time, Bodies& bodies, std::span<const MotionHold> holds) const {
  mjData* d = bodies.data();
  for (const Track& track : tracks_) {
    if (track.hold >= 0 && std::size_t(track.hold) < holds.size()) {
      d->ctrl[track.address] = held_control(track.motion, holds[std::size_t(track.hold)], time);
      continue;
    }
    const MotionSample sample = sample_motion(track.motion, time);
    if (track.motion.kind == Motion::Kind::actuator) {
      d->ctrl[track.address] = sample.value[0];
      continue;
    }
    std::copy_n(sample.value.begin(), 3, d->mocap_pos + 3 * track.address);
    std::copy_n(sample.value.begin() + 3, 4, d->mocap_quat + 4 * track.address);
  }
}

void MotionPlayer::feel(double time, const Bodies& bodies, std::span<const Wrench> matter,
                        std::span<MotionHold> holds) const {
  for (const Track& track : tracks_) {
    if (track.hold < 0 || !can_stop(track.motion, time)) continue;
    MotionHold& hold = holds[std::size_t(track.hold)];
    if (is_held(track.motion, hold, time)) continue;
    Vector<double, 3> force = bodies.contact_force(track.force_body);
    for (int k = 0; k < 3; ++k) force[k] += matter[std::size_t(track.force_body)].force[std::size_t(k)];
    if (norm(force) >= track.motion.until_force.newton) hold = {bodies.data()->ctrl[track.address], time};
  }
}

}  // namespace pliant::bodies

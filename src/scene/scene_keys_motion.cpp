#include "scene/scene_keys_motion.h"

#include "core/error.h"

#include <algorithm>

namespace pliant::scene {

namespace {

// One row of a motion.
struct Waypoint {
  Motion::Kind kind = Motion::Kind::actuator;
  double time = 0, value = 0;
  Vec3 place = {0, 0, 0};
  Quaternion rotation = {0, 0, 0, 0};  // not given
  bool release = false, may_release = false;
};

constexpr std::size_t numbers_of(Motion::Kind kind) {
  switch (kind) {
    case Motion::Kind::actuator:
    case Motion::Kind::actuation: return 1;
    case Motion::Kind::boundary:
    case Motion::Kind::pin: return 3;
    default: return 7;
  }
}

std::vector<Waypoint> waypoints_of(const Motion& motion) {
  std::vector<Waypoint> waypoints(motion.times.size());
  for (std::size_t i = 0; i < waypoints.size(); ++i) {
    if (i >= motion.values.size() || motion.values[i].size() != numbers_of(motion.kind)) {
      fail(ErrorCode::bad_input, "motion of '{}': waypoint {} needs {} numbers", motion.target, i + 1,
           numbers_of(motion.kind));
    }
    const std::vector<double>& v = motion.values[i];
    waypoints[i].time = motion.times[i];
    waypoints[i].value = v[0];
    if (v.size() >= 3) waypoints[i].place = {v[0], v[1], v[2]};
    if (v.size() == 7) waypoints[i].rotation = {v[3], v[4], v[5], v[6]};
    waypoints[i].release = i < motion.release.size() && motion.release[i];
  }
  return waypoints;
}

void take_waypoints(Motion& motion, const std::vector<Waypoint>& waypoints) {
  motion.times.clear();
  motion.values.clear();
  motion.release.clear();
  const bool releases = std::any_of(waypoints.begin(), waypoints.end(), [](const Waypoint& w) { return w.release; });
  // a rotation that is not given is that of the waypoint before
  Quaternion rotation = {1, 0, 0, 0};
  for (const Waypoint& w : waypoints) {
    if (w.rotation != Quaternion{0, 0, 0, 0}) rotation = w.rotation;
    std::vector<double> values = {w.value};
    if (numbers_of(motion.kind) > 1) values = {w.place[0], w.place[1], w.place[2]};
    if (numbers_of(motion.kind) == 7) values.insert(values.end(), rotation.begin(), rotation.end());
    motion.times.push_back(w.time);
    motion.values.push_back(values);
    if (releases) motion.release.push_back(w.release);
  }
}

void waypoint_keys(Keys& keys, Waypoint& w) {
  using Kind = Motion::Kind;
  const bool posed = w.kind == Kind::mocap || w.kind == Kind::gripper;
  const bool placed = posed || w.kind == Kind::pin;
  const bool has_value = w.kind == Kind::actuator || w.kind == Kind::actuation;
  keys.number({.name = "time", .unit = "s", .required = true}, w.time, any_number);
  keys.number({.name = "value",
               .what = "its control, in the unit of the actuator",
               .required = true,
               .applies = has_value,
               .only_for = "actuator, actuation"},
              w.value, any_number);
  keys.vector({.name = "center",
               .unit = "m",
               .what = "where the boundary is",
               .required = true,
               .applies = w.kind == Kind::boundary,
               .only_for = "boundary"},
              w.place, any_number);
  keys.vector({.name = "position",
               .unit = "m",
               .what = "in the world",
               .required = true,
               .applies = placed,
               .only_for = "mocap, gripper, pin"},
              w.place, any_number);
  keys.rotation({.name = "rotation",
                 .what = "unit quaternion w, x, y, z; or rpy",
                 .always = true,
                 .standard = "that of the waypoint before, of the first [1, 0, 0, 0]",
                 .applies = posed,
                 .only_for = "mocap, gripper"},
                w.rotation);
  keys.flag({.name = "release",
             .what = "on the way there the control lets go of where until_force holds it",
             .applies = w.may_release,
             .only_for = "actuator with until_force"},
            w.release);
}

void until_force_keys(Keys& keys, Motion& motion) {
  UntilForce& rule = motion.until_force;
  const bool is_there = keys.reads || !rule.body.empty();
  if (!keys.enter(
          {.name = "until_force",
           .what = "while it moves, a force on a body stops it: its control stays until a waypoint with release",
           .applies = motion.kind == Motion::Kind::actuator && is_there,
           .only_for = "actuator"}))
    return;
  keys.name_of({.name = "body", .what = "\"body/part\" that feels the force", .required = true}, rule.body,
               NameOf::body);
  keys.number({.name = "newton",
               .unit = "N",
               .what = "norm of the sum of its contact forces, of matter and of other bodies",
               .required = true},
              rule.newton, positive);
  keys.leave();
}

}  // namespace

void motion_keys(Keys& keys, Motion& motion) {
  using Kind = Motion::Kind;
  const Kind given = motion.kind;
  const auto kind = [&](const char* name, const char* what, Kind kind, NameOf of) {
    const bool here = keys.kind_name({.name = name, .what = what}, given == kind, motion.target, of);
    if (here && keys.reads) motion.kind = kind;
  };
  kind("actuator", "\"body/actuator\": its control is set", Kind::actuator, NameOf::body_part);
  kind("mocap", "\"body/part\": a mocap body is moved", Kind::mocap, NameOf::body_part);
  kind("boundary", "a boundary's centre is moved", Kind::boundary, NameOf::boundary);
  kind("gripper", "\"body/site\": joint targets are found that bring the site there", Kind::gripper, NameOf::body_part);
  kind("pin", "\"matter/pin\": a pin of a sheet is moved; it starts at its centre", Kind::pin, NameOf::pin);
  kind("actuation", "an actuator of matter: its value is set", Kind::actuation, NameOf::actuator);
  keys.end_kinds("target", true);
  choose(keys, {.name = "path", .what = "smooth: each stretch starts and ends at rest; hold: jumps at the time"},
         motion.path, {"smooth", "linear", "hold"});
  until_force_keys(keys, motion);
  std::vector<Waypoint> waypoints = waypoints_of(motion);
  keys.listed({.name = "waypoints", .what = "where it should be at given times", .required = true}, "waypoint",
              waypoints, [&motion](Keys& inner, Waypoint& waypoint) {
                waypoint.kind = motion.kind;
                waypoint.may_release = !motion.until_force.body.empty();
                waypoint_keys(inner, waypoint);
              });
  if (keys.reads) take_waypoints(motion, waypoints);
}

}  // namespace pliant::scene

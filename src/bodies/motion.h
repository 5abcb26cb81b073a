// Where the targets of a scene's motion are at a time, and how they reach MuJoCo.
#pragma once

#include "bodies/bodies.h"
#include "bodies/namespace.h"
#include "pliant/scene.h"

#include <array>
#include <span>
#include <vector>

namespace pliant::bodies {

// how many numbers a motion of this kind has per time: 1, 7 or 3
int motion_width(Motion::Kind kind);

// not the grid's: boundaries, pins and actuators of matter
constexpr bool moves_bodies(Motion::Kind kind) {
  return kind == Motion::Kind::actuator || kind == Motion::Kind::mocap || kind == Motion::Kind::gripper;
}

// Throws Error(bad_input): times that do not ascend, wrong number of values, numbers that are not finite, quaternions
// that are not of length 1. Needs no model.
void check_motion(const Motion& motion);

struct MotionSample {
  std::array<double, 7> value = {};  // as in Motion::values
  std::array<double, 6> velocity =
      {};  // its rate per second; of a quaternion: the angular velocity, rad/s, in world axes
};

// Of a checked motion, at any time. smooth: s(u) = 10 u^3 - 15 u^4 + 6 u^5 in each stretch, so velocity and
// acceleration are zero at its ends; positions move on straight lines, quaternions turn about a fixed axis the shorter
// way, by the same s.
MotionSample sample_motion(const Motion& motion, double time);

// A control that a force has stopped, and since when. State of the world.
struct MotionHold {
  static constexpr double never = 1e300;
  double control = 0;
  double since = never;  // s
};

// Actuator and mocap motions with their targets found in a model. Those of matter and boundaries are passed over;
// gripper motions must have been turned into actuator motions (ik.h).
class MotionPlayer {
 public:
  MotionPlayer() = default;
  // Throws Error(bad_input), also for a control outside of its actuator's range and for two motions of one target
  MotionPlayer(const std::vector<Motion>& motions, const mjModel* model);

  // of motions that a force may stop; a world keeps one MotionHold for each
  std::size_t hold_count() const { return hold_count_; }

  // sets ctrl, mocap_pos and mocap_quat for a time
  void apply(double time, Bodies& bodies, std::span<const MotionHold> holds = {}) const;
  // after the step whose controls were applied for this time, with the forces of matter by number of the body: holds
  // what these and the bodies' own contacts have stopped
  void feel(double time, const Bodies& bodies, std::span<const Wrench> matter, std::span<MotionHold> holds) const;

 private:
  struct Track {
    Motion motion;
    int address;         // in ctrl, or number of the mocap body
    int force_body = 0;  // number of the body of until_force
    int hold = -1;       // number of its MotionHold, if it has one
  };
  void check_range(const Motion& motion, int control, const mjModel* model) const;

  std::vector<Track> tracks_;
  std::size_t hold_count_ = 0;
};

}  // namespace pliant::bodies

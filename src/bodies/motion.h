// Where the targets of a scene's motion are at a time, and how they reach MuJoCo.
#pragma once

#include "bodies/bodies.h"
#include "pliant/scene.h"

#include <array>
#include <vector>

namespace pliant {

// how many numbers a motion of this kind has per time: 1, 7 or 3
int motion_width(Motion::Kind kind);

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

// Actuator and mocap motions with their targets found in a model. Boundary motions are the grid's and are passed over;
// gripper motions must have been turned into actuator motions (ik.h).
class MotionPlayer {
 public:
  MotionPlayer() = default;
  // Throws Error(bad_input), also for a control outside of its actuator's range and for two motions of one target
  MotionPlayer(const std::vector<Motion>& motions, const mjModel* model);

  // sets ctrl, mocap_pos and mocap_quat for a time
  void apply(double time, Bodies& bodies) const;

 private:
  struct Track {
    Motion motion;
    int address;  // in ctrl, or number of the mocap body
  };
  void check_range(const Motion& motion, int control, const mjModel* model) const;

  std::vector<Track> tracks_;
};

}  // namespace pliant

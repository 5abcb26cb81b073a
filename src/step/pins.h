// The pins of a scene: where their motions take them.
#pragma once

#include "cloth/sheets.h"
#include "pliant/scene.h"
#include "step/namespace.h"

#include <string>
#include <vector>

namespace pliant::step {

class Pins {
 public:
  Pins() = default;
  // throws Error(bad_input) for a motion of a pin that is not there or that starts elsewhere
  explicit Pins(const Scene& scene);

  // the paths of all pins in the step of dt from `time`
  void aim(double time, double dt, std::vector<PinPath>& paths) const;
  // m/s, largest component of the velocity of a pin in that step
  double speed(double time, double dt) const;

 private:
  struct Moved {
    std::string name;  // "matter/pin"
    Pin pin;
    std::vector<Motion> motion;  // one, or none: it stays
  };
  static PinPath path(const Moved& moved, double time, double dt);
  static Vec offset(const Moved& moved, double time);

  std::vector<Moved> pins_;  // in the order of the scene
};

}  // namespace pliant::step

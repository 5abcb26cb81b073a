// How often bodies have to move in an explicit step. They learn at its end what matter did to them: where matter is stiff and
// a body is light, that is too late, and the two knock at each other instead of resting.
#pragma once

#include "step/model.h"
#include "step/namespace.h"
#include "step/state.h"

#include <cstdint>
#include <string>
#include <vector>

namespace pliant::step {

struct BodyPace {
  int parts = 1;       // of the step, each a whole step of matter and bodies
  double quality = 0;  // K dt^2 / M with these parts; see good_pace
  int body = -1;       // of the model, the one that asks for most
};

// up to the first they come to rest, beyond the second they do not
inline constexpr double good_pace = 0.02, bad_pace = 0.3;

// scratch
struct PaceWork {
  std::vector<double> rates;
  std::vector<std::uint8_t> pressed;
};

// By the contacts that press in this state; at most so many parts.
template <int D, class S>
BodyPace body_pace(const Model<S>& model, const State<D, S>& now, int most, PaceWork& work);

// a warning
std::string too_light(const BodyModel& bodies, int body);

}  // namespace pliant::step

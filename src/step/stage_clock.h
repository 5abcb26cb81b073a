// Wall time by stage of a step, for its report; and the place between two stages where a step may be stopped.
#pragma once

#include "core/stop.h"
#include "grid/sweep.h"
#include "pliant/report.h"
#include "step/namespace.h"

#include <chrono>

namespace pliant::step {

enum Stage {
  sorting,
  loading,
  gathering,
  stressing,
  scattering,
  storing,
  gridding,
  contacting,
  pulling,
  balancing,
  stage_count
};
inline constexpr const char* stage_names[stage_count] = {"sort",  "load", "gather",  "stress", "scatter",
                                                         "store", "grid", "contact", "cloth",  "balance"};

class StageClock {
 public:
  explicit StageClock(StepReport& report) : report_(report), last_(now()) {}

  void lap(Stage stage) {
    check_stop();
    report_.stages[stage].seconds += split();
  }
  // a sweep's wall time, shared out as its sampled blocks spent theirs
  void lap(const SweepTimes& t) {
    check_stop();
    const double wall = split(), all = t.load + t.gather + t.stress + t.scatter + t.store;
    const double share = all > 0 ? wall / all : 0;
    report_.stages[loading].seconds += all > 0 ? t.load * share : wall;
    report_.stages[gathering].seconds += t.gather * share;
    report_.stages[stressing].seconds += t.stress * share;
    report_.stages[scattering].seconds += t.scatter * share;
    report_.stages[storing].seconds += t.store * share;
  }

 private:
  static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  double split() {
    const double t = now(), spent = t - last_;
    last_ = t;
    return spent;
  }

  StepReport& report_;
  double last_;
};

}  // namespace pliant::step

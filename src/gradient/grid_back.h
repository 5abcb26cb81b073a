// The grid's own step backwards: solids (S5's supplement, friction), gravity, momenta over masses.
#pragma once

#include "gradient/bars.h"
#include "gradient/namespace.h"
#include "grid/grid.h"
#include "step/record.h"

namespace pliant::gradient {

// What a node's velocity after a solid was made of. Which nodes are inside of it, and its normal there, are taken as
// they are.
struct HoldBar {
  Vec v, solid;  // by the velocity before, by that of the solid
  double friction = 0;
};
HoldBar hold_back(const BoundaryNode& node, const Vec& before, const Vec& bar);

template <int D, class S>
class GridBack {
 public:
  // `bars` has derivatives by the velocities of the nodes after solids and gets those by momenta and masses
  void go_back(const SubstepRecord<D, S>& record, S dt, const Vector<S, D>& gravity, Grid<D, S>& bars, StepBar<D>& step,
               Workers& workers);

 private:
  std::vector<Vec> partial_;
};

}  // namespace pliant::gradient

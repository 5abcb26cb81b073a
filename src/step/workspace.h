// Scratch of a step: may be thrown away between any two steps without changing a bit of the result.
#pragma once

#include "cloth/sheets.h"
#include "contact/contact_step.h"
#include "grid/sweep.h"
#include "pliant/report.h"
#include "step/model.h"
#include "step/strong_step.h"

namespace pliant {

template <int D, class S>
struct Workspace {
  Workspace(const Model<S>& model, Workers& workers_)
      : workers(workers_),
        grid(model.scene.step.kernel == Kernel::compact ? 2 : 1),
        sweep(model.scene.step.kernel, model.scene.step.transfer, workers_.threads()),
        sheets(model.sheets) {}

  Workers& workers;
  GeomPaths* paths = nullptr;                  // of the bodies in this step; nullptr: there are none
  std::span<const Obstacle* const> obstacles;  // the bodies, one way
  ContactStep<S>* contact = nullptr;           // or as partners
  StrongStep<S>* strong = nullptr;             // or all in one solve
  Bodies* bodies = nullptr;                    // in that solve
  Layout<D, S> layout, next_layout;
  Grid<D, S> grid;
  Sweep<D, S> sweep;
  Sheets<S> sheets;            // of cloth; none in 2-D
  Buffer<Point<D, S>> points;  // for sorting within a step, and for contact to see
  std::vector<Matrix<S, D>> actuations;
  std::vector<Matrix<double, 3>> strong_actuations;
  std::vector<Vec> impulses;      // of the boundaries
  std::vector<PointForce> loads;  // on cloth, of contact
  std::vector<Balance> partial_balances;

  // of the method in use; nullptr: none
  ContactSet<S>* contacts() {
    if (contact) return &contact->set();
    return strong ? &strong->set() : nullptr;
  }

  std::size_t bytes() const {
    return layout.bytes() + next_layout.bytes() + grid.bytes() + sweep.bytes() + sheets.bytes() + points.bytes() +
           partial_balances.capacity() * sizeof(Balance);
  }
};

}  // namespace pliant

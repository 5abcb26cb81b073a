// Scratch of a step: may be thrown away between any two steps without changing a bit of the result.
#pragma once

#include "cloth/sheets.h"
#include "contact/contact_step.h"
#include "grid/sweep.h"
#include "step/body_stepper.h"
#include "step/model.h"
#include "step/namespace.h"
#include "step/own_moduli.h"
#include "step/plan.h"
#include "step/state.h"
#include "step/strong_solve.h"

#include <memory>
#include <optional>

namespace pliant::step {

template <int D, class S>
struct StepRecord;

template <int D, class S>
struct Workspace {
  // Bodies step in this data; nullptr: in one of its own. Error(bad_input) for a strong step in 2-D.
  Workspace(const Model<S>& model, Workers& workers, std::shared_ptr<mjData> data = nullptr);
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  Workers& workers;
  Budget budget;                            // of the step that is being taken
  GeomPaths paths;                          // of all that matter can touch
  std::unique_ptr<BodyStepper> bodies;      // nullptr: there are none
  std::unique_ptr<ContactStep<S>> contact;  // contact in the substeps, with bodies and boundaries as partners
  std::unique_ptr<StrongStep<S>> strong;    // or all in one solve
  Layout<D, S> layout, next_layout;
  Grid<D, S> grid;
  Sweep<D, S> sweep;
  Sheets<S> sheets;                             // of cloth; none in 2-D
  Buffer<Point<D, S>> points;                   // for sorting within a step, and for contact to see
  Buffer<Node<S>> nodes;                        // for a record
  std::vector<std::array<double, 9>> stresses;  // of actuation, by group, Pa
  std::vector<Matrix<S, D>> actuations;         // the same
  PlanWork planning;
  std::shared_ptr<const OwnModuli<S>> own_moduli;  // of the inputs; nullptr: none
  std::vector<const Moduli<S>*> moduli;            // by group
  std::vector<double> shear_viscosities;           // by group, Pa s, of the loss of those that touch
  std::vector<Matrix<double, 3>> strong_actuations;
  std::vector<Vec> impulses;      // of the boundaries
  std::vector<PointForce> loads;  // on cloth, of contact
  std::vector<Balance> partial_balances;
  std::optional<Plan> given_plan;      // that steps are taken with, without another try; otherwise they make their own
  StepRecord<D, S>* record = nullptr;  // where an explicit step notes its way
  State<D, S> between;                 // the parts of a step; empty until there are some
  StepReport part_report;              // of the parts after the first

  // of the method in use; nullptr: none
  BodyContacts<S>* contacts();
  // the bodies, if they are obstacles for the grid
  std::span<const Obstacle* const> obstacles() const;
  std::size_t bytes() const;

 private:
  bool one_way_;
};

}  // namespace pliant::step

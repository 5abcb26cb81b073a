// Balance and StepReport: what a step says about itself, read-only.
#include "pliant/report.h"

#include <fmt/core.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "casters.h"

namespace pliant::python {

namespace {

void bind_balance(nb::module_& module) {
  nb::class_<Balance>(module, "Balance", "Sums over all matter. Angular momentum is about the origin.")
      .def_ro("mass", &Balance::mass, "kg")
      .def_ro("momentum", &Balance::momentum, "kg m/s")
      .def_ro("angular_momentum", &Balance::angular_momentum, "kg m^2/s; in 2-D only the third number is used")
      .def_ro("kinetic_energy", &Balance::kinetic_energy, "J")
      .def_ro("elastic_energy", &Balance::elastic_energy, "J")
      .def_ro("gravity_energy", &Balance::gravity_energy, "J, zero at the origin")
      .def_ro("volume", &Balance::volume, "m^3")
      .def("__repr__", [](const Balance& b) {
        return fmt::format(
            "Balance(mass={:.6g} kg, momentum=({:.4g}, {:.4g}, {:.4g}) kg m/s, kinetic={:.4g} J, elastic={:.4g} J, "
            "gravity={:.4g} J, volume={:.6g} m^3)",
            b.mass, b.momentum[0], b.momentum[1], b.momentum[2], b.kinetic_energy, b.elastic_energy, b.gravity_energy,
            b.volume);
      });
}

nb::dict stages(const StepReport& report) {
  nb::dict seconds;
  for (const StageTime& time : report.stages) seconds[time.stage] = time.seconds;
  return seconds;
}

}  // namespace

void bind_report(nb::module_& module) {
  bind_balance(module);
  nb::class_<StepReport>(module, "StepReport", "What a step says about itself.")
      .def_ro("time", &StepReport::time, "s, at the end of the step")
      .def_ro("substeps", &StepReport::substeps,
              "how many substeps were made; of the strong step: the parts that it was taken in")
      .def_ro("inner_steps", &StepReport::inner_steps, "of cloth, in each substep")
      .def_ro("sorts", &StepReport::sorts, "how often particles were put in order")
      .def_ro("max_speed", &StepReport::max_speed, "m/s, largest component of a particle's velocity seen in the step")
      .def_ro("strays", &StepReport::strays, "part of the particles that left their cell between sorts")
      .def_ro("blocks", &StepReport::blocks, "active blocks of the grid")
      .def_ro("contacts", &StepReport::contacts, "particles held by bodies, mean over the substeps")
      .def_ro("most_contacts", &StepReport::most_contacts, "and the most in a substep")
      .def_ro("iterations", &StepReport::iterations, "of the contact solver, in all substeps")
      .def_ro("linear_iterations", &StepReport::linear_iterations, "of conjugate gradients inside of them; strong")
      .def_ro("residual", &StepReport::residual, "of the contact solver, relative, the worst of the substeps")
      .def_ro("cone_excess", &StepReport::cone_excess,
              "friction of a contact beyond mu times its normal impulse, over the largest normal impulse of the solve")
      .def_ro("signorini_residual", &StepReport::signorini_residual,
              "normal impulse of a contact that is not its spring's, over the largest of the solve")
      .def_ro("penetration", &StepReport::penetration, "m, the deepest overlap of matter and bodies")
      .def_ro("friction_dissipation", &StepReport::friction_dissipation, "J, that contacts slipped away in the step")
      .def_prop_ro("stages", &stages, nb::sig("def stages(self) -> dict[str, float]"), "wall time by stage, s")
      .def_ro("before", &StepReport::before, "balance at the start, if StepOptions.balance")
      .def_ro("after", &StepReport::after, "balance at the end, if StepOptions.balance")
      .def_ro("gravity_impulse", &StepReport::gravity_impulse, "N s, in the step")
      .def_ro("boundary_impulses", &StepReport::boundary_impulses, "N s on matter, one per boundary of the scene")
      .def_ro("pin_impulses", &StepReport::pin_impulses, "N s on matter, one per pin, in the order of the scene")
      .def_ro("body_impulses", &StepReport::body_impulses, "N s on matter, one per geom of world.model")
      .def_ro("warnings", &StepReport::warnings, "what is worth a look")
      .def("__repr__", [](const StepReport& r) {
        return fmt::format(
            "StepReport(time={:.6g} s, substeps={}, sorts={}, max_speed={:.4g} m/s, blocks={}, contacts={:.4g}, "
            "iterations={}, penetration={:.3g} m, cone_excess={:.1g}, warnings={})",
            r.time, r.substeps, r.sorts, r.max_speed, r.blocks, r.contacts, r.iterations, r.penetration, r.cone_excess,
            r.warnings.size());
      });
}

}  // namespace pliant::python

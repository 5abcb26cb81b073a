#include "step/record.h"

#include "step/part.h"

#include <algorithm>

namespace pliant::step {
namespace {

template <class T>
void copy(const T* from, std::size_t count, Buffer<T>& to, Workers& workers) {
  constexpr std::size_t piece = 4096;
  if (to.size() != count) to.allocate(count);
  workers.for_each((count + piece - 1) / piece, 1, [&](std::size_t k) {
    std::copy(from + k * piece, from + std::min(count, (k + 1) * piece), to.data() + k * piece);
  });
}

}  // namespace

template <int D, class S>
std::size_t StepRecord<D, S>::bytes() const {
  std::size_t sum = velocities.bytes();
  for (std::size_t k = 0; k < substeps.size(); ++k) {
    sum += substeps[k].bytes();
    if (k == 0 || substeps[k].layout != substeps[k - 1].layout) sum += substeps[k].layout->bytes();
  }
  return sum;
}

template <int D, class S>
void begin_record(const StepPart<D, S>& p, StepRecord<D, S>& record) {
  record.dt = p.sweep_step.dt;
  record.actuations = p.work.actuations;
  record.shear_viscosities = p.work.shear_viscosities;
  record.substeps.resize(std::size_t(p.plan.substeps));
}

template <int D, class S>
void record_substep(StepPart<D, S>& p, int substep, StepRecord<D, S>& record) {
  SubstepRecord<D, S>& r = record.substeps[std::size_t(substep)];
  Workers& workers = p.work.workers;
  const Particles<D, S>& particles = p.next.particles;
  if (substep == 0) copy(particles.velocities.data(), particles.size(), record.velocities, workers);
  r.layout = substep > 0 && p.sorts_recorded == p.report.sorts ? record.substeps[std::size_t(substep - 1)].layout
                                                               : std::make_shared<const Layout<D, S>>(p.work.layout);
  p.sorts_recorded = p.report.sorts;
  copy(particles.points.data(), particles.size(), r.points, workers);
  // the grid's own step comes after this and takes the momenta again
  p.work.grid.take_momenta(p.work.layout, p.grid_step, workers);
  copy(&p.work.grid.node(0), p.work.grid.node_count(), r.nodes, workers);
  p.work.grid.find_boundary_nodes(p.work.layout, p.grid_step, r.held);
}

template struct StepRecord<2, float>;
template struct StepRecord<3, float>;
template struct StepRecord<2, double>;
template struct StepRecord<3, double>;
template void begin_record(const StepPart<2, float>&, StepRecord<2, float>&);
template void begin_record(const StepPart<3, float>&, StepRecord<3, float>&);
template void begin_record(const StepPart<2, double>&, StepRecord<2, double>&);
template void begin_record(const StepPart<3, double>&, StepRecord<3, double>&);
template void record_substep(StepPart<2, float>&, int, StepRecord<2, float>&);
template void record_substep(StepPart<3, float>&, int, StepRecord<3, float>&);
template void record_substep(StepPart<2, double>&, int, StepRecord<2, double>&);
template void record_substep(StepPart<3, double>&, int, StepRecord<3, double>&);

}  // namespace pliant::step

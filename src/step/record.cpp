#include "step/record.h"

#include "step/part.h"

#include <algorithm>

namespace pliant::step {
namespace {

template <class T>
void copy(const T* from, std::size_t count, Buffer<T>& to, Workers& workers) {
  constexpr std::size_t piece = 4096;
  to.resize(count);
  workers.for_each((count + piece - 1) / piece, 1, [&](std::size_t k) {
    std::copy(from + k * piece, from + std::min(count, (k + 1) * piece), to.data() + k * piece);
  });
}

// a copy of the present order
template <int D, class S>
const Layout<D, S>* kept_layout(const StepPart<D, S>& p) {
  StepRecord<D, S>& record = *p.work.record;
  if (record.layouts.size() == record.layouts_used) record.layouts.push_back(std::make_unique<Layout<D, S>>());
  Layout<D, S>& layout = *record.layouts[record.layouts_used++];
  layout.keep(p.work.layout);
  return &layout;
}

}  // namespace

template <int D, class S>
std::size_t StepRecord<D, S>::bytes() const {
  std::size_t sum = velocities.bytes();
  for (const SubstepRecord<D, S>& r : substeps) sum += r.bytes();
  for (const auto& layout : layouts) sum += layout->bytes();
  return sum;
}

template <int D, class S>
void begin_record(const StepPart<D, S>& p) {
  StepRecord<D, S>& record = *p.work.record;
  record.dt = p.sweep_step.dt;
  record.actuations = p.work.actuations;
  record.shear_viscosities = p.work.shear_viscosities;
  record.own_moduli = p.work.own_moduli;
  record.substeps.resize(std::size_t(p.plan.substeps));
  for (SubstepRecord<D, S>& r : record.substeps)
    if (r.points.size() != p.now.particles.size()) r.points.allocate(p.now.particles.size());
  record.layouts_used = 0;
}

template <int D, class S>
void record_start(const StepPart<D, S>& p) {
  StepRecord<D, S>& record = *p.work.record;
  const auto& velocities = p.next.particles.velocities;
  copy(velocities.data(), velocities.size(), record.velocities, p.work.workers);
  record.substeps.front().layout = kept_layout(p);
}

template <int D, class S>
void record_nodes(StepPart<D, S>& p, int substep) {
  auto& substeps = p.work.record->substeps;
  SubstepRecord<D, S>& r = substeps[std::size_t(substep)];
  if (substep > 0) r.layout = substeps[std::size_t(substep - 1)].layout;
  Grid<D, S>& grid = p.work.grid;
  grid.take_momenta(p.work.layout, p.grid_step, p.work.workers);
  copy(&grid.node(0), grid.node_count(), r.nodes, p.work.workers);
  grid.find_boundary_nodes(p.work.layout, p.grid_step, r.held);
  r.overhangs = grid.overhangs();
  // what solids do to the grid's own nodes after this
  r.before.clear();
  for (const BoundaryNode& held : r.held) {
    S* node = r.nodes[held.number].a;
    Vec v = Vec::zero();
    for (int d = 0; d < D; ++d) v[d] = double(node[d]);
    r.before.push_back(v);
    const Vec after = held.hold(v);
    for (int d = 0; d < D; ++d) node[d] = S(after[d]);
  }
}

// nodes that are gone have no particle near them
template <int D, class S>
void record_order(StepPart<D, S>& p, int substep, const Layout<D, S>& old_layout) {
  SubstepRecord<D, S>& r = p.work.record->substeps[std::size_t(substep)];
  r.layout = kept_layout(p);
  const Grid<D, S>& grid = p.work.grid;
  grid.refit(old_layout, p.work.layout, r.nodes, p.work.nodes, p.work.workers);
  copy(p.work.nodes.data(), p.work.nodes.size(), r.nodes, p.work.workers);
  r.overhangs = grid.overhangs();
  std::size_t kept = 0;
  for (std::size_t k = 0; k < r.held.size(); ++k) {
    const std::size_t number = grid.renumbered(old_layout, p.work.layout, r.held[k].number);
    if (number == SIZE_MAX) continue;
    r.before[kept] = r.before[k];
    r.held[kept] = r.held[k];
    r.held[kept++].number = std::uint32_t(number);
  }
  r.held.resize(kept);
  r.before.resize(kept);
}

template <int D, class S>
Buffer<Point<D, S>>& points_in(StepPart<D, S>& p, int substep) {
  const bool recorded = p.work.record && substep < p.plan.substeps;
  return recorded ? p.work.record->substeps[std::size_t(substep)].points : p.next.particles.points;
}

template struct StepRecord<2, float>;
template struct StepRecord<3, float>;
template struct StepRecord<2, double>;
template struct StepRecord<3, double>;
template void begin_record(const StepPart<2, float>&);
template void begin_record(const StepPart<3, float>&);
template void begin_record(const StepPart<2, double>&);
template void begin_record(const StepPart<3, double>&);
template void record_start(const StepPart<2, float>&);
template void record_start(const StepPart<3, float>&);
template void record_start(const StepPart<2, double>&);
template void record_start(const StepPart<3, double>&);
template void record_nodes(StepPart<2, float>&, int);
template void record_nodes(StepPart<3, float>&, int);
template void record_nodes(StepPart<2, double>&, int);
template void record_nodes(StepPart<3, double>&, int);
template void record_order(StepPart<2, float>&, int, const Layout<2, float>&);
template void record_order(StepPart<3, float>&, int, const Layout<3, float>&);
template void record_order(StepPart<2, double>&, int, const Layout<2, double>&);
template void record_order(StepPart<3, double>&, int, const Layout<3, double>&);
template Buffer<Point<2, float>>& points_in(StepPart<2, float>&, int);
template Buffer<Point<3, float>>& points_in(StepPart<3, float>&, int);
template Buffer<Point<2, double>>& points_in(StepPart<2, double>&, int);
template Buffer<Point<3, double>>& points_in(StepPart<3, double>&, int);

}  // namespace pliant::step

#include "step/liquids.h"

#include "implicit/crowding.h"
#include "material/isotropic.h"
#include "material/law_info.h"
#include "step/walls_near.h"

#include <algorithm>
#include <cmath>

namespace pliant::step {
namespace {

// s: small steps look around that often, at times that do not depend on where a run began
constexpr double between_looks = 0.006;

bool flows(const Material& material) { return info(material.law).resists_only_pressure; }

bool walls_are_known(const std::vector<BoundaryShape>& boundaries) {
  return std::none_of(boundaries.begin(), boundaries.end(), [](const BoundaryShape& b) { return b.at_nodes; });
}

// Steps of the papers, with boundaries at nodes or none, stay as they are. A step in parts is one step.
template <class S>
bool has_liquids_between_walls(const StepPart<3, S>& p) {
  return p.is_first && p.work.contact && walls_are_known(p.model.boundaries) &&
         std::any_of(p.model.materials.begin(), p.model.materials.end(), flows);
}

template <class S>
double volume_ratio(const Point<3, S>& p) {
  Matrix<double, 3> F;
  for (int k = 0; k < 9; ++k) F.a[k] = double(p.F[k]);
  return determinant(F);
}

template <class S>
void even_cell(Point<3, S>* first, Point<3, S>* last) {
  double at_rest = 0, now = 0;
  for (const Point<3, S>* p = first; p != last; ++p) {
    at_rest += double(p->volume);
    now += double(p->volume) * volume_ratio(*p);
  }
  const Matrix<double, 3> F = material::isotropic<3>(now / at_rest);
  for (Point<3, S>* p = first; p != last; ++p)
    for (int k = 0; k < 9; ++k) p->F[k] = S(F.a[k]);
}

}  // namespace

// Forces that no pressure balances push particles of a liquid about by g dt^2. Over many small steps that is nothing,
// in a large one it would boil: what a particle stretches and shears within itself is forgotten, as PIC does. How it turns
// stays, so that what spins goes on spinning.
template <class S>
void calm_liquids(StepPart<3, S>& p) {
  for (std::size_t g = 0; g < p.model.groups.size(); ++g)
    if (flows(p.model.materials[g]))
      for (std::size_t i = p.model.groups[g].begin; i < p.model.groups[g].end; ++i) {
        S* C = p.next.particles.velocities[i].C;
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c <= r; ++c) {
            const S turn = S(0.5) * (C[3 * r + c] - C[3 * c + r]);
            C[3 * r + c] = turn;
            C[3 * c + r] = -turn;
          }
      }
}

template <class S>
void even_liquids(StepPart<3, S>& p) {
  const Layout<3, S>& layout = p.work.layout;
  Point<3, S>* points = p.next.particles.points.data();
  p.work.workers.for_each(layout.segments.size(), 1, [&](std::size_t s) {
    const Segment& segment = layout.segments[s];
    if (!flows(p.model.materials[segment.group])) return;
    const std::uint32_t* starts = layout.cell_starts.data() + segment.first_cell;
    for (int cell = 0; cell < block_nodes<3>; ++cell)
      if (starts[cell + 1] > starts[cell] + 1) even_cell(points + starts[cell], points + starts[cell + 1]);
  });
}

template <class S>
void relieve_liquids(StepPart<3, S>& p, double dt) {
  Workspace<3, S>& work = p.work;
  if (std::none_of(p.model.materials.begin(), p.model.materials.end(), flows)) return;
  const double h = p.model.scene.step.cell;
  const SolidWalls walls(work.paths, h);
  const bool known = walls_are_known(p.model.boundaries);
  relieve_crowding({p.model.materials, dt, h, known ? &walls : nullptr}, work.layout, work.grid,
                   p.next.particles.points, work.workers);
}

template <class S>
void even_before_substeps(StepPart<3, S>& p) {
  if (has_liquids_between_walls(p)) even_liquids(p);
}

template <class S>
void relieve_in_substeps(StepPart<3, S>& p) {
  const double dt = p.model.scene.step.dt, looks = p.now.time / between_looks;
  if (dt < between_looks && std::floor(looks + dt / between_looks) == std::floor(looks)) return;
  if (has_liquids_between_walls(p)) relieve_liquids(p, std::max(dt, between_looks));
}

template void calm_liquids(StepPart<3, float>&);
template void calm_liquids(StepPart<3, double>&);
template void even_liquids(StepPart<3, float>&);
template void even_liquids(StepPart<3, double>&);
template void relieve_liquids(StepPart<3, float>&, double);
template void relieve_liquids(StepPart<3, double>&, double);
template void even_before_substeps(StepPart<3, float>&);
template void even_before_substeps(StepPart<3, double>&);
template void relieve_in_substeps(StepPart<3, float>&);
template void relieve_in_substeps(StepPart<3, double>&);

}  // namespace pliant::step

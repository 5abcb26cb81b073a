#include "gradient/step_back.h"

#include "core/error.h"
#include "gradient/particle_back.h"
#include "gradient/point_back.h"
#include "gradient/transfers.h"

#include <cmath>

namespace pliant::gradient {
namespace {

// place of a particle in cells from the first node of its block's arena
template <int D, class S>
Vector<S, D> place_in_arena(const Point<D, S>& p, const Block<D>& block, S inv_h) {
  Vector<S, D> y;
  for (int d = 0; d < D; ++d) y[d] = p.x[d] * inv_h - S(block.coord[d] * block_side - arena_margin);
  return y;
}

template <int D, class S>
bool same_order(const SubstepRecord<D, S>& a, const SubstepRecord<D, S>& b) {
  return a.layout == b.layout;
}

template <int D, class S>
const char* first_not_finite(const PointBar<D, S>& b) {
  const auto bad = [](const S* a, int n) {
    for (int k = 0; k < n; ++k)
      if (!std::isfinite(a[k])) return true;
    return false;
  };
  if (bad(b.x, D)) return "position";
  if (bad(b.v, D)) return "velocity";
  if (bad(b.F, D * D)) return "deformation gradient";
  if (bad(b.C, D * D)) return "affine velocity";
  if (bad(&b.plastic, 1)) return "plastic number";
  if (bad(&b.mass, 1)) return "mass";
  return bad(b.law, law_numbers) ? "material" : nullptr;
}

constexpr std::size_t piece = 2048;  // particles

}  // namespace

template <int D, class S>
struct StepBack<D, S>::Arenas {
  alignas(64) Node<S> values[2 * arena_nodes<D>];
  alignas(64) Node<S> sums[2 * arena_nodes<D>] = {};  // zero between blocks
};

template <int D, class S>
StepBack<D, S>::StepBack(const Model<S>& model, Workers& workers, bool plain)
    : model_(model),
      workers_(workers),
      kernel_(model.scene.step.kernel),
      transfer_(model.scene.step.transfer),
      h_(S(model.scene.step.cell)),
      velocities_(kernel_ == Kernel::compact ? 2 : 1),
      node_bars_(kernel_ == Kernel::compact ? 2 : 1) {
  for (int t = 0; t < workers.threads(); ++t) arenas_.push_back(std::make_unique<Arenas>());
  if (!plain && goes_in_packs(model)) packs_ = std::make_unique<SweepBack<D, S>>(model, workers);
}

template <int D, class S>
StepBack<D, S>::~StepBack() = default;

template <int D, class S>
std::size_t StepBack<D, S>::bytes() const {
  return velocities_.bytes() + node_bars_.bytes() + bars_.bytes() + spare_.bytes() + flow_.bytes() +
         spare_flow_.bytes() + place_.bytes() + arenas_.size() * sizeof(Arenas);
}

// f(block, arenas of this thread)
template <int D, class S>
template <class F>
void StepBack<D, S>::for_blocks(const Layout<D, S>& layout, const F& f) {
  workers_.for_each(layout.blocks.size(), 1, [&](std::size_t b) { f(b, *arenas_[std::size_t(Workers::index())]); });
}

template <int D, class S>
void StepBack<D, S>::go_back(const StepRecord<D, S>& record, PointBars<D, S>& bars, StepBar<D>& step) {
  if (packs_) return packs_->go_back(record, bars, step);
  const std::size_t count = bars.size();
  bars_.resize(count);
  spare_.resize(count);
  flow_.resize(count);
  spare_flow_.resize(count);
  place_.resize(count);
  const Record& last = record.substeps.back();
  workers_.for_each((count + piece - 1) / piece, 1, [&](std::size_t k) {
    for (std::size_t i = k * piece; i < std::min(count, (k + 1) * piece); ++i)
      bars_[i] = bars[std::size_t(last.points[i].id)];
  });
  Vector<S, D> gravity;
  for (int d = 0; d < D; ++d) gravity[d] = S(model_.scene.step.gravity[std::size_t(d)]);
  for (std::size_t k = record.substeps.size(); k-- > 0;) {
    const Record& r = record.substeps[k];
    // velocities and places of particles, back to the nodes
    take_nodes(r);
    gather_back(record, r);
    node_bars_.sum(*r.layout, workers_);
    grid_back_.go_back(r, record.dt, gravity, node_bars_, step, workers_);
    // momenta of nodes, back to the particles; these need their velocities of then
    if (k > 0) {
      take_nodes(record.substeps[k - 1]);
      gather_again(record.substeps[k - 1], r);
    }
    scatter_back(record, r, step);
    check_finite(r, k);
    if (k > 0 && !same_order(record.substeps[k - 1], r)) reorder(r.points, record.substeps[k - 1].points);
  }
  const Record& first = record.substeps.front();
  workers_.for_each((count + piece - 1) / piece, 1, [&](std::size_t k) {
    for (std::size_t i = k * piece; i < std::min(count, (k + 1) * piece); ++i)
      bars[std::size_t(first.points[i].id)] = bars_[i];
  });
}

template <int D, class S>
void StepBack<D, S>::take_nodes(const Record& r) {
  velocities_.fit(*r.layout);
  std::copy(r.nodes.begin(), r.nodes.end(), &velocities_.node(0));
}

// `bars_` go from the order of `from` to that of `to`
template <int D, class S>
void StepBack<D, S>::reorder(const Buffer<Point<D, S>>& from, const Buffer<Point<D, S>>& to) {
  for (std::size_t i = 0; i < from.size(); ++i) place_[std::size_t(from[i].id)] = std::uint32_t(i);
  workers_.for_each((to.size() + piece - 1) / piece, 1, [&](std::size_t k) {
    for (std::size_t i = k * piece; i < std::min(to.size(), (k + 1) * piece); ++i)
      spare_[i] = bars_[place_[std::size_t(to[i].id)]];
  });
  bars_.swap(spare_);
}

template <int D, class S>
void StepBack<D, S>::gather_back(const StepRecord<D, S>& record, const Record& r) {
  const Layout<D, S>& layout = *r.layout;
  const S inv_h = 1 / h_;
  node_bars_.fit(layout);
  with_transfer(kernel_, transfer_, [&]<Kernel K, Transfer X>() {
    for_blocks(layout, [&](std::size_t b, Arenas& arenas) {
      const Block<D>& block = layout.blocks[b];
      velocities_.fill(layout, b, arenas.values);
      for (std::uint32_t s = block.segment_begin; s < block.segment_end; ++s) {
        const Segment& segment = layout.segments[layout.block_segments[s]];
        const std::uint32_t* starts = layout.cell_starts.data() + segment.first_cell;
        for (std::uint32_t i = starts[0]; i < starts[block_nodes<D>]; ++i) {
          const Point<D, S>& p = r.points[i];
          PointBar<D, S>& bar = bars_[i];
          const Vector<S, D> y = place_in_arena(p, block, inv_h);
          const PointVelocity<D, S> flow = gather_point<K, X, D>(arenas.values, y.a, inv_h);
          PointVelocity<D, S> flow_bar = {vector_of<D>(bar.v), matrix_of<D>(bar.C), {}};
          flow_bar.gradient = advect_back(model_.laws[segment.group], record.dt, p, flow.gradient, bar);
          flow_bar.v += record.dt * vector_of<D>(bar.x);
          const Vector<S, D> y_bar = gather_point_back<K, X, D>(arenas.values, arenas.sums, y.a, inv_h, flow_bar);
          for (int d = 0; d < D; ++d) {
            bar.x[d] += inv_h * y_bar[d];
            bar.v[d] = 0;
          }
          for (int k = 0; k < D * D; ++k) bar.C[k] = 0;
        }
      }
      node_bars_.take(b, (1u << 2 * D) - 1, arenas.sums);
    });
  });
}

// the velocities with which a substep ended, in the order of the next
template <int D, class S>
void StepBack<D, S>::gather_again(const Record& r, const Record& next) {
  const Layout<D, S>& layout = *r.layout;
  const S inv_h = 1 / h_;
  with_transfer(kernel_, transfer_, [&]<Kernel K, Transfer X>() {
    for_blocks(layout, [&](std::size_t b, Arenas& arenas) {
      const Block<D>& block = layout.blocks[b];
      velocities_.fill(layout, b, arenas.values);
      for (std::uint32_t s = block.segment_begin; s < block.segment_end; ++s) {
        const std::uint32_t* starts = layout.cell_starts.data() + layout.segments[layout.block_segments[s]].first_cell;
        for (std::uint32_t i = starts[0]; i < starts[block_nodes<D>]; ++i) {
          const Vector<S, D> y = place_in_arena(r.points[i], block, inv_h);
          const PointVelocity<D, S> flow = gather_point<K, X, D>(arenas.values, y.a, inv_h);
          std::copy_n(flow.v.a, D, flow_[i].v);
          std::copy_n(flow.affine.a, D * D, flow_[i].C);
        }
      }
    });
  });
  if (same_order(r, next)) return;
  for (std::size_t i = 0; i < r.points.size(); ++i) place_[std::size_t(r.points[i].id)] = std::uint32_t(i);
  for (std::size_t i = 0; i < next.points.size(); ++i) spare_flow_[i] = flow_[place_[std::size_t(next.points[i].id)]];
  flow_.swap(spare_flow_);
}

template <int D, class S>
void StepBack<D, S>::scatter_back(const StepRecord<D, S>& record, const Record& r, StepBar<D>& step) {
  const Layout<D, S>& layout = *r.layout;
  const S inv_h = 1 / h_;
  const ParticleVelocity<D, S>* flows = &r == &record.substeps.front() ? record.velocities.data() : flow_.data();
  segments_.assign(layout.segments.size(), {});
  with_transfer(kernel_, transfer_, [&]<Kernel K, Transfer X>() {
    for_blocks(layout, [&](std::size_t b, Arenas& arenas) {
      const Block<D>& block = layout.blocks[b];
      node_bars_.fill(layout, b, arenas.values);
      for (std::uint32_t s = block.segment_begin; s < block.segment_end; ++s) {
        const std::uint32_t number = layout.block_segments[s], group = layout.segments[number].group;
        const std::uint32_t* starts = layout.cell_starts.data() + layout.segments[number].first_cell;
        const AnyLaw<S>& law = model_.laws[group];
        const PieceStep<D, S> piece_step = {record.dt, record.actuations[group], S(record.shear_viscosities[group]),
                                            record.own_moduli ? record.own_moduli->of(group) : nullptr};
        for (std::uint32_t i = starts[0]; i < starts[block_nodes<D>]; ++i) {
          const Point<D, S>& p = r.points[i];
          PointBar<D, S>& bar = bars_[i];
          const Vector<S, D> y = place_in_arena(p, block, inv_h), v = vector_of<D>(flows[i].v);
          const Matrix<S, D> C = matrix_of<D>(flows[i].C);
          const PointMomentum<D, S> momentum = {p.mass, p.mass * v, p.mass * C,
                                                stress_impulse_of(law, piece_step, p, C)};
          const MomentumBar<D, S> back = scatter_point_back<K, X, D>(arenas.values, y.a, h_, momentum);
          bar.mass += back.by.mass + dot(back.by.momentum, v) + inner(back.by.affine, C);
          for (int d = 0; d < D; ++d) {
            bar.x[d] += inv_h * back.y[d];
            bar.v[d] = p.mass * back.by.momentum[d];
          }
          for (int k = 0; k < D * D; ++k) bar.C[k] = p.mass * back.by.affine.a[k];
          stress_impulse_back(law, piece_step, p, C, back.by.impulse, bar, segments_[number]);
        }
      }
    });
  });
  for (std::size_t s = 0; s < segments_.size(); ++s) step.pieces[layout.segments[s].group].add(segments_[s]);
}

template <int D, class S>
void StepBack<D, S>::check_finite(const Record& r, std::size_t substep) const {
  for (std::size_t i = 0; i < bars_.size(); ++i)
    if (const char* what = first_not_finite(bars_[i]))
      fail(ErrorCode::not_finite,
           "the derivative by the {} of particle {} in substep {} is not finite: gradients have grown beyond all "
           "bounds; take fewer steps back (last=), or a smoother loss",
           what, r.points[i].id, substep + 1);
}

template class StepBack<2, float>;
template class StepBack<2, double>;
template class StepBack<3, float>;
template class StepBack<3, double>;

}  // namespace pliant::gradient

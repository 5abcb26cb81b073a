#include "gradient/sweep_back.h"

#include "core/error.h"
#include "gradient/batch_back.h"
#include "gradient/scatter_packs_back.h"

#include <array>
#include <bit>
#include <cmath>

namespace pliant::gradient {
namespace {

constexpr std::size_t piece = 2048;  // particles

// ids jump about in memory: asks for what a particle a little later will need
template <int D, class S>
inline void ask_for(const Buffer<PointBar<D, S>>& bars, const Buffer<Point<D, S>>& points, std::size_t i) {
  constexpr std::size_t ahead = 16, line = 64;
  if (i + ahead >= points.size()) return;
  const char* bar = reinterpret_cast<const char*>(&bars[std::size_t(points[i + ahead].id)]);
  for (std::size_t at = 0; at < sizeof(PointBar<D, S>); at += line) __builtin_prefetch(bar + at);
}

// the place in the arena of a cell of the block
template <int D>
constexpr auto arena_indices = [] {
  std::array<int, block_nodes<D>> indices = {};
  for (int cell = 0; cell < block_nodes<D>; ++cell)
    for (int d = 0; d < D; ++d)
      indices[std::size_t(cell)] =
          indices[std::size_t(cell)] * arena_side + (cell >> (2 * (D - 1 - d)) & 3) + arena_margin;
  return indices;
}();

}  // namespace

template <class S>
bool goes_in_packs(const Model<S>& model) {
  if (model.scene.step.kernel != Kernel::quadratic || model.scene.step.transfer != Transfer::mls) return false;
  for (const AnyLaw<S>& law : model.laws)
    if (!std::visit([]<class L>(const L&) { return in_packs<L>; }, law)) return false;
  return true;
}

template <int D, class S>
struct SweepBack<D, S>::Scratch {
  using P = Broad<S>;
  BatchBack<D, S> batch;
  PackReach<D, S, P> reach;
  WideWeights<S> wide;
  // rows of four nodes are read, of which the last may be one too many
  alignas(64) Node<S> velocities[arena_nodes<D> + 4] = {};
  alignas(64) Node<S> node_bars[arena_nodes<D> + 4] = {};
  alignas(64) Node<S> sums[arena_nodes<D>] = {};  // zero between blocks
  PackStep<D, S> step;
  PackBounds<D, S> before{0}, after{0};
  PieceLanes<D, P> lanes;
  bool bad = false;
  int cells[Batch<D, S>::capacity], ends[Batch<D, S>::capacity], runs = 0;

  void add_run(int cell, int end) {
    const P index = S(arena_indices<D>[std::size_t(cell)]);
    for (int i = runs > 0 ? ends[runs - 1] : 0; i < end; i += P::lanes) {
      index.store(batch.at.home + i);
      index.store(batch.to.home + i);
    }
    cells[runs] = cell;
    ends[runs++] = end;
  }
  // what all particles of the batch take of the nodes of an arena
  template <bool with_mass>
  void take_field(const Node<S>* arena, const PackRows<D, S>& places, FieldRows<D, S>& field) {
    std::uint32_t left = strays(places, batch.now.count);
    for (int run = 0, i = 0; run < runs; i = ends[run++]) {
      const int first = arena_indices<D>[std::size_t(cells[run])];
      const CellPolynomial<D, S> cell(arena + first);
      // two cells that go into one pack; whoever has changed from one to the other is in its cell again
      if (run + 1 < runs && ends[run + 1] - i <= P::lanes) {
        const int second = arena_indices<D>[std::size_t(cells[++run])];
        const CellPolynomial<D, S> next(arena + second);
        const P at = P::load(places.index + i);
        const Truth<P> in_first = at == P(S(first)), in_second = at == P(S(second));
        const OfTwoCells<P> both = {cell.first(), next.first(), in_first};
        field_pack<with_mass>(both, places, field, i);
        left &= ~(bits_of(in_first | in_second) << i) | ~std::uint32_t(0) << (ends[run] - 1) << 1;
        continue;
      }
      for (; i < ends[run]; i += P::lanes) field_pack<with_mass>(OfCell<P>{cell.first()}, places, field, i);
    }
    // a pack writes past the end of its cell: the strays only now
    for (; left != 0; left &= left - 1) field_stray<with_mass>(arena, places, field, std::countr_zero(left));
  }
};

template <int D, class S>
struct SweepBack<D, S>::Job {
  const StepRecord<D, S>& record;
  const Record& before;    // of the gather; where there is none, of the scatter
  bool scatters, gathers;  // which of the two it goes back through

  const Layout<D, S>& layout() const { return *before.layout; }
};

template <int D, class S>
SweepBack<D, S>::SweepBack(const Model<S>& model, Workers& workers)
    : model_(model), workers_(workers), h_(S(model.scene.step.cell)), node_bars_(1), sums_(1) {
  for (int t = 0; t < workers.threads(); ++t) scratch_.push_back(std::make_unique<Scratch>());
}

template <int D, class S>
SweepBack<D, S>::~SweepBack() = default;

template <int D, class S>
std::size_t SweepBack<D, S>::bytes() const {
  return node_bars_.bytes() + sums_.bytes() + bars_.bytes() + spare_.bytes() + flow_bars_.bytes() +
         scratch_.size() * sizeof(Scratch);
}

template <int D, class S>
void SweepBack<D, S>::go_back(const StepRecord<D, S>& record, Buffer<PointBar<D, S>>& bars, StepBar<D>& step) {
  const auto& substeps = record.substeps;
  take_from(bars, substeps.back());
  Vector<S, D> gravity;
  for (int d = 0; d < D; ++d) gravity[d] = S(model_.scene.step.gravity[std::size_t(d)]);
  run({record, substeps.back(), false, true});
  for (std::size_t k = substeps.size(); k-- > 0;) {
    // the nodes of substep k
    const Record& r = substeps[k];
    sums_.sum(*r.layout, workers_);
    grid_back_.go_back(r, record.dt, gravity, sums_, step, workers_);
    std::swap(node_bars_, sums_);
    // the particles that gave to them, and took from those of substep k - 1
    const Record& before = substeps[k > 0 ? k - 1 : 0];
    if (before.layout != r.layout) reorder(before, r);
    run({record, before, true, k > 0});
    for (std::size_t s = 0; s < segments_.size(); ++s) step.pieces[before.layout->segments[s].group].add(segments_[s]);
    for (const char bad : bad_)
      if (bad) check_finite(before, k);
  }
  give_to(bars, substeps.front());
}

// from the order of ids to that of a record
template <int D, class S>
void SweepBack<D, S>::take_from(const Buffer<PointBar<D, S>>& bars, const Record& r) {
  const std::size_t count = bars.size();
  for (Buffer<Bar>* b : {&bars_, &spare_}) b->resize(count);
  flow_bars_.resize(count);
  workers_.for_each((count + piece - 1) / piece, 1, [&](std::size_t k) {
    for (std::size_t i = k * piece; i < std::min(count, (k + 1) * piece); ++i) {
      ask_for(bars, r.points, i);
      const PointBar<D, S>& from = bars[std::size_t(r.points[i].id)];
      Bar& to = bars_[i];
      std::copy_n(from.x, D, to.x);
      std::copy_n(from.F, D * D, to.F);
      to.mass = from.mass;
      to.plastic = from.law[0];
      to.volume = from.law[1];
      to.id = 0;
      std::copy_n(from.v, D, flow_bars_[i].v);
      std::copy_n(from.C, D * D, flow_bars_[i].C);
    }
  });
}

template <int D, class S>
void SweepBack<D, S>::give_to(Buffer<PointBar<D, S>>& bars, const Record& r) const {
  const std::size_t count = bars.size();
  workers_.for_each((count + piece - 1) / piece, 1, [&](std::size_t k) {
    for (std::size_t i = k * piece; i < std::min(count, (k + 1) * piece); ++i) {
      ask_for(bars, r.points, i);
      PointBar<D, S>& to = bars[std::size_t(r.points[i].id)];
      const Bar& from = bars_[i];
      std::copy_n(from.x, D, to.x);
      std::copy_n(from.F, D * D, to.F);
      to.mass = from.mass;
      to.law[0] = from.plastic;
      to.law[1] = from.volume;
      std::copy_n(flow_bars_[i].v, D, to.v);
      std::copy_n(flow_bars_[i].C, D * D, to.C);
    }
  });
}

// particles were sorted between the two: derivatives by nodes and particles go back into the order of before
template <int D, class S>
void SweepBack<D, S>::reorder(const Record& before, const Record& r) {
  node_bars_.refit(*r.layout, *before.layout, workers_);
  const std::size_t count = bars_.size();
  const Buffer<std::uint32_t>& places = r.layout->places();
  workers_.for_each((count + piece - 1) / piece, 1, [&](std::size_t k) {
    for (std::size_t i = k * piece; i < std::min(count, (k + 1) * piece); ++i) spare_[i] = bars_[places[i]];
  });
  bars_.swap(spare_);
}

template <int D, class S>
void SweepBack<D, S>::run(const Job& job) {
  if (job.gathers) sums_.fit(job.layout());
  segments_.assign(job.layout().segments.size(), {});
  bad_.assign(job.layout().blocks.size(), 0);
  workers_.for_each(job.layout().blocks.size(), 1,
                    [&](std::size_t b) { run_block(job, b, *scratch_[std::size_t(Workers::index())]); });
}

template <int D, class S>
void SweepBack<D, S>::run_block(const Job& job, std::size_t b, Scratch& s) {
  const Layout<D, S>& layout = job.layout();
  const Block<D>& block = layout.blocks[b];
  // without a gather, nothing has moved since the particles were where they are
  s.step = {job.gathers ? job.record.dt : S(0), h_, 1 / h_, {}};
  for (int d = 0; d < D; ++d) s.step.origin[d] = S(block.coord[d] * block_side - arena_margin);
  s.reach.clear();
  s.bad = false;
  if (job.gathers) {
    s.before = PackBounds<D, S>(job.before.overhangs[b]);
    fill_arena<D>(block, job.before.overhangs[b], 1, job.before.nodes.data(), s.velocities);
  }
  if (job.scatters) {
    s.after = PackBounds<D, S>(node_bars_.overhang(b));
    node_bars_.fill(layout, b, s.node_bars);
  }
  for (std::uint32_t k = block.segment_begin; k < block.segment_end; ++k) run_segment(job, layout.block_segments[k], s);
  if (job.gathers) sums_.take(b, s.reach.overhang(), s.sums);
  if (s.bad) std::fill(std::begin(s.sums), std::end(s.sums), Node<S>{});
  bad_[b] = s.bad;
}

// whole cells to a batch while they fit, as in grid/sweep.cpp
template <int D, class S>
void SweepBack<D, S>::run_segment(const Job& job, std::uint32_t segment, Scratch& s) {
  const std::uint32_t* starts = job.layout().cell_starts.data() + job.layout().segments[segment].first_cell;
  int cell = 0;
  std::uint32_t first = starts[0];
  s.lanes.clear();
  while (first < starts[block_nodes<D>]) {
    s.runs = 0;
    std::uint32_t end = first;
    for (; cell < block_nodes<D>; ++cell) {
      const std::uint32_t cell_end = starts[cell + 1], room = first + Batch<D, S>::capacity;
      if (cell_end == end) continue;
      if (cell_end > room && end > first) break;
      end = std::min(cell_end, room);
      s.add_run(cell, int(end - first));
      if (cell_end > room) break;
    }
    run_batch(job, segment, first, int(end - first), s);
    first = end;
  }
  s.lanes.add_to(segments_[segment]);
}

template <int D, class S>
void SweepBack<D, S>::run_batch(const Job& job, std::uint32_t segment, std::uint32_t first, int count, Scratch& s) {
  // what the next batches will ask for is far away, the record most of all
  const Point<D, S>* points = job.before.points.data() + first;
  for (int i = 0; i < count; ++i) {
    __builtin_prefetch(points + i + 192);
    __builtin_prefetch(bars_.data() + first + i + 96);
  }
  BatchBack<D, S>& b = s.batch;
  b.now.load(points, count);
  b.bars.load(bars_.data() + first, count);
  b.fill_up();
  b.flow_bars.count = count;
  if (job.gathers) {
    gather(s);
  } else {
    b.now.load(job.record.velocities.data() + first);
    b.fill_up(b.now);
  }
  if (job.scatters) {
    scatter_back(job, segment, s);
  } else {
    b.flow_bars.load(flow_bars_.data() + first);
    b.fill_up(b.flow_bars);
  }
  if (job.gathers)
    gather_back(s);
  else
    b.flow_bars.store(flow_bars_.data() + first);
  s.bad = s.bad || !is_finite(b);
  b.bars.store(bars_.data() + first);
}

// the flow that particles took
template <int D, class S>
void SweepBack<D, S>::gather(Scratch& s) {
  place_before(s.batch, s.step, s.before, s.reach);
  s.template take_field<false>(s.velocities, s.batch.at, s.batch.flow);
  take_flow(s.batch, s.step);
}

// momenta of the nodes, back to the particles: leaves derivatives by v and C in `flow_bars`
template <int D, class S>
void SweepBack<D, S>::scatter_back(const Job& job, std::uint32_t segment, Scratch& s) {
  place_after(s.batch, s.step, s.after);
  s.template take_field<true>(s.node_bars, s.batch.to, s.batch.pull);
  const std::uint32_t group = job.layout().segments[segment].group;
  const PieceOfBatch<D, S> piece = {job.record.dt, h_, job.record.actuations[group],
                                    S(job.record.shear_viscosities[group]),
                                    job.record.own_moduli ? job.record.own_moduli->of(group) : nullptr};
  std::visit(
      [&]<class L>(const L& law) {
        if constexpr (in_packs<L>) scatter_rows_back(law, piece, s.step, s.batch, s.lanes);
      },
      model_.laws[group]);
}

// the flow that particles took, back to the nodes
template <int D, class S>
void SweepBack<D, S>::gather_back(Scratch& s) {
  BatchBack<D, S>& b = s.batch;
  for (int i = 0; i < b.now.count; i += Broad<S>::lanes) flow_rows_back(b, s.step, i);
  for (std::uint32_t m = strays(b.at, b.now.count); m != 0; m &= m - 1)
    scatter_stray(s.sums, b.at, std::countr_zero(m));
  for (int run = s.runs - 1; run >= 0; --run) {
    Node<S>* node = s.sums + arena_indices<D>[std::size_t(s.cells[run])];
    const int first = run > 0 ? s.ends[run - 1] : 0, last = s.ends[run];
    if constexpr (D == 2)
      scatter_cell(node, b.at, first, last);
    else if constexpr (Broad<S>::lanes == 16)
      scatter_cell_back(node, b.at, first, last);
    else
      scatter_cell(node, b.at, s.wide, first, last);
  }
}

template <int D, class S>
void SweepBack<D, S>::check_finite(const Record& r, std::size_t substep) const {
  for (std::size_t i = 0; i < bars_.size(); ++i)
    for (int d = 0; d < D; ++d)
      if (!(std::fabs(bars_[i].x[d]) < huge<S>))
        fail(ErrorCode::not_finite,
             "the derivative by the position of particle {} in substep {} is not finite: gradients have grown beyond "
             "all bounds; take fewer steps back (last=), or a smoother loss",
             r.points[i].id, substep + 1);
}

template class SweepBack<2, float>;
template class SweepBack<2, double>;
template class SweepBack<3, float>;
template class SweepBack<3, double>;
template bool goes_in_packs(const Model<float>&);
template bool goes_in_packs(const Model<double>&);

}  // namespace pliant::gradient

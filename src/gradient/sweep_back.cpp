#include "gradient/sweep_back.h"

#include "core/error.h"
#include "gradient/laws_packs_back.h"
#include "gradient/slope_packs.h"

#include <array>
#include <bit>
#include <cmath>

namespace pliant::gradient {
namespace {

constexpr std::size_t piece = 2048;  // particles

// numbers beyond this are on their way to infinity
template <class S>
constexpr S huge = std::numeric_limits<S>::max() / 16;

// the place in the arena of a cell of the block
constexpr auto arena_indices = [] {
  std::array<int, block_nodes<3>> indices = {};
  for (int cell = 0; cell < block_nodes<3>; ++cell)
    for (int d = 0; d < 3; ++d)
      indices[std::size_t(cell)] = indices[std::size_t(cell)] * arena_side + (cell >> (2 * (2 - d)) & 3) + arena_margin;
  return indices;
}();

template <class P>
Matrix<P, 3> shear_of(const Matrix<P, 3>& A) {
  return add_diagonal(symmetric_part(A), trace(A) * P(Scalar<P>(-1) / Scalar<P>(3)));
}

template <class P>
double lane_sum(const P& x) {
  double sum = 0;
  for (int l = 0; l < P::lanes; ++l) sum += double(x[l]);
  return sum;
}

// lanes from row i on that are particles, of `count`
template <class P>
Truth<P> counting(int i, int count) {
  P lane;
  for (int l = 0; l < P::lanes; ++l) lane.set(l, Scalar<P>(l));
  return lane < P(Scalar<P>(count - i));
}

}  // namespace

template <int D, class S>
bool goes_in_packs(const Model<S>& model) {
  if (D != 3 || model.scene.step.kernel != Kernel::quadratic || model.scene.step.transfer != Transfer::mls)
    return false;
  for (const AnyLaw<S>& law : model.laws)
    if (!std::visit([]<class L>(const L&) { return in_packs<L>; }, law)) return false;
  return true;
}

template <class S>
struct SweepBack<S>::Scratch {
  using P = Wide<S>;
  static constexpr int stride = Batch<3, S>::stride;
  Batch<3, S> now, next;  // particles when the substep before began, with their flow after it; when this one began
  Batch<3, S> bars, flow_bars;
  PackRows<3, S> at, to;  // places of the two
  PackReach<3, S> reach;
  WideWeights<S> wide;
  SlopeRows<S> slopes;
  alignas(64) S mass_bar[stride];
  alignas(64) Node<S> velocities[arena_nodes<3>];
  alignas(64) Node<S> node_bars[arena_nodes<3>];
  alignas(64) Node<S> sums[arena_nodes<3>] = {};  // zero between blocks
  PackStep<3, S> step;
  bool bad = false;
  int cells[Batch<3, S>::capacity], ends[Batch<3, S>::capacity], runs = 0;

  void add_run(int cell, int end) {
    const P index = S(arena_indices[std::size_t(cell)]);
    for (int i = runs > 0 ? ends[runs - 1] : 0; i < end; i += P::lanes) {
      index.store(at.home + i);
      index.store(to.home + i);
    }
    cells[runs] = cell;
    ends[runs++] = end;
  }
  // f(node of the cell, row of a pack)
  template <class F>
  void for_packs(const F& f) {
    for (int run = 0, i = 0; run < runs; i = ends[run++])
      for (; i < ends[run]; i += P::lanes) f(arena_indices[std::size_t(cells[run])], i);
  }
  template <class F>
  void for_strays(const PackRows<3, S>& rows, const F& f) {
    for (std::uint32_t m = strays(rows, now.count); m != 0; m &= m - 1) f(std::countr_zero(m));
  }
};

template <class S>
struct SweepBack<S>::Job {
  Pass pass;
  const StepRecord<3, S>& record;
  const Layout<3, S>& layout;
  const Point<3, S>* now = nullptr;               // particles of the gather
  const Point<3, S>* next = nullptr;              // of the scatter, where there is no gather before it
  const ParticleVelocity<3, S>* flows = nullptr;  // and their flow

  bool gathers() const { return pass != Pass::scatter; }
  bool scatters() const { return pass == Pass::scatter || pass == Pass::scatter_gather; }
};

template <class S>
SweepBack<S>::SweepBack(const Model<S>& model, Workers& workers)
    : model_(model), workers_(workers), h_(S(model.scene.step.cell)), velocities_(1), node_bars_(1), sums_(1) {
  for (int t = 0; t < workers.threads(); ++t) scratch_.push_back(std::make_unique<Scratch>());
}

template <class S>
SweepBack<S>::~SweepBack() = default;

template <class S>
std::size_t SweepBack<S>::bytes() const {
  return velocities_.bytes() + node_bars_.bytes() + sums_.bytes() + bars_.bytes() + spare_.bytes() + flows_.bytes() +
         flow_bars_.bytes() + spare_flows_.bytes() + place_.bytes() + scratch_.size() * sizeof(Scratch);
}

template <class S>
void SweepBack<S>::go_back(const StepRecord<3, S>& record, Buffer<PointBar<3, S>>& bars, StepBar<3>& step) {
  const auto& substeps = record.substeps;
  take_from(bars, substeps.back());
  Vector<S, 3> gravity;
  for (int d = 0; d < 3; ++d) gravity[d] = S(model_.scene.step.gravity[std::size_t(d)]);
  grid_back_.load(substeps.back(), velocities_, workers_);
  run({Pass::gather, record, *substeps.back().layout, substeps.back().points.data()});
  for (std::size_t k = substeps.size(); k-- > 0;) {
    // the nodes of substep k
    const Record& r = substeps[k];
    sums_.sum(*r.layout, workers_);
    grid_back_.go_back(r, record.dt, gravity, sums_, step, workers_);
    std::swap(node_bars_, sums_);
    segments_.assign(r.layout->segments.size(), {});
    // the particles that gave to them, and took from those of substep k - 1
    if (k > 0) grid_back_.load(substeps[k - 1], velocities_, workers_);
    if (k == 0) {
      run({Pass::scatter, record, *r.layout, nullptr, r.points.data(), record.velocities.data()});
    } else if (const Record& before = substeps[k - 1]; before.layout == r.layout) {
      run({Pass::scatter_gather, record, *r.layout, before.points.data()});
    } else {
      run({Pass::gather_again, record, *before.layout, before.points.data()});
      reorder(before, r);
      flows_.swap(spare_flows_);
      run({Pass::scatter, record, *r.layout, nullptr, r.points.data(), flows_.data()});
    }
    for (std::size_t s = 0; s < segments_.size(); ++s) step.pieces[r.layout->segments[s].group].add(segments_[s]);
    for (const char bad : bad_)
      if (bad) check_finite(r, k);
    if (k == 0 || substeps[k - 1].layout == r.layout) continue;
    reorder(r, substeps[k - 1]);
    bars_.swap(spare_);
    flow_bars_.swap(spare_flows_);
    run({Pass::gather, record, *substeps[k - 1].layout, substeps[k - 1].points.data()});
  }
  give_to(bars, substeps.front());
}

// from the order of ids to that of a record
template <class S>
void SweepBack<S>::take_from(const Buffer<PointBar<3, S>>& bars, const Record& r) {
  const std::size_t count = bars.size();
  for (Buffer<Bar>* b : {&bars_, &spare_}) b->resize(count);
  for (auto* b : {&flows_, &flow_bars_, &spare_flows_}) b->resize(count);
  place_.resize(count);
  workers_.for_each((count + piece - 1) / piece, 1, [&](std::size_t k) {
    for (std::size_t i = k * piece; i < std::min(count, (k + 1) * piece); ++i) {
      const PointBar<3, S>& from = bars[std::size_t(r.points[i].id)];
      Bar& to = bars_[i];
      std::copy_n(from.x, 3, to.x);
      std::copy_n(from.F, 9, to.F);
      to.mass = from.mass;
      to.plastic = from.law[0];
      to.volume = from.law[1];
      to.id = 0;
      std::copy_n(from.v, 3, flow_bars_[i].v);
      std::copy_n(from.C, 9, flow_bars_[i].C);
    }
  });
}

template <class S>
void SweepBack<S>::give_to(Buffer<PointBar<3, S>>& bars, const Record& r) const {
  const std::size_t count = bars.size();
  workers_.for_each((count + piece - 1) / piece, 1, [&](std::size_t k) {
    for (std::size_t i = k * piece; i < std::min(count, (k + 1) * piece); ++i) {
      PointBar<3, S>& to = bars[std::size_t(r.points[i].id)];
      const Bar& from = bars_[i];
      std::copy_n(from.x, 3, to.x);
      std::copy_n(from.F, 9, to.F);
      to.mass = from.mass;
      to.law[0] = from.plastic;
      to.law[1] = from.volume;
      std::copy_n(flow_bars_[i].v, 3, to.v);
      std::copy_n(flow_bars_[i].C, 9, to.C);
    }
  });
}

// `spare_` and `spare_flows_` get bars and their flow's, or after gather_again the flows, in the order of `to`
template <class S>
void SweepBack<S>::reorder(const Record& from, const Record& to) {
  const bool flows_only = &from < &to;
  const std::size_t count = from.points.size();
  const auto& flows = flows_only ? flows_ : flow_bars_;
  for (std::size_t i = 0; i < count; ++i) place_[std::size_t(from.points[i].id)] = std::uint32_t(i);
  workers_.for_each((count + piece - 1) / piece, 1, [&](std::size_t k) {
    for (std::size_t i = k * piece; i < std::min(count, (k + 1) * piece); ++i) {
      const std::size_t p = place_[std::size_t(to.points[i].id)];
      spare_flows_[i] = flows[p];
      if (!flows_only) spare_[i] = bars_[p];
    }
  });
}

template <class S>
void SweepBack<S>::run(const Job& job) {
  if (job.gathers() && job.pass != Pass::gather_again) sums_.fit(job.layout);
  bad_.assign(job.layout.blocks.size(), 0);
  workers_.for_each(job.layout.blocks.size(), 1,
                    [&](std::size_t b) { run_block(job, b, *scratch_[std::size_t(Workers::index())]); });
}

// whole cells to a batch while they fit, as in grid/sweep.cpp
template <class S>
void SweepBack<S>::run_block(const Job& job, std::size_t b, Scratch& s) {
  const Block<3>& block = job.layout.blocks[b];
  s.step = {job.record.dt, h_, 1 / h_, {}};
  for (int d = 0; d < 3; ++d) s.step.origin[d] = S(block.coord[d] * block_side - arena_margin);
  s.reach.clear();
  s.bad = false;
  if (job.gathers()) velocities_.fill(job.layout, b, s.velocities);
  if (job.scatters()) node_bars_.fill(job.layout, b, s.node_bars);
  for (std::uint32_t k = block.segment_begin; k < block.segment_end; ++k) {
    const std::uint32_t segment = job.layout.block_segments[k];
    const std::uint32_t* starts = job.layout.cell_starts.data() + job.layout.segments[segment].first_cell;
    int cell = 0;
    std::uint32_t first = starts[0];
    while (first < starts[block_nodes<3>]) {
      s.runs = 0;
      std::uint32_t end = first;
      for (; cell < block_nodes<3>; ++cell) {
        const std::uint32_t cell_end = starts[cell + 1], room = first + Batch<3, S>::capacity;
        if (cell_end == end) continue;
        if (cell_end > room && end > first) break;
        end = std::min(cell_end, room);
        s.add_run(cell, int(end - first));
        if (cell_end > room) break;
      }
      run_batch(job, segment, first, int(end - first), s);
      first = end;
    }
  }
  if (job.gathers() && job.pass != Pass::gather_again) sums_.take(b, s.reach.overhang(), s.sums);
  if (s.bad) std::fill(std::begin(s.sums), std::end(s.sums), Node<S>{});
  bad_[b] = s.bad;
}

template <class S>
void SweepBack<S>::run_batch(const Job& job, std::uint32_t segment, std::uint32_t first, int count, Scratch& s) {
  // what the next batch will ask for is far away
  for (std::uint32_t i = first + std::uint32_t(count); i < first + 2 * std::uint32_t(count); ++i) {
    if (job.gathers()) __builtin_prefetch(job.now + i);
    __builtin_prefetch(bars_.data() + i);
  }
  if (job.gathers()) gather(job, first, count, s);
  if (job.pass == Pass::gather_again) return s.now.store(flows_.data() + first);
  s.bars.load(bars_.data() + first, count);
  s.flow_bars.count = count;
  if (job.scatters())
    scatter_back(job, segment, first, count, s);
  else
    s.flow_bars.load(flow_bars_.data() + first);
  if (job.gathers())
    gather_back(job, s);
  else
    s.flow_bars.store(flow_bars_.data() + first);
  s.bars.store(bars_.data() + first);
}

// particles where the gather was, and the flow that they took
template <class S>
void SweepBack<S>::gather(const Job& job, std::uint32_t first, int count, Scratch& s) {
  s.now.load(job.now + first, count);
  locate_all(s.now, s.at, s.step, &s.reach);
  s.for_packs([&](int index, int i) { gather_pack(s.velocities + index, s.now, s.at, i); });
  s.for_strays(s.at, [&](int i) { gather_stray(s.velocities, s.now, s.at, i); });
  moments_to_affine(s.now, s.at, s.step);
}

// particles after the flow: x + dt v, (1 + dt C) F
template <class S>
void SweepBack<S>::move(Scratch& s) {
  using P = Wide<S>;
  const P dt = s.step.dt;
  s.next.count = s.now.count;
  for (int i = 0; i < s.now.count; i += P::lanes) {
    for (int d = 0; d < 3; ++d) (P::load(s.now.x(d) + i) + dt * P::load(s.now.v[d] + i)).store(s.next.x(d) + i);
    const Matrix<P, 3> F = load_matrix<3>(s.now.word + 3, i);
    store_matrix<3>(F + dt * (load_matrix<3>(s.now.affine, i) * F), s.next.word + 3, i);
    P::load(s.now.mass() + i).store(s.next.mass() + i);
    P::load(s.now.volume() + i).store(s.next.volume() + i);
  }
}

// momenta of the nodes, back to the particles: leaves derivatives by v and C in `flow_bars`
template <class S>
void SweepBack<S>::scatter_back(const Job& job, std::uint32_t segment, std::uint32_t first, int count, Scratch& s) {
  using P = Wide<S>;
  if (job.gathers()) {
    move(s);
  } else {
    s.next.load(job.next + first, count);
    s.now.count = count;
    s.now.load(job.flows + first);
  }
  locate_all(s.next, s.to, s.step, nullptr);
  s.for_packs([&](int index, int i) {
    gather_pack(s.node_bars + index, s.flow_bars, s.to, i);
    gather_mass_pack(s.node_bars + index, s.to, s.mass_bar, i);
  });
  s.for_strays(s.to, [&](int i) {
    gather_stray(s.node_bars, s.flow_bars, s.to, i);
    gather_mass_stray(s.node_bars, s.to, s.mass_bar, i);
  });
  std::visit(
      [&]<class L>(const L& law) {
        if constexpr (in_packs<L>) stress_back_of(law, job, segment, s);
      },
      model_.laws[job.layout.segments[segment].group]);
  s.for_packs([&](int index, int i) { slope_pack<true>(s.node_bars + index, s.to, s.next.mass(), s.slopes, i); });
  s.for_strays(s.to, [&](int i) { slope_stray<true>(s.node_bars, s.to, s.next.mass(), s.slopes, i); });
  const P inv_h = s.step.inv_h, dt = job.gathers() ? s.step.dt : S(0);
  for (int i = 0; i < count; i += P::lanes) {
    const P mass = P::load(s.next.mass() + i);
#pragma GCC unroll 3
    for (int d = 0; d < 3; ++d) {
      P by_y = P::load(s.slopes.slope[d] + i);
#pragma GCC unroll 3
      for (int c = 0; c < 3; ++c) by_y = by_y - P::load(s.slopes.M[3 * c + d] + i) * P::load(s.flow_bars.v[c] + i);
      (P::load(s.bars.x(d) + i) + inv_h * by_y).store(s.bars.x(d) + i);
    }
#pragma GCC unroll 3
    for (int d = 0; d < 3; ++d)
      (mass * P::load(s.flow_bars.v[d] + i) + dt * P::load(s.bars.x(d) + i)).store(s.flow_bars.v[d] + i);
  }
}

// What a particle gave is w (m v + A d), A = m h C - (4/h) dt V tau, and w m: leaves A and m v - A f for slopes, and takes
// the derivative by A to F, C, mass and law.
template <class S>
template <class L>
void SweepBack<S>::stress_back_of(const L& law, const Job& job, std::uint32_t segment, Scratch& s) {
  using P = Wide<S>;
  const std::uint32_t group = job.layout.segments[segment].group;
  const P h = h_, shear = S(job.record.shear_viscosities[group]);
  const bool viscous = job.record.shear_viscosities[group] > 0;
  Matrix<P, 3> a;
  for (int k = 0; k < 9; ++k) a.a[k] = job.record.actuations[group].a[k];
  const bool actuated = inner(job.record.actuations[group], job.record.actuations[group]) > 0;
  P shear_sum = 0;
  Matrix<P, 3> actuation_sum = Matrix<P, 3>::zero();
  for (int i = 0; i < s.next.count; i += P::lanes) {
    const Truth<P> counts = counting<P>(i, s.next.count);
    const P m = P::load(s.next.mass() + i), scale = P(-4 * s.step.inv_h * s.step.dt) * P::load(s.next.volume() + i);
    const Matrix<P, 3> F = load_matrix<3>(s.next.word + 3, i), C = load_matrix<3>(s.now.affine, i);
    Matrix<P, 3> A_bar;
    P by_mass = P::load(s.mass_bar + i);
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) {
      const P u = P::load(s.flow_bars.v[c] + i);
      by_mass = by_mass + u * P::load(s.now.v[c] + i);
#pragma GCC unroll 3
      for (int d = 0; d < 3; ++d) A_bar(c, d) = P::load(s.to.moment[3 * c + d] + i) - P::load(s.to.f[d] + i) * u;
    }
    by_mass = by_mass + h * inner(C, A_bar);
    (P::load(s.bars.mass() + i) + by_mass).store(s.bars.mass() + i);
    const Matrix<P, 3> X = scale * (L::tells_turns ? symmetric_part(A_bar) : A_bar);
    PackStressBack<P> back = stress_back(law, F, X);
    (P::load(s.bars.plastic() + i) + back.mu).store(s.bars.plastic() + i);
    (P::load(s.bars.volume() + i) + back.lambda).store(s.bars.volume() + i);
    Matrix<P, 3> C_bar = (m * h) * A_bar;
    const Matrix<P, 3> XF = X * F;
    actuation_sum += select(counts, transpose(F) * XF, Matrix<P, 3>::zero());
    if (actuated) {
      back.tau += F * a * transpose(F);
      back.F += (X + transpose(X)) * F * a;
    }
    if (viscous) {
      back.tau += (P(2) * shear) * shear_of(C);
      C_bar += (P(2) * shear) * shear_of(X);
      shear_sum += select(counts, P(2) * inner(X, shear_of(C)), P(0));
    }
    store_matrix<3>(C_bar, s.flow_bars.affine, i);
    store_matrix<3>(load_matrix<3>(s.bars.word + 3, i) + back.F, s.bars.word + 3, i);
    const Matrix<P, 3> A = (m * h) * C + scale * back.tau;
    store_matrix<3>(A, s.slopes.M, i);
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) {
      P q = m * P::load(s.now.v[c] + i);
#pragma GCC unroll 3
      for (int d = 0; d < 3; ++d) q = q - A(c, d) * P::load(s.to.f[d] + i);
      q.store(s.slopes.q[c] + i);
    }
  }
  for (int k = 0; k < 9; ++k) segments_[segment].actuation.a[k] += lane_sum(actuation_sum.a[k]);
  segments_[segment].shear_viscosity += lane_sum(shear_sum);
}

// the flow that particles took, back to the nodes: x += dt v, F <- (1 + dt C) F
template <class S>
void SweepBack<S>::gather_back(const Job& job, Scratch& s) {
  using P = Wide<S>;
  const P dt = s.step.dt, scale = 4 * s.step.inv_h, inv_h = s.step.inv_h;
  const bool ends = job.pass == Pass::gather;  // nobody has added the motion yet
  Truth<P> good = P(0) < P(1);
  for (int i = 0; i < s.now.count; i += P::lanes) {
    const Matrix<P, 3> F = load_matrix<3>(s.now.word + 3, i), C = load_matrix<3>(s.now.affine, i),
                       F_bar = load_matrix<3>(s.bars.word + 3, i);
    const Matrix<P, 3> B = scale * (load_matrix<3>(s.flow_bars.affine, i) + dt * (F_bar * transpose(F)));
    store_matrix<3>(F_bar + dt * (transpose(C) * F_bar), s.bars.word + 3, i);
    store_matrix<3>(B, s.slopes.M, i);
    P q[3];
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) {
      q[c] = P::load(s.flow_bars.v[c] + i);
      if (ends) q[c] = q[c] + dt * P::load(s.bars.x(c) + i);
#pragma GCC unroll 3
      for (int d = 0; d < 3; ++d) q[c] = q[c] - B(c, d) * P::load(s.at.f[d] + i);
      q[c].store(s.slopes.q[c] + i);
    }
    zip<S>(q[0], q[1], q[2], P(0), s.at.q[0] + i);
    for (int d = 0; d < 3; ++d) zip<S>(B(0, d), B(1, d), B(2, d), P(0), s.at.q[1 + d] + i);
  }
  s.for_packs([&](int index, int i) { slope_pack<false>(s.velocities + index, s.at, nullptr, s.slopes, i); });
  s.for_strays(s.at, [&](int i) { slope_stray<false>(s.velocities, s.at, nullptr, s.slopes, i); });
  for (int i = 0; i < s.now.count; i += P::lanes)
#pragma GCC unroll 3
    for (int d = 0; d < 3; ++d) {
      P by_y = P::load(s.slopes.slope[d] + i);
#pragma GCC unroll 3
      for (int c = 0; c < 3; ++c) by_y = by_y - P::load(s.slopes.M[3 * c + d] + i) * P::load(s.now.v[c] + i);
      const P x = P::load(s.bars.x(d) + i) + inv_h * by_y;
      good = good & (abs(x) < P(huge<S>));
      x.store(s.bars.x(d) + i);
    }
  s.bad = s.bad || !all_of(good);
  s.for_strays(s.at, [&](int i) { scatter_stray(s.sums, s.at, i); });
  for (int run = s.runs - 1; run >= 0; --run)
    scatter_cell(s.sums + arena_indices[std::size_t(s.cells[run])], s.at, s.wide, run > 0 ? s.ends[run - 1] : 0,
                 s.ends[run]);
}

template <class S>
void SweepBack<S>::check_finite(const Record& r, std::size_t substep) const {
  for (std::size_t i = 0; i < bars_.size(); ++i)
    for (int d = 0; d < 3; ++d)
      if (!(std::fabs(bars_[i].x[d]) < huge<S>))
        fail(ErrorCode::not_finite,
             "the derivative by the position of particle {} in substep {} is not finite: gradients have grown beyond "
             "all "
             "bounds; take fewer steps back (last=), or a smoother loss",
             r.points[i].id, substep + 1);
}

template class SweepBack<float>;
template class SweepBack<double>;
template bool goes_in_packs<2>(const Model<float>&);
template bool goes_in_packs<2>(const Model<double>&);
template bool goes_in_packs<3>(const Model<float>&);
template bool goes_in_packs<3>(const Model<double>&);

}  // namespace pliant::gradient

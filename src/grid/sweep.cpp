#include "grid/sweep.h"

#include "grid/apic_packs.h"
#include "grid/mls_packs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>

namespace pliant::grid {
namespace {

constexpr std::size_t timed_every = 32;  // blocks

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// position of row i in cells from the arena's first node
template <int D, class S>
void place_in_arena(Batch<D, S>& batch, const S* origin, S inv_h, int i, S* y) {
  for (int d = 0; d < D; ++d) y[d] = batch.x(d)[i] * inv_h - origin[d];
}

// the place in the arena of a cell of the block
template <int D>
constexpr std::array<int, block_nodes<D>> make_arena_indices() {
  std::array<int, block_nodes<D>> indices = {};
  for (int cell = 0; cell < block_nodes<D>; ++cell)
    for (int d = 0; d < D; ++d) {
      const int digit = cell >> (2 * (D - 1 - d)) & 3;
      indices[cell] = indices[cell] * arena_side + digit + arena_margin;
    }
  return indices;
}
template <int D>
constexpr std::array<int, block_nodes<D>> arena_indices = make_arena_indices<D>();

struct Drift {
  bool stray = false, lost = false;
  unsigned overhang = 0;  // see Grid::take
};

// how far the particle at y is from the cell it was sorted into
template <int D, class S>
Drift drift(const S* y, int cell) {
  Drift r;
  for (int d = D - 1; d >= 0; --d, cell >>= 2) {
    const S base = std::floor(y[d] - S(0.5));
    r.stray = r.stray || base != S((cell & 3) + arena_margin);
    if (base < arena_margin) r.overhang |= 1u << (2 * d);
    if (base >= arena_margin + block_side) r.overhang |= 2u << (2 * d);
    r.lost = r.lost || !(base >= 0 && base <= arena_side - 3);
  }
  return r;
}

template <Kernel K, int D, class S>
PointVelocity<D, S> gather_with(Transfer transfer, const Node<S>* arena, const S* y, S inv_h) {
  switch (transfer) {
    case Transfer::pic: return gather_point<K, Transfer::pic, D>(arena, y, inv_h);
    case Transfer::apic: return gather_point<K, Transfer::apic, D>(arena, y, inv_h);
    case Transfer::mls: break;
  }
  return gather_point<K, Transfer::mls, D>(arena, y, inv_h);
}

template <int D, class S>
PointVelocity<D, S> gather_any(Kernel kernel, Transfer transfer, const Node<S>* arena, const S* y, S inv_h) {
  switch (kernel) {
    case Kernel::linear: return gather_with<Kernel::linear, D>(transfer, arena, y, inv_h);
    case Kernel::compact: return gather_with<Kernel::compact, D>(transfer, arena, y, inv_h);
    case Kernel::quadratic: break;
  }
  return gather_with<Kernel::quadratic, D>(transfer, arena, y, inv_h);
}

template <Kernel K, int D, class S>
void scatter_with(Transfer transfer, Node<S>* arena, const S* y, S h, const PointMomentum<D, S>& p) {
  switch (transfer) {
    case Transfer::pic: return scatter_point<K, Transfer::pic, D>(arena, y, h, p);
    case Transfer::apic: return scatter_point<K, Transfer::apic, D>(arena, y, h, p);
    case Transfer::mls: return scatter_point<K, Transfer::mls, D>(arena, y, h, p);
  }
}

template <int D, class S>
void scatter_any(Kernel kernel, Transfer transfer, Node<S>* arena, const S* y, S h, const PointMomentum<D, S>& p) {
  switch (kernel) {
    case Kernel::linear: return scatter_with<Kernel::linear, D>(transfer, arena, y, h, p);
    case Kernel::quadratic: return scatter_with<Kernel::quadratic, D>(transfer, arena, y, h, p);
    case Kernel::compact: return scatter_with<Kernel::compact, D>(transfer, arena, y, h, p);
  }
}

template <int D, class S>
PointMomentum<D, S> momentum_of(Batch<D, S>& batch, int i, bool stress_alone) {
  PointMomentum<D, S> p;
  p.mass = stress_alone ? S(0) : batch.mass()[i];
  for (int d = 0; d < D; ++d) p.momentum[d] = p.mass * batch.v[d][i];
  for (int k = 0; k < D * D; ++k) {
    p.affine.a[k] = p.mass * batch.affine[k][i];
    p.impulse.a[k] = batch.impulse[k][i];
  }
  return p;
}

// Particles go where their shifts say. Nodes that took part were (I + A) d from them, d when they last moved: their velocities
// have the moments C (I + A)^T. Of what flows they have pulled from where they were: C stays.
template <int D, class S>
void take_shifts(Batch<D, S>& batch, bool flows) {
  using P = Wide<S>;
  for (int i = 0; i < batch.count; i += P::lanes) {
    for (int d = 0; d < D; ++d) (P::load(batch.x(d) + i) + P::load(batch.shift[d] + i)).store(batch.x(d) + i);
    if (flows) continue;
    const Matrix<P, D> C = load_matrix<D>(batch.affine, i), A = load_matrix<D>(batch.strain, i);
    store_matrix<D>(C + C * transpose(A), batch.affine, i);
  }
}

}  // namespace

template <int D, class S>
struct Sweep<D, S>::Scratch {
  using P = Wide<S>;
  Batch<D, S> batch;
  PackRows<D, S> rows;
  PackReach<D, S> reach;
  WideWeights<S> wide;
  // of the current block
  alignas(64) Node<S> velocities[2 * arena_nodes<D>];
  alignas(64) Node<S> momenta[2 * arena_nodes<D>] = {};  // zero between blocks
  S origin[D];
  S h, inv_h, dt;
  bool stress_alone = false;
  unsigned overhang = 0;
  P max_speed;
  BlockReport report;
  bool timed = false;
  double clock = 0;
  SweepTimes times;
  // of the current batch
  int cells[Batch<D, S>::capacity];  // cell of each run of particles
  int ends[Batch<D, S>::capacity];   // and where it ends
  int runs = 0;

  PackStep<D, S> pack_step() const {
    PackStep<D, S> step = {dt, h, inv_h, {}, stress_alone};
    std::copy_n(origin, D, step.origin);
    return step;
  }

  // the particles of the batch up to row `end` are of this cell
  void add_run(int cell, int end) {
    const P index = S(arena_indices<D>[cell]);
    for (int i = runs > 0 ? ends[runs - 1] : 0; i < end; i += P::lanes) index.store(rows.home + i);
    cells[runs] = cell;
    ends[runs++] = end;
  }

  // adds the time since the last call
  void lap(double& total) {
    if (!timed) return;
    const double t = now();
    total += t - clock;
    clock = t;
  }
};

template <int D, class S>
Sweep<D, S>::Sweep(Kernel kernel, Transfer transfer, int threads)
    : kernel_(kernel), transfer_(transfer), packs_(kernel == Kernel::quadratic && transfer != Transfer::pic) {
  for (int t = 0; t < threads; ++t) scratch_.push_back(std::make_unique<Scratch>());
}

template <int D, class S>
Sweep<D, S>::~Sweep() = default;

template <int D, class S>
std::size_t Sweep<D, S>::bytes() const {
  return scratch_.size() * sizeof(Scratch) + reports_.bytes();
}

template <int D, class S>
SweepReport Sweep<D, S>::run(const SweepJob<D, S>& job, Workers& workers) {
  times_ = {};
  reports_.resize(job.layout.blocks.size());
  workers.for_each(job.layout.blocks.size(), 1,
                   [&](std::size_t b) { run_block(job, b, *scratch_[std::size_t(Workers::index())]); });
  SweepReport total;
  for (std::size_t b = 0; b < reports_.size(); ++b) {
    total.max_speed = max(total.max_speed, double(reports_[b].max_speed));
    total.strays += reports_[b].strays;
    if (reports_[b].bad && total.bad_block == SIZE_MAX) total.bad_block = b;
  }
  for (auto& s : scratch_) {
    times_.load += s->times.load;
    times_.gather += s->times.gather;
    times_.stress += s->times.stress;
    times_.scatter += s->times.scatter;
    times_.store += s->times.store;
    s->times = {};
  }
  return total;
}

template <int D, class S>
void Sweep<D, S>::run_block(const SweepJob<D, S>& job, std::size_t b, Scratch& s) {
  const Block<D>& block = job.layout.blocks[b];
  s.report = {};
  s.overhang = 0;
  s.max_speed = 0;
  s.reach.clear();
  s.timed = b % timed_every == 0;
  if (s.timed) s.clock = now();
  s.h = job.step.h;
  s.inv_h = 1 / job.step.h;
  s.dt = job.step.dt;
  s.stress_alone = job.pass == Pass::strain;
  for (int d = 0; d < D; ++d) s.origin[d] = S(block.coord[d] * block_side - arena_margin);
  if (job.pass != Pass::scatter) job.grid.fill(job.layout, b, s.velocities);
  s.lap(s.times.load);
  for (std::uint32_t k = block.segment_begin; k < block.segment_end; ++k) {
    const Segment& segment = job.layout.segments[job.layout.block_segments[k]];
    const std::uint32_t* starts = job.layout.cell_starts.data() + segment.first_cell;
    // whole cells while they fit; a cell that is larger than a batch is cut
    int cell = 0;
    std::uint32_t first = starts[0];
    while (first < starts[block_nodes<D>]) {
      s.runs = 0;
      std::uint32_t end = first;
      for (; cell < block_nodes<D>; ++cell) {
        const std::uint32_t cell_end = starts[cell + 1];
        if (cell_end == end) continue;
        const std::uint32_t room = first + Batch<D, S>::capacity;
        if (cell_end > room && end > first) break;
        end = cell_end < room ? cell_end : room;
        s.add_run(cell, int(end - first));
        if (cell_end > room) break;
      }
      run_batch(job, segment.group, first, int(end - first), s);
      first = end;
    }
  }
  if (job.pass != Pass::gather) job.grid.take(b, packs_ ? s.reach.overhang() : s.overhang, s.momenta);
  // a particle that is not finite hides how far the others reached
  if (s.report.bad) std::fill(std::begin(s.momenta), std::end(s.momenta), Node<S>{});
  s.lap(s.times.store);
  for (int l = 0; l < Wide<S>::lanes; ++l) s.report.max_speed = max(s.report.max_speed, s.max_speed[l]);
  reports_[b] = s.report;
}

template <int D, class S>
void Sweep<D, S>::run_batch(const SweepJob<D, S>& job, std::uint32_t group, std::uint32_t first, int count,
                            Scratch& s) {
  const bool gathers = job.pass != Pass::scatter, scatters = job.pass != Pass::gather;
  AdvanceStep<D, S> step;
  step.dt = job.step.dt;
  step.speed_limit = job.step.most_cells * job.step.h / job.step.dt;
  step.actuation = (*job.step.actuations)[group];
  step.actuated = inner(step.actuation, step.actuation) > 0;
  if (job.step.shear_viscosities) step.shear_viscosity = S((*job.step.shear_viscosities)[group]);
  step.gradient_is_affine = transfer_ != Transfer::apic;
  step.cloth_acts = job.step.cloth_acts;
  step.large = job.step.large;
  step.strains = job.step.strains;
  step.stays = job.pass == Pass::strain;
  if (job.step.moduli) step.moduli = (*job.step.moduli)[group];
  const AnyLaw<S>& law = (*job.step.laws)[group];
  const bool flows = flows_in_windows(law);
  Point<D, S>* own = job.particles.points.data();
  const Point<D, S>* points = (job.from ? job.from : own) + first;
  ParticleVelocity<D, S>* velocities = job.particles.velocities.data() + first;

  // what the next batches will ask for, and where they will write
  constexpr int ahead = 64;
  for (int i = 0; i < count; ++i) {
    __builtin_prefetch(points + i + ahead);
    if (gathers && job.to) __builtin_prefetch(job.to + first + i + ahead, 1);
  }
  s.batch.load(points, count);
  if (!gathers) s.batch.load(velocities);
  s.lap(s.times.load);
  if (gathers) {
    if (!packs_)
      gather(s);
    else
      transfer_ == Transfer::apic ? gather_packs<ApicPacks>(s) : gather_packs<MlsPacks>(s);
    s.lap(s.times.gather);
    if (job.step.strains) s.batch.load_shifts(velocities);
    const AdvanceResult<S> moved = advect(law, step, s.batch);
    if (step.strains && !step.stays) take_shifts(s.batch, flows);
    s.max_speed = max(s.max_speed, moved.max_speed);
    s.report.bad = s.report.bad || moved.bad;
  }
  if (scatters) {
    stress_impulse(law, step, s.batch);
    s.lap(s.times.stress);
    if (!packs_)
      scatter(s);
    else
      transfer_ == Transfer::apic ? scatter_packs<ApicPacks>(s) : scatter_packs<MlsPacks>(s);
    s.lap(s.times.scatter);
  }
  if (gathers && (!step.stays || flows)) s.batch.store((job.to ? job.to : own) + first);
  if (!scatters)
    s.batch.store(velocities);
  else if (step.stays)
    s.batch.store_shifts(velocities);
  else if (step.strains)
    std::fill_n(velocities, count, ParticleVelocity<D, S>{});
  s.lap(s.times.store);
}

template <int D, class S>
void Sweep<D, S>::gather(Scratch& s) {
  for (int i = 0; i < s.batch.count; ++i) {
    S y[D];
    place_in_arena(s.batch, s.origin, s.inv_h, i, y);
    store_velocity(gather_any<D>(kernel_, transfer_, s.velocities, y, s.inv_h), i, s);
  }
  s.batch.pad_velocities();
}

template <int D, class S>
void Sweep<D, S>::store_velocity(const PointVelocity<D, S>& p, int i, Scratch& s) {
  for (int d = 0; d < D; ++d) s.batch.v[d][i] = p.v[d];
  for (int k = 0; k < D * D; ++k) {
    s.batch.affine[k][i] = p.affine.a[k];
    s.batch.gradient[k][i] = p.gradient.a[k];
  }
}

template <int D, class S>
void Sweep<D, S>::scatter(Scratch& s) {
  for (int run = 0, i = 0; run < s.runs; ++run)
    for (; i < s.ends[run]; ++i) {
      if (!note_drift(i, s.cells[run], s)) continue;
      S y[D];
      place_in_arena(s.batch, s.origin, s.inv_h, i, y);
      scatter_any<D>(kernel_, transfer_, s.momenta, y, s.h, momentum_of(s.batch, i, s.stress_alone));
    }
}

// counts the particle if it has left its cell; false if it has left the arena
template <int D, class S>
bool Sweep<D, S>::note_drift(int i, int cell, Scratch& s) {
  S y[D];
  place_in_arena(s.batch, s.origin, s.inv_h, i, y);
  const Drift d = drift<D>(y, cell);
  s.report.strays += d.stray;
  s.overhang |= d.overhang;
  s.report.bad = s.report.bad || d.lost;
  return !d.lost;
}

template <int D, class S>
template <class Packs>
void Sweep<D, S>::gather_packs(Scratch& s) {
  using P = Wide<S>;
  const PackStep<D, S> step = s.pack_step();
  locate_for_gather(s.batch, s.rows, step);
  for (int run = 0, i = 0; run < s.runs; i = s.ends[run++]) {
    const int index = arena_indices<D>[s.cells[run]];
    for (; i < s.ends[run]; i += P::lanes) Packs::gather_pack(s.velocities + index, s.batch, s.rows, step, i);
  }
  // a pack writes past the end of its cell: the strays only now
  for (std::uint32_t m = strays(s.rows, s.batch.count); m != 0; m &= m - 1)
    Packs::gather_stray(s.velocities, s.batch, s.rows, step, std::countr_zero(m));
  Packs::end_gather(s.batch, s.rows, step);
}

template <int D, class S>
template <class Packs>
void Sweep<D, S>::scatter_packs(Scratch& s) {
  if (!prepare_scatter<Packs>(s.batch, s.rows, s.pack_step(), s.reach)) {
    s.report.bad = true;
    return;
  }
  for (std::uint32_t m = strays(s.rows, s.batch.count); m != 0; m &= m - 1, ++s.report.strays)
    Packs::scatter_stray(s.momenta, s.rows, std::countr_zero(m));
  // see scatter_cell for the order
  for (int run = s.runs - 1; run >= 0; --run) {
    const int index = arena_indices<D>[s.cells[run]], first = run > 0 ? s.ends[run - 1] : 0, last = s.ends[run];
    Packs::scatter_cell(s.momenta + index, s.rows, s.wide, first, last);
  }
}

template class Sweep<2, float>;
template class Sweep<2, double>;
template class Sweep<3, float>;
template class Sweep<3, double>;

}  // namespace pliant::grid

#include "implicit/implicit_matter.h"

#include "core/error.h"
#include "implicit/bundle_transfer.h"
#include "implicit/differential_rows.h"
#include "implicit/spin.h"
#include "material/flow.h"
#include "material/law_info.h"

namespace pliant::implicit {
namespace {

// how far from its cell a particle may be, in cells: the rounding of positions
constexpr double cell_slack = 1e-3;

// a register of lanes that are kept in double
template <class P>
P load_lanes(const double* lanes) {
  using Lanes = typename VectorOf<double, P::lanes>::type;
  Lanes wide;
  std::memcpy(&wide, lanes, sizeof wide);
  return P(__builtin_convertvector(wide, typename P::Vector));
}

template <class P>
Matrix<P, 3> load_matrix(const double (*rows)[bundle_size], int part) {
  Matrix<P, 3> m;
  for (int k = 0; k < 9; ++k) m.a[k] = load_lanes<P>(rows[k] + part * P::lanes);
  return m;
}

template <class T>
AxisWeights<T> load_weights(const BundlePlace& place, int part, bool mls) {
  Wide<T> f[3];
  for (int d = 0; d < 3; ++d) f[d] = load_lanes<Wide<T>>(place.f[d] + part * Wide<T>::lanes);
  return axis_weights<T>(f, mls);
}

// a symmetric matrix without its negative eigenvalues
Matrix<double, 3> positive_part(const Matrix<double, 3>& m) {
  const SymmetricEigen<double, 3> e = eigen_symmetric(m);
  Vector<double, 3> kept;
  for (int i = 0; i < 3; ++i) kept[i] = max(e.values[i], 0.0);
  return e.Q * Matrix<double, 3>::diagonal(kept) * transpose(e.Q);
}

// the cell of a pair, in the grid's own cells
template <class S>
void first_node(const Block<3>& block, int place, double* node) {
  node[0] = double(block.coord[0]) * block_side + place / (reach_side * reach_side);
  node[1] = double(block.coord[1]) * block_side + place / reach_side % reach_side;
  node[2] = double(block.coord[2]) * block_side + place % reach_side;
}

}  // namespace

template <class S>
void ImplicitMatter::choose_laws(const MatterStep<S>& step) {
  steps_.clear();
  drags_.clear();
  kinds_.clear();
  quadratic_ = true;
  turned_ = pressed_ = false;
  for (std::size_t g = 0; g < step.materials.size(); ++g) {
    const Matrix<double, 3> none = Matrix<double, 3>::zero();
    const AnyLaw<double> law = make_law<double>(step.materials[g]);
    const bool turned = step.exact_rotation && tells_turns(law), flows = flows_in_step(step.plastic_flow, law);
    PartStep s = {step.dt, 1 / step.h, false, flows, turned, none, none, law, make_law<float>(step.materials[g])};
    if (g < step.actuations.size()) {
      s.actuation = symmetric_part(step.actuations[g]);
      s.actuated = inner(s.actuation, s.actuation) > 0;
      s.pull = positive_part(s.actuation);
    }
    // sym L of a step that turns is no shear
    const bool loses = turned && g < step.shear_viscosities.size();
    drags_.push_back(loses ? 2 * step.dt * step.shear_viscosities[g] / (step.h * step.h) : 0);
    kinds_.push_back(differential_kind(s));
    const bool liquid = kinds_.back() == Differential::liquid;
    // damping keeps the stiffness of the start
    if (liquid && damping_.stiffness > 0) kinds_.back() = Differential::dense;
    steps_.push_back(s);
    quadratic_ = quadratic_ && is_compact(kinds_.back()) && !liquid;
    turned_ = turned_ || s.turned;
    pressed_ = pressed_ || (s.flows && implicit::yields_by_pressure(law));
  }
}

// Energies of some laws are differences of terms as large as the stiffness, and round off like these.
template <class S>
double rounding_of_energy(const MatterStep<S>& step, const Bundles& bundles) {
  constexpr double roundings = 16 * std::numeric_limits<double>::epsilon();
  double sum = 0;
  for (const Bundle& bundle : bundles.bundles()) {
    double volume = 0;
    for (std::int32_t i : bundle.particle)
      if (i >= 0) volume += double(step.points[std::size_t(i)].volume);
    const Material& material = step.materials[bundle.group];
    const double speed = sound_speed(material, double(step.points[std::size_t(bundle.particle[0])].plastic));
    sum += volume * material.density * speed * speed;
  }
  return roundings * sum;
}

// The turn with which a solve begins, that of a rotation with the spin W of the start: 1 + dt sym L + dt W is one if
// dt sym L = (dt W)^2 / (1 + cos), and then this much is to be taken off. Velocities to start from may be far worse.
template <class S>
void ImplicitMatter::load_turn(const S* C, std::size_t k, int lane) {
  Matrix<double, 3> c;
  std::copy_n(C, 9, c.a);
  const Matrix<double, 3> W = (0.5 * dt_) * (c - transpose(c)), square = W * W;
  const double sine2 = std::min(-0.5 * trace(square), 1.0);
  const double scale = -1 / (dt_ * inv_h_ * (1 + std::sqrt(1 - sine2)));
  for (int e = 0; e < 9; ++e) states_[k].turn[e][lane] = scale * square.a[e];
}

// What a particle gives to the nodes has a larger second moment than the particle. The difference would turn with it
// and make all that spins heavier than it is.
template <class S>
void ImplicitMatter::load_spin(const MatterStep<S>& step, std::size_t k) {
  BundleState& state = states_[k];
  for (int lane = 0; lane < bundle_size; ++lane) {
    const std::int32_t i = bundles_.bundles()[k].particle[lane];
    state.excess[lane] = 0;
    for (int e = 0; e < 9; ++e) state.turn[e][lane] = state.spin[e][lane] = 0;
    if (i < 0) continue;
    const Point<3, S>& p = step.points[std::size_t(i)];
    const S* C = step.velocities[std::size_t(i)].C;
    if (steps_[bundles_.bundles()[k].group].turned) load_turn(C, k, lane);
    const std::size_t group = bundles_.bundles()[k].group;
    if (!mls_ || (group < step.masses_fitted.size() && step.masses_fitted[group])) continue;
    const double excess = inertia_on_nodes(step.h) - inertia_of_cube(double(p.volume), step.h);
    state.excess[lane] = double(p.mass) * excess * inv_h_ * inv_h_;
    for (int e = 0; e < 9; ++e) state.spin[e][lane] = 0.5 * step.h * (double(C[e]) - double(C[3 * (e % 3) + e / 3]));
  }
}

// the trace of a turn is 2 - 2 cos
double ImplicitMatter::mean_turn() const {
  double sum = 0, volume = 0;
  for (const BundleState& s : states_)
    for (int lane = 0; lane < bundle_size; ++lane) {
      sum += s.volume[lane] * (s.turn[0][lane] + s.turn[4][lane] + s.turn[8][lane]);
      volume += s.volume[lane];
    }
  return std::sqrt(dt_ * inv_h_ * sum / volume);
}

void ImplicitMatter::load_yield(std::size_t k) {
  const PartStep& step = steps_[bundles_.bundles()[k].group];
  if (!step.flows) return;
  for (int part = 0; part < bundle_parts<double>; ++part) {
    const Part plastic = load_lanes<Part>(states_[k].plastic + part * Part::lanes);
    yield_strain(step.law, load_matrix<Part>(states_[k].F, part), plastic).store(states_[k].yield + part * Part::lanes);
  }
}

template <class S>
void ImplicitMatter::load_bundles(const MatterStep<S>& step, Workers& workers) {
  places_.resize(bundles_.bundles().size());
  states_.resize(bundles_.bundles().size());
  Buffer<double>& worst = block_energy_;  // by block: how far from the middle of its cell some particle is that left it
  worst.resize(bundles_.blocks().size());
  workers.for_each(bundles_.blocks().size(), 4, [&](std::size_t b) {
    worst[b] = 0;
    for (std::uint32_t k = bundles_.blocks()[b].first_bundle; k < bundles_.blocks()[b].last_bundle; ++k) {
      const Bundle& bundle = bundles_.bundles()[k];
      for (int lane = 0; lane < bundle_size; ++lane) {
        const bool empty = bundle.particle[lane] < 0;
        // an empty lane repeats a particle, without volume
        const Point<3, S>& p = step.points[std::size_t(bundle.particle[empty ? 0 : lane])];
        double node[3];
        first_node<S>(step.layout.blocks[b], bundle.place[lane % bundle_pairs], node);
        for (int i = 0; i < 9; ++i) states_[k].F[i][lane] = double(p.F[i]);
        for (int d = 0; d < 3; ++d) {
          const double f = empty ? 1 : double(p.x[d]) / step.h - node[d];
          places_[k].f[d][lane] = f;
          if (!(std::abs(f - 1) <= 0.5 + cell_slack)) worst[b] = std::abs(f - 1);
        }
        states_[k].volume[lane] = empty ? 0 : double(p.volume);
        states_[k].plastic[lane] = double(p.plastic);
      }
      load_spin(step, k);
      load_yield(k);
      if (!is_about_start(steps_[bundle.group].law)) continue;
      for (int part = 0; part < bundle_parts<double>; ++part) {
        const PartMatrix R = rotation_of(load_matrix<Part>(states_[k].F, part));
        for (int i = 0; i < 9; ++i) R.a[i].store(states_[k].rotation[i] + part * Part::lanes);
      }
    }
  });
  for (double far : worst)
    if (far != 0)
      fail(ErrorCode::bad_input,
           "a particle is {:.3g} cells from the middle of its cell, or not finite, at the start of an implicit step; "
           "sort the particles first",
           far);
}

template <class P>
PartState<P> ImplicitMatter::load_state(std::size_t bundle, int part) const {
  const BundleState& s = states_[bundle];
  return {{load_matrix<P>(s.F, part), load_matrix<P>(s.rotation, part), load_lanes<P>(s.plastic + part * P::lanes),
           load_lanes<P>(s.yield + part * P::lanes)},
          load_lanes<P>(s.volume + part * P::lanes),
          load_matrix<P>(s.turn, part),
          load_matrix<P>(s.spin, part),
          load_lanes<P>(s.excess + part * P::lanes),
          P(Scalar<P>(drags_[bundles_.bundles()[bundle].group])) * load_lanes<P>(s.volume + part * P::lanes)};
}

// the stiffness at the start of the step, which damping keeps
void ImplicitMatter::keep_damping(Workers& workers) {
  damping_rows_.resize(0);
  if (!(damping_.stiffness > 0) || quadratic_) return;
  damping_rows_.resize(bundles_.bundles().size() * dense_rows * bundle_size);
  workers.for_each(bundles_.bundles().size(), 8, [&](std::size_t k) {
    const std::uint32_t group = bundles_.bundles()[k].group;
    if (kinds_[group] != Differential::dense) return;
    for (int part = 0; part < bundle_parts<double>; ++part) {
      PartState<Part> state = load_state<Part>(k, part);
      state.excess = state.drag = 0;
      state.yield = never_yields;
      Part rows[dense_rows];
      part_differential(steps_[group], state, PartMatrix::zero(), {Differential::dense, true}, rows);
      for (int r = 0; r < dense_rows; ++r)
        rows[r].store(damping_rows_.data() + (k * dense_rows + std::size_t(r)) * bundle_size + part * Part::lanes);
    }
  });
}

template <class S>
void ImplicitMatter::begin(const MatterStep<S>& step, Workers& workers) {
  if (step.kernel != Kernel::quadratic)
    fail(ErrorCode::bad_input, "an implicit step needs the quadratic kernel; set kernel: quadratic");
  if (!(step.dt > 0 && step.h > 0))
    fail(ErrorCode::bad_input, "an implicit step of {} s on cells of {} m; give positive numbers", step.dt, step.h);
  if (!(step.damping.mass >= 0 && step.damping.stiffness >= 0))
    fail(ErrorCode::bad_input, "Rayleigh damping of {} 1/s and {} s; give numbers that are not negative",
         step.damping.mass, step.damping.stiffness);
  dt_ = step.dt;
  inv_h_ = 1 / step.h;
  damping_ = step.damping;
  mls_ = step.transfer == Transfer::mls;
  choose_laws(step);
  bundles_.build(step.layout, step.grid, step.points, step.inside, workers);
  load_bundles(step, workers);
  turn_ = turned_ ? mean_turn() : 0;
  energy_noise_ = rounding_of_energy(step, bundles_);
  keep_damping(workers);
  touched_.resize(bundles_.touches().size());
  fixed_touched_.resize(bundles_.fixed_touches().size());
  block_energy_.resize(bundles_.blocks().size());
  block_change_.resize(bundles_.blocks().size());
}

// -stiffness K v, as the derivative of stiffness / (2 dt) l : Q0 : l
PartImpulse ImplicitMatter::damping_impulse(std::size_t bundle, int part, const PartState<Part>& state,
                                            const PartMatrix& l) const {
  const std::uint32_t group = bundles_.bundles()[bundle].group;
  PartMatrix moment = PartMatrix::zero();
  if (is_compact(kinds_[group])) {
    Part rows[compact_rows];
    part_differential(steps_[group], state, l, {kinds_[group], true}, rows);
    PartMatrix A;
    std::copy_n(rows, 9, A.a);
    const bool turned = kinds_[group] == Differential::turned;
    moment = quadratic_product(A, rows[9], rows[10], turned ? symmetric_part(l) : l);
    if (turned) moment = symmetric_part(moment);
  } else {
    const double* rows = damping_rows_.data() + bundle * dense_rows * bundle_size + part * Part::lanes;
    for (int i = 0; i < 9; ++i)
      for (int j = 0; j < 9; ++j)
        moment.a[i] += Part::load(rows + dense_row(std::min(i, j), std::max(i, j)) * bundle_size) * l.a[j];
  }
  moment = Part(damping_.stiffness / dt_) * moment;
  return {Part(0.5) * inner(moment, l), moment};
}

void ImplicitMatter::evaluate_block(std::size_t b, const NodeVector<double>* v) {
  const BundleBlock& block = bundles_.blocks()[b];
  const TouchedNode *touches = bundles_.touches().data(), *fixed = bundles_.fixed_touches().data();
  const ReachNodes<double> from(block, bundles_, v);
  ReachNodes<double> to;
  Part energy = 0;
  for (std::uint32_t k = block.first_bundle; k < block.last_bundle; ++k) {
    const Bundle& bundle = bundles_.bundles()[k];
    for (int part = 0; part < bundle_parts<double>; ++part) {
      const PartState<Part> state = load_state<Part>(k, part);
      const PairWeights<double> weights(load_weights<double>(places_[k], part, mls_));
      const PartMatrix l = gather_gradient(from.nodes, bundle.place, weights);
      PartImpulse impulse = part_impulse(steps_[bundle.group], state, l);
      if (damping_.stiffness > 0) {
        const PartImpulse damped = damping_impulse(k, part, state, l);
        impulse.energy += damped.energy;
        impulse.moment += damped.moment;
      }
      energy += impulse.energy;
      scatter_gradient(to.nodes, bundle.place, weights, impulse.moment);
    }
  }
  block_energy_[b] = sum_of_lanes(energy);
  for (std::uint32_t t = block.first_touch; t < block.last_touch; ++t) touched_[t] = to.nodes[touches[t].place];
  for (std::uint32_t t = block.first_fixed; t < block.last_fixed; ++t) fixed_touched_[t] = to.nodes[fixed[t].place];
}

void ImplicitMatter::hold_fixed(const NodeVector<double>* v, std::span<NodeVector<double>> impulses, Workers& workers) {
  workers.for_each(bundles_.blocks().size(), 1, [&](std::size_t b) { evaluate_block(b, v); });
  for (std::size_t i = 0; i < impulses.size(); ++i)
    impulses[i] = damping_.mass * dt_ * bundles_.fixed_mass()[i] * bundles_.fixed_velocity()[i];
  for (std::size_t t = 0; t < fixed_touched_.size(); ++t)
    impulses[bundles_.fixed_touches()[t].node] += NodeVector<double>::load(fixed_touched_[t].a);
}

// what inertia and drag add to E; the gradient of everything
double ImplicitMatter::sum_nodes(const NodeVector<double>* v, NodeVector<double>* gradient, Workers& workers) {
  const auto add_up = [&](std::size_t first, std::size_t last) {
    NodeVector<double> inertia = 0;
    for (std::size_t i = first; i < last; ++i) {
      const NodeVector<double> m = mass()[i], change = v[i] - bundles_.velocity()[i];
      const NodeVector<double> drag = damping_.mass * dt_ * m * v[i];
      inertia += 0.5 * (m * change * change + drag * v[i]);
      if (!gradient) continue;
      NodeVector<double> elastic = 0;
      bundles_.add_touches(i, touched_.data(),
                           [&](const Node<double>& n) { elastic += NodeVector<double>::load(n.a); });
      gradient[i] = m * change + drag + elastic;
    }
    return ThreeSums{sum_of_lanes(inertia)};
  };
  return PieceSums(workers, pieces_).over(nodes(), nodes_per_piece, add_up).a;
}

double ImplicitMatter::update_lagged_rotation(const NodeVector<double>* v, Workers& workers) {
  if (!turned_) return 0;
  Buffer<double>& change = block_energy_;
  const Part cells = Part(dt_ * inv_h_);
  workers.for_each(bundles_.blocks().size(), 1, [&](std::size_t b) {
    const BundleBlock& block = bundles_.blocks()[b];
    const ReachNodes<double> from(block, bundles_, v);
    Part largest = 0;
    for (std::uint32_t k = block.first_bundle; k < block.last_bundle; ++k) {
      const Bundle& bundle = bundles_.bundles()[k];
      if (!steps_[bundle.group].turned) continue;
      for (int part = 0; part < bundle_parts<double>; ++part) {
        const PairWeights<double> weights(load_weights<double>(places_[k], part, mls_));
        const PartMatrix l = gather_gradient(from.nodes, bundle.place, weights);
        const PartMatrix step = add_diagonal(cells * l, Part(1));
        const PartMatrix stretch = symmetric_part(transpose(rotation_of(step)) * step);
        const PartMatrix turn = (Part(1) / cells) * add_diagonal(stretch, Part(-1)) - symmetric_part(l);
        for (int e = 0; e < 9; ++e) {
          double* kept = states_[k].turn[e] + part * Part::lanes;
          largest = max(largest, abs(turn.a[e] - Part::load(kept)));
          turn.a[e].store(kept);
        }
      }
    }
    change[b] = 0;
    for (int lane = 0; lane < Part::lanes; ++lane) change[b] = max(change[b], largest[lane]);
  });
  double largest = 0;
  for (double c : change) largest = max(largest, c);
  return dt_ * inv_h_ * largest;
}

double ImplicitMatter::update_lagged_yield(const NodeVector<double>* v, Workers& workers) {
  if (!pressed_) return 0;
  Buffer<double>&size = block_energy_, &change = block_change_;
  workers.for_each(bundles_.blocks().size(), 1, [&](std::size_t b) {
    const BundleBlock& block = bundles_.blocks()[b];
    const ReachNodes<double> from(block, bundles_, v);
    Part changed = 0, all = 0;
    for (std::uint32_t k = block.first_bundle; k < block.last_bundle; ++k) {
      const Bundle& bundle = bundles_.bundles()[k];
      const PartStep& step = steps_[bundle.group];
      if (!step.flows || !implicit::yields_by_pressure(step.law)) continue;
      for (int part = 0; part < bundle_parts<double>; ++part) {
        const PairWeights<double> weights(load_weights<double>(places_[k], part, mls_));
        const PartState<Part> state = load_state<Part>(k, part);
        const PartMatrix F = stretched_by(step, state, gather_gradient(from.nodes, bundle.place, weights));
        const Part yield = yield_strain(step.law, F, state.plastic);
        changed += state.volume * abs(yield - state.yield);
        all += state.volume * yield;
        yield.store(states_[k].yield + part * Part::lanes);
      }
    }
    change[b] = sum_of_lanes(changed);
    size[b] = sum_of_lanes(all);
  });
  double changed = 0, all = 0;
  for (std::size_t b = 0; b < change.size(); ++b) changed += change[b], all += size[b];
  return changed > 0 ? changed / max(all, changed) : 0;
}

double ImplicitMatter::evaluate(const NodeVector<double>* v, NodeVector<double>* gradient, Workers& workers) {
  workers.for_each(bundles_.blocks().size(), 1, [&](std::size_t b) { evaluate_block(b, v); });
  double energy = sum_nodes(v, gradient, workers);
  for (std::size_t b = 0; b < bundles_.blocks().size(); ++b) energy += block_energy_[b];
  return energy;
}

template <class T>
void ImplicitMatter::linearise_block(std::size_t b, const NodeVector<double>* v, bool positive,
                                     MatterOperator<T>& out) {
  using P = Wide<T>;
  const BundleBlock& block = bundles_.blocks()[b];
  const ReachNodes<T> from(block, bundles_, v);
  const double damped = damping_.stiffness / dt_;
  for (std::uint32_t k = block.first_bundle; k < block.last_bundle; ++k) {
    const Bundle& bundle = bundles_.bundles()[k];
    const Differential kind = kinds_[bundle.group];
    T* to = out.rows(k);
    for (int d = 0; d < 3; ++d) std::copy_n(places_[k].f[d], bundle_size, out.places(k) + d * bundle_size);
    for (int part = 0; part < bundle_parts<T>; ++part) {
      Matrix<P, 3> l = Matrix<P, 3>::zero();
      if (kind == Differential::dense || kind == Differential::liquid)
        l = gather_gradient(from.nodes, bundle.place, PairWeights<T>(load_weights<T>(places_[k], part, mls_)));
      P rows[dense_rows];
      part_differential(steps_[bundle.group], load_state<P>(k, part), l, {kind, positive}, rows);
      const int count = is_compact(kind) ? compact_rows : dense_rows;
      for (int r = 0; r < count; ++r) {
        const std::size_t at = std::size_t(r * bundle_size + part * P::lanes);
        if (damped > 0 && is_compact(kind) && (r == 9 || r == 10)) rows[r] = T(1 + damped) * rows[r];
        if (damped > 0 && kind == Differential::dense)
          rows[r] += T(damped) * load_lanes<P>(damping_rows_.data() + k * dense_rows * bundle_size + at);
        rows[r].store(to + at);
      }
    }
  }
}

template <class T>
void ImplicitMatter::linearise(const NodeVector<double>* v, Curvature curvature, MatterOperator<T>& out,
                               Workers& workers) {
  out.fit(bundles_, kinds_, mls_);
  out.set_mass(mass(), 1 + dt_ * damping_.mass);
  workers.for_each(bundles_.blocks().size(), 1,
                   [&](std::size_t b) { linearise_block(b, v, curvature == Curvature::positive, out); });
}

void ImplicitMatter::linearise(const NodeVector<double>* v, Block3<double>* blocks, Workers& workers) {
  linearise(v, Curvature::positive, operator_, workers);
  operator_.diagonal({blocks, nodes()}, workers);
}

template <class S>
void ImplicitMatter::write(std::span<const NodeVector<double>> v, Grid<3, S>& grid) const {
  for (std::size_t i = 0; i < nodes(); ++i)
    for (int d = 0; d < 3; ++d) grid.node(bundles_.numbers()[i]).a[d] = S(v[i][d]);
}

std::size_t ImplicitMatter::bytes() const {
  return bundles_.bytes() + places_.bytes() + states_.bytes() + damping_rows_.bytes() + touched_.bytes() +
         fixed_touched_.bytes() + block_energy_.bytes() + block_change_.bytes() + pieces_.bytes() + operator_.bytes() +
         operator_in_double_.bytes();
}

template void ImplicitMatter::begin(const MatterStep<float>&, Workers&);
template void ImplicitMatter::begin(const MatterStep<double>&, Workers&);
template void ImplicitMatter::linearise(const NodeVector<double>*, Curvature, MatterOperator<float>&, Workers&);
template void ImplicitMatter::linearise(const NodeVector<double>*, Curvature, MatterOperator<double>&, Workers&);
template void ImplicitMatter::write(std::span<const NodeVector<double>>, Grid<3, float>&) const;
template void ImplicitMatter::write(std::span<const NodeVector<double>>, Grid<3, double>&) const;

}  // namespace pliant::implicit

#include "gradient/tape_of.h"

#include "core/error.h"
#include "gradient/particle_back.h"
#include "material/law_info.h"
#include "step/touching.h"

#include <cmath>

namespace pliant::gradient {
namespace {

constexpr std::size_t piece_size = 2048;  // particles

// why steps of this model cannot be gone back through; empty: they can
template <class S>
std::string no_way_back(const Model<S>& model, int dimension) {
  const StepOptions& o = model.scene.step;
  if (o.method == Method::strong)
    return "the strong step has no adjoint yet; use 'method: async' with boundaries 'at: nodes'";
  if (model.bodies.mujoco) return "bodies have no adjoint yet; use boundaries 'at: nodes' in their place";
  for (std::size_t k = 0; k < model.boundaries.size(); ++k)
    if (dimension == 3 && !model.boundaries[k].at_nodes)
      return fmt::format("boundary '{}' touches by contact rows, which have no adjoint yet; give it 'at: nodes'",
                         model.scene.boundaries[k].name);
  for (std::size_t g = 0; g < model.laws.size(); ++g)
    if (!goes_back(model.laws[g]))
      return fmt::format("the law '{}' of '{}' has no adjoint; take another law", name(model.materials[g].law),
                         model.scene.matter[g].name);
  return model.particle_count() == 0 ? "the scene has no matter" : "";
}

template <class S>
std::shared_ptr<const Model<S>> with_way_back(std::shared_ptr<const Model<S>> model, int dimension) {
  const std::string why = no_way_back(*model, dimension);
  if (!why.empty()) fail(ErrorCode::bad_input, "tape: {}", why);
  return model;
}

template <int D, class S>
int row_of(Attribute attribute, PointBar<D, S>& bar, S*& row) {
  switch (attribute) {
    case Attribute::position: row = bar.x; return D;
    case Attribute::velocity: row = bar.v; return D;
    case Attribute::affine: row = bar.C; return D * D;
    case Attribute::deformation_gradient: row = bar.F; return D * D;
    case Attribute::plastic: row = &bar.plastic; return 1;
    default: return 0;
  }
}

template <class S>
std::size_t piece_named(const Model<S>& model, const std::string& matter) {
  for (std::size_t g = 0; g < model.scene.matter.size(); ++g)
    if (model.scene.matter[g].name == matter) return g;
  fail(ErrorCode::bad_input, "tape: the scene has no matter '{}'", matter);
}

}  // namespace

template <int D, class S>
struct TapeOf<D, S>::Loss {
  std::vector<std::vector<const LossSeed*>> seeds;  // by step
  PointBars<D, S> bars;
  std::vector<StepBar<D>> steps;
  std::vector<GradientNorms> norms;
  std::vector<PieceSums> pieces;  // what is summed up on the way: loss
};

template <int D, class S>
TapeOf<D, S>::TapeOf(std::shared_ptr<const Model<S>> model, int threads, std::size_t memory, bool plain,
                     std::shared_ptr<RecordPool<D, S>> pool)
    : model_(with_way_back(std::move(model), D)),
      workers_(threads),
      history_(model_, workers_, memory, std::move(pool)),
      step_back_(*model_, workers_, plain) {}

template <int D, class S>
std::vector<Plan> TapeOf<D, S>::plans() const {
  std::vector<Plan> all;
  for (std::size_t k = 0; k < steps(); ++k) all.push_back(history_.plan(k));
  return all;
}

template <int D, class S>
void TapeOf<D, S>::check_seed(const LossSeed& seed) const {
  const std::size_t g = piece_named(*model_, seed.matter);
  if (seed.step >= steps())
    fail(ErrorCode::bad_input, "tape: a loss looks at step {}, but the tape has steps 0 to {}", seed.step, steps() - 1);
  PointBar<D, S> none;
  S* row = nullptr;
  const std::size_t width = std::size_t(row_of(seed.attribute, none, row));
  if (width == 0)
    fail(ErrorCode::bad_input,
         "tape: a loss may look at positions, velocities, affine, deformation_gradients and plastic of '{}'",
         seed.matter);
  const std::size_t all = model_->groups[g].end - model_->groups[g].begin, rows = seed.same ? 1
                                                                                  : seed.particles.empty()
                                                                                      ? all
                                                                                      : seed.particles.size();
  if (seed.values.size() != rows * width)
    fail(ErrorCode::bad_input, "tape: the derivative by '{}' has {} numbers; give {} rows of {}", seed.matter,
         seed.values.size(), rows, width);
  for (const std::size_t p : seed.particles)
    if (p >= all) fail(ErrorCode::bad_input, "tape: '{}' has no particle {}; it has {}", seed.matter, p, all);
  for (std::size_t i = 0; i < seed.values.size(); ++i)
    if (!std::isfinite(seed.values[i]))
      fail(ErrorCode::not_finite,
           "tape: the derivative of the loss by '{}' at step {}, number {}, is {}; look at the loss", seed.matter,
           seed.step, i, seed.values[i]);
}

// zeros, in memory that was used before if there is any
template <int D, class S>
PointBars<D, S> TapeOf<D, S>::no_bars() {
  const std::size_t count = model_->particle_count();
  PointBars<D, S> bars;
  if (spare_bars_.empty()) {
    bars.allocate(count);
    return bars;
  }
  bars.swap(spare_bars_.back());
  spare_bars_.pop_back();
  workers_.for_each((count + piece_size - 1) / piece_size, 1, [&](std::size_t k) {
    std::fill(bars.data() + k * piece_size, bars.data() + std::min(count, (k + 1) * piece_size), PointBar<D, S>{});
  });
  return bars;
}

// on the derivatives by the state that it looks at
template <int D, class S>
void TapeOf<D, S>::add_seed(const LossSeed& seed, PointBars<D, S>& bars) const {
  const Group& group = model_->groups[piece_named(*model_, seed.matter)];
  const std::size_t count = seed.particles.empty() ? group.end - group.begin : seed.particles.size();
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t id = group.begin + (seed.particles.empty() ? k : seed.particles[k]);
    S* row = nullptr;
    const int width = row_of(seed.attribute, bars[id], row);
    const double* value = seed.values.data() + (seed.same ? 0 : k * std::size_t(width));
    for (int j = 0; j < width; ++j) row[j] += S(value[j]);
  }
}

template <int D>
std::array<double, 9> stress_of(const PieceBar<D>& piece) {
  std::array<double, 9> stress = {};
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) stress[std::size_t(3 * i + j)] = symmetric_part(piece.actuation)(i, j);
  return stress;
}

template <int D, class S>
double TapeOf<D, S>::by_value(std::size_t actuator, const StepBar<D>& step) const {
  if (step.pieces.empty()) return 0;
  const auto& a = model_->actuators[actuator];
  const std::array<double, 9> by_stress = stress_of(step.pieces[a.group]);
  double sum = 0;
  for (std::size_t i = 0; i < 9; ++i) sum += by_stress[i] * a.stress[i];
  return sum;
}

template <int D, class S>
void TapeOf<D, S>::tell(const AtStep& at_step, StepGradient found, Loss& loss) const {
  const StepBar<D>& bar = loss.steps[found.step];
  for (std::size_t g = 0; g < model_->groups.size(); ++g)
    found.matter[model_->scene.matter[g].name] = stress_of(bar.pieces[g]);
  for (std::size_t a = 0; a < model_->actuators.size(); ++a)
    found.actuators[model_->scene.actuators[a].name] = by_value(a, bar);
  for (LossSeed& seed : at_step(found)) {
    seed.step = found.step;
    check_seed(seed);
    add_seed(seed, loss.bars);
  }
}

template <int D, class S>
GradientNorms TapeOf<D, S>::norms_of(const PointBars<D, S>& bars) {
  std::vector<GradientNorms> partial((bars.size() + piece_size - 1) / piece_size);
  const auto squares = [](const S* a, int n) {
    double sum = 0;
    for (int k = 0; k < n; ++k) sum += double(a[k]) * double(a[k]);
    return sum;
  };
  workers_.for_each(partial.size(), 1, [&](std::size_t k) {
    for (std::size_t i = k * piece_size; i < std::min(bars.size(), (k + 1) * piece_size); ++i) {
      partial[k].positions += squares(bars[i].x, D);
      partial[k].velocities += squares(bars[i].v, D);
      partial[k].deformation_gradients += squares(bars[i].F, D * D);
    }
  });
  GradientNorms sum;
  for (const GradientNorms& p : partial) {
    sum.positions += p.positions;
    sum.velocities += p.velocities;
    sum.deformation_gradients += p.deformation_gradients;
  }
  return {std::sqrt(sum.positions), std::sqrt(sum.velocities), std::sqrt(sum.deformation_gradients)};
}

template <int D, class S>
void TapeOf<D, S>::through(std::size_t step, const StepRecord<D, S>& record, Loss& loss) {
  StepBar<D>& bar = loss.steps[step];
  bar.pieces.resize(model_->groups.size());
  bar.boundary_velocities.resize(model_->boundaries.size(), Vec::zero());
  bar.frictions.resize(model_->boundaries.size());
  try {
    step_back_.go_back(record, loss.bars, bar);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("tape, step {}: {}", step, error.what()));
  }
  loss.norms[step] = norms_of(loss.bars);
  // the loss acts as far as it is stable, see shear_viscosity in step/part.cpp
  for (std::size_t g = 0; g < model_->groups.size(); ++g) {
    if (!(record.shear_viscosities[g] > 0)) continue;
    const double h = model_->scene.step.cell, dt = double(record.dt), by = bar.pieces[g].shear_viscosity;
    if (longest_with_loss(model_->materials[g], model_->loss_viscosities[g], h) < dt)
      loss.pieces[g].density += by * h * h / (8 * dt);
    else
      loss.pieces[g].loss_viscosity += by;
  }
}

// what each particle of a piece has; gives what these sum up to, in pieces of fixed size
template <int D, class S>
PieceSums TapeOf<D, S>::list_particles(std::size_t g, const Loss& loss, PieceGradient& r) {
  const Group& group = model_->groups[g];
  const Material& material = model_->materials[g];
  const bool elastic = reads(material.law, parameter::E);
  const auto& elasticity = history_.elasticity();
  const std::size_t count = group.end - group.begin, pieces = (count + piece_size - 1) / piece_size;
  std::vector<std::pair<std::vector<double>*, std::size_t>> lists = {
      {&r.positions, D}, {&r.velocities, D}, {&r.affine, D * D}, {&r.deformation_gradients, D * D},
      {&r.plastic, 1},   {&r.masses, 1}};
  if (elastic) lists.insert(lists.end(), {{&r.of_particles["E"], 1}, {&r.of_particles["nu"], 1}});
  workers_.for_each(lists.size(), 1, [&](std::size_t k) { lists[k].first->resize(count * lists[k].second); });
  double* const by_E = elastic ? r.of_particles["E"].data() : nullptr;
  double* const by_nu = elastic ? r.of_particles["nu"].data() : nullptr;
  std::vector<PieceSums> partial(pieces);
  workers_.for_each(pieces, 1, [&](std::size_t k) {
    for (std::size_t i = k * piece_size; i < std::min(count, (k + 1) * piece_size); ++i) {
      const std::size_t id = group.begin + i;
      const PointBar<D, S>& bar = loss.bars[id];
      std::copy_n(bar.x, D, r.positions.data() + i * D);
      std::copy_n(bar.v, D, r.velocities.data() + i * D);
      std::copy_n(bar.C, D * D, r.affine.data() + i * D * D);
      std::copy_n(bar.F, D * D, r.deformation_gradients.data() + i * D * D);
      r.plastic[i] = double(bar.plastic);
      r.masses[i] = double(bar.mass);
      // the material's E does not act on those that have their own
      const bool has_own = elasticity && (*elasticity)[id].E > 0;
      for (int n = has_own ? 2 : 0; n < law_numbers; ++n) partial[k].law[n] += double(bar.law[n]);
      partial[k].density += double(bar.mass) * history_.masses()[id] / material.density;
      if (!elastic) continue;
      const double E = has_own ? (*elasticity)[id].E : material.E, nu = has_own ? (*elasticity)[id].nu : material.nu;
      const ElasticBar own = elastic_bar(E, nu, double(bar.law[0]), double(bar.law[1]));
      by_E[i] = own.E;
      by_nu[i] = own.nu;
    }
  });
  PieceSums sums = loss.pieces[g];
  for (const PieceSums& part : partial) {
    sums.law += part.law;
    sums.density += part.density;
  }
  return sums;
}

template <int D, class S>
PieceGradient TapeOf<D, S>::piece_gradient(std::size_t g, const Loss& loss) {
  const Material& material = model_->materials[g];
  PieceGradient r;
  const PieceSums sums = list_particles(g, loss, r);
  const Material bar = material_bar(material, model_->loss_viscosities[g], sums);
  r.material["density"] = bar.density;
  for (const Parameter& p : info(material.law).parameters)
    if (p.member != parameter::friction.member) r.material[p.name] = bar.*p.member;
  for (const StepBar<D>& step : loss.steps)
    r.actuation.push_back(step.pieces.empty() ? std::array<double, 9>{} : stress_of(step.pieces[g]));
  return r;
}

template <int D, class S>
Gradient TapeOf<D, S>::gradient_of(const Loss& loss) {
  Gradient r;
  for (std::size_t g = 0; g < model_->groups.size(); ++g)
    r.matter[model_->scene.matter[g].name] = piece_gradient(g, loss);
  for (std::size_t k = 0; k < model_->boundaries.size(); ++k) {
    BoundaryGradient& b = r.boundaries[model_->scene.boundaries[k].name];
    for (const StepBar<D>& step : loss.steps) {
      const bool seen = !step.frictions.empty();
      const Vec v = seen ? step.boundary_velocities[k] : Vec::zero();
      b.friction += seen ? step.frictions[k] : 0;
      b.velocity.push_back({v[0], v[1], v[2]});
    }
  }
  for (std::size_t a = 0; a < model_->actuators.size(); ++a)
    for (const StepBar<D>& step : loss.steps) r.actuators[model_->scene.actuators[a].name].push_back(by_value(a, step));
  for (const StepBar<D>& step : loss.steps)
    for (int d = 0; d < 3; ++d) r.gravity[std::size_t(d)] += step.gravity[d];
  r.norms = loss.norms;
  return r;
}

template <int D, class S>
std::vector<Gradient> TapeOf<D, S>::backward(std::span<const std::vector<LossSeed>> given, std::size_t last,
                                             const std::function<void(std::size_t, std::size_t)>& progress,
                                             const AtStep& at_step) {
  const std::size_t count = steps(), first = last > 0 && last < count ? count - last : 0;
  if (count == 0) fail(ErrorCode::bad_input, "tape: no step was recorded; step the world while the tape is open");
  std::vector<Loss> losses(given.size());
  for (std::size_t l = 0; l < given.size(); ++l) {
    losses[l].seeds.resize(count);
    for (const LossSeed& seed : given[l]) {
      check_seed(seed);
      losses[l].seeds[seed.step].push_back(&seed);
    }
    losses[l].bars = no_bars();
    losses[l].steps.resize(count);
    losses[l].norms.resize(count);
    losses[l].pieces.resize(model_->groups.size());
  }
  history_.for_each_back(first, [&](std::size_t step, const StepRecord<D, S>& record) {
    for (std::size_t l = 0; l < losses.size(); ++l) {
      for (const LossSeed* seed : losses[l].seeds[step]) add_seed(*seed, losses[l].bars);
      through(step, record, losses[l]);
      if (at_step) tell(at_step, {l, step, {}, {}}, losses[l]);
    }
    if (progress) progress(count - step, count - first);
  });
  std::vector<Gradient> gradients;
  for (Loss& loss : losses) {
    gradients.push_back(gradient_of(loss));
    spare_bars_.push_back(std::move(loss.bars));
  }
  return gradients;
}

template class TapeOf<2, float>;
template class TapeOf<2, double>;
template class TapeOf<3, float>;
template class TapeOf<3, double>;

}  // namespace pliant::gradient

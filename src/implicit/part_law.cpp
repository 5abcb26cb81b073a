#include "implicit/part_law.h"

#include "implicit/differential_rows.h"

namespace pliant::implicit {
namespace {

template <class P>
Matrix<P, 3> wide(const Matrix<double, 3>& m) {
  Matrix<P, 3> r;
  for (int k = 0; k < 9; ++k) r.a[k] = P(Scalar<P>(m.a[k]));
  return r;
}

// the quadratic law with the slope of the flow, less what it does not resist along the deviator
template <class L, class P>
void flowing_rows(const L& law, const PartState<P>& s, const Matrix<P, 3>& F, P scale, P* rows) {
  using S = Scalar<P>;
  const auto at = law.flow_in_step(F, s);
  const P bulk = P(law.bulk()), slope = at.spring.slope;
  const Matrix<P, 3> A = law.frame(s);
  quadratic_to_dense(A, P(S(0.5)) * scale * slope, scale * (bulk - P(S(1) / 3) * slope), rows);
  const P size = max(at.size, P(S(1e-30)));
  add_square(rows, -scale * at.spring.missing / (size * size), (at.deviator * A).a);
}

template <class L>
Stressed<Part> stress_of(const L& law, const PartState<Part>& s, const PartMatrix& F) {
  if constexpr (requires { law.stressed(F, s); }) {
    return law.stressed(F, s);
  } else {
    const Memory<Part, 3> memory = {s.F, s.plastic};
    return {law.energy(F, memory), law.stress(F, memory)};
  }
}

template <class L>
PartImpulse impulse_of(const L& law, const PartStep& step, const PartState<Part>& s, const PartMatrix& l) {
  // the strong step refuses sheets
  if constexpr (L::sheet) return {Part(0), PartMatrix::zero()};
  const PartMatrix gradient = Part(step.inv_h) * l;
  const PartMatrix F = s.F + Part(step.dt) * (gradient * s.F);
  Stressed<Part> at;
  if constexpr (L::resists_only_pressure)
    at = {Part(0), PartMatrix::zero()};
  else if constexpr (L::flows != Flow::after)
    at = step.flows ? law.flowing(F, s) : stress_of(law, s, F);
  else
    at = stress_of(law, s, F);
  if (step.actuated) {
    const PartMatrix pulled = F * wide<Part>(step.actuation);
    at.energy += Part(0.5) * inner(pulled, F);
    at.stress += pulled;
  }
  PartImpulse r;
  r.energy = s.volume * at.energy;
  PartMatrix tau = at.stress * transpose(s.F);
  if constexpr (L::resists_only_pressure) {
    const Jet<Part> psi = law.divergence_energy(s.F, Part(step.dt) * trace(gradient));
    r.energy += s.volume * psi.value;
    tau = add_diagonal(tau, psi.first);
  }
  if constexpr (L::viscous) {
    const PartMatrix viscous = law.viscous_kirchhoff(determinant(s.F), gradient);
    r.energy += Part(0.5 * step.dt) * s.volume * inner(viscous, gradient);
    tau += viscous;
  }
  r.moment = (Part(step.dt * step.inv_h) * s.volume) * tau;
  return r;
}

// of a quadratic law, with A = R0 F^T
template <class P>
void quadratic_rows(const Matrix<P, 3>& A, P mu, P lambda, P excess, Differential kind, P* rows) {
  if (!is_compact(kind)) return quadratic_to_dense(A, mu, lambda, rows);
  std::copy_n(A.a, 9, rows);
  rows[9] = mu;
  rows[10] = lambda;
  rows[11] = excess;
}

template <class L, class P>
void differential_of(const L& law, const PartStep& step, const PartState<P>& s, const Matrix<P, 3>& l,
                     RowsWanted wanted, P* rows) {
  using S = Scalar<P>;
  const P scale = P(S(step.dt * step.dt * step.inv_h * step.inv_h)) * s.volume;
  const P least = wanted.positive ? P(0) : P(-std::numeric_limits<S>::max());
  const auto end = [&] { return s.F + P(S(step.dt * step.inv_h)) * (l * s.F); };
  if constexpr (L::quadratic) {
    quadratic_rows(law.frame(s), P(law.mu) * scale, P(law.lambda) * scale, s.excess, wanted.kind, rows);
    if constexpr (L::flows != Flow::after)
      if (step.flows) flowing_rows(law, s, end(), scale, rows);
  } else if constexpr (L::resists_only_pressure) {
    // viscosity is that of shear
    const P divergence = P(S(step.dt * step.inv_h)) * trace(l);
    const Jet<P> psi = wanted.positive ? law.opening_energy(s.F, divergence) : law.divergence_energy(s.F, divergence);
    const P viscous = P(S(law.viscosity * step.dt * step.inv_h * step.inv_h)) * s.volume * determinant(s.F);
    quadratic_rows(Matrix<P, 3>::identity(), viscous, scale * psi.second - P(S(2) / S(3)) * viscous, s.excess,
                   wanted.kind, rows);
  } else if constexpr (!L::sheet) {
    const Memory<P, 3> memory = {s.F, s.plastic};
    bool done = false;
    if constexpr (L::flows != Flow::after)
      if (done = step.flows; done) isotropic_rows(law.flow_in_step(s), end(), memory, scale, least, rows);
    if (!done) isotropic_rows(law, end(), memory, scale, least, rows);
  }
  if (step.actuated && !is_compact(wanted.kind)) {
    const Matrix<P, 3> active = wide<P>(wanted.positive ? step.pull : step.actuation);
    add_right_factor(rows, scale * (s.F * active * transpose(s.F)));
  }
}

}  // namespace

bool tells_turns(const AnyLaw<double>& law) {
  return std::visit([](const auto& l) { return l.tells_turns; }, law);
}
bool is_about_start(const AnyLaw<double>& law) {
  return std::visit([](const auto& l) { return l.about_start; }, law);
}
bool yields_by_pressure(const AnyLaw<double>& law) {
  return std::visit([](const auto& l) { return l.yields_by_pressure; }, law);
}

bool flows_in_step(PlasticFlow flow, const AnyLaw<double>& law) {
  return std::visit(
      [&](const auto& l) {
        using L = std::remove_cvref_t<decltype(l)>;
        if constexpr (L::flows == Flow::after)
          return false;
        else
          return l.yields() &&
                 (flow == PlasticFlow::implicit || (flow == PlasticFlow::by_law && L::flows == Flow::in_step));
      },
      law);
}

Part yield_strain(const AnyLaw<double>& law, const PartMatrix& F, const Part& plastic) {
  return std::visit(
      [&](const auto& l) {
        using L = std::remove_cvref_t<decltype(l)>;
        if constexpr (L::flows == Flow::after)
          return Part(never_yields);
        else
          return l.yield_strain(F, plastic);
      },
      law);
}

PartMatrix stretched_by(const PartStep& step, const PartState<Part>& state, const PartMatrix& l) {
  const PartMatrix stretched = step.turned ? symmetric_part(l) + state.turn : l;
  return state.F + Part(step.dt * step.inv_h) * (stretched * state.F);
}

PartImpulse part_impulse(const PartStep& step, const PartState<Part>& state, const PartMatrix& l) {
  const PartMatrix stretched = step.turned ? symmetric_part(l) + state.turn : l;
  PartImpulse r = std::visit([&](const auto& law) { return impulse_of(law, step, state, stretched); }, step.law);
  if (step.turned) r.moment = symmetric_part(r.moment);
  const PartMatrix drag = shear_product(state.drag, stretched);
  r.energy += Part(0.5) * inner(drag, stretched);
  r.moment += drag;
  const PartMatrix spun = skew_part(l) - state.spin;
  r.energy -= Part(0.5) * state.excess * inner(spun, spun);
  r.moment -= state.excess * spun;
  return r;
}

template <class P>
void part_differential(const PartStep& step, const PartState<P>& state, const Matrix<P, 3>& l, RowsWanted wanted,
                       P* rows) {
  const Matrix<P, 3> stretched = step.turned ? symmetric_part(l) + state.turn : l;
  const auto fill = [&](const auto& law) { differential_of(law, step, state, stretched, wanted, rows); };
  if constexpr (std::is_same_v<Scalar<P>, float>)
    std::visit(fill, step.narrow_law);
  else
    std::visit(fill, step.law);
  if (is_compact(wanted.kind)) {
    rows[12] = state.drag;
    return;
  }
  if (step.turned) symmetrise(rows);
  add_shear(rows, state.drag);
  take_spin(rows, state.excess);
}
template void part_differential(const PartStep&, const PartState<Wide<float>>&, const Matrix<Wide<float>, 3>&,
                                RowsWanted, Wide<float>*);
template void part_differential(const PartStep&, const PartState<Part>&, const PartMatrix&, RowsWanted, Part*);

Differential differential_kind(const PartStep& step) {
  const bool quadratic = std::visit([](const auto& l) { return l.quadratic; }, step.law);
  const bool liquid = std::visit([](const auto& l) { return l.resists_only_pressure; }, step.law);
  if (liquid && !step.actuated) return Differential::liquid;
  if (!quadratic || step.actuated || step.flows) return Differential::dense;
  return step.turned ? Differential::turned : Differential::quadratic;
}

}  // namespace pliant::implicit

#include "implicit/part_law.h"

#include "implicit/differential_rows.h"
#include "implicit/plastic_flow.h"

namespace pliant {
namespace {

template <class L>
struct Traits {
  static constexpr bool linear = false, corotated = false;
};
template <class S>
struct Traits<Linear<S>> {
  static constexpr bool linear = true, corotated = false;
};
template <class S>
struct Traits<LinearCorotated<S>> {
  static constexpr bool linear = false, corotated = true;
};
template <class L>
inline constexpr bool is_logarithmic = false;
template <class S>
inline constexpr bool is_logarithmic<Hencky<S>> = true;
template <class S>
inline constexpr bool is_logarithmic<Sand<S>> = true;
template <class L>
inline constexpr bool is_quadratic = Traits<L>::linear || Traits<L>::corotated;
template <class L>
inline constexpr bool is_liquid = false;
template <class S>
inline constexpr bool is_liquid<Liquid<S>> = true;

template <class P>
Matrix<P, 3> wide(const Matrix<double, 3>& m) {
  Matrix<P, 3> r;
  for (int k = 0; k < 9; ++k) r.a[k] = P(Scalar<P>(m.a[k]));
  return r;
}

// energy per rest volume and first Piola stress
struct Stressed {
  Part energy;
  PartMatrix stress;
};
// both from the same singular values
Stressed logarithmic_stress(const LogarithmicElasticity<double>& law, const PartMatrix& F) {
  const Svd<Part, 3> f = svd(F);
  Jet<Part> l[3];
  for (int i = 0; i < 3; ++i) l[i] = stretch_log(f.sigma[i]);
  const Part sum = l[0].value + l[1].value + l[2].value;
  Part squares = 0;
  PartMatrix scaled;
  for (int k = 0; k < 3; ++k) {
    squares += l[k].value * l[k].value;
    const Part pull = l[k].first * (Part(2 * law.mu) * l[k].value + Part(law.lambda) * sum);
    for (int i = 0; i < 3; ++i) scaled(i, k) = f.U(i, k) * pull;
  }
  return {Part(law.mu) * squares + Part(law.lambda / 2) * (sum * sum), scaled * transpose(f.V)};
}

Stressed flowing_stress(const LogarithmicFlow<Part>& law, const PartMatrix& F) {
  const Svd<Part, 3> f = svd(F);
  const LogarithmicFlow<Part>::Point at = law.at(f.sigma);
  PartMatrix scaled;
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i) scaled(i, k) = f.U(i, k) * (at.l[k].first * at.pull[k]);
  return {at.energy, scaled * transpose(f.V)};
}

// linear_corotated: the strain about R0 in the frame of the end, its volume and the unit of its deviator
template <class P>
struct CorotatedFlow {
  P volume;
  Matrix<P, 3> deviator;
  P size;
  YieldingSpring<P> spring;
};
template <class S, class P>
CorotatedFlow<P> corotated_flow(const LinearCorotated<S>& law, const PartState<P>& s, const Matrix<P, 3>& F) {
  CorotatedFlow<P> r;
  r.deviator = symmetric_part(F * transpose(s.rotation));
  const P stretch = trace(r.deviator);
  r.deviator = add_diagonal(r.deviator, P(Scalar<P>(-1) / 3) * stretch);
  r.volume = stretch - P(3);
  r.size = sqrt(inner(r.deviator, r.deviator));
  r.spring = yielding_spring(P(law.mu), r.size, s.yield);
  return r;
}

Stressed flowing_stress(const LinearCorotated<double>& law, const PartState<Part>& s, const PartMatrix& F) {
  const CorotatedFlow<Part> at = corotated_flow(law, s, F);
  const Part pressure = Part(law.lambda + 2 * law.mu / 3) * at.volume;
  return {at.spring.energy + Part(0.5) * pressure * at.volume,
          add_diagonal(at.spring.slope * at.deviator, pressure) * s.rotation};
}

// the quadratic law with the slope of the flow, less what it does not resist along the deviator
template <class S, class P>
void flowing_rows(const LinearCorotated<S>& law, const PartState<P>& s, const Matrix<P, 3>& F, P scale, P* rows) {
  const CorotatedFlow<P> at = corotated_flow(law, s, F);
  const Matrix<P, 3> A = s.rotation * transpose(s.F);
  const P bulk = P(law.lambda + 2 * law.mu / 3), slope = at.spring.slope;
  quadratic_to_dense(A, P(S(0.5)) * scale * slope, scale * (bulk - P(S(1) / 3) * slope), rows);
  const P size = max(at.size, P(S(1e-30)));
  add_square(rows, -scale * at.spring.missing / (size * size), (at.deviator * A).a);
}

template <class L>
Stressed flowing_stress_of(const L& law, const PartState<Part>& s, const PartMatrix& F) {
  if constexpr (Traits<L>::corotated)
    return flowing_stress(law, s, F);
  else
    return flowing_stress(flow_of(law, s.yield, s.plastic), F);
}
template <class L>
inline constexpr bool has_flow = Traits<L>::corotated || is_logarithmic<L>;

template <class L>
Stressed stress_of(const L& law, const PartState<Part>& s, const PartMatrix& F) {
  if constexpr (Traits<L>::corotated) {
    // the law itself would look for R0 again
    const PartMatrix e = add_diagonal(symmetric_part(transpose(s.rotation) * F), Part(-1));
    const Part volume = trace(e);
    return {Part(law.mu) * inner(e, e) + Part(law.lambda / 2) * (volume * volume),
            s.rotation * add_diagonal(Part(2 * law.mu) * e, Part(law.lambda) * volume)};
  } else if constexpr (std::is_base_of_v<LogarithmicElasticity<double>, L>) {
    return logarithmic_stress(law, F);
  } else {
    const Memory<Part, 3> memory = {s.F, s.plastic};
    return {law.energy(F, memory), law.stress(F, memory)};
  }
}

// A liquid that is only just open is taken as stiff, up to this strain: particles close and open again within a solve,
// and a direction that knows nothing of the stiffness beyond ends at the first that closes.
constexpr double nearly_closed = 1e-3;

// energy of a liquid per rest volume as a function of the divergence dt tr L: convex
template <class S, class P>
Jet<P> liquid_energy(const Liquid<S>& law, const Matrix<P, 3>& F, P divergence) {
  const P J = determinant(F);
  const Jet<P> psi = law.pressed_energy(J * (P(1) + divergence));
  return {psi.value, J * psi.first, J * J * psi.second};
}

template <class L>
PartImpulse impulse_of(const L& law, const PartStep& step, const PartState<Part>& s, const PartMatrix& l) {
  const PartMatrix gradient = Part(step.inv_h) * l;
  const PartMatrix F = s.F + Part(step.dt) * (gradient * s.F);
  Stressed at;
  if constexpr (is_liquid<L>)
    at = {Part(0), PartMatrix::zero()};
  else if constexpr (has_flow<L>)
    at = step.flows ? flowing_stress_of(law, s, F) : stress_of(law, s, F);
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
  if constexpr (is_liquid<L>) {
    const Jet<Part> psi = liquid_energy(law, s.F, Part(step.dt) * trace(gradient));
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
  if constexpr (is_quadratic<L>) {
    // A = R0 F^T
    Matrix<P, 3> A = transpose(s.F);
    if constexpr (Traits<L>::corotated) A = s.rotation * A;
    quadratic_rows(A, P(law.mu) * scale, P(law.lambda) * scale, s.excess, wanted.kind, rows);
    if constexpr (Traits<L>::corotated)
      if (step.flows) flowing_rows(law, s, end(), scale, rows);
  } else if constexpr (is_liquid<L>) {
    // viscosity is that of shear
    const P divergence = P(S(step.dt * step.inv_h)) * trace(l);
    Jet<P> psi = liquid_energy(law, s.F, divergence);
    if (wanted.positive) {
      const P J = determinant(s.F), open = J * (P(1) + divergence) - P(1);
      const P lifted = P(law.bulk_modulus) * J * J * max(P(0), P(1) - open * P(S(1 / nearly_closed)));
      psi.second = select(open > P(0), lifted, psi.second);
    }
    const P viscous = P(S(law.viscosity * step.dt * step.inv_h * step.inv_h)) * s.volume * determinant(s.F);
    quadratic_rows(Matrix<P, 3>::identity(), viscous, scale * psi.second - P(S(2) / S(3)) * viscous, s.excess,
                   wanted.kind, rows);
  } else {
    const Memory<P, 3> memory = {s.F, s.plastic};
    bool done = false;
    if constexpr (is_logarithmic<L>)
      if (done = step.flows; done) isotropic_rows(flow_of(law, s.yield, s.plastic), end(), memory, scale, least, rows);
    if (!done) isotropic_rows(law, end(), memory, scale, least, rows);
  }
  if (step.actuated && !is_compact(wanted.kind)) {
    const Matrix<P, 3> active = wide<P>(wanted.positive ? step.pull : step.actuation);
    add_right_factor(rows, scale * (s.F * active * transpose(s.F)));
  }
}

// the strong step refuses cloth
template <class S>
PartImpulse impulse_of(const Cloth<S>&, const PartStep&, const PartState<Part>&, const PartMatrix&) {
  return {Part(0), PartMatrix::zero()};
}
template <class S, class P>
void differential_of(const Cloth<S>&, const PartStep&, const PartState<P>&, const Matrix<P, 3>&, RowsWanted, P*) {}

}  // namespace

bool can_flow(const AnyLaw<double>& law) {
  return std::visit(
      [](const auto& l) {
        using L = std::remove_cvref_t<decltype(l)>;
        if constexpr (std::is_same_v<L, Sand<double>>)
          return true;
        else if constexpr (has_flow<L>)
          return l.yield > 0;
        else
          return false;
      },
      law);
}

bool yields_by_pressure(const AnyLaw<double>& law) { return std::holds_alternative<Sand<double>>(law); }

Part yield_strain(const AnyLaw<double>& law, const PartMatrix& F, const Part& plastic) {
  return std::visit(
      [&](const auto& l) {
        using L = std::remove_cvref_t<decltype(l)>;
        if constexpr (std::is_same_v<L, Sand<double>>)
          return sand_yield(l, F, plastic);
        else if constexpr (has_flow<L>)
          return Part(l.yield > 0 ? l.yield / (2 * l.mu) : never_yields);
        else
          return Part(never_yields);
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
  if (is_compact(wanted.kind)) return;
  if (step.turned) symmetrise(rows);
  take_spin(rows, state.excess);
}
template void part_differential(const PartStep&, const PartState<Wide<float>>&, const Matrix<Wide<float>, 3>&,
                                RowsWanted, Wide<float>*);
template void part_differential(const PartStep&, const PartState<Part>&, const PartMatrix&, RowsWanted, Part*);

bool can_turn(const AnyLaw<double>& law) {
  return !std::holds_alternative<Linear<double>>(law) && !std::holds_alternative<Liquid<double>>(law);
}

Differential differential_kind(const PartStep& step) {
  const bool quadratic =
      std::visit([](const auto& l) { return is_quadratic<std::remove_cvref_t<decltype(l)>>; }, step.law);
  if (std::holds_alternative<Liquid<double>>(step.law) && !step.actuated) return Differential::liquid;
  if (!quadratic || step.actuated || step.flows) return Differential::dense;
  return step.turned ? Differential::turned : Differential::quadratic;
}

}  // namespace pliant

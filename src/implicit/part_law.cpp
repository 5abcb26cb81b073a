#include "implicit/part_law.h"

#include "implicit/differential_rows.h"

namespace pliant {
namespace {

template <class L>
inline constexpr bool is_quadratic = std::is_same_v<L, Linear<double>> || std::is_same_v<L, LinearCorotated<double>>;

PartMatrix wide(const Matrix<double, 3>& m) {
  PartMatrix r;
  for (int k = 0; k < 9; ++k) r.a[k] = m.a[k];
  return r;
}

template <class L>
Memory<Part, 3> memory_of(const PartState& state) {
  if constexpr (std::is_same_v<L, LinearCorotated<double>>) return {state.rotation, state.plastic};
  return {state.F, state.plastic};
}

// A = R0 F^T
template <class L>
PartMatrix quadratic_factor(const PartState& state) {
  if constexpr (std::is_same_v<L, Linear<double>>) return transpose(state.F);
  return state.rotation * transpose(state.F);
}

template <class L>
PartImpulse impulse_of(const L& law, const PartStep& step, const PartState& s, const PartMatrix& l) {
  const PartMatrix gradient = Part(step.inv_h) * l;
  const PartMatrix F = s.F + Part(step.dt) * (gradient * s.F);
  const Memory<Part, 3> memory = memory_of<L>(s);
  Part energy = law.energy(F, memory);
  PartMatrix stress = law.stress(F, memory);
  if (step.actuated) {
    const PartMatrix pulled = F * wide(step.actuation);
    energy += Part(0.5) * inner(pulled, F);
    stress += pulled;
  }
  PartImpulse r;
  r.energy = s.volume * energy;
  PartMatrix tau = stress * transpose(s.F);
  if constexpr (L::viscous) {
    const PartMatrix viscous = law.viscous_kirchhoff(determinant(s.F), gradient);
    r.energy += Part(0.5 * step.dt) * s.volume * inner(viscous, gradient);
    tau += viscous;
  }
  r.moment = (Part(step.dt * step.inv_h) * s.volume) * tau;
  return r;
}

template <class L>
void differential_of(const L& law, const PartStep& step, const PartState& s, const PartMatrix& l, Differential kind,
                     Part* rows) {
  const Part scale = Part(step.dt * step.dt * step.inv_h * step.inv_h) * s.volume;
  if constexpr (is_quadratic<L>) {
    const PartMatrix A = quadratic_factor<L>(s);
    const Part mu = Part(law.mu) * scale, lambda = Part(law.lambda) * scale;
    if (kind == Differential::quadratic) {
      std::copy_n(A.a, 9, rows);
      rows[9] = mu;
      rows[10] = lambda;
      return;
    }
    quadratic_to_dense(A, mu, lambda, rows);
  } else {
    const PartMatrix F = s.F + Part(step.dt * step.inv_h) * (l * s.F);
    projected_rows(law, F, Memory<Part, 3>{s.F, s.plastic}, scale, rows);
  }
  if (step.actuated) add_right_factor(rows, scale * (s.F * wide(step.pull) * transpose(s.F)));
  if constexpr (L::viscous)
    add_viscosity(rows, Part(2 * law.viscosity * step.dt * step.inv_h * step.inv_h) * s.volume * determinant(s.F));
}

}  // namespace

PartImpulse part_impulse(const PartStep& step, const PartState& state, const PartMatrix& l) {
  return std::visit([&](const auto& law) { return impulse_of(law, step, state, l); }, *step.law);
}

void part_differential(const PartStep& step, const PartState& state, const PartMatrix& l, Differential kind,
                       Part* rows) {
  std::visit([&](const auto& law) { differential_of(law, step, state, l, kind, rows); }, *step.law);
}

Differential differential_kind(const AnyLaw<double>& law, bool actuated) {
  const bool quadratic = std::visit([](const auto& l) { return is_quadratic<std::remove_cvref_t<decltype(l)>>; }, law);
  return quadratic && !actuated ? Differential::quadratic : Differential::dense;
}

}  // namespace pliant

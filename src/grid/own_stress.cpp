// A file of its own, so that the loop of all others is compiled as if this one were not there.
#include "grid/own_stress.h"

#include <algorithm>

namespace pliant::grid {
namespace {

template <int D, class S>
Moduli<Wide<S>> moduli_of(const Moduli<S>* by_id, const Batch<D, S>& batch, int i) {
  Moduli<Wide<S>> m = {Wide<S>(0), Wide<S>(0)};
  for (int l = 0; l < Wide<S>::lanes; ++l) {
    const Moduli<S>& own = by_id[batch.id(std::min(i + l, batch.count - 1))];
    m.mu.set(l, own.mu);
    m.lambda.set(l, own.lambda);
  }
  return m;
}

// as stress_impulse_with
template <class L, int D, class S>
void own_stress_impulse_with(const L& law, const AdvanceStep<D, S>& step, Batch<D, S>& batch) {
  using P = Wide<S>;
  const P twice = 2 * step.shear_viscosity;
  Matrix<P, D> actuation;
  for (int k = 0; k < D * D; ++k) actuation.a[k] = step.actuation.a[k];
  for (int i = 0; i < batch.count; i += P::lanes) {
    const Matrix<P, D> F = load_matrix<D>(batch.word + D, i);
    Matrix<P, D> tau = kirchhoff_of(law, moduli_of(step.moduli, batch, i), F);
    if (step.shear_viscosity > 0) {
      const Matrix<P, D> C = load_matrix<D>(batch.affine, i);
      tau += twice * add_diagonal(symmetric_part(C), P(S(-1) / S(D)) * trace(C));
    }
    if (step.actuated) tau += F * actuation * transpose(F);
    if (step.stays) tau = tau * transpose(inverse(add_diagonal(load_matrix<D>(batch.strain, i), P(1))));
    store_matrix<D>((P(step.dt) * P::load(batch.volume() + i)) * tau, batch.impulse, i);
  }
}

}  // namespace

template <int D, class S>
void own_stress_impulse(const AnyLaw<S>& law, const AdvanceStep<D, S>& step, Batch<D, S>& batch) {
  std::visit(
      [&]<class L>(const L& l) {
        if constexpr (takes_moduli<L>) own_stress_impulse_with(l, step, batch);
      },
      law);
}

template void own_stress_impulse(const AnyLaw<float>&, const AdvanceStep<2, float>&, Batch<2, float>&);
template void own_stress_impulse(const AnyLaw<float>&, const AdvanceStep<3, float>&, Batch<3, float>&);
template void own_stress_impulse(const AnyLaw<double>&, const AdvanceStep<2, double>&, Batch<2, double>&);
template void own_stress_impulse(const AnyLaw<double>&, const AdvanceStep<3, double>&, Batch<3, double>&);

}  // namespace pliant::grid

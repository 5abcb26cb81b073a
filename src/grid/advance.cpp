#include "grid/advance.h"

#include "grid/own_stress.h"

namespace pliant::grid {
namespace {

// numbers beyond this are on their way to infinity; its square is finite
template <class S>
constexpr S huge = S(1e15);

// (I + dt rate) F of the pack at row i, column by column: two whole matrices do not fit into the registers
template <int D, class S, int Stride>
inline Matrix<Wide<S>, D> flow(Wide<S> dt, const S (*rate)[Stride], const S (*F)[Stride], int i) {
  using P = Wide<S>;
  Matrix<P, D> out;
#pragma GCC unroll 3
  for (int c = 0; c < D; ++c) {
    P column[D];
#pragma GCC unroll 3
    for (int k = 0; k < D; ++k) column[k] = kept(P::load(F[k * D + c] + i));
#pragma GCC unroll 3
    for (int r = 0; r < D; ++r) {
      P sum = P::load(rate[r * D] + i) * column[0];
#pragma GCC unroll 3
      for (int k = 1; k < D; ++k) sum = sum + P::load(rate[r * D + k] + i) * column[k];
      out(r, c) = column[r] + dt * sum;
    }
  }
  return out;
}

template <class L, int D, class S>
AdvanceResult<S> advect_with(const L& law, const AdvanceStep<D, S>& step, Batch<D, S>& batch) {
  using P = Wide<S>;
  const auto& gradient = step.gradient_is_affine ? batch.affine : batch.gradient;
  const bool strains = step.strains && !L::flows_in_windows;
  const P dt = step.dt;
  P max_speed = 0, lane;
  for (int l = 0; l < P::lanes; ++l) lane.set(l, S(l));
  Truth<P> good = P(0) < P(1);
  for (int i = 0; i < batch.count; i += P::lanes) {
    // lanes past the end hold what was there before: they do not count and stay where they are
    const Truth<P> counts = lane < P(S(batch.count - i));
    for (int d = 0; d < D; ++d) {
      const P v = select(counts, P::load(batch.v[d] + i), P(0));
      const P speed = abs(v);
      good = good & (speed < P(step.speed_limit));
      max_speed = max(max_speed, speed);
      S* const x = (step.stays ? batch.shift[d] : batch.x(d)) + i;
      (P::load(x) + dt * v).store(x);
    }
    if (strains) store_matrix<D>(load_matrix<D>(batch.strain, i) + dt * load_matrix<D>(gradient, i), batch.strain, i);
    Matrix<P, D> F =
        strains ? flow<D>(P(1), batch.strain, batch.word + D, i) : flow<D>(dt, gradient, batch.word + D, i);
    if constexpr (requires { law.flow(F, dt, F); })
      if (step.large) F = law.flow(load_matrix<D>(batch.word + D, i), dt, load_matrix<D>(gradient, i));
    if constexpr (L::plastic) {
      Memory<P, D> memory = {load_matrix<D>(batch.word + D, i), P::load(batch.plastic() + i)};
      law.return_map(F, memory);
      memory.plastic.store(batch.plastic() + i);
    }
    good = good & ((inner(F, F) < P(huge<S> * huge<S>)) | !counts);
    store_matrix<D>(F, batch.word + D, i);
  }
  return {max_speed, !all_of(good)};
}

// 2 eta dev sym C
template <class P, int D>
inline Matrix<P, D> shear_stress(P viscosity, const Matrix<P, D>& C) {
  const P mean = P(Scalar<P>(-1) / Scalar<P>(D)) * trace(C);
  return (P(2) * viscosity) * add_diagonal(symmetric_part(C), mean);
}

// (I + A)^-T: makes of P F^T what acts on the weights of before A
template <class P, int D>
inline Matrix<P, D> turned_back(const Matrix<P, D>& A) {
  return transpose(inverse(add_diagonal(A, P(1))));
}

template <class L, int D, class S>
void stress_impulse_with(const L& law, const AdvanceStep<D, S>& step, Batch<D, S>& batch) {
  using P = Wide<S>;
  Matrix<P, D> actuation;
  for (int k = 0; k < D * D; ++k) actuation.a[k] = step.actuation.a[k];
  for (int i = 0; i < batch.count; i += P::lanes) {
    const Matrix<P, D> F = load_matrix<D>(batch.word + D, i);
    Matrix<P, D> tau;
    if constexpr (requires { law.grid_kirchhoff(F); })
      tau = step.cloth_acts ? law.grid_kirchhoff(F) : Matrix<P, D>::zero();
    else
      tau = law.kirchhoff(F, Memory<P, D>{F, P::load(batch.plastic() + i)});
    if constexpr (L::viscous) tau += law.viscous_kirchhoff(determinant(F), load_matrix<D>(batch.affine, i));
    if (step.shear_viscosity > 0) tau += shear_stress(P(step.shear_viscosity), load_matrix<D>(batch.affine, i));
    if (step.actuated) tau += F * actuation * transpose(F);
    if (step.stays && !L::flows_in_windows) tau = tau * turned_back(load_matrix<D>(batch.strain, i));
    store_matrix<D>((P(step.dt) * P::load(batch.volume() + i)) * tau, batch.impulse, i);
  }
}

}  // namespace

template <int D, class S>
AdvanceResult<S> advect(const AnyLaw<S>& law, const AdvanceStep<D, S>& step, Batch<D, S>& batch) {
  return std::visit([&](const auto& l) { return advect_with(l, step, batch); }, law);
}

template <int D, class S>
void stress_impulse(const AnyLaw<S>& law, const AdvanceStep<D, S>& step, Batch<D, S>& batch) {
  if (step.moduli) return own_stress_impulse(law, step, batch);
  std::visit([&](const auto& l) { stress_impulse_with(l, step, batch); }, law);
}

template AdvanceResult<float> advect(const AnyLaw<float>&, const AdvanceStep<2, float>&, Batch<2, float>&);
template AdvanceResult<float> advect(const AnyLaw<float>&, const AdvanceStep<3, float>&, Batch<3, float>&);
template AdvanceResult<double> advect(const AnyLaw<double>&, const AdvanceStep<2, double>&, Batch<2, double>&);
template AdvanceResult<double> advect(const AnyLaw<double>&, const AdvanceStep<3, double>&, Batch<3, double>&);
template void stress_impulse(const AnyLaw<float>&, const AdvanceStep<2, float>&, Batch<2, float>&);
template void stress_impulse(const AnyLaw<float>&, const AdvanceStep<3, float>&, Batch<3, float>&);
template void stress_impulse(const AnyLaw<double>&, const AdvanceStep<2, double>&, Batch<2, double>&);
template void stress_impulse(const AnyLaw<double>&, const AdvanceStep<3, double>&, Batch<3, double>&);

}  // namespace pliant::grid

// The adjoint of a law's stress, for gradients of a run: from the derivative of a loss by the Kirchhoff stress tau to
// those by F, by the plastic number and by the numbers of the law. Plain numbers, one particle at a time.
//
// A stress that has an energy has a symmetric derivative, so with X = d loss/d tau and tau = P F^T
//   d loss/dF = X^T P + dP[X F]
// which is the law's own `differential`. Laws with mu and lambda are linear in them: the derivative by mu is the stress of
// the law with mu = 1, lambda = 0.
#pragma once

#include "material/laws.h"
#include "material/namespace.h"
#include "material/rotation.h"

#include <type_traits>

namespace pliant::material {

// Derivatives by the numbers of a law. The first two are mu and lambda; of liquid they are bulk modulus and gamma. What
// comes next is said by each law below and in return_back.h.
inline constexpr int law_numbers = 5;
template <class S>
using LawBar = Vector<S, law_numbers>;

template <class S, int D>
struct StressBack {
  Matrix<S, D> F;
  S plastic;
  LawBar<S> law;
};

// the derivative of the stress along dF: that of the law, but for linear_corotated whose rotation moves with F
template <class L, class S, int D>
Matrix<S, D> stress_differential(const L& law, const Matrix<S, D>& F, const Matrix<S, D>& dF, const S& plastic) {
  return law.differential(F, dF, Memory<S, D>{F, plastic});
}
// P = 2 mu (F - R) + lambda tr(R^T F - I) R
template <class S, int D>
Matrix<S, D> stress_differential(const LinearCorotated<S>& law, const Matrix<S, D>& F, const Matrix<S, D>& dF,
                                 const S&) {
  const Svd<S, D> f = svd(F);
  const Matrix<S, D> R = f.U * transpose(f.V), dR = rotation_differential(f, dF);
  const S stretch = inner(R, F) - S(D);
  return (2 * law.mu) * (dF - dR) + (law.lambda * inner(R, dF)) * R + (law.lambda * stretch) * dR;
}

// tau of the law with these two numbers in place of its own
template <class L, class S, int D>
Matrix<S, D> kirchhoff_with(L law, S mu, S lambda, const Matrix<S, D>& F) {
  law.mu = mu;
  law.lambda = lambda;
  return law.kirchhoff(F, Memory<S, D>{F, S(0)});
}

// by mu and lambda
template <class L, class S, int D>
LawBar<S> stress_numbers_back(const L& law, const Matrix<S, D>& F, const S&, const Matrix<S, D>& X) {
  LawBar<S> bar = LawBar<S>::zero();
  if constexpr (requires { law.mu, law.lambda; }) {
    bar[0] = inner(X, kirchhoff_with(law, S(1), S(0), F));
    bar[1] = inner(X, kirchhoff_with(law, S(0), S(1), F));
  }
  return bar;
}
// third: hardening
template <class S, int D>
LawBar<S> stress_numbers_back(const Snow<S>& law, const Matrix<S, D>& F, const S& plastic, const Matrix<S, D>& X) {
  const S stiff = snow_stiffening(law.hardening, plastic), exponent = law.hardening * (1 - plastic);
  LawBar<S> bar = stiff * stress_numbers_back(law.fresh, F, plastic, X);
  if (abs(exponent) < 5) bar[2] = (1 - plastic) * inner(X, law.kirchhoff(F, Memory<S, D>{F, plastic}));
  return bar;
}
// bulk modulus, gamma. Where the formula has ended (J below the smallest) gamma is taken as if the end stayed.
template <class S, int D>
LawBar<S> stress_numbers_back(const Liquid<S>& law, const Matrix<S, D>& F, const S&, const Matrix<S, D>& X) {
  const S J = determinant(F), inside = max(J, law.smallest_J), log_J = log(inside);
  const S power = exp(-law.gamma * log_J), K = law.bulk_modulus, gamma = law.gamma;
  const S slope_by_gamma = K / gamma * (power * log_J - (1 - power) / gamma);
  const S second_by_gamma = -K * power * log_J / inside;
  LawBar<S> bar = LawBar<S>::zero();
  bar[0] = trace(X) * J * law.volume_energy(J).first / K;
  bar[1] = trace(X) * J * (slope_by_gamma + (J - inside) * second_by_gamma);
  return bar;
}

template <class L, class S, int D>
S stress_plastic_back(const L& law, const Matrix<S, D>& F, const S& plastic, const Matrix<S, D>& X) {
  if constexpr (std::is_same_v<L, Snow<S>>) {
    if (abs(law.hardening * (1 - plastic)) < 5)
      return -law.hardening * inner(X, law.kirchhoff(F, Memory<S, D>{F, plastic}));
  }
  return S(0);
}

// X: derivative by tau, which is taken about F's own rotation
template <class L, class S, int D>
StressBack<S, D> kirchhoff_back(const L& law, const Matrix<S, D>& F, const S& plastic, const Matrix<S, D>& X) {
  const Matrix<S, D> P = law.stress(F, Memory<S, D>{F, plastic});
  return {transpose(X) * P + stress_differential(law, F, X * F, plastic), stress_plastic_back(law, F, plastic, X),
          stress_numbers_back(law, F, plastic, X)};
}

// J 2 viscosity dev sym C of liquids: also by C; third number: viscosity
template <class S, int D>
struct ViscousBack {
  Matrix<S, D> F, C;
  S viscosity;
};
template <class S, int D>
ViscousBack<S, D> viscous_back(S viscosity, const Matrix<S, D>& F, const Matrix<S, D>& C, const Matrix<S, D>& X) {
  const auto shear = [](const Matrix<S, D>& A) {
    return add_diagonal(symmetric_part(A), trace(A) * (S(-1) / S(D)));
  };
  const S J = determinant(F), work = 2 * inner(X, shear(C));
  return {(viscosity * work) * cofactor(F), (2 * viscosity * J) * shear(X), J * work};
}

}  // namespace pliant::material

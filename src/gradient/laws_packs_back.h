// Adjoints of stresses of laws without memory, many particles at a time: what laws_back.h has, in packs. Neo-Hookean and
// fixed corotated by closed forms; laws_back.h is the slow twin.
#pragma once

#include "gradient/namespace.h"
#include "material/laws_back.h"
#include "material/moduli.h"

#include <type_traits>

namespace pliant::gradient {

// the laws that have this
template <class L>
constexpr bool in_packs = takes_moduli<L>;

template <class P, int D>
struct PackStressBack {
  Matrix<P, D> tau, F;
  P mu, lambda;
};

// the stress, and from X, the derivative by it, those by F and the moduli, in which it is linear. X is symmetric where the
// stress is: of laws that tell turns from strain.
template <class L, class P, int D>
PackStressBack<P, D> any_stress_back(const L& law, const Moduli<P>& m, const Matrix<P, D>& F, const Matrix<P, D>& X) {
  const Memory<P, D> memory = {F, P(0)};
  using S = Scalar<P>;
  const L shear = with_moduli(law, Moduli<S>{1, 0}), bulk = with_moduli(law, Moduli<S>{0, 1});
  const auto back = [&](const L& l) -> Matrix<P, D> {
    return transpose(X) * l.stress(F, memory) + l.differential(F, X * F, memory);
  };
  const Matrix<P, D> by_mu = shear.kirchhoff(F, memory), by_lambda = bulk.kirchhoff(F, memory);
  return {m.mu * by_mu + m.lambda * by_lambda, m.mu * back(shear) + m.lambda * back(bulk), inner(X, by_mu),
          inner(X, by_lambda)};
}

template <class L, class P, int D>
inline PackStressBack<P, D> stress_back(const L& law, const Moduli<P>& m, const Matrix<P, D>& F,
                                        const Matrix<P, D>& X) {
  return any_stress_back(law, m, F, X);
}

// where closed forms end. Copies, so that those who call it need no memory for their matrices.
template <class L, class P, int D>
inline PackStressBack<P, D> rare_stress_back(const L& law, Moduli<P> m, Matrix<P, D> F, Matrix<P, D> X) {
  const auto away = [&]() __attribute__((noinline, cold)) { return any_stress_back(law, m, F, X); };
  const PackStressBack<P, D> back = away();
  return back;
}

// tau = mu (F F^T - 1) + lambda log J
template <class S, class P, int D>
inline PackStressBack<P, D> stress_back(const NeoHookean<S>& law, const Moduli<P>& m, const Matrix<P, D>& F,
                                        const Matrix<P, D>& X) {
  const Matrix<P, D> c = cofactor(F), Y = X * F;
  const P J = determinant(F), sum = trace(X);
  if (any_of(J < P(law.smallest_J))) [[unlikely]]
    return rare_stress_back(law, m, F, X);
  const P log_J = log(J), pull = m.lambda * sum / J;
  return {add_diagonal(symmetric_product(m.mu, F, F), m.lambda * log_J - m.mu), (P(2) * m.mu) * Y + pull * c,
          inner(Y, F) - sum, log_J * sum};
}

// X + 2 [g]x with g = (tr V - V)^-1 m and [m]x = skew(X V). `far` is false where two stretches nearly cancel: matter
// inside out.
template <class P>
inline Matrix<P, 3> turned(const Matrix<P, 3>& X, const Matrix<P, 3>& V, const Matrix<P, 3>& XV, Truth<P>& far) {
  using S = Scalar<P>;
  const Matrix<P, 3> G = add_diagonal(P(-1) * V, trace(V)), K = cofactor(G);
  const P det = G.a[0] * K.a[0] + G.a[1] * K.a[1] + G.a[2] * K.a[2];
  far = det >= P(S(1e-3));
  const Vector<P, 3> m = {{XV(2, 1) - XV(1, 2), XV(0, 2) - XV(2, 0), XV(1, 0) - XV(0, 1)}};
  const Vector<P, 3> g = (P(1) / det) * (K * m);
  Matrix<P, 3> N = X;
  N(0, 1) -= g[2], N(0, 2) += g[1], N(1, 2) -= g[0];
  N(1, 0) += g[2], N(2, 0) -= g[1], N(2, 1) += g[0];
  return N;
}
// the axis is that out of the plane, along which V does not act
template <class P>
inline Matrix<P, 2> turned(const Matrix<P, 2>& X, const Matrix<P, 2>& V, const Matrix<P, 2>& XV, Truth<P>& far) {
  const P sum = trace(V);
  far = sum >= P(Scalar<P>(0.1));
  const P g = (XV(1, 0) - XV(0, 1)) / sum;
  Matrix<P, 2> N = X;
  N(0, 1) -= g;
  N(1, 0) += g;
  return N;
}

// With V = R F^T and N = X + 2 [g]x as above:
//   F_bar = 4 mu X F - 2 mu N R + lambda tr X (2 J - 1) cof F
template <class S, class P, int D>
inline PackStressBack<P, D> stress_back(const FixedCorotated<S>& law, const Moduli<P>& m, const Matrix<P, D>& F,
                                        const Matrix<P, D>& X) {
  const Matrix<P, D> R = rotation_of(F), V = symmetric_product(P(1), R, F), XV = X * V;
  Truth<P> far;
  const Matrix<P, D> N = turned(X, V, XV, far);
  if (!all_of(far)) [[unlikely]]
    return rare_stress_back(law, m, F, X);
  const Matrix<P, D> c = cofactor(F), Y = X * F;
  const P J = determinant(F), sum = trace(X), two = P(2);
  const P pull = m.lambda * sum * (two * J - P(1)), growth = (J - P(1)) * J;
  return {add_diagonal(symmetric_product(two * m.mu, F - R, F), m.lambda * growth),
          (P(4) * m.mu) * Y - (two * m.mu) * (N * R) + pull * c, two * (inner(Y, F) - trace(XV)), growth * sum};
}

}  // namespace pliant::gradient

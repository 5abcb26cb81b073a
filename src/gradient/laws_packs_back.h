// Adjoints of stresses of laws without memory, many particles at a time: what laws_back.h has, in packs. Neo-Hookean and
// fixed corotated by closed forms; laws_back.h is the slow twin.
#pragma once

#include "gradient/namespace.h"
#include "material/laws_back.h"

#include <type_traits>

namespace pliant::gradient {

// the laws that have this
template <class L>
constexpr bool in_packs = !L::plastic && !L::sheet && !L::viscous && requires(L law) {
  law.mu, law.lambda;
};

template <class P>
struct PackStressBack {
  Matrix<P, 3> tau, F;
  P mu, lambda;
};

// the stress, and from X, the derivative by it, those by F and the law. X is symmetric where the stress is: of laws that
// tell turns from strain.
template <class L, class P>
PackStressBack<P> any_stress_back(const L& law, const Matrix<P, 3>& F, const Matrix<P, 3>& X) {
  const Memory<P, 3> memory = {F, P(0)};
  const auto with = [&](Scalar<P> mu, Scalar<P> lambda) {
    L other = law;
    other.mu = mu;
    other.lambda = lambda;
    return inner(X, other.kirchhoff(F, memory));
  };
  return {law.kirchhoff(F, memory), transpose(X) * law.stress(F, memory) + law.differential(F, X * F, memory),
          with(1, 0), with(0, 1)};
}

template <class L, class P>
inline PackStressBack<P> stress_back(const L& law, const Matrix<P, 3>& F, const Matrix<P, 3>& X) {
  return any_stress_back(law, F, X);
}

// tau = mu (F F^T - 1) + lambda log J
template <class S, class P>
inline PackStressBack<P> stress_back(const NeoHookean<S>& law, const Matrix<P, 3>& F, const Matrix<P, 3>& X) {
  const Matrix<P, 3> c = cofactor(F), Y = X * F;
  const P J = F.a[0] * c.a[0] + F.a[1] * c.a[1] + F.a[2] * c.a[2], sum = trace(X);
  if (any_of(J < P(law.smallest_J))) [[unlikely]]
    return any_stress_back(law, F, X);
  const P log_J = log(J), pull = P(law.lambda) * sum / J;
  return {add_diagonal(symmetric_product(P(law.mu), F, F), P(law.lambda) * log_J - P(law.mu)),
          P(2 * law.mu) * Y + pull * c, inner(Y, F) - sum, log_J * sum};
}

// With V = R F^T, [m]x = skew(X V) and g = (tr V - V)^-1 m:
//   F_bar = 4 mu X F - 2 mu (X + 2 [g]x) R + lambda tr X (2 J - 1) cof F
template <class S, class P>
inline PackStressBack<P> stress_back(const FixedCorotated<S>& law, const Matrix<P, 3>& F, const Matrix<P, 3>& X) {
  const P half = P(S(0.5));
  const Matrix<P, 3> R = rotation_of(F), V = symmetric_product(P(1), R, F), XV = X * V;
  const Matrix<P, 3> G = add_diagonal(P(-1) * V, trace(V));
  const Matrix<P, 3> K = cofactor(G);
  const P det = G.a[0] * K.a[0] + G.a[1] * K.a[1] + G.a[2] * K.a[2];
  // two stretches that nearly cancel: matter inside out
  if (any_of(det < P(S(1e-3)))) [[unlikely]]
    return any_stress_back(law, F, X);
  const P scale = half / det;
  const Vector<P, 3> m = {{XV(2, 1) - XV(1, 2), XV(0, 2) - XV(2, 0), XV(1, 0) - XV(0, 1)}};
  const Vector<P, 3> g = scale * (K * m);
  Matrix<P, 3> N = X;  // X + 2 [g]x
  const P two = P(2);
  N(0, 1) -= two * g[2], N(0, 2) += two * g[1], N(1, 2) -= two * g[0];
  N(1, 0) += two * g[2], N(2, 0) -= two * g[1], N(2, 1) += two * g[0];
  const Matrix<P, 3> c = cofactor(F), Y = X * F;
  const P J = F.a[0] * c.a[0] + F.a[1] * c.a[1] + F.a[2] * c.a[2], sum = trace(X);
  const P pull = P(law.lambda) * sum * (two * J - P(1));
  return {add_diagonal(symmetric_product(P(2 * law.mu), F - R, F), P(law.lambda) * (J - P(1)) * J),
          P(4 * law.mu) * Y - P(2 * law.mu) * (N * R) + pull * c, two * (inner(Y, F) - trace(XV)),
          (J - P(1)) * J * sum};
}

}  // namespace pliant::gradient

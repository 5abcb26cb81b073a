// The differential of an isotropic law where F is diagonal, F = diag(s): a symmetric 3x3 matrix for the stretches,
// psi_ij, and for each pair of axes (P_i - P_j)/(s_i - s_j) for shear and (P_i + P_j)/(s_i + s_j) for turning. The same
// as the law's own `differential`, without its singular values.
#pragma once

#include "material/laws.h"

namespace pliant {

// (i, j) with i < j: shear; with i > j: turning
template <class P>
struct PrincipalDifferential {
  Matrix<P, 3> stretch, pairs;
};

// of an energy a/2 |F|^2 + psi(J): `a` on the diagonal, then psi'' c c^T and psi' times the derivative of c, the
// cofactors
template <class P>
inline PrincipalDifferential<P> volume_principal(const Jet<P>& psi, P a, const Vector<P, 3>& s) {
  const Vector<P, 3> c = {{s[1] * s[2], s[0] * s[2], s[0] * s[1]}};
  PrincipalDifferential<P> r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const P product = psi.second * c[i] * c[j];
      r.stretch(i, j) = i == j ? a + product : product + psi.first * s[3 - i - j];
      if (i != j) r.pairs(i, j) = i < j ? a - psi.first * s[3 - i - j] : a + psi.first * s[3 - i - j];
    }
  return r;
}

template <class P, class S>
inline PrincipalDifferential<P> principal_differential(const FixedCorotated<S>& law, const Vector<P, 3>& s, P) {
  const Jet<P> volume = {P(0), P(law.lambda) * (s[0] * s[1] * s[2] - P(1)), P(law.lambda)};
  PrincipalDifferential<P> r = volume_principal(volume, P(2 * law.mu), s);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < i; ++j) r.pairs(i, j) = r.pairs(i, j) - P(4 * law.mu) / guarded_sum(s[i], s[j]);
  return r;
}

template <class P, class S>
inline PrincipalDifferential<P> principal_differential(const Snow<S>& law, const Vector<P, 3>& s, P plastic) {
  PrincipalDifferential<P> r = principal_differential(law.fresh, s, plastic);
  const P stiffening = snow_stiffening(law.hardening, plastic);
  r.stretch = stiffening * r.stretch;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (i != j) r.pairs(i, j) = stiffening * r.pairs(i, j);
  return r;
}

template <class P, class S>
inline PrincipalDifferential<P> principal_differential(const NeoHookean<S>& law, const Vector<P, 3>& s, P) {
  return volume_principal(law.volume_energy(s[0] * s[1] * s[2]), P(law.mu), s);
}
template <class P, class S>
inline PrincipalDifferential<P> principal_differential(const Liquid<S>& law, const Vector<P, 3>& s, P) {
  return volume_principal(law.volume_energy(s[0] * s[1] * s[2]), P(0), s);
}
template <class P, class S>
inline PrincipalDifferential<P> principal_differential(const Eraser<S>& law, const Vector<P, 3>& s, P) {
  return volume_principal(law.template volume_energy<3>(s[0] * s[1] * s[2]), P(0), s);
}

template <class P, class S>
inline PrincipalDifferential<P> principal_differential(const LogarithmicElasticity<S>& law, const Vector<P, 3>& s, P) {
  Jet<P> l[3];
  for (int i = 0; i < 3; ++i) l[i] = stretch_log(s[i]);
  const P sum = l[0].value + l[1].value + l[2].value, two_mu = P(2 * law.mu), lambda = P(law.lambda);
  P pull[3];  // derivative of the energy by the logarithm
  for (int i = 0; i < 3; ++i) pull[i] = two_mu * l[i].value + lambda * sum;
  PrincipalDifferential<P> r;
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) {
      const P mixed = lambda * l[i].first * l[j].first;
      if (i == j) {
        r.stretch(i, i) = l[i].second * pull[i] + two_mu * l[i].first * l[i].first + mixed;
        continue;
      }
      r.stretch(i, j) = r.stretch(j, i) = mixed;
      const LogSlopes<P> slopes = stretch_log_slopes(s[i], s[j]);
      r.pairs(i, j) = two_mu * l[i].first * slopes.value + pull[j] * slopes.first;
      r.pairs(j, i) = (l[i].first * pull[i] + l[j].first * pull[j]) / guarded_sum(s[i], s[j]);
    }
  return r;
}

}  // namespace pliant

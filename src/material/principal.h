// The differential of an isotropic law where F is diagonal, F = diag(s): a symmetric 3x3 matrix for the stretches,
// psi_ij, and for each pair of axes (P_i - P_j)/(s_i - s_j) for shear and (P_i + P_j)/(s_i + s_j) for turning. The same
// as the law's own `differential`, without its singular values.
#pragma once

#include "material/jet.h"
#include "material/namespace.h"

namespace pliant::material {

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

}  // namespace pliant::material

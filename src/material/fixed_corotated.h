// Fixed corotated elasticity, energy mu |F - R|^2 + lambda/2 (J - 1)^2, F = R S. Finite and restoring when inverted.
#pragma once

#include "material/jet.h"
#include "material/law.h"
#include "material/namespace.h"
#include "material/principal.h"
#include "material/rotation.h"

namespace pliant::material {

template <class S>
struct FixedCorotated : ElasticSolid {
  S mu, lambda;

  static constexpr const char* name = "fixed_corotated";
  static constexpr const char* what = "stretches about the rotation of F";

  static FixedCorotated make(const Material& material) {
    const Lame l = lame(material);
    return {{}, S(l.mu), S(l.lambda)};
  }

  template <class T, int D>
  T energy(const Matrix<T, D>& F, const Memory<T, D>&) const {
    const Matrix<T, D> stretch = F - rotation_of(F);
    const T growth = determinant(F) - T(1);
    return T(mu) * inner(stretch, stretch) + T(lambda / 2) * (growth * growth);
  }

  template <class T, int D>
  Matrix<T, D> stress(const Matrix<T, D>& F, const Memory<T, D>&) const {
    const T pull = T(lambda) * (determinant(F) - T(1));
    return T(2 * mu) * (F - rotation_of(F)) + pull * cofactor(F);
  }

  template <class T, int D>
  [[gnu::flatten]] Matrix<T, D> kirchhoff(const Matrix<T, D>& F, const Memory<T, D>&) const {
    const T J = determinant(F);
    return add_diagonal(symmetric_product(T(2 * mu), F - rotation_of(F), F), T(lambda) * (J - T(1)) * J);
  }

  template <class T, int D>
  Matrix<T, D> differential(const Matrix<T, D>& F, const Matrix<T, D>& dF, const Memory<T, D>&) const {
    const Jet<T> volume = {T(0), T(lambda) * (determinant(F) - T(1)), T(lambda)};
    return T(2 * mu) * (dF - rotation_differential(svd(F), dF)) + volume_differential(volume, F, dF);
  }

  template <class T>
  PrincipalDifferential<T> principal_differential(const Vector<T, 3>& s, const T&) const {
    const Jet<T> volume = {T(0), T(lambda) * (s[0] * s[1] * s[2] - T(1)), T(lambda)};
    PrincipalDifferential<T> r = volume_principal(volume, T(2 * mu), s);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < i; ++j) r.pairs(i, j) = r.pairs(i, j) - T(4 * mu) / guarded_sum(s[i], s[j]);
    return r;
  }
};

}  // namespace pliant::material

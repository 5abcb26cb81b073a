// Fixed corotated elasticity, energy mu |F - R|^2 + lambda/2 (J - 1)^2, F = R S. Finite and restoring when inverted.
#pragma once

#include "material/jet.h"
#include "material/lame.h"
#include "material/law.h"
#include "material/rotation.h"

namespace pliant {

template <class S>
struct FixedCorotated {
  S mu, lambda;

  static constexpr bool plastic = false;
  static constexpr bool viscous = false;
  static constexpr double initial_plastic = 0;

  static FixedCorotated make(const Material& material) {
    const Lame l = lame(material);
    return {S(l.mu), S(l.lambda)};
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

  template <class T, int D>
  void return_map(Matrix<T, D>&, Memory<T, D>&) const {}
};

}  // namespace pliant

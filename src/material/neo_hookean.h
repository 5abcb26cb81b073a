// Compressible neo-Hookean elasticity, energy mu/2 (|F|^2 - D) - mu log J + lambda/2 log^2 J.
#pragma once

#include "material/namespace.h"
#include "material/shear_and_volume.h"

namespace pliant::material {

template <class S>
struct NeoHookean : ShearAndVolume<NeoHookean<S>, S> {
  static constexpr const char* name = "neo_hookean";
  static constexpr const char* what = "rubber, jelly";
  // below this J the part of the energy that depends on J goes on as a parabola
  static constexpr S smallest_J = S(0.01);
  using ShearAndVolume<NeoHookean<S>, S>::mu, ShearAndVolume<NeoHookean<S>, S>::lambda;

  static NeoHookean make(const Material& material) {
    const Lame l = lame(material);
    return {{{}, S(l.mu), S(l.lambda)}};
  }

  // -mu log J + lambda/2 log^2 J
  template <class T>
  Jet<T> volume_energy(const T& J) const {
    const T inside = max(J, T(smallest_J));
    const T log_J = log(inside), inverse = T(1) / inside;
    const T pull = T(lambda) * log_J - T(mu);
    return continued<T>(
        {(T(lambda / 2) * log_J - T(mu)) * log_J, pull * inverse, (T(lambda) - pull) * inverse * inverse}, J - inside);
  }

  // mu (F F^T - I) + lambda log J I; the second line only where some J is below the smallest
  template <class T, int D>
  [[gnu::flatten]] Matrix<T, D> kirchhoff(const Matrix<T, D>& F, const Memory<T, D>&) const {
    const T J = determinant(F);
    const Truth<T> beyond = J < T(smallest_J);
    T pull = T(lambda) * log(max(J, T(smallest_J))) - T(mu);
    if (any_of(beyond)) pull = select(beyond, J * volume_energy(J).first, pull);
    return add_diagonal(symmetric_product(T(mu), F, F), pull);
  }
};

}  // namespace pliant::material

// St. Venant-Kirchhoff elasticity in logarithmic strain with von Mises yield, |dev tau|_F <= yield.
#pragma once

#include "material/lame.h"
#include "material/logarithmic.h"

namespace pliant {

template <class S>
struct Hencky : LogarithmicElasticity<S> {
  S yield;  // Pa, 0: never yields

  static constexpr bool plastic = true;
  static constexpr bool viscous = false;
  static constexpr double initial_plastic = 0;

  static Hencky make(const Material& material) {
    const Lame l = lame(material);
    return {{S(l.mu), S(l.lambda)}, S(material.yield)};
  }

  // dev tau = 2 mu dev strain: the deviator of the strain shrinks to the yield surface, the volume stays
  template <class T, int D>
  [[gnu::flatten]] void return_map(Matrix<T, D>& F, Memory<T, D>& memory) const {
    if (!(yield > 0)) return;
    const T radius = T(yield / (2 * this->mu));
    const LogStrain<T, D> e(F);
    const Truth<T> yields = e.deviator > radius;
    if (!any_of(yields)) return;
    const T size = max(e.deviator, radius);
    F = select(yields, e.changed(F, radius / size, e.sum), F);
    memory.plastic = memory.plastic + (size - radius);
  }
};

}  // namespace pliant

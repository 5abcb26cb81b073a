// St. Venant-Kirchhoff elasticity in logarithmic strain with von Mises yield, |dev tau|_F <= sqrt(2/3) yield.
#pragma once

#include "material/flow.h"
#include "material/logarithmic.h"
#include "material/namespace.h"

namespace pliant::material {

template <class S>
struct Hencky : LogarithmicElasticity<S> {
  S deviator;  // Pa, largest |dev tau|_F; 0: never yields

  static constexpr const char* name = "hencky";
  static constexpr const char* what = "St. Venant-Kirchhoff in logarithmic strain, von Mises yield";
  static constexpr std::array parameters = {parameter::E, parameter::nu, parameter::loss, parameter::friction,
                                            parameter::yield};
  static constexpr bool plastic = true;
  static constexpr Flow flows = Flow::in_step;

  static Hencky make(const Material& material) {
    const Lame l = lame(material);
    return {{{}, S(l.mu), S(l.lambda)}, S(yield_deviator(material))};
  }

  // dev tau = 2 mu dev strain: the deviator of the strain shrinks to the yield surface, the volume stays
  template <class T, int D>
  [[gnu::flatten]] void return_map(Matrix<T, D>& F, Memory<T, D>& memory) const {
    if (!(deviator > 0)) return;
    const T radius = T(deviator / (2 * this->mu));
    const LogStrain<T, D> e(F);
    const Truth<T> yields = e.deviator > radius;
    if (!any_of(yields)) return;
    const T size = max(e.deviator, radius);
    F = select(yields, e.changed(F, radius / size, e.sum), F);
    memory.plastic = memory.plastic + (size - radius);
  }

  bool yields() const { return deviator > 0; }

  template <class T>
  T yield_strain(const Matrix<T, 3>&, const T&) const {
    return T(deviator > 0 ? deviator / (2 * this->mu) : S(never_yields));
  }

  template <class T>
  LogarithmicFlow<T> flow_in_step(const StepStart<T>& start) const {
    return {T(this->mu), T(this->lambda + 2 * this->mu / 3), start.yield, T(0), T(S(never_yields))};
  }
  template <class T>
  Stressed<T> flowing(const Matrix<T, 3>& F, const StepStart<T>& start) const {
    return flow_in_step(start).stressed(F);
  }
};

}  // namespace pliant::material

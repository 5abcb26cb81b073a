#pragma once

#include "material/shear_and_volume.h"

namespace pliant::material {

// energy mu/2 (|F|^2 - D) - mu (J - 1) + (lambda + mu)/2 (J - 1)^2: finite when inverted
template <class S>
struct Rubber : ShearAndVolume<Rubber<S>, S> {
  static constexpr const char *name = "rubber", *what = "neo-Hookean shear, quadratic in the volume";
  static Rubber make(const Material& m) { return {{{}, S(lame(m).mu), S(lame(m).lambda)}}; }
  template <class T>
  Jet<T> volume_energy(const T& J) const {
    const T mu = T(this->mu), stiff = mu + T(this->lambda), growth = J - T(1);
    return {growth * (T(S(0.5)) * stiff * growth - mu), stiff * growth - mu, stiff};
  }
};

}  // namespace pliant::material

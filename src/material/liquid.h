// Weakly compressible liquid: pressure p = K/gamma (J^-gamma - 1), K the bulk modulus at rest, and Newtonian viscosity.
#pragma once

#include "material/isotropic.h"
#include "material/jet.h"
#include "material/law.h"
#include "pliant/material.h"

#include <cmath>

namespace pliant {

template <class S>
struct Liquid {
  S bulk_modulus;  // Pa
  S gamma;
  S viscosity;   // Pa s
  S smallest_J;  // below it the energy goes on as a parabola; there the liquid is a million times stiffer than at rest

  static constexpr bool plastic = true;
  static constexpr bool viscous = true;
  static constexpr double initial_plastic = 0;

  static Liquid make(const Material& material) {
    return {S(material.bulk_modulus), S(material.gamma), S(material.viscosity),
            S(std::pow(1e-6, 1 / (material.gamma + 1)))};
  }

  // K/gamma ((J^(1-gamma) - 1)/(gamma - 1) + J - 1), whose derivative is -p
  template <class T>
  Jet<T> volume_energy(const T& J) const {
    const T inside = max(J, T(smallest_J));
    const T log_J = log(inside), inverse = T(1) / inside;
    const T power = exp(T(-gamma) * log_J);
    const T push = abs(gamma - 1) < S(1e-4) ? -log_J : (power * inside - T(1)) * T(1 / (gamma - 1));
    const T scale = T(bulk_modulus / gamma);
    return continued<T>({scale * (push + inside - T(1)), scale * (T(1) - power), T(bulk_modulus) * power * inverse},
                        J - inside);
  }

  template <class T, int D>
  T energy(const Matrix<T, D>& F, const Memory<T, D>&) const {
    return volume_energy(determinant(F)).value;
  }

  template <class T, int D>
  Matrix<T, D> stress(const Matrix<T, D>& F, const Memory<T, D>&) const {
    return volume_energy(determinant(F)).first * cofactor(F);
  }

  template <class T, int D>
  [[gnu::flatten]] Matrix<T, D> kirchhoff(const Matrix<T, D>& F, const Memory<T, D>&) const {
    const T J = determinant(F);
    return add_diagonal(Matrix<T, D>::zero(), J * volume_energy(J).first);
  }

  // in an implicit step: the same without tension, as the volume gained is forgotten after it
  template <class T>
  Jet<T> pressed_energy(const T& J) const {
    const Jet<T> psi = volume_energy(J);
    const Truth<T> open = J > T(1);
    return {select(open, T(0), psi.value), select(open, T(0), psi.first), select(open, T(0), psi.second)};
  }

  // F after a large step in which the flow has this gradient. Volume follows its divergence alone: the determinant of
  // 1 + dt grad v would take every shear for a loss and every turn for a gain, of the order of dt^2.
  template <class T, int D>
  Matrix<T, D> flow(const Matrix<T, D>& start, const T& dt, const Matrix<T, D>& gradient) const {
    return isotropic<D>(determinant(start) * (T(1) + dt * trace(gradient)));
  }

  // J 2 viscosity dev sym grad v
  template <class T, int D>
  Matrix<T, D> viscous_kirchhoff(const T& J, const Matrix<T, D>& velocity_gradient) const {
    const Matrix<T, D> rate = symmetric_part(velocity_gradient);
    return (J * T(2 * viscosity)) * add_diagonal(rate, trace(rate) * T(S(-1) / S(D)));
  }

  template <class T, int D>
  Matrix<T, D> differential(const Matrix<T, D>& F, const Matrix<T, D>& dF, const Memory<T, D>&) const {
    return volume_differential(volume_energy(determinant(F)), F, dF);
  }

  // The shape is forgotten, and so is any volume beyond that at rest: a free surface holds no tension. (README.md says
  // why the gained volume is not remembered, as sand does.)
  template <class T, int D>
  [[gnu::flatten]] void return_map(Matrix<T, D>& F, Memory<T, D>&) const {
    F = isotropic<D>(min(determinant(F), T(1)));
  }
};

}  // namespace pliant

// Weakly compressible liquid: pressure p = K/gamma (J^-gamma - 1), K the bulk modulus at rest, and Newtonian viscosity.
#pragma once

#include "material/isotropic.h"
#include "material/jet.h"
#include "material/law.h"
#include "material/namespace.h"
#include "material/principal.h"

namespace pliant::material {

template <class S>
struct Liquid : ElasticSolid {
  S bulk_modulus;  // Pa
  S gamma;
  S viscosity;   // Pa s
  S smallest_J;  // below it the energy goes on as a parabola; there the liquid is a million times stiffer than at rest

  static constexpr const char* name = "liquid";
  static constexpr const char* what = "equation of state, viscosity, no tension";
  static constexpr std::array parameters = {
      Parameter{"bulk_modulus", &Material::bulk_modulus, "Pa", parameter::pressures, "at rest"},
      Parameter{"gamma", &Material::gamma, "", {1, 100}, "exponent of the equation of state"},
      Parameter{"viscosity", &Material::viscosity, "Pa s", {0, 1e12}, "of shear"}};
  static constexpr bool plastic = true;
  static constexpr bool viscous = true;
  static constexpr bool keeps_shape = false;
  static constexpr bool tells_turns = false;
  static constexpr bool resists_only_pressure = true;
  // A liquid that is only just open is taken as stiff, up to this strain: particles close and open again within a solve,
  // and a direction that knows nothing of the stiffness beyond ends at the first that closes.
  static constexpr double nearly_closed = 1e-3;

  static bool lasts(const Material&) { return false; }
  static Liquid make(const Material& material) {
    return {{},
            S(material.bulk_modulus),
            S(material.gamma),
            S(material.viscosity),
            S(std::pow(1e-6, 1 / (material.gamma + 1)))};
  }
  static double wave_speed(const Material& material, double) {
    return std::sqrt(material.bulk_modulus / material.density);
  }
  static double modulus(const Material& material) { return material.bulk_modulus; }
  static double shear_viscosity(const Material& material) { return material.viscosity; }

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

  // per rest volume, of a strong step with the divergence dt tr L: convex
  template <class T>
  Jet<T> divergence_energy(const Matrix<T, 3>& F, const T& divergence) const {
    const T J = determinant(F);
    const Jet<T> psi = pressed_energy(J * (T(1) + divergence));
    return {psi.value, J * psi.first, J * J * psi.second};
  }
  // the same for directions of a solve, where matter that is nearly closed is stiff
  template <class T>
  Jet<T> opening_energy(const Matrix<T, 3>& F, const T& divergence) const {
    Jet<T> psi = divergence_energy(F, divergence);
    const T J = determinant(F), open = J * (T(1) + divergence) - T(1);
    const T lifted = T(bulk_modulus) * J * J * max(T(0), T(1) - open * T(S(1 / nearly_closed)));
    psi.second = select(open > T(0), lifted, psi.second);
    return psi;
  }

  // F after a large step in which the flow has this gradient: particles have moved along straight lines, so that what
  // turns has spread. The solve has seen the divergence alone; flows that are too fast for the step are not followed far.
  template <class T, int D>
  Matrix<T, D> flow(const Matrix<T, D>& start, const T& dt, const Matrix<T, D>& gradient) const {
    const T seen = T(1) + dt * trace(gradient), moved = determinant(add_diagonal(dt * gradient, T(1)));
    return isotropic<D>(determinant(start) * max(T(S(0.5)) * seen, min(T(S(2)) * seen, moved)));
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

  template <class T>
  PrincipalDifferential<T> principal_differential(const Vector<T, 3>& s, const T&) const {
    return volume_principal(volume_energy(s[0] * s[1] * s[2]), T(0), s);
  }

  // The shape is forgotten, and so is any volume beyond that at rest: a free surface holds no tension. (README.md says
  // why the gained volume is not remembered, as sand does.)
  template <class T, int D>
  [[gnu::flatten]] void return_map(Matrix<T, D>& F, Memory<T, D>&) const {
    F = isotropic<D>(min(determinant(F), T(1)));
  }
};

}  // namespace pliant::material

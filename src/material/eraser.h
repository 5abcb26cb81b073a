// Matter that stores volume only (S3, experiment 5): after each step the deviatoric part of the strain is erased.
#pragma once

#include "material/isotropic.h"
#include "material/jet.h"
#include "material/law.h"
#include "material/namespace.h"
#include "material/principal.h"

namespace pliant::material {

template <class S>
struct Eraser : ElasticSolid {
  S mu, lambda;

  static constexpr S smallest_J = S(0.01);
  static constexpr const char* name = "eraser";
  static constexpr const char* what =
      "stores volume only: the deviatoric part of the strain is erased each step (S3, experiment 5)";
  static constexpr std::array parameters = {parameter::E, parameter::nu, parameter::friction};
  static constexpr bool plastic = true;
  static constexpr bool keeps_shape = false;

  static Eraser make(const Material& material) {
    const Lame l = lame(material);
    return {{}, S(l.mu), S(l.lambda)};
  }
  // by the bulk modulus lambda + 2 mu/D, larger in the plane
  static double wave_speed(const Material& material, double) {
    const Lame l = lame(material);
    return std::sqrt((l.lambda + l.mu) / material.density);
  }

  // bulk modulus in D dimensions
  template <int D>
  S bulk() const {
    return lambda + 2 * mu / D;
  }

  // K/2 ((J^2 - 1)/2 - log J): convex, stiff against collapse and against stretch
  template <int D, class T>
  Jet<T> volume_energy(const T& J) const {
    const T inside = max(J, T(smallest_J));
    const T inverse = T(1) / inside, half = T(bulk<D>() / 2);
    return continued<T>({half * (T(S(0.5)) * (inside * inside - T(1)) - log(inside)), half * (inside - inverse),
                         half * (T(1) + inverse * inverse)},
                        J - inside);
  }

  template <class T, int D>
  T energy(const Matrix<T, D>& F, const Memory<T, D>&) const {
    return volume_energy<D>(determinant(F)).value;
  }

  template <class T, int D>
  Matrix<T, D> stress(const Matrix<T, D>& F, const Memory<T, D>&) const {
    return volume_energy<D>(determinant(F)).first * cofactor(F);
  }

  template <class T, int D>
  [[gnu::flatten]] Matrix<T, D> kirchhoff(const Matrix<T, D>& F, const Memory<T, D>&) const {
    const T J = determinant(F);
    return add_diagonal(Matrix<T, D>::zero(), J * volume_energy<D>(J).first);
  }

  template <class T, int D>
  Matrix<T, D> differential(const Matrix<T, D>& F, const Matrix<T, D>& dF, const Memory<T, D>&) const {
    return volume_differential(volume_energy<D>(determinant(F)), F, dF);
  }

  template <class T>
  PrincipalDifferential<T> principal_differential(const Vector<T, 3>& s, const T&) const {
    return volume_principal(volume_energy<3>(s[0] * s[1] * s[2]), T(0), s);
  }

  template <class T, int D>
  [[gnu::flatten]] void return_map(Matrix<T, D>& F, Memory<T, D>&) const {
    F = isotropic<D>(determinant(F));
  }
};

}  // namespace pliant::material

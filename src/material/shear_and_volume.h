// Elasticity of an energy mu/2 (|F|^2 - D) + psi(J): all of it follows from psi and its two derivatives, which `Law`
// gives as volume_energy(J). psi'(1) = -mu, so that there is no stress at rest, and psi''(1) = lambda + mu.
#pragma once

#include "material/jet.h"
#include "material/law.h"
#include "material/namespace.h"
#include "material/principal.h"

namespace pliant::material {

template <class Law, class S>
struct ShearAndVolume : ElasticSolid {
  S mu, lambda;

  template <class T, int D>
  T energy(const Matrix<T, D>& F, const Memory<T, D>&) const {
    return T(mu / 2) * (inner(F, F) - T(D)) + psi(determinant(F)).value;
  }

  template <class T, int D>
  Matrix<T, D> stress(const Matrix<T, D>& F, const Memory<T, D>&) const {
    return T(mu) * F + psi(determinant(F)).first * cofactor(F);
  }

  // mu F F^T + J psi'(J) I
  template <class T, int D>
  [[gnu::flatten]] Matrix<T, D> kirchhoff(const Matrix<T, D>& F, const Memory<T, D>&) const {
    const T J = determinant(F);
    return add_diagonal(symmetric_product(T(mu), F, F), J * psi(J).first);
  }

  template <class T, int D>
  Matrix<T, D> differential(const Matrix<T, D>& F, const Matrix<T, D>& dF, const Memory<T, D>&) const {
    return T(mu) * dF + volume_differential(psi(determinant(F)), F, dF);
  }

  template <class T>
  PrincipalDifferential<T> principal_differential(const Vector<T, 3>& s, const T&) const {
    return volume_principal(psi(s[0] * s[1] * s[2]), T(mu), s);
  }

 private:
  template <class T>
  Jet<T> psi(const T& J) const {
    return static_cast<const Law&>(*this).volume_energy(J);
  }
};

}  // namespace pliant::material

// Small-strain elasticity. Not blind to rotation: for matter that hardly turns.
#pragma once

#include "material/jet.h"
#include "material/law.h"
#include "material/namespace.h"

namespace pliant::material {

template <class S>
struct Linear : ElasticSolid {
  S mu, lambda;

  static constexpr const char* name = "linear";
  static constexpr const char* what = "small strains, hardly turned";
  static constexpr bool quadratic = true;
  static constexpr bool tells_turns = false;

  static Linear make(const Material& material) {
    const Lame l = lame(material);
    return {{}, S(l.mu), S(l.lambda)};
  }

  template <class T, int D>
  T energy(const Matrix<T, D>& F, const Memory<T, D>&) const {
    const Matrix<T, D> strain = add_diagonal(symmetric_part(F), T(-1));
    const T volume = trace(strain);
    return T(mu) * inner(strain, strain) + T(lambda / 2) * (volume * volume);
  }

  template <class T, int D>
  Matrix<T, D> stress(const Matrix<T, D>& F, const Memory<T, D>&) const {
    const Matrix<T, D> strain = add_diagonal(symmetric_part(F), T(-1));
    return add_diagonal(T(2 * mu) * strain, T(lambda) * trace(strain));
  }

  template <class T, int D>
  [[gnu::flatten]] Matrix<T, D> kirchhoff(const Matrix<T, D>& F, const Memory<T, D>& memory) const {
    return stress(F, memory) * transpose(F);
  }

  template <class T, int D>
  Matrix<T, D> differential(const Matrix<T, D>&, const Matrix<T, D>& dF, const Memory<T, D>&) const {
    return add_diagonal(T(2 * mu) * symmetric_part(dF), T(lambda) * trace(dF));
  }

  // strains of the strong step are of l A^T
  template <class T>
  Matrix<T, 3> frame(const StepStart<T>& start) const {
    return transpose(start.F);
  }
};

}  // namespace pliant::material

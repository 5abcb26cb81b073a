// mu and lambda of single particles, in place of those of their law: for laws whose stress and energy are linear in the two
// and that have no memory.
#pragma once

#include "material/law.h"
#include "material/namespace.h"

namespace pliant::material {

template <class T>
struct Moduli {
  T mu, lambda;  // Pa
};

template <class L>
constexpr bool takes_moduli = !L::plastic && !L::sheet && !L::viscous && requires(L law) {
  law.mu, law.lambda;
};

// one particle: the law that has them
template <class L, class S>
L with_moduli(L law, const Moduli<S>& m) {
  law.mu = m.mu;
  law.lambda = m.lambda;
  return law;
}

// Many particles, each with its own: from the laws with mu = 1 and with lambda = 1.
template <class L, class T, int D>
Matrix<T, D> kirchhoff_of(const L& law, const Moduli<T>& m, const Matrix<T, D>& F) {
  using S = Scalar<T>;
  const Memory<T, D> memory = {F, T(0)};
  return m.mu * with_moduli(law, Moduli<S>{1, 0}).kirchhoff(F, memory) +
         m.lambda * with_moduli(law, Moduli<S>{0, 1}).kirchhoff(F, memory);
}
template <class L, class T, int D>
T energy_of(const L& law, const Moduli<T>& m, const Matrix<T, D>& F) {
  using S = Scalar<T>;
  const Memory<T, D> memory = {F, T(0)};
  return m.mu * with_moduli(law, Moduli<S>{1, 0}).energy(F, memory) +
         m.lambda * with_moduli(law, Moduli<S>{0, 1}).energy(F, memory);
}

}  // namespace pliant::material

// Snow (Stomakhin et al. 2013): fixed corotated elasticity, stretches kept within limits, stiffness that grows as the
// snow is packed. memory.plastic is the plastic volume ratio Jp.
#pragma once

#include "material/fixed_corotated.h"
#include "material/namespace.h"

namespace pliant::material {

// Stiffness over that of fresh snow: exp(hardening (1 - Jp)), the exponent kept within -5 and 5 (factors 1/148 and
// 148).
template <class T>
inline T snow_stiffening(const Scalar<T>& hardening, const T& Jp) {
  const T most = T(5);
  return exp(min(max(T(hardening) * (T(1) - Jp), -most), most));
}

template <class S>
struct Snow : ElasticSolid {
  FixedCorotated<S> fresh;
  S hardening;
  S least_stretch, largest_stretch;  // singular values of F outside these flow

  // Jp is kept between these
  static constexpr S least_Jp = S(0.05), largest_Jp = S(20);
  static constexpr const char* name = "snow";
  static constexpr const char* what = "fixed corotated, stretch limits, hardening";
  static constexpr std::array parameters = {
      parameter::E,
      parameter::nu,
      parameter::friction,
      Parameter{"hardening",
                &Material::hardening,
                "",
                {0, 1000},
                "stiffness grows as exp(hardening (1 - plastic volume ratio))"},
      Parameter{"critical_compression",
                &Material::critical_compression,
                "",
                {0, 1, false, true},
                "singular values below 1 - this flow"},
      Parameter{"critical_stretch", &Material::critical_stretch, "", {0, 10}, "singular values above 1 + this flow"}};
  static constexpr bool plastic = true;
  static constexpr double initial_plastic = 1;
  static constexpr bool hardens = true;

  static Snow make(const Material& material) {
    return {{},
            FixedCorotated<S>::make(material),
            S(material.hardening),
            S(1 - material.critical_compression),
            S(1 + material.critical_stretch)};
  }
  static double wave_speed(const Material& material, double plastic) {
    const Lame l = lame(material);
    return std::sqrt((l.lambda + 2 * l.mu) * snow_stiffening(material.hardening, plastic) / material.density);
  }

  template <class T, int D>
  T energy(const Matrix<T, D>& F, const Memory<T, D>& memory) const {
    return snow_stiffening(hardening, memory.plastic) * fresh.energy(F, memory);
  }

  template <class T, int D>
  Matrix<T, D> stress(const Matrix<T, D>& F, const Memory<T, D>& memory) const {
    return snow_stiffening(hardening, memory.plastic) * fresh.stress(F, memory);
  }

  template <class T, int D>
  Matrix<T, D> kirchhoff(const Matrix<T, D>& F, const Memory<T, D>& memory) const {
    return snow_stiffening(hardening, memory.plastic) * fresh.kirchhoff(F, memory);
  }

  template <class T, int D>
  Matrix<T, D> differential(const Matrix<T, D>& F, const Matrix<T, D>& dF, const Memory<T, D>& memory) const {
    return snow_stiffening(hardening, memory.plastic) * fresh.differential(F, dF, memory);
  }

  template <class T>
  PrincipalDifferential<T> principal_differential(const Vector<T, 3>& s, const T& plastic) const {
    PrincipalDifferential<T> r = fresh.principal_differential(s, plastic);
    const T stiffening = snow_stiffening(hardening, plastic);
    r.stretch = stiffening * r.stretch;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        if (i != j) r.pairs(i, j) = stiffening * r.pairs(i, j);
    return r;
  }

  template <class T, int D>
  [[gnu::flatten]] void return_map(Matrix<T, D>& F, Memory<T, D>& memory) const {
    // no stretch is outside the limits where |F^T F - 1| is small; such lanes stay as they are, whatever others do
    const Matrix<T, D> strain = add_diagonal(transpose(F) * F, T(-1));
    const S down = 1 - least_stretch * least_stretch, up = largest_stretch * largest_stretch - 1;
    const T square = min(T(down * down), T(up * up));
    const Truth<T> upright = determinant(F) > T(0);
    const Truth<T> doubtful = !((inner(strain, strain) < square) & upright);
    if (!any_of(doubtful)) return;

    const Svd<T, D> f = svd(F);
    Vector<T, D> kept;
    T ratio = T(1);
    for (int i = 0; i < D; ++i) {
      kept[i] = min(max(f.sigma[i], T(least_stretch)), T(largest_stretch));
      ratio *= f.sigma[i] / kept[i];
    }
    const Truth<T> flows = doubtful & ((f.sigma[0] > T(largest_stretch)) | (f.sigma[D - 1] < T(least_stretch)));
    if (!any_of(flows)) return;
    Matrix<T, D> scaled;
    for (int i = 0; i < D; ++i)
      for (int k = 0; k < D; ++k) scaled(i, k) = f.U(i, k) * kept[k];
    F = select(flows, scaled * transpose(f.V), F);
    const T Jp = min(max(memory.plastic * ratio, T(least_Jp)), T(largest_Jp));
    memory.plastic = select(flows, Jp, memory.plastic);
  }
};

}  // namespace pliant::material

// Elasticity in logarithmic strain (St. Venant-Kirchhoff-Hencky): what hencky and sand have in common.
// With F = U diag(sigma) V^T and l = log sigma: energy mu |l|^2 + lambda/2 (sum l)^2.
#pragma once

#include "material/law.h"
#include "material/log_strain.h"
#include "material/namespace.h"
#include "material/principal.h"
#include "material/rotation.h"
#include "material/stretch_log.h"

namespace pliant::material {

template <class S>
struct LogarithmicElasticity : ElasticSolid {
  S mu, lambda;

  template <class T, int D>
  T energy(const Matrix<T, D>& F, const Memory<T, D>&) const {
    const Vector<T, D> sigma = svd(F).sigma;
    T squares = T(0), sum = T(0);
    for (int i = 0; i < D; ++i) {
      const T l = stretch_log(sigma[i]).value;
      squares += l * l;
      sum += l;
    }
    return T(mu) * squares + T(lambda / 2) * (sum * sum);
  }

  template <class T, int D>
  Matrix<T, D> stress(const Matrix<T, D>& F, const Memory<T, D>&) const {
    const Svd<T, D> f = svd(F);
    const Principal<T, D> p = principal(f.sigma);
    Matrix<T, D> scaled;
    for (int i = 0; i < D; ++i)
      for (int k = 0; k < D; ++k) scaled(i, k) = f.U(i, k) * (p.l[k].first * p.pull[k]);
    return scaled * transpose(f.V);
  }

  // 2 mu E + lambda tr E I
  template <class T, int D>
  [[gnu::flatten]] Matrix<T, D> kirchhoff(const Matrix<T, D>& F, const Memory<T, D>&) const {
    const SmallStrain<T, D> e = small_strain(F);
    const Matrix<T, D> tau = add_diagonal(T(2 * mu) * e.E, T(lambda) * trace(e.E));
    if (all_of(e.small)) return tau;
    return select(e.small, tau, kirchhoff_by_singular_values(F));
  }

  template <class T, int D>
  Matrix<T, D> differential(const Matrix<T, D>& F, const Matrix<T, D>& dF, const Memory<T, D>&) const {
    const Svd<T, D> f = svd(F);
    const Principal<T, D> p = principal(f.sigma);
    const Matrix<T, D> B = transpose(f.U) * dF * f.V;
    Matrix<T, D> dP;

    // stretching along the principal axes
    T rate = T(0);
    for (int i = 0; i < D; ++i) rate += p.l[i].first * B(i, i);
    for (int i = 0; i < D; ++i)
      dP(i, i) = (p.l[i].second * p.pull[i] + T(2 * mu) * p.l[i].first * p.l[i].first) * B(i, i) +
                 T(lambda) * p.l[i].first * rate;

    // shearing and turning them, pair by pair: differences and sums of principal stresses over those of sigma
    for (int i = 0; i < D; ++i)
      for (int j = i + 1; j < D; ++j) {
        const LogSlopes<T> slopes = stretch_log_slopes(f.sigma[i], f.sigma[j]);
        const T difference = T(2 * mu) * p.l[i].first * slopes.value + p.pull[j] * slopes.first;
        const T sum = (p.l[i].first * p.pull[i] + p.l[j].first * p.pull[j]) / guarded_sum(f.sigma[i], f.sigma[j]);
        const T half = T(S(0.5));
        const T shear = half * (B(i, j) + B(j, i)) * difference, turn = half * (B(i, j) - B(j, i)) * sum;
        dP(i, j) = shear + turn;
        dP(j, i) = shear - turn;
      }
    return f.U * dP * transpose(f.V);
  }

  // both from the same singular values
  template <class T>
  Stressed<T> stressed(const Matrix<T, 3>& F, const StepStart<T>&) const {
    const Svd<T, 3> f = svd(F);
    Jet<T> l[3];
    for (int i = 0; i < 3; ++i) l[i] = stretch_log(f.sigma[i]);
    const T sum = l[0].value + l[1].value + l[2].value;
    T squares = 0;
    Matrix<T, 3> scaled;
    for (int k = 0; k < 3; ++k) {
      squares += l[k].value * l[k].value;
      const T pull = l[k].first * (T(2 * mu) * l[k].value + T(lambda) * sum);
      for (int i = 0; i < 3; ++i) scaled(i, k) = f.U(i, k) * pull;
    }
    return {T(mu) * squares + T(lambda / 2) * (sum * sum), scaled * transpose(f.V)};
  }

  template <class T>
  PrincipalDifferential<T> principal_differential(const Vector<T, 3>& s, const T&) const {
    Jet<T> l[3];
    for (int i = 0; i < 3; ++i) l[i] = stretch_log(s[i]);
    const T sum = l[0].value + l[1].value + l[2].value, two_mu = T(2 * mu), stiff = T(lambda);
    T pull[3];  // derivative of the energy by the logarithm
    for (int i = 0; i < 3; ++i) pull[i] = two_mu * l[i].value + stiff * sum;
    PrincipalDifferential<T> r;
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j) {
        const T mixed = stiff * l[i].first * l[j].first;
        if (i == j) {
          r.stretch(i, i) = l[i].second * pull[i] + two_mu * l[i].first * l[i].first + mixed;
          continue;
        }
        r.stretch(i, j) = r.stretch(j, i) = mixed;
        const LogSlopes<T> slopes = stretch_log_slopes(s[i], s[j]);
        r.pairs(i, j) = two_mu * l[i].first * slopes.value + pull[j] * slopes.first;
        r.pairs(j, i) = (l[i].first * pull[i] + l[j].first * pull[j]) / guarded_sum(s[i], s[j]);
      }
    return r;
  }

 private:
  template <class T, int D>
  [[gnu::noinline, gnu::cold]] Matrix<T, D> kirchhoff_by_singular_values(const Matrix<T, D>& F) const {
    const Svd<T, D> f = svd(F);
    const Principal<T, D> p = principal(f.sigma);
    Matrix<T, D> scaled;
    for (int i = 0; i < D; ++i)
      for (int k = 0; k < D; ++k) scaled(i, k) = f.U(i, k) * (f.sigma[k] * p.l[k].first * p.pull[k]);
    return symmetric_product(T(1), scaled, f.U);
  }

  // l, and pull = d energy / d l = 2 mu l + lambda sum l
  template <class T, int D>
  struct Principal {
    Jet<T> l[D];
    T pull[D];
  };
  template <class T, int D>
  Principal<T, D> principal(const Vector<T, D>& sigma) const {
    Principal<T, D> p;
    T sum = T(0);
    for (int i = 0; i < D; ++i) {
      p.l[i] = stretch_log(sigma[i]);
      sum += p.l[i].value;
    }
    for (int i = 0; i < D; ++i) p.pull[i] = T(2 * mu) * p.l[i].value + T(lambda) * sum;
    return p;
  }
};

}  // namespace pliant::material

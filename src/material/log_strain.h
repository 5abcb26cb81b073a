// Logarithmic strain E = 1/2 log(F F^T), and F with its strain changed. Where strains are small, as they are in most
// matter most of the time, by series of matrices; elsewhere by singular values, which costs five times as much.
#pragma once

#include "core/decompose.h"
#include "material/jet.h"
#include "material/namespace.h"
#include "material/stretch_log.h"

namespace pliant::material {

// Terms of the two series: E = atanh Z up to Z^(2n-1) for |Z| < 1/4, exp G up to G^m for |G| < atanh 1/4.
// The first term left out is 1e-9 and 5e-10 in float, 2e-18 and 5e-19 in double.
template <class S>
inline constexpr int atanh_terms = sizeof(S) == 4 ? 6 : 13;
template <class S>
inline constexpr int exp_terms = sizeof(S) == 4 ? 7 : 13;

// symmetric A B of matrices that commute, plus x I
template <class T, int D>
inline Matrix<T, D> commuting_product(const Matrix<T, D>& A, const Matrix<T, D>& B, const T& x) {
  return add_diagonal(symmetric_product(T(1), A, B), x);
}

// E = atanh Z with Z = (b - 1)(b + 1)^-1, b = F F^T; right where `small`
template <class T, int D>
struct SmallStrain {
  Matrix<T, D> E;
  Truth<T> small;
};
template <class T, int D>
inline SmallStrain<T, D> small_strain(const Matrix<T, D>& F) {
  using S = Scalar<T>;
  const Matrix<T, D> b = symmetric_product(T(1), F, F);
  const Matrix<T, D> Z = commuting_product(add_diagonal(b, T(-1)), inverse(add_diagonal(b, T(1))), T(0));
  const Matrix<T, D> square = symmetric_product(T(1), Z, Z);
  constexpr int n = atanh_terms<S>;
  Matrix<T, D> series = add_diagonal(T(S(1) / S(2 * n - 1)) * square, T(S(1) / S(2 * n - 3)));
  for (int k = n - 2; k > 0; --k) series = commuting_product(series, square, T(S(1) / S(2 * k - 1)));
  const Truth<T> small = (trace(square) < T(S(1) / S(16))) & (determinant(F) > T(0));
  return {commuting_product(series, Z, T(0)), small};
}

// exp(G) for symmetric G, |G| < atanh 1/4
template <class T, int D>
inline Matrix<T, D> exp_of_small(const Matrix<T, D>& G) {
  using S = Scalar<T>;
  Matrix<T, D> series = add_diagonal(T(S(1) / S(exp_terms<S>)) * G, T(1));
  for (int k = exp_terms<S> - 1; k > 0; --k) {
    series = symmetric_product(T(S(1) / S(k)), series, G);
    series = add_diagonal(series, T(1));
  }
  return series;
}

// What a return mapping must know of the strain of F, and the way back from strain to F. Stretches below the smallest,
// and negative ones, count as the smallest.
template <class T, int D>
class LogStrain {
 public:
  explicit LogStrain(const Matrix<T, D>& F) : near_(small_strain(F)), all_small_(all_of(near_.small)) {
    sum = trace(near_.E);
    near_.E = add_diagonal(near_.E, sum * T(-one_over_D));
    T square = inner(near_.E, near_.E);
    if (!all_small_) {
      measure_by_singular_values(F);
      sum = select(near_.small, sum, far_sum_);
      square = select(near_.small, square, dot(dev_, dev_));
    }
    deviator = sqrt(square);
  }

  T sum;       // tr E
  T deviator;  // |dev E|

  // F with strain kept dev E + new_sum/D I; kept between 0 and 1
  Matrix<T, D> changed(const Matrix<T, D>& F, const T& kept, const T& new_sum) const {
    const T growth = exp((new_sum - sum) * T(one_over_D));
    const Matrix<T, D> near = growth * (exp_of_small((kept - T(1)) * near_.E) * F);
    if (all_small_) return near;
    return select(near_.small, near, changed_by_singular_values(kept, new_sum));
  }

 private:
  using S = Scalar<T>;
  static constexpr S one_over_D = S(1) / S(D);

  [[gnu::noinline, gnu::cold]] void measure_by_singular_values(const Matrix<T, D>& F) {
    f_ = svd(F);
    for (int i = 0; i < D; ++i) dev_[i] = log(max(f_.sigma[i], T(smallest_stretch<S>)));
    far_sum_ = dev_[0];
    for (int i = 1; i < D; ++i) far_sum_ += dev_[i];
    for (int i = 0; i < D; ++i) dev_[i] -= far_sum_ * T(one_over_D);
  }
  [[gnu::noinline, gnu::cold]] Matrix<T, D> changed_by_singular_values(const T& kept, const T& new_sum) const {
    Matrix<T, D> scaled;
    for (int k = 0; k < D; ++k) {
      const T sigma = exp(kept * dev_[k] + new_sum * T(one_over_D));
      for (int i = 0; i < D; ++i) scaled(i, k) = f_.U(i, k) * sigma;
    }
    return scaled * transpose(f_.V);
  }

  SmallStrain<T, D> near_;  // E without its trace
  bool all_small_;
  Svd<T, D> f_;  // these only where not all are small
  Vector<T, D> dev_;
  T far_sum_;
};

}  // namespace pliant::material

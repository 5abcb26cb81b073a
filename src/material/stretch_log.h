// The logarithm of a singular value of F, continued as a parabola where it is small or negative, and its slopes.
#pragma once

#include "core/decompose.h"
#include "material/jet.h"
#include "material/namespace.h"

namespace pliant::material {

// below this the parabola
template <class S>
inline constexpr S smallest_stretch = S(0.01);

template <class T>
inline Jet<T> stretch_log(const T& s) {
  const T inside = max(s, T(smallest_stretch<Scalar<T>>));
  const T inverse = T(1) / inside;
  return continued<T>({log(inside), inverse, -(inverse * inverse)}, s - inside);
}

// (f(s) - f(t)) / (s - t) for f the logarithm and for f its derivative
template <class T>
struct LogSlopes {
  T value, first;
};

// To a few eps, also where s and t are equal or nearly so: each formula has its own slope, and the way from t to s is
// split where one formula ends.
template <class T>
inline LogSlopes<T> stretch_log_slopes(const T& s, const T& t) {
  using S = Scalar<T>;
  const T least = T(smallest_stretch<S>), inverse = T(1 / smallest_stretch<S>);
  const T a = max(s, least), b = max(t, least);

  // log(a/b) / (a - b) = 2/(a + b) atanh(z)/z, by its series where z is small
  const T z = (a - b) / (a + b), square = z * z;
  const Truth<T> close = square < T(S(0.01));
  T series = T(S(1) / S(15));
  for (int n = 13; n > 0; n -= 2) series = series * square + T(S(1) / S(n));
  const T log_slope = select(close, T(2) * series / (a + b), log(a / b) / select(close, T(1), a - b));
  const T middle = T(S(0.5)) * (min(s, least) + min(t, least));
  const T parabola_slope = inverse - (middle - least) * (inverse * inverse);

  const T gap = s - t;
  const Truth<T> equal = gap == T(0);
  const T above = select(equal, select(s > least, T(1), T(0)), (a - b) / select(equal, T(1), gap));
  const T below = T(1) - above;
  return {above * log_slope + below * parabola_slope, -(above / (a * b) + below * (inverse * inverse))};
}

}  // namespace pliant::material

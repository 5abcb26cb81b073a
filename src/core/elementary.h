// Natural logarithm and exponential on numbers and packs alike, by their own bits and polynomials: one source, the same
// result on every machine, no call per lane.
#pragma once

#include <limits>

#include "core/namespace.h"
#include "core/pack.h"

namespace pliant::core {

namespace elementary {

// the layout of an IEEE number and the constants of the two functions
template <class S>
struct Format;

template <>
struct Format<float> {
  static constexpr int fraction_bits = 23;
  static constexpr std::int32_t one = 0x3f800000;
  static constexpr std::int32_t root_half = 0x3f3504f3;
  // adding it rounds to a whole number, which then stands in the low bits
  static constexpr float rounder = 0x1.8p23f;
  // ln 2 in two parts: products of the first with an exponent are exact
  static constexpr float ln2_high = 0x1.62e4p-1f, ln2_low = 1.4286068203094172e-6f;
  // beyond these exp is infinite, or 0
  static constexpr float exp_high = 90, exp_low = -105;
  // 2 atanh(s) = 2 s + s z p(z), z = s^2 <= 0.0295, to 3e-9
  static constexpr float atanh[] = {0.66666685f, 0.39988778f, 0.29580053f};
  // exp(r) = 1 + r + r^2 p(r), |r| <= ln(2)/2, to 3e-10
  static constexpr float exp[] = {0.500000001f,   0.166666667f,   0.0416664646f,
                                  0.00833331089f, 0.00139336859f, 0.000198910307f};
};

template <>
struct Format<double> {
  static constexpr int fraction_bits = 52;
  static constexpr std::int64_t one = 0x3ff0000000000000;
  static constexpr std::int64_t root_half = 0x3fe6a09e667f3bcd;
  static constexpr double rounder = 0x1.8p52;
  static constexpr double ln2_high = 0x1.62e42fefa2p-1, ln2_low = 7.3710025651677989e-13;
  static constexpr double exp_high = 710, exp_low = -746;
  // to 5e-18 and 2e-17
  static constexpr double atanh[] = {0.666666666666666969, 0.399999999998994432, 0.285714286260032687,
                                     0.22222211130259877,  0.18182889455674946,  0.153317106182107716,
                                     0.14616585424888622};
  static constexpr double exp[] = {0.500000000000000103,   0.166666666666666675,   0.0416666666666239915,
                                   0.00833333333333005135, 0.00138888889172817933, 0.000198412698631059687,
                                   2.48015211902177277e-5, 2.75572683786841929e-6, 2.76201387197339956e-7,
                                   2.51004241570050668e-8};
};

// Horner's rule
template <class T, class S, int N>
inline T polynomial(const S (&c)[N], T x) {
  T y = T(c[N - 1]);
  for (int i = N - 2; i >= 0; --i) y = y * x + T(c[i]);
  return y;
}

// 2^k, for a whole number k in the range of normal exponents
template <class T>
inline T power_of_two(T k) {
  using Form = Format<Scalar<T>>;
  auto shifted = to_bits(k + T(Form::rounder)) << Form::fraction_bits;
  return from_bits<T>(shifted + Form::one);
}

}  // namespace elementary

// natural logarithm, within 2 ulps for normal x > 0; smaller x (0 and negative too) count as the smallest normal number
template <class T>
inline T log(T x) {
  using S = Scalar<T>;
  using Form = elementary::Format<S>;
  const T inside = max(T(std::numeric_limits<S>::min()), x);
  // inside = m 2^k with m in [sqrt(1/2), sqrt(2))
  const auto bits = to_bits(inside);
  const auto exponent = (bits - Form::root_half) >> Form::fraction_bits;
  const T m = from_bits<T>(bits - (exponent << Form::fraction_bits));
  const T k = from_bits<T>(to_bits(T(Form::rounder)) + exponent) - T(Form::rounder);
  // log m = 2 atanh(s) = f - s (f - z p(z))
  const T f = m - T(1);
  const T s = f / (m + T(1));
  const T z = s * s;
  const T tail = k * T(Form::ln2_low) - s * (f - z * elementary::polynomial(Form::atanh, z));
  const T y = k * T(Form::ln2_high) + (f + tail);
  // infinity and NaN stay what they are
  return select(x < T(std::numeric_limits<S>::infinity()), y, x);
}

// exponential, within 2 ulps; 0 and infinity where the true value is beyond the range of the type
template <class T>
inline T exp(T x) {
  using S = Scalar<T>;
  using Form = elementary::Format<S>;
  const T inside = max(T(Form::exp_low), min(T(Form::exp_high), x));
  // inside = k ln 2 + r
  const T rounded = inside * T(S(1.4426950408889634)) + T(Form::rounder);
  const T k = rounded - T(Form::rounder);
  const T r = (inside - k * T(Form::ln2_high)) - k * T(Form::ln2_low);
  const T y = T(1) + (r + (r * r) * elementary::polynomial(Form::exp, r));
  // 2^k in two factors: k itself may lie beyond the range of exponents
  const T half = (k * T(S(0.5)) + T(Form::rounder)) - T(Form::rounder);
  return (y * elementary::power_of_two(half)) * elementary::power_of_two(k - half);
}

}  // namespace pliant::core

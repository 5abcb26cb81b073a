// A pack is a few numbers that go through the same arithmetic at once (one SIMD register).
// Formulas written on a type T run on one number (T = float, double) or on a pack of them.
#pragma once

#include "core/namespace.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace pliant::core {

template <class S>
using IntOf = std::conditional_t<sizeof(S) == 4, std::int32_t, std::int64_t>;

// the compiler's own vector of L numbers
template <class S, int L>
struct VectorOf {
  typedef S type __attribute__((vector_size(L * sizeof(S))));
};

// one truth value per lane: 0 or all bits set
template <class S, int L>
struct Mask {
  using Vector = typename VectorOf<IntOf<S>, L>::type;
  Vector v;

  bool operator[](int lane) const { return v[lane] != 0; }
  friend Mask operator&(Mask a, Mask b) { return {a.v & b.v}; }
  friend Mask operator|(Mask a, Mask b) { return {a.v | b.v}; }
  friend Mask operator!(Mask a) { return {~a.v}; }
};

template <class S, int L>
struct Pack {
  using Scalar = S;
  static constexpr int lanes = L;
  using Vector = typename VectorOf<S, L>::type;
  Vector v;

  Pack() = default;
  Pack(S s) : v(s - Vector{}) {}
  Pack(Vector x) : v(x) {}

  S operator[](int lane) const { return v[lane]; }
  void set(int lane, S s) { v[lane] = s; }

  static Pack load(const S* p) {
    Pack r;
    std::memcpy(&r.v, p, sizeof r.v);
    return r;
  }
  void store(S* p) const { std::memcpy(p, &v, sizeof v); }

  friend Pack operator+(Pack a, Pack b) { return a.v + b.v; }
  friend Pack operator-(Pack a, Pack b) { return a.v - b.v; }
  friend Pack operator*(Pack a, Pack b) { return a.v * b.v; }
  friend Pack operator/(Pack a, Pack b) { return a.v / b.v; }
  friend Pack operator-(Pack a) { return -a.v; }
  Pack& operator+=(Pack b) {
    v += b.v;
    return *this;
  }
  Pack& operator-=(Pack b) {
    v -= b.v;
    return *this;
  }
  Pack& operator*=(Pack b) {
    v *= b.v;
    return *this;
  }
  Pack& operator/=(Pack b) {
    v /= b.v;
    return *this;
  }

  friend Mask<S, L> operator<(Pack a, Pack b) { return {a.v < b.v}; }
  friend Mask<S, L> operator<=(Pack a, Pack b) { return {a.v <= b.v}; }
  friend Mask<S, L> operator>(Pack a, Pack b) { return {a.v > b.v}; }
  friend Mask<S, L> operator>=(Pack a, Pack b) { return {a.v >= b.v}; }
  friend Mask<S, L> operator==(Pack a, Pack b) { return {a.v == b.v}; }
};

// Keeps a product as it is. Where a product is used twice the compiler would rather multiply again inside a fused
// multiply-add, and the multipliers are what a hot loop waits for.
template <class S, int L>
inline Pack<S, L> kept(Pack<S, L> x) {
#if defined(__AVX__)
  asm("" : "+x"(x.v));
#endif
  return x;
}

// the widest pack of this machine class: 8 floats or 4 doubles
template <class S>
using Wide = Pack<S, 32 / sizeof(S)>;

// twice as wide where the machine has registers for it
#if defined(__AVX512F__) && defined(__AVX512DQ__)
constexpr int broad_bytes = 64;
#else
constexpr int broad_bytes = 32;
#endif
template <class S>
using Broad = Pack<S, broad_bytes / sizeof(S)>;

template <class T>
struct ScalarOf {
  using type = T;
};
template <class S, int L>
struct ScalarOf<Pack<S, L>> {
  using type = S;
};
// the number type inside T
template <class T>
using Scalar = typename ScalarOf<T>::type;

template <class T>
struct MaskOf {
  using type = bool;
};
template <class S, int L>
struct MaskOf<Pack<S, L>> {
  using type = Mask<S, L>;
};
// what a comparison of two T gives
template <class T>
using Truth = typename MaskOf<T>::type;

template <class T>
inline constexpr int lanes_of = 1;
template <class S, int L>
inline constexpr int lanes_of<Pack<S, L>> = L;

// --- one vocabulary for numbers and packs ---

inline float select(bool m, float a, float b) { return m ? a : b; }
inline double select(bool m, double a, double b) { return m ? a : b; }
template <class S, int L>
inline Pack<S, L> select(Mask<S, L> m, Pack<S, L> a, Pack<S, L> b) {
  return m.v ? a.v : b.v;
}
template <class S, int L>
inline Pack<S, L> select(Mask<S, L> m, Pack<S, L> a, std::type_identity_t<S> b) {
  return select(m, a, Pack<S, L>(b));
}
template <class S, int L>
inline Pack<S, L> select(Mask<S, L> m, std::type_identity_t<S> a, Pack<S, L> b) {
  return select(m, Pack<S, L>(a), b);
}

inline bool any_of(bool m) { return m; }
inline bool all_of(bool m) { return m; }

// bit i of the answer is lane i
template <class S, int L>
inline unsigned bits_of(Mask<S, L> m) {
#if defined(__AVX__)
  if constexpr (sizeof(m.v) == 32 && sizeof(S) == 4) return unsigned(_mm256_movemask_ps((__m256)m.v));
  if constexpr (sizeof(m.v) == 32 && sizeof(S) == 8) return unsigned(_mm256_movemask_pd((__m256d)m.v));
  if constexpr (sizeof(m.v) == 16 && sizeof(S) == 4) return unsigned(_mm_movemask_ps((__m128)m.v));
#endif
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  if constexpr (sizeof(m.v) == 64 && sizeof(S) == 4) return unsigned(_mm512_movepi32_mask((__m512i)m.v));
  if constexpr (sizeof(m.v) == 64 && sizeof(S) == 8) return unsigned(_mm512_movepi64_mask((__m512i)m.v));
#endif
  unsigned bits = 0;
  for (int i = 0; i < L; ++i) bits |= unsigned(m.v[i] != 0) << i;
  return bits;
}
template <class S, int L>
inline bool any_of(Mask<S, L> m) {
  return bits_of(m) != 0;
}
template <class S, int L>
inline bool all_of(Mask<S, L> m) {
  return bits_of(m) == (1u << L) - 1;
}

// the bits of a number as an integer, lane by lane, and back
inline std::int32_t to_bits(float x) { return std::bit_cast<std::int32_t>(x); }
inline std::int64_t to_bits(double x) { return std::bit_cast<std::int64_t>(x); }
template <class S, int L>
inline typename Mask<S, L>::Vector to_bits(Pack<S, L> x) {
  return (typename Mask<S, L>::Vector)x.v;
}
template <class T, class Bits>
inline T from_bits(Bits bits) {
  if constexpr (std::is_arithmetic_v<T>)
    return std::bit_cast<T>(bits);
  else
    return T((typename T::Vector)bits);
}

inline float sqrt(float x) { return std::sqrt(x); }
inline double sqrt(double x) { return std::sqrt(x); }
template <class S, int L>
inline Pack<S, L> sqrt(Pack<S, L> x) {
#if defined(__AVX__)
  if constexpr (sizeof(x.v) == 32 && sizeof(S) == 4)
    return (typename Pack<S, L>::Vector)_mm256_sqrt_ps((__m256)x.v);
  else if constexpr (sizeof(x.v) == 32 && sizeof(S) == 8)
    return (typename Pack<S, L>::Vector)_mm256_sqrt_pd((__m256d)x.v);
#endif
#if defined(__AVX512F__)
  if constexpr (sizeof(x.v) == 64 && sizeof(S) == 4)
    return (typename Pack<S, L>::Vector)_mm512_maskz_sqrt_ps(0xffff, (__m512)x.v);
  else if constexpr (sizeof(x.v) == 64 && sizeof(S) == 8)
    return (typename Pack<S, L>::Vector)_mm512_maskz_sqrt_pd(0xff, (__m512d)x.v);
#endif
  for (int i = 0; i < L; ++i) x.v[i] = std::sqrt(x.v[i]);
  return x;
}

inline float floor(float x) { return std::floor(x); }
inline double floor(double x) { return std::floor(x); }
template <class S, int L>
inline Pack<S, L> floor(Pack<S, L> x) {
#if defined(__AVX__)
  if constexpr (sizeof(x.v) == 32 && sizeof(S) == 4)
    return (typename Pack<S, L>::Vector)_mm256_floor_ps((__m256)x.v);
  else if constexpr (sizeof(x.v) == 32 && sizeof(S) == 8)
    return (typename Pack<S, L>::Vector)_mm256_floor_pd((__m256d)x.v);
#endif
#if defined(__AVX512F__)
  if constexpr (sizeof(x.v) == 64 && sizeof(S) == 4)
    return (typename Pack<S, L>::Vector)_mm512_maskz_roundscale_ps(0xffff, (__m512)x.v,
                                                                   _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
  else if constexpr (sizeof(x.v) == 64 && sizeof(S) == 8)
    return (typename Pack<S, L>::Vector)_mm512_maskz_roundscale_pd(0xff, (__m512d)x.v,
                                                                   _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
#endif
  for (int i = 0; i < L; ++i) x.v[i] = std::floor(x.v[i]);
  return x;
}

inline float abs(float x) { return std::fabs(x); }
inline double abs(double x) { return std::fabs(x); }
template <class S, int L>
inline Pack<S, L> abs(Pack<S, L> x) {
  return from_bits<Pack<S, L>>(to_bits(x) & std::numeric_limits<IntOf<S>>::max());
}

inline float min(float a, float b) { return a < b ? a : b; }
inline double min(double a, double b) { return a < b ? a : b; }
template <class S, int L>
inline Pack<S, L> min(Pack<S, L> a, Pack<S, L> b) {
  return a.v < b.v ? a.v : b.v;
}
template <class S, int L>
inline Pack<S, L> min(Pack<S, L> a, std::type_identity_t<S> b) {
  return min(a, Pack<S, L>(b));
}

inline float max(float a, float b) { return a > b ? a : b; }
inline double max(double a, double b) { return a > b ? a : b; }
template <class S, int L>
inline Pack<S, L> max(Pack<S, L> a, Pack<S, L> b) {
  return a.v > b.v ? a.v : b.v;
}
template <class S, int L>
inline Pack<S, L> max(Pack<S, L> a, std::type_identity_t<S> b) {
  return max(a, Pack<S, L>(b));
}

}  // namespace pliant::core

// Rotations in a coordinate plane, and exact scaling: the bricks of the Jacobi methods.
#pragma once

#include "core/namespace.h"
#include "core/newton_rotation.h"

namespace pliant::core {

// The power of two just below the largest entry (2^-126 .. 2^126 for float): scaling by it costs no digit, and then no
// product of a few entries leaves the range of the type.
template <class T, int N>
inline T power_of_two_below(const T (&entries)[N]) {
  using S = Scalar<T>;
  T largest = abs(entries[0]);
#pragma GCC unroll 9
  for (int i = 1; i < N; ++i) largest = max(largest, abs(entries[i]));
  const auto exponent_bits = to_bits(T(std::numeric_limits<S>::infinity()));
  const T power = from_bits<T>(to_bits(largest) & exponent_bits);
  const T smallest = T(std::numeric_limits<S>::min());
  return min(max(power, smallest), T(1) / smallest);
}

// (x, y) = length (cosine, sine), right to the last digits for any finite numbers; angle 0 where both are 0
template <class T>
struct Direction {
  T cosine, sine, length;
};
template <class T>
[[gnu::always_inline]] inline Direction<T> direction_of(T x, T y) {
  const T entries[2] = {x, y};
  const T scale = power_of_two_below(entries), to_one = T(1) / scale;
  const T u = to_one * x, v = to_one * y;
  const T length = sqrt(u * u + v * v);
  const Truth<T> some = length > T(0);
  return {select(some, u / length, T(1)), select(some, v / length, T(0)), scale * length};
}

// the turn by an angle with cosine c and sine s
template <class T>
struct PlaneTurn {
  T c, s;
};

// The turn that makes [[app, apq], [apq, aqq]] almost diagonal, with difference = aqq - app, twice = 2 apq and an angle
// a of at most 45 degrees: tan(2a) = twice / difference. With twice = 0 it is no turn at all: c = 1, s = 0 exactly.
// tan(a/2) = twice / g gives sine and cosine without a root. The true g is a convex function; three straight lines give
// it to 2 %, and ever better where |twice| is small, so Jacobi's method keeps its fast end.
template <class T>
inline PlaneTurn<T> diagonalising_turn(T difference, T twice) {
  using S = Scalar<T>;
  // its square is still a normal number
  const T least = T(sizeof(S) == 4 ? S(1e-18) : S(1e-150));
  const T d = abs(difference), b = abs(twice);
  const T first = max(T(S(4)) * d, least), second = T(S(3.6433)) * d + T(S(1.4164)) * b;
  const T g = max(max(first, second), T(S(2.3925)) * d + T(S(2.356)) * b);
  const T signed_twice = select(difference < T(0), -twice, twice);
  const T square = g * g + b * b;
  return {(g * g - b * b) / square, (g + g) * signed_twice / square};
}

// columns p and q of m, turned: m times the rotation [[c, s], [-s, c]]
template <class T, int D>
inline void turn_columns(Matrix<T, D>& m, int p, int q, const PlaneTurn<T>& turn) {
#pragma GCC unroll 9
  for (int i = 0; i < D; ++i) {
    const T x = m(i, p), y = m(i, q);
    m(i, p) = turn.c * x - turn.s * y;
    m(i, q) = turn.s * x + turn.c * y;
  }
}

// columns p and q of a rotation change places where `wanted`; one of them is reversed, so that it stays a rotation
template <class T, int D>
inline void exchange_columns(Matrix<T, D>& m, int p, int q, const Truth<T>& wanted) {
#pragma GCC unroll 9
  for (int i = 0; i < D; ++i) {
    const T x = m(i, p), y = m(i, q);
    m(i, p) = select(wanted, y, x);
    m(i, q) = select(wanted, -x, y);
  }
}

// -0 becomes 0: a lane that waits for others may lose the sign of a zero, so no result has one
template <class T, int N>
inline void clear_zero_signs(T (&entries)[N]) {
#pragma GCC unroll 9
  for (int i = 0; i < N; ++i) entries[i] = entries[i] + T(0);
}

}  // namespace pliant::core

// S1, Eq. 26 in closed form: the symmetric V with sym(M V) = A, for a rotation M by less than 90 degrees.
//
// In the plane M = c I + s J, and J anticommutes with symmetric deviators, so V = mean(A)/c I + M^T dev(A).
// In space, with the axis n of M, A splits into parts: the one along n n stays; the one across, n a + a n, obeys
// (I + M) b = 2 a, so b = a - s/(1+c) n x a; the one in the plane goes as above. Summed up,
//   V = c A - s sym(n x A) + (1/c - c) mean I + n y + y n,
// mean = half the trace in the plane. The axis of a small turn is ill defined, but all that it enters is then small.
#pragma once

#include "core/small.h"
#include "material/namespace.h"

namespace pliant::material {

// cosine of the angle of the rotation M
template <class T>
inline T cosine_of(const Matrix<T, 2>& M) {
  return T(Scalar<T>(0.5)) * trace(M);
}
template <class T>
inline T cosine_of(const Matrix<T, 3>& M) {
  return T(Scalar<T>(0.5)) * (trace(M) - T(1));
}

template <class T>
inline Matrix<T, 2> turned_back(const Matrix<T, 2>& M, const Matrix<T, 2>& A) {
  const T mean = T(Scalar<T>(0.5)) * trace(A);
  Matrix<T, 2> dev = A;
  dev(0, 0) -= mean;
  dev(1, 1) -= mean;
  const T grown = mean / cosine_of(M);
  Matrix<T, 2> V = transpose(M) * dev;
  V(0, 0) += grown;
  V(1, 1) += grown;
  return symmetric_part(V);
}

template <class T>
inline Matrix<T, 3> turned_back(const Matrix<T, 3>& M, const Matrix<T, 3>& A) {
  using S = Scalar<T>;
  const T half = T(S(0.5));

  // axis, sine and cosine of M; with no turn at all any axis will do
  const Vector<T, 3> w = {{half * (M(2, 1) - M(1, 2)), half * (M(0, 2) - M(2, 0)), half * (M(1, 0) - M(0, 1))}};
  const T s = norm(w), c = cosine_of(M);
  const T smallest = T(S(1e-15));
  const T inverse = T(1) / max(s, smallest);
  Vector<T, 3> n;
  for (int i = 0; i < 3; ++i) n[i] = select(s > smallest, inverse * w[i], T(S(i == 0)));

  const Vector<T, 3> An = A * n;
  const T along = dot(n, An), rest = T(1) - c;
  const Vector<T, 3> across = An - along * n;
  const T growth = half * (trace(A) - along) * (T(1) / c - c);
  const Vector<T, 3> bent = across - (half * s / (T(1) + c)) * cross(n, across);
  const Vector<T, 3> y = rest * bent + (half * (along * rest - growth)) * n;

  Matrix<T, 3> V;
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) {
      // entries i, j and j, i of n x A
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const T turned = (n[i1] * A(i2, j) - n[i2] * A(i1, j)) + (n[j1] * A(j2, i) - n[j2] * A(j1, i));
      V(i, j) = c * A(i, j) - (half * s) * turned + (n[i] * y[j] + y[i] * n[j]);
      V(j, i) = V(i, j);
    }
  for (int i = 0; i < 3; ++i) V(i, i) += growth;
  return V;
}

}  // namespace pliant::material

// Vectors and square matrices of fixed small size D on a number or pack type T. Row-major.
// The loops ask to be unrolled: only then does the compiler keep the entries in registers instead of copying memory.
#pragma once

#include "core/namespace.h"
#include "core/pack.h"

namespace pliant::core {

template <class T, int D>
struct Vector {
  T a[D];

  T& operator[](int i) { return a[i]; }
  const T& operator[](int i) const { return a[i]; }

  static Vector zero() {
    Vector r;
#pragma GCC unroll 9
    for (int i = 0; i < D; ++i) r[i] = T(0);
    return r;
  }
  friend Vector operator+(const Vector& x, const Vector& y) {
    Vector r;
#pragma GCC unroll 9
    for (int i = 0; i < D; ++i) r[i] = x[i] + y[i];
    return r;
  }
  friend Vector operator-(const Vector& x, const Vector& y) {
    Vector r;
#pragma GCC unroll 9
    for (int i = 0; i < D; ++i) r[i] = x[i] - y[i];
    return r;
  }
  friend Vector operator*(T s, const Vector& x) {
    Vector r;
#pragma GCC unroll 9
    for (int i = 0; i < D; ++i) r[i] = s * x[i];
    return r;
  }
  Vector& operator+=(const Vector& y) { return *this = *this + y; }
  Vector& operator-=(const Vector& y) { return *this = *this - y; }
};

template <class T, int D>
inline T dot(const Vector<T, D>& x, const Vector<T, D>& y) {
  T s = x[0] * y[0];
#pragma GCC unroll 9
  for (int i = 1; i < D; ++i) s = s + x[i] * y[i];
  return s;
}
template <class T, int D>
inline T norm(const Vector<T, D>& x) {
  return sqrt(dot(x, x));
}
template <class T>
inline Vector<T, 3> cross(const Vector<T, 3>& x, const Vector<T, 3>& y) {
  return {{x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]}};
}

template <class T, int D>
struct Matrix {
  T a[D * D];

  T& operator()(int i, int j) { return a[i * D + j]; }
  const T& operator()(int i, int j) const { return a[i * D + j]; }

  static Matrix zero() {
    Matrix r;
#pragma GCC unroll 9
    for (int i = 0; i < D * D; ++i) r.a[i] = T(0);
    return r;
  }
  static Matrix identity() {
    Matrix r = zero();
#pragma GCC unroll 9
    for (int i = 0; i < D; ++i) r(i, i) = T(1);
    return r;
  }
  static Matrix diagonal(const Vector<T, D>& d) {
    Matrix r = zero();
#pragma GCC unroll 9
    for (int i = 0; i < D; ++i) r(i, i) = d[i];
    return r;
  }
  friend Matrix operator+(const Matrix& x, const Matrix& y) {
    Matrix r;
#pragma GCC unroll 9
    for (int i = 0; i < D * D; ++i) r.a[i] = x.a[i] + y.a[i];
    return r;
  }
  friend Matrix operator-(const Matrix& x, const Matrix& y) {
    Matrix r;
#pragma GCC unroll 9
    for (int i = 0; i < D * D; ++i) r.a[i] = x.a[i] - y.a[i];
    return r;
  }
  friend Matrix operator*(T s, const Matrix& x) {
    Matrix r;
#pragma GCC unroll 9
    for (int i = 0; i < D * D; ++i) r.a[i] = s * x.a[i];
    return r;
  }
  friend Matrix operator*(const Matrix& x, const Matrix& y) {
    Matrix r;
#pragma GCC unroll 9
    for (int i = 0; i < D; ++i)
#pragma GCC unroll 9
      for (int j = 0; j < D; ++j) {
        T s = x(i, 0) * y(0, j);
#pragma GCC unroll 9
        for (int k = 1; k < D; ++k) s = s + x(i, k) * y(k, j);
        r(i, j) = s;
      }
    return r;
  }
  friend Vector<T, D> operator*(const Matrix& x, const Vector<T, D>& y) {
    Vector<T, D> r;
#pragma GCC unroll 9
    for (int i = 0; i < D; ++i) {
      T s = x(i, 0) * y[0];
#pragma GCC unroll 9
      for (int k = 1; k < D; ++k) s = s + x(i, k) * y[k];
      r[i] = s;
    }
    return r;
  }
  Matrix& operator+=(const Matrix& y) { return *this = *this + y; }
  Matrix& operator-=(const Matrix& y) { return *this = *this - y; }
};

template <class T, int D>
inline Matrix<T, D> transpose(const Matrix<T, D>& x) {
  Matrix<T, D> r;
#pragma GCC unroll 9
  for (int i = 0; i < D; ++i)
#pragma GCC unroll 9
    for (int j = 0; j < D; ++j) r(i, j) = x(j, i);
  return r;
}
template <class T, int D>
inline Matrix<T, D> outer(const Vector<T, D>& x, const Vector<T, D>& y) {
  Matrix<T, D> r;
#pragma GCC unroll 9
  for (int i = 0; i < D; ++i)
#pragma GCC unroll 9
    for (int j = 0; j < D; ++j) r(i, j) = x[i] * y[j];
  return r;
}
template <class T, int D>
inline T trace(const Matrix<T, D>& x) {
  T s = x(0, 0);
#pragma GCC unroll 9
  for (int i = 1; i < D; ++i) s = s + x(i, i);
  return s;
}
// sum of products of entries, A : B
template <class T, int D>
inline T inner(const Matrix<T, D>& x, const Matrix<T, D>& y) {
  T s = x.a[0] * y.a[0];
#pragma GCC unroll 9
  for (int i = 1; i < D * D; ++i) s = s + x.a[i] * y.a[i];
  return s;
}
template <class T, int D>
inline Matrix<T, D> symmetric_part(const Matrix<T, D>& x) {
  return T(Scalar<T>(0.5)) * (x + transpose(x));
}

// matrix of cofactors, d det / dF; inverse(F) = transpose(cofactor(F)) / det(F)
template <class T>
inline Matrix<T, 2> cofactor(const Matrix<T, 2>& x) {
  return {{x.a[3], -x.a[2], -x.a[1], x.a[0]}};
}
template <class T>
inline Matrix<T, 3> cofactor(const Matrix<T, 3>& x) {
  const T* m = x.a;
  return {{m[4] * m[8] - m[5] * m[7], m[5] * m[6] - m[3] * m[8], m[3] * m[7] - m[4] * m[6], m[2] * m[7] - m[1] * m[8],
           m[0] * m[8] - m[2] * m[6], m[1] * m[6] - m[0] * m[7], m[1] * m[5] - m[2] * m[4], m[2] * m[3] - m[0] * m[5],
           m[0] * m[4] - m[1] * m[3]}};
}
template <class T>
inline T determinant(const Matrix<T, 2>& x) {
  return x.a[0] * x.a[3] - x.a[1] * x.a[2];
}
template <class T>
inline T determinant(const Matrix<T, 3>& x) {
  const T* m = x.a;
  return m[0] * (m[4] * m[8] - m[5] * m[7]) + m[1] * (m[5] * m[6] - m[3] * m[8]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}
template <class T, int D>
inline Matrix<T, D> inverse(const Matrix<T, D>& x) {
  return (T(1) / determinant(x)) * transpose(cofactor(x));
}

template <class T, int D>
inline Matrix<T, D> select(const Truth<T>& m, const Matrix<T, D>& x, const Matrix<T, D>& y) {
  Matrix<T, D> r;
#pragma GCC unroll 9
  for (int i = 0; i < D * D; ++i) r.a[i] = select(m, x.a[i], y.a[i]);
  return r;
}
template <class T, int D>
inline Vector<T, D> select(const Truth<T>& m, const Vector<T, D>& x, const Vector<T, D>& y) {
  Vector<T, D> r;
#pragma GCC unroll 9
  for (int i = 0; i < D; ++i) r[i] = select(m, x[i], y[i]);
  return r;
}

}  // namespace pliant::core

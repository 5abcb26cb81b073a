// Symmetric 3x3 matrices by their six entries, on numbers or packs.
#pragma once

#include "core/small.h"

namespace pliant {

template <class T>
struct Symmetric3 {
  T xx, xy, xz, yy, yz, zz;

  static Symmetric3 scaled_identity(T s) { return {s, T(0), T(0), s, T(0), s}; }

  // adds s a a^T
  void add_square(T s, const Vector<T, 3>& a) {
    const Vector<T, 3> b = s * a;
    xx += b[0] * a[0], xy += b[0] * a[1], xz += b[0] * a[2];
    yy += b[1] * a[1], yz += b[1] * a[2], zz += b[2] * a[2];
  }
  // adds s (a b^T + b a^T)
  void add_product(T s, const Vector<T, 3>& a, const Vector<T, 3>& b) {
    const Vector<T, 3> c = s * a;
    xx += T(2) * c[0] * b[0], xy += c[0] * b[1] + c[1] * b[0], xz += c[0] * b[2] + c[2] * b[0];
    yy += T(2) * c[1] * b[1], yz += c[1] * b[2] + c[2] * b[1], zz += T(2) * c[2] * b[2];
  }
  // a . (this a)
  T along(const Vector<T, 3>& a) const {
    return a[0] * (xx * a[0] + T(2) * (xy * a[1] + xz * a[2])) + a[1] * (yy * a[1] + T(2) * yz * a[2]) +
           zz * a[2] * a[2];
  }
};

}  // namespace pliant

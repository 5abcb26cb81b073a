// Symmetric 3x3 blocks by their six entries, on numbers (the block of a node) or packs (those of four contacts), and
// what a block is divided by: its factors, or its inverse.
#pragma once

#include "solve/namespace.h"
#include "solve/node_vector.h"

#include <algorithm>
#include <cmath>

namespace pliant::solve {

template <class T>
struct Block3 {
  T xx, xy, xz, yy, yz, zz;

  static Block3 scaled_identity(T s) { return {s, T(0), T(0), s, T(0), s}; }

  // the entries one after the other
  static constexpr int entries = 6;
  T* data() { return &xx; }
  const T* data() const { return &xx; }

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
  Block3& operator+=(const Block3& b) {
    xx += b.xx, xy += b.xy, xz += b.xz, yy += b.yy, yz += b.yz, zz += b.zz;
    return *this;
  }
  friend Vector<T, 3> operator*(const Block3& b, const Vector<T, 3>& x) {
    return {{b.xx * x[0] + b.xy * x[1] + b.xz * x[2], b.xy * x[0] + b.yy * x[1] + b.yz * x[2],
             b.xz * x[0] + b.yz * x[1] + b.zz * x[2]}};
  }
  // a . (this a)
  T along(const Vector<T, 3>& a) const {
    return a[0] * (xx * a[0] + T(2) * (xy * a[1] + xz * a[2])) + a[1] * (yy * a[1] + T(2) * yz * a[2]) +
           zz * a[2] * a[2];
  }
};
static_assert(sizeof(Block3<double>) == Block3<double>::entries * sizeof(double));

inline Matrix<double, 3> full(const Block3<double>& b) {
  return {{b.xx, b.xy, b.xz, b.xy, b.yy, b.yz, b.xz, b.yz, b.zz}};
}
inline Block3<double> lane_of(const Block3<Pack<double, 4>>& b, int lane) {
  return {b.xx[lane], b.xy[lane], b.xz[lane], b.yy[lane], b.yz[lane], b.zz[lane]};
}

// L D L^T of m + block, where the block is not negative
class Factor3 {
 public:
  Factor3() = default;
  // No pivot of the exact matrix is below m: none here is either.
  Factor3(double m, const Block3<double>& b) {
    const double i1 = 1 / (m + b.xx), l21 = b.xy * i1, l31 = b.xz * i1;
    const double i2 = 1 / std::max(m + b.yy - l21 * b.xy, m), yz1 = b.yz - l31 * b.xy, l32 = yz1 * i2;
    const double i3 = 1 / std::max(m + b.zz - l31 * b.xz - l32 * yz1, m);
    inverse_pivots_ = NodeVector<double>::Vector{i1, i2, i3, 0};
    lower_ = NodeVector<double>::Vector{l21, l31, l32, 0};
  }
  // the solution for this right side
  friend NodeVector<double> operator*(const Factor3& f, NodeVector<double> g) {
    const double l21 = f.lower_[0], l31 = f.lower_[1], l32 = f.lower_[2];
    const double y2 = g[1] - l21 * g[0], y3 = g[2] - l31 * g[0] - l32 * y2;
    const double z3 = y3 * f.inverse_pivots_[2], z2 = y2 * f.inverse_pivots_[1] - l32 * z3;
    return NodeVector<double>::Vector{g[0] * f.inverse_pivots_[0] - l21 * z2 - l31 * z3, z2, z3, 0};
  }

 private:
  NodeVector<double> inverse_pivots_, lower_;
};

// the inverse of a positive block, by columns
template <class T>
struct Inverse3 {
  NodeVector<T> column[3];

  Inverse3() = default;
  // Scaled to a diagonal of ones first, so that no product under- or overflows.
  explicit Inverse3(const Block3<double>& b) {
    const double s[3] = {1 / std::sqrt(b.xx), 1 / std::sqrt(b.yy), 1 / std::sqrt(b.zz)};
    const double xy = b.xy * s[0] * s[1], xz = b.xz * s[0] * s[2], yz = b.yz * s[1] * s[2];
    const Matrix<double, 3> inverted = inverse(Matrix<double, 3>{{1, xy, xz, xy, 1, yz, xz, yz, 1}});
    for (int c = 0; c < 3; ++c) {
      column[c] = T(0);
      for (int r = 0; r < 3; ++r) column[c].set(r, T(inverted(r, c) * s[r] * s[c]));
    }
  }
  friend NodeVector<T> operator*(const Inverse3& b, NodeVector<T> r) {
    return b.column[0] * NodeVector<T>(r[0]) + b.column[1] * NodeVector<T>(r[1]) + b.column[2] * NodeVector<T>(r[2]);
  }
};

}  // namespace pliant::solve

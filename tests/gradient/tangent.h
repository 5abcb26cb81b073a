// A run with its derivative along one direction carried along: the laws and an obvious MPM on numbers that know their own
// derivative. Quadratic kernel, MLS, planes; the forward twin of the way back.
#pragma once

#include "core/small.h"
#include "core/svd.h"

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

namespace pliant::core {

// v + d e with e^2 = 0
struct Dual {
  double v = 0, d = 0;

  constexpr Dual() = default;
  constexpr Dual(double value, double slope = 0) : v(value), d(slope) {}
  friend constexpr Dual operator+(Dual a, Dual b) { return {a.v + b.v, a.d + b.d}; }
  friend constexpr Dual operator-(Dual a, Dual b) { return {a.v - b.v, a.d - b.d}; }
  friend constexpr Dual operator-(Dual a) { return {-a.v, -a.d}; }
  friend constexpr Dual operator*(Dual a, Dual b) { return {a.v * b.v, a.d * b.v + a.v * b.d}; }
  friend constexpr Dual operator/(Dual a, Dual b) { return {a.v / b.v, (a.d - a.v / b.v * b.d) / b.v}; }
  constexpr Dual& operator+=(Dual b) { return *this = *this + b; }
  constexpr Dual& operator-=(Dual b) { return *this = *this - b; }
  constexpr Dual& operator*=(Dual b) { return *this = *this * b; }
  friend constexpr bool operator<(Dual a, Dual b) { return a.v < b.v; }
  friend constexpr bool operator>(Dual a, Dual b) { return a.v > b.v; }
  friend constexpr bool operator<=(Dual a, Dual b) { return a.v <= b.v; }
  friend constexpr bool operator>=(Dual a, Dual b) { return a.v >= b.v; }
  friend constexpr bool operator==(Dual a, Dual b) { return a.v == b.v; }
};

inline Dual select(bool m, Dual a, Dual b) { return m ? a : b; }
inline Dual sqrt(Dual x) { return {std::sqrt(x.v), 0.5 * x.d / std::sqrt(x.v)}; }
inline Dual log(Dual x) { return {std::log(x.v), x.d / x.v}; }
inline Dual exp(Dual x) { return {std::exp(x.v), std::exp(x.v) * x.d}; }
inline Dual abs(Dual x) { return x.v < 0 ? -x : x; }
inline Dual min(Dual a, Dual b) { return a.v < b.v ? a : b; }
inline Dual max(Dual a, Dual b) { return a.v > b.v ? a : b; }

template <int D>
struct Halves {
  Matrix<double, D> v, d;
};
template <int D>
Halves<D> halves(const Matrix<Dual, D>& F) {
  Halves<D> r;
  for (int k = 0; k < D * D; ++k) r.v.a[k] = F.a[k].v, r.d.a[k] = F.a[k].d;
  return r;
}
template <int D>
Matrix<Dual, D> joined(const Matrix<double, D>& v, const Matrix<double, D>& d) {
  Matrix<Dual, D> r;
  for (int k = 0; k < D * D; ++k) r.a[k] = {v.a[k], d.a[k]};
  return r;
}

// with P = U^T dF V: the stretches grow by its diagonal, the axes turn by what is beside it
template <int D>
Svd<Dual, D> svd_of(const Matrix<Dual, D>& F) {
  const Halves<D> h = halves(F);
  const Svd<double, D> f = svd(h.v);
  const Matrix<double, D> P = transpose(f.U) * h.d * f.V;
  Matrix<double, D> u = Matrix<double, D>::zero(), w = u;
  Svd<Dual, D> r;
  for (int i = 0; i < D; ++i) {
    r.sigma[i] = {f.sigma[i], P(i, i)};
    for (int j = 0; j < D; ++j) {
      const double gap = (f.sigma[j] - f.sigma[i]) * (f.sigma[j] + f.sigma[i]);
      if (i == j || gap == 0) continue;
      u(i, j) = (P(i, j) * f.sigma[j] + f.sigma[i] * P(j, i)) / gap;
      w(i, j) = (f.sigma[i] * P(i, j) + P(j, i) * f.sigma[j]) / gap;
    }
  }
  r.U = joined(f.U, f.U * u);
  r.V = joined(f.V, f.V * w);
  return r;
}
inline Svd<Dual, 2> svd(const Matrix<Dual, 2>& F) { return svd_of(F); }
inline Svd<Dual, 3> svd(const Matrix<Dual, 3>& F) { return svd_of(F); }

// dR = U W V^T, W_ij = (P_ij - P_ji)/(s_i + s_j)
template <int D>
Matrix<Dual, D> rotation_of_dual(const Matrix<Dual, D>& F) {
  const Halves<D> h = halves(F);
  const Svd<double, D> f = svd(h.v);
  Matrix<double, D> W = transpose(f.U) * h.d * f.V;
  W = W - transpose(W);
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) W(i, j) /= f.sigma[i] + f.sigma[j];
  return joined(f.U * transpose(f.V), f.U * W * transpose(f.V));
}
inline Matrix<Dual, 2> rotation_of(const Matrix<Dual, 2>& F) { return rotation_of_dual(F); }
inline Matrix<Dual, 3> rotation_of(const Matrix<Dual, 3>& F) { return rotation_of_dual(F); }

}  // namespace pliant::core

#include "material/laws.h"

namespace pliant::test {

using namespace core;
using material::Memory;

template <int D>
struct TangentParticle {
  Vector<Dual, D> x, v;
  Matrix<Dual, D> C, F;
  Dual plastic, mass, volume;
};

template <int D>
struct TangentPlane {
  Vector<Dual, D> point, normal;
  Dual friction;
};

// one piece of matter of law L
template <class L, int D>
struct Tangent {
  L law;
  double h, dt;
  Vector<Dual, D> gravity;
  std::vector<TangentPlane<D>> planes;
  std::vector<TangentParticle<D>> particles;

  struct Node {
    Dual mass;
    Vector<Dual, D> q = Vector<Dual, D>::zero();
  };
  std::map<std::array<int, D>, Node> grid;

  // f(key, weight, x_i - x_p)
  template <class F>
  void for_nodes(const Vector<Dual, D>& x, const F& f) const {
    for (int code = 0; code < (D == 2 ? 9 : 27); ++code) {
      std::array<int, D> key;
      Dual w = 1;
      Vector<Dual, D> d;
      for (int k = 0, rest = code; k < D; ++k, rest /= 3) {
        key[std::size_t(k)] = int(std::floor(x[k].v / h - 0.5)) + rest % 3;
        d[k] = Dual(key[std::size_t(k)] * h) - x[k];
        const Dual r = abs(d[k] / h);
        w *= r < Dual(0.5) ? Dual(0.75) - r * r : Dual(0.5) * (Dual(1.5) - r) * (Dual(1.5) - r);
      }
      f(key, w, d);
    }
  }

  void step() {
    grid.clear();
    const Dual arm = 4 / (h * h);
    for (const TangentParticle<D>& p : particles) {
      Matrix<Dual, D> tau = law.kirchhoff(p.F, Memory<Dual, D>{p.F, p.plastic});
      if constexpr (L::viscous) tau += law.viscous_kirchhoff(determinant(p.F), p.C);
      const Matrix<Dual, D> G = p.mass * p.C - (arm * dt * p.volume) * tau;
      for_nodes(p.x, [&](const auto& key, Dual w, const Vector<Dual, D>& d) {
        grid[key].mass += w * p.mass;
        grid[key].q += w * (p.mass * p.v + G * d);
      });
    }
    for (auto& [key, node] : grid) {
      node.q = (Dual(1) / node.mass) * node.q + Dual(dt) * gravity;
      for (const TangentPlane<D>& plane : planes) hold(plane, key, node);
    }
    for (TangentParticle<D>& p : particles) {
      p.v = Vector<Dual, D>::zero();
      p.C = Matrix<Dual, D>::zero();
      for_nodes(p.x, [&](const auto& key, Dual w, const Vector<Dual, D>& d) {
        p.v += w * grid[key].q;
        p.C += (arm * w) * outer(grid[key].q, d);
      });
      Memory<Dual, D> memory = {p.F, p.plastic};
      p.F += Dual(dt) * (p.C * p.F);
      if constexpr (L::plastic) law.return_map(p.F, memory);
      p.plastic = memory.plastic;
      p.x += Dual(dt) * p.v;
    }
  }

  void hold(const TangentPlane<D>& plane, const std::array<int, D>& key, Node& node) const {
    double above = 0;
    for (int k = 0; k < D; ++k) above += (key[std::size_t(k)] * h - plane.point[k].v) * plane.normal[k].v;
    if (!(above < 1e-3 * h)) return;
    const Dual n = dot(node.q, plane.normal);
    const Vector<Dual, D> t = node.q - n * plane.normal;
    const Dual speed = sqrt(dot(t, t) + Dual(1e-60)), kept = max(speed + plane.friction * min(n, Dual(0)), Dual(0));
    node.q = (kept / speed) * t + max(n, Dual(0)) * plane.normal;
  }
};

}  // namespace pliant::test

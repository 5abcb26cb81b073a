// Cloth (Jiang, Gast, Teran 2017): F = [f1 f2 d3] in the frame of a triangle at rest, whose third axis is its normal.
// f1 and f2 come from the corners of the triangle, d3 is carried by the grid. Equations in src/cloth/README.md.
#pragma once

#include "material/law.h"
#include "material/namespace.h"

namespace pliant::material {

template <class S>
struct Cloth : ElasticSolid {
  static constexpr const char* name = "cloth";
  static constexpr const char* what =
      "a sheet of triangles: plane stress, bending, friction between layers (S2, Sec. VI-C)";
  static constexpr std::array parameters = {
      parameter::E,
      parameter::nu,
      parameter::friction,
      Parameter{"bending",
                &Material::bending,
                "N m",
                {0, 1e15},
                "stiffness",
                Parameter::Also::negative,
                "E t^3 / (12 (1 - nu^2)), t the thickness"},
      Parameter{"normal_stiffness", &Material::normal_stiffness, "Pa", {0, 1e15}, "of layers that are pressed; 0: E"},
      Parameter{
          "shear_stiffness", &Material::shear_stiffness, "Pa", {0, 1e15}, "of layers that stick; 0: E / (2 (1 + nu))"}};
  static constexpr bool plastic = false;  // not by itself: the cloth's step calls `settle` when f1 and f2 are known
  static constexpr bool sheet = true;
  // part of a triangle's mass and volume that its centroid carries; the rest is with its corners
  static constexpr double centroid_share = 0.5;
  static constexpr double standard_friction = 0.3;  // of cloth on cloth
  static constexpr S least_area = S(1e-6);          // a triangle of less than this part of its area has no normal

  S mu, lambda;  // Pa, of plane stress
  S normal;      // Pa, stiffness against compression along the normal
  S shear;       // Pa, of the normal against the plane
  S friction;    // of cloth on cloth

  static Cloth make(const Material& m) {
    const double shear = m.E / (2 * (1 + m.nu));
    return {{},
            S(shear),
            S(m.E * m.nu / (1 - m.nu * m.nu)),
            S(m.normal_stiffness > 0 ? m.normal_stiffness : m.E),
            S(m.shear_stiffness > 0 ? m.shear_stiffness : shear),
            S(m.friction >= 0 ? m.friction : standard_friction)};
  }
  // of the stiffest of its springs, whose mass is that of the vertices or of the centroids alone
  static double wave_speed(const Material& m, double) {
    const auto law = Cloth<double>::make(m);
    const double plane = m.E / (1 - m.nu * m.nu);
    const double share = min(centroid_share, 1 - centroid_share);
    return std::sqrt(max(plane, max(law.normal, law.shear)) / (share * m.density));
  }

  template <class T>
  struct Parts {
    Vector<T, 3> f1, f2, d3;
    T area;             // |f1 x f2|
    Vector<T, 3> n, s;  // unit normal; part of d3 in the plane
    T r;                // part of d3 along the normal, r33 of the paper
    T squeeze;          // 1 - r where that is positive
  };

  template <class T>
  static Parts<T> parts_of(const Matrix<T, 3>& F) {
    Parts<T> p;
    for (int i = 0; i < 3; ++i) {
      p.f1[i] = F(i, 0);
      p.f2[i] = F(i, 1);
      p.d3[i] = F(i, 2);
    }
    const Vector<T, 3> N = cross(p.f1, p.f2);
    p.area = max(sqrt(dot(N, N)), T(least_area));
    p.n = (T(1) / p.area) * N;
    p.r = dot(p.n, p.d3);
    p.s = p.d3 - p.r * p.n;
    p.squeeze = max(T(1) - p.r, T(0));
    return p;
  }

  template <class T>
  static T stretch_sum(const Parts<T>& p) {
    return sqrt(dot(p.f1, p.f1) + dot(p.f2, p.f2) + T(2) * p.area);
  }

  template <class T, int D>
  T energy(const Matrix<T, D>& F, const Memory<T, D>&) const {
    if constexpr (D == 3) {
      const Parts<T> p = parts_of(F);
      const T change = p.area - T(1);
      const T strain = dot(p.f1, p.f1) + dot(p.f2, p.f2) - T(2) * stretch_sum(p) + T(2);
      return T(mu) * strain + T(lambda / 2) * change * change + T(shear / 2) * dot(p.s, p.s) +
             T(normal / 2) * p.squeeze * p.squeeze;
    }
    return T(0);
  }

  // what d3 feels
  template <class T>
  Vector<T, 3> director_stress(const Parts<T>& p) const {
    return T(shear) * p.s - (T(normal) * p.squeeze) * p.n;
  }

  template <class T, int D>
  Matrix<T, D> stress(const Matrix<T, D>& F, const Memory<T, D>&) const {
    auto P = Matrix<T, D>::zero();
    if constexpr (D == 3) {
      const Parts<T> p = parts_of(F);
      // grad area = (f2 x n, n x f1); the normal turns with the plane and pulls d3 along
      const T stretch = T(2 * mu) * (T(1) - T(1) / stretch_sum(p));
      const T spread = T(lambda) * (p.area - T(1)) - T(2 * mu) / stretch_sum(p);
      const T turn = (T(0) - T(normal) * p.squeeze - T(shear) * p.r) / p.area;
      const Vector<T, 3> pull = spread * p.n + turn * p.s;
      const Vector<T, 3> p1 = stretch * p.f1 + cross(p.f2, pull), p2 = stretch * p.f2 + cross(pull, p.f1);
      const Vector<T, 3> p3 = director_stress(p);
      for (int i = 0; i < 3; ++i) {
        P(i, 0) = p1[i];
        P(i, 1) = p2[i];
        P(i, 2) = p3[i];
      }
    }
    return P;
  }

  // the formulas of `stress`, differentiated one by one
  template <class T, int D>
  Matrix<T, D> differential(const Matrix<T, D>& F, const Matrix<T, D>& dF, const Memory<T, D>&) const {
    auto dP = Matrix<T, D>::zero();
    if constexpr (D == 3) {
      const Parts<T> p = parts_of(F);
      Vector<T, 3> df1, df2, dd3;
      for (int i = 0; i < 3; ++i) {
        df1[i] = dF(i, 0);
        df2[i] = dF(i, 1);
        dd3[i] = dF(i, 2);
      }
      const Vector<T, 3> dN = cross(df1, p.f2) + cross(p.f1, df2);
      const T d_area = dot(p.n, dN), sum = stretch_sum(p), d_sum = (dot(p.f1, df1) + dot(p.f2, df2) + d_area) / sum;
      const Vector<T, 3> dn = (T(1) / p.area) * (dN - d_area * p.n);
      const T dr = dot(dn, p.d3) + dot(p.n, dd3);
      const Vector<T, 3> ds = dd3 - dr * p.n - p.r * dn;
      const T push = T(0) - T(normal) * p.squeeze, d_push = select(p.r < T(1), T(normal) * dr, T(0));

      const T stretch = T(2 * mu) * (T(1) - T(1) / sum), d_stretch = T(2 * mu) * d_sum / (sum * sum);
      const T spread = T(lambda) * (p.area - T(1)) - T(2 * mu) / sum, d_spread = T(lambda) * d_area + d_stretch;
      const T turn = (push - T(shear) * p.r) / p.area, d_turn = (d_push - T(shear) * dr - turn * d_area) / p.area;
      const Vector<T, 3> pull = spread * p.n + turn * p.s;
      const Vector<T, 3> d_pull = d_spread * p.n + spread * dn + d_turn * p.s + turn * ds;
      const Vector<T, 3> d1 = d_stretch * p.f1 + stretch * df1 + cross(df2, pull) + cross(p.f2, d_pull);
      const Vector<T, 3> d2 = d_stretch * p.f2 + stretch * df2 + cross(d_pull, p.f1) + cross(pull, df1);
      const Vector<T, 3> d3 = T(shear) * ds + d_push * p.n + push * dn;
      for (int i = 0; i < 3; ++i) {
        dP(i, 0) = d1[i];
        dP(i, 1) = d2[i];
        dP(i, 2) = d3[i];
      }
    }
    return dP;
  }

  template <class T, int D>
  Matrix<T, D> kirchhoff(const Matrix<T, D>& F, const Memory<T, D>& memory) const {
    return stress(F, memory) * transpose(F);
  }

  // the part of the Kirchhoff stress that acts through the grid, per volume of the centroid; none at F = 1
  template <class T, int D>
  Matrix<T, D> grid_kirchhoff(const Matrix<T, D>& F) const {
    if constexpr (D == 3) {
      const Parts<T> p = parts_of(F);
      return outer(T(S(1 / centroid_share)) * director_stress(p), p.d3);
    }
    return Matrix<T, D>::zero();
  }

  // layers that part bear nothing; those that are pressed slip where shear passes friction
  template <class T>
  void settle(Matrix<T, 3>& F) const {
    const Parts<T> p = parts_of(F);
    const Truth<T> apart = p.r > T(1);
    const T most = T(friction * normal / shear) * p.squeeze, length = sqrt(dot(p.s, p.s));
    const T scale = select(length > most, most / max(length, T(S(1e-30))), T(1));
    for (int i = 0; i < 3; ++i) F(i, 2) = select(apart, p.n[i], p.r * p.n[i] + scale * p.s[i]);
  }
};

}  // namespace pliant::material

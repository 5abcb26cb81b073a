// The fast path of `distances`: the formulas of distance.cpp on packs, branches as selections.
#include "geometry/distance.h"

#include <algorithm>

namespace pliant::geometry {
namespace {

template <class T>
struct PackDistance {
  T phi;
  Vector<T, 3> normal;
};

template <class T>
T sign_of(T x) {
  return select(x < T(0), T(-1), T(1));
}

// v / length, or `other` where v has no direction
template <class T>
Vector<T, 3> unit_or(const Vector<T, 3>& v, T length, const Vector<T, 3>& other) {
  const auto some = length > T(0);
  const T inverse = T(1) / select(some, length, T(1));
  return select(some, inverse * v, other);
}

template <class T>
PackDistance<T> sphere_distance(T radius, const Vector<T, 3>& x) {
  const T length = norm(x);
  return {length - radius, unit_or(x, length, {{T(0), T(0), T(1)}})};
}

template <class T>
PackDistance<T> capsule_distance(T radius, T half, const Vector<T, 3>& x) {
  const Vector<T, 3> from_axis = {{x[0], x[1], x[2] - max(min(x[2], half), -half)}};
  const T length = norm(from_axis);
  return {length - radius, unit_or(from_axis, length, {{T(1), T(0), T(0)}})};
}

template <class T>
PackDistance<T> cylinder_distance(T radius, T half, const Vector<T, 3>& x) {
  const T rho = sqrt(x[0] * x[0] + x[1] * x[1]);
  const Vector<T, 3> radial = unit_or({{x[0], x[1], T(0)}}, rho, {{T(1), T(0), T(0)}});
  const Vector<T, 3> axial = {{T(0), T(0), sign_of(x[2])}};
  const T a = rho - radius, b = abs(x[2]) - half;
  const auto over_rim = (a > T(0)) & (b > T(0)), beside = a > b;
  const T length = sqrt(a * a + b * b), inverse = T(1) / select(over_rim, length, T(1));
  const T phi = select(over_rim, length, select(beside, a, b));
  const Vector<T, 3> rim = (a * inverse) * radial + (b * inverse) * axial;
  return {phi, select(over_rim, rim, select(beside, radial, axial))};
}

template <class T>
PackDistance<T> box_distance(const Vector<T, 3>& half, const Vector<T, 3>& x) {
  Vector<T, 3> excess, side, outside;
  for (int i = 0; i < 3; ++i) {
    excess[i] = abs(x[i]) - half[i];
    side[i] = sign_of(x[i]);
    outside[i] = max(excess[i], T(0)) * side[i];
  }
  const T nearest = max(excess[0], max(excess[1], excess[2]));
  const auto is_x = excess[0] == nearest, is_y = excess[1] == nearest;
  const Vector<T, 3> zero = Vector<T, 3>::zero();
  Vector<T, 3> face = {{T(0), T(0), side[2]}};
  face = select(is_y, {{zero[0], side[1], zero[2]}}, face);
  face = select(is_x, {{side[0], zero[1], zero[2]}}, face);
  const auto is_inside = nearest <= T(0);
  const T length = norm(outside);
  return {select(is_inside, nearest, length), select(is_inside, face, unit_or(outside, length, face))};
}

// numbers of one ellipsoid for ellipsoid_distance, see distance.cpp
struct Ellipsoid {
  double m, over_m[3], k[3];  // least half axis; e_i / m; (e_i / m)^2 - 1
  int least;

  explicit Ellipsoid(const double* e) {
    least = e[0] < e[1] ? (e[0] < e[2] ? 0 : 2) : (e[1] < e[2] ? 1 : 2);
    m = e[least];
    for (int i = 0; i < 3; ++i) {
      over_m[i] = e[i] / m;
      k[i] = ((e[i] - m) / m) * ((e[i] + m) / m);
    }
  }
};

// lanes for which the fixed number of Newton steps is too small (very close to the medial axis) are told in `open`
template <class T>
PackDistance<T> ellipsoid_distance(const Ellipsoid& ellipsoid, const Vector<T, 3>& x, Truth<T>& open) {
  using S = Scalar<T>;
  Vector<T, 3> a, k;
  T u = S(0);
  for (int i = 0; i < 3; ++i) {
    a[i] = abs(x[i]) * T(S(ellipsoid.over_m[i] / ellipsoid.m));
    k[i] = S(ellipsoid.k[i]);
    u = max(u, a[i] - k[i]);
  }
  Vector<T, 3> q;
  open = !(u < T(0));
  for (int n = 0; n < 24; ++n) {
    T sum = S(0), slope = S(0);
    for (int i = 0; i < 3; ++i) {
      const T below = u + k[i];
      const T inverse = T(1) / select(below > T(0), below, T(1));
      q[i] = a[i] * inverse;
      sum += q[i] * q[i];
      slope += q[i] * q[i] * inverse;
    }
    const T next = u + sum * (sqrt(sum) - T(1)) / select(slope > T(0), slope, T(1));
    open = (sum > T(1)) & (next > u);
    if (!any_of(open)) break;
    u = select(open, next, u);
  }

  T rest = S(1);
  for (int i = 0; i < 3; ++i)
    if (i != ellipsoid.least) rest = rest - q[i] * q[i];
  T& q_least = q[ellipsoid.least];
  q_least = select(u == T(0), sqrt(max(rest, T(0))), q_least);
  Vector<T, 3> n;
  for (int i = 0; i < 3; ++i) n[i] = q[i] * T(S(1 / ellipsoid.over_m[i]));
  const T length = norm(n), inverse = T(1) / length;
  for (int i = 0; i < 3; ++i) n[i] = sign_of(x[i]) * n[i] * inverse;
  return {(u - T(1)) * T(S(ellipsoid.m)) * length, n};
}

template <class T>
PackDistance<T> primitive_distance(const RigidShape& shape, const Vector<T, 3>& x, Truth<T>& open) {
  using S = Scalar<T>;
  const T s0 = S(shape.size[0]), s1 = S(shape.size[1]), s2 = S(shape.size[2]);
  switch (shape.kind) {
    case RigidShape::Kind::sphere: return sphere_distance(s0, x);
    case RigidShape::Kind::capsule: return capsule_distance(s0, s1, x);
    case RigidShape::Kind::cylinder: return cylinder_distance(s0, s1, x);
    case RigidShape::Kind::box: return box_distance({{s0, s1, s2}}, x);
    case RigidShape::Kind::ellipsoid: return ellipsoid_distance(Ellipsoid(shape.size), x, open);
    default: return {x[2], {{T(0), T(0), T(1)}}};
  }
}

template <class S>
void one_by_one(const RigidShape& shape, const Pose& pose, std::size_t count, const ConstRows<S>& x, S* phi,
                const Rows<S>& normal) {
  for (std::size_t p = 0; p < count; ++p) {
    const ShapeDistance d = distance(shape, pose, {{double(x.row[0][p]), double(x.row[1][p]), double(x.row[2][p])}});
    phi[p] = S(d.phi);
    for (int i = 0; i < 3; ++i) normal.row[i][p] = S(d.normal[i]);
  }
}

// one pack: to the shape's frame, distance, normal back to the world
template <class S>
void pack_distance(const RigidShape& shape, const Pose& pose, const ConstRows<S>& x, S* phi, const Rows<S>& normal) {
  using T = Wide<S>;
  Matrix<T, 3> R;
  for (int k = 0; k < 9; ++k) R.a[k] = T(S(pose.rotation.a[k]));
  Vector<T, 3> offset;
  for (int i = 0; i < 3; ++i) offset[i] = T::load(x.row[i]) - T(S(pose.position[i]));
  Truth<T> open = T(0) > T(0);
  const PackDistance<T> d = primitive_distance(shape, transpose(R) * offset, open);
  if (any_of(open)) return one_by_one(shape, pose, T::lanes, x, phi, normal);
  const T side = S(shape.inside_out ? -1 : 1);
  const Vector<T, 3> n = R * (side * d.normal);
  (side * d.phi).store(phi);
  for (int i = 0; i < 3; ++i) n[i].store(normal.row[i]);
}

}  // namespace

template <class S>
void distances(const RigidShape& shape, const Pose& pose, std::size_t count, const ConstRows<S>& x, S* phi,
               const Rows<S>& normal) {
  if (shape.kind == RigidShape::Kind::mesh) {
    one_by_one(shape, pose, count, x, phi, normal);
    return;
  }
  constexpr std::size_t lanes = Wide<S>::lanes;
  std::size_t p = 0;
  for (; p + lanes <= count; p += lanes)
    pack_distance<S>(shape, pose, {{x.row[0] + p, x.row[1] + p, x.row[2] + p}}, phi + p,
                     {{normal.row[0] + p, normal.row[1] + p, normal.row[2] + p}});
  if (p == count) return;

  // the rest in a pack of its own
  S in[3][lanes] = {}, out[4][lanes];
  for (int i = 0; i < 3; ++i) std::copy(x.row[i] + p, x.row[i] + count, in[i]);
  pack_distance<S>(shape, pose, {{in[0], in[1], in[2]}}, out[3], {{out[0], out[1], out[2]}});
  std::copy(out[3], out[3] + (count - p), phi + p);
  for (int i = 0; i < 3; ++i) std::copy(out[i], out[i] + (count - p), normal.row[i] + p);
}

template void distances<float>(const RigidShape&, const Pose&, std::size_t, const ConstRows<float>&, float*,
                               const Rows<float>&);
template void distances<double>(const RigidShape&, const Pose&, std::size_t, const ConstRows<double>&, double*,
                                const Rows<double>&);

}  // namespace pliant::geometry

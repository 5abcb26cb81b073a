// The form that all contact laws here share. With x = u_hat - u, split into x_n = n . x and w = x - x_n n, a law is a
// function l(x_n, |w|) and
//   impulse  gamma = normal n + drag w
//   Hessian  a n n^T + b (n w^T + w n^T) + drag (1 - n n^T) + c w w^T
// A law only has to give these six numbers. What is not a number must stay so: max(0, x), not max(x, 0).
#pragma once

#include "contact/namespace.h"
#include "core/small.h"
#include "solve/block3.h"

namespace pliant::contact {

template <class T>
struct LawResponse {
  T value, normal, drag;
  T a, b, c;
};

template <class T>
struct SplitVector {
  T normal;
  Vector<T, 3> tangent;

  SplitVector(const Vector<T, 3>& n, const Vector<T, 3>& x) : normal(dot(n, x)), tangent(x - normal * n) {}
  SplitVector(T x_n, const Vector<T, 3>& x_t) : normal(x_n), tangent(x_t) {}
};

// n and u_hat, the velocity at which the springs of the contact would come to rest
template <class T>
struct ContactFrame {
  Vector<T, 3> normal = Vector<T, 3>::zero();
  T normal_target = T(0);
  Vector<T, 3> tangent_target = Vector<T, 3>::zero();

  // u_hat - u; a slow slip keeps its digits beside a fast target
  SplitVector<T> missing(const Vector<T, 3>& u) const {
    const SplitVector<T> split(normal, u);
    return {normal_target - split.normal, tangent_target - split.tangent};
  }
};

inline void set_lane(ContactFrame<Pack<double, 4>>& four, int lane, const ContactFrame<double>& one) {
  for (int d = 0; d < 3; ++d) {
    four.normal[d].set(lane, one.normal[d]);
    four.tangent_target[d].set(lane, one.tangent_target[d]);
  }
  four.normal_target.set(lane, one.normal_target);
}

// smallest |w| that is divided by; its third power still is a number
inline constexpr double tiny_slip = 1e-100;

template <class T>
struct LawValue {
  T value;
  Vector<T, 3> gradient;
  Block3<T> hessian;
};

template <class T, class LawOfT>
inline LawValue<T> value_at(const LawOfT& law, const Vector<T, 3>& u) {
  const Vector<T, 3>& n = law.frame.normal;
  const SplitVector<T> x = law.frame.missing(u);
  const LawResponse<T> r = law.at(x.normal, dot(x.tangent, x.tangent));
  LawValue<T> out = {r.value, T(-1) * (r.normal * n + r.drag * x.tangent), Block3<T>::scaled_identity(r.drag)};
  out.hessian.add_square(r.a - r.drag, n);
  out.hessian.add_product(r.b, n, x.tangent);
  out.hessian.add_square(r.c, x.tangent);
  return out;
}

template <class T>
struct LawLine {
  T value, slope, curvature;
};

// at u + alpha du
template <class T, class LawOfT>
inline LawLine<T> line_at(const LawOfT& law, const Vector<T, 3>& u, const Vector<T, 3>& du, T alpha) {
  const Vector<T, 3>& n = law.frame.normal;
  const SplitVector<T> x = law.frame.missing(u + alpha * du);
  const SplitVector<T> d(n, du);
  const LawResponse<T> r = law.at(x.normal, dot(x.tangent, x.tangent));
  const T across = dot(x.tangent, d.tangent);
  return {
      r.value, -(r.normal * d.normal + r.drag * across),
      r.a * d.normal * d.normal + r.drag * dot(d.tangent, d.tangent) + across * (T(2) * r.b * d.normal + r.c * across)};
}

}  // namespace pliant::contact

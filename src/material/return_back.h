// The adjoint of return mappings, for gradients of a run: from the derivatives of a loss by F and the plastic number
// after the mapping to those before it. Plain numbers, one particle at a time.
//
// Hencky, sand and snow keep the principal axes: F' = U diag(g) V^T with g a function of the stretches s. With
// B = U^T (d loss/dF') V the adjoint has, in the same axes, sum_j dg_j/ds_i B_jj on the diagonal and, for each pair,
// (g_i - g_j)/(s_i - s_j) times the symmetric and (g_i + g_j)/(s_i + s_j) times the skew part of B.
#pragma once

#include "material/laws_back.h"
#include "material/namespace.h"
#include "material/turned.h"

namespace pliant::material {

template <class S, int D>
struct ReturnBack {
  Matrix<S, D> F, start;  // before the mapping; at the start of the substep
  S plastic;
  LawBar<S> law;
};

template <class S, int D>
ReturnBack<S, D> unchanged_back(const Matrix<S, D>& F_bar, const S& plastic_bar) {
  return {F_bar, Matrix<S, D>::zero(), plastic_bar, LawBar<S>::zero()};
}

// (log a - log b) / (a - b) for stretches that count as the smallest below it; to a few eps where they are close
template <class S>
S held_log_slope(const S& s, const S& t) {
  const S least = smallest_stretch<S>;
  if (s >= least && t >= least) return stretch_log_slopes(s, t).value;
  return s == t ? S(0) : (log(max(s, least)) - log(max(t, least))) / (s - t);
}

// (exp a - exp b) / (a - b)
template <class S>
S exp_slope(const S& a, const S& b) {
  const S middle = exp(S(0.5) * (a + b)), half = S(0.5) * (a - b), z = half * half;
  // the first term left out is 2e-19
  if (abs(half) < S(0.1)) return middle * (1 + z / 6 * (1 + z / 20 * (1 + z / 42 * (1 + z / 72 * (1 + z / 110)))));
  return middle * (exp(half) - exp(-half)) / (2 * half);
}

// how stretches change: s_bar = derivative of the loss by each s, as above; slope(i, j) = (g_i - g_j)/(s_i - s_j)
template <class S, int D, class Slope>
Matrix<S, D> principal_back(const Svd<S, D>& f, const Matrix<S, D>& B, const Vector<S, D>& s_bar,
                            const Vector<S, D>& g, const Slope& slope) {
  Matrix<S, D> A;
  for (int i = 0; i < D; ++i) {
    A(i, i) = s_bar[i];
    for (int j = i + 1; j < D; ++j) {
      const S shear = S(0.5) * (B(i, j) + B(j, i)) * slope(i, j);
      const S turn = S(0.5) * (B(i, j) - B(j, i)) * (g[i] + g[j]) / guarded_sum(f.sigma[i], f.sigma[j]);
      A(i, j) = shear + turn;
      A(j, i) = shear - turn;
    }
  }
  return f.U * A * transpose(f.V);
}

// logarithmic strain in principal axes
template <class S, int D>
struct LogAxes {
  Svd<S, D> f;
  Vector<S, D> n, slope;  // direction of the deviator; derivative of each logarithm
  S sum, size;            // of the logarithms; of their deviator

  explicit LogAxes(const Matrix<S, D>& F) : f(svd(F)) {
    const S least = smallest_stretch<S>;
    sum = 0;
    for (int i = 0; i < D; ++i) {
      n[i] = log(max(f.sigma[i], least));
      slope[i] = f.sigma[i] > least ? 1 / f.sigma[i] : S(0);
      sum += n[i];
    }
    for (int i = 0; i < D; ++i) n[i] -= sum / D;
    size = norm(n);
    n = (1 / max(size, S(1e-30))) * n;
  }
};

// From derivatives by the new logarithms l' = (kept size) n + new_sum/D: `sum_bar` and `size_bar` are what the loss gains
// by sum and size of the old ones, besides the turning of n.
template <class S, int D>
Matrix<S, D> log_axes_back(const LogAxes<S, D>& e, const Matrix<S, D>& B, S kept, S new_sum, S sum_bar, S size_bar) {
  Vector<S, D> g, l, s_bar;
  S along = 0, mean = 0;
  for (int i = 0; i < D; ++i) {
    l[i] = kept * e.size * e.n[i] + new_sum / D;
    g[i] = exp(l[i]);
    along += e.n[i] * g[i] * B(i, i);
    mean += g[i] * B(i, i) / D;
  }
  for (int i = 0; i < D; ++i) {
    // the part of the deviator that only turns
    const S turned = kept * (g[i] * B(i, i) - mean - along * e.n[i]);
    s_bar[i] = e.slope[i] * (sum_bar + size_bar * e.n[i] + turned);
  }
  return principal_back(e.f, B, s_bar, g, [&](int i, int j) {
    return exp_slope(l[i], l[j]) * kept * held_log_slope(e.f.sigma[i], e.f.sigma[j]);
  });
}

template <class S, int D>
Matrix<S, D> in_axes(const Svd<S, D>& f, const Matrix<S, D>& A) {
  return transpose(f.U) * A * f.V;
}

// derivatives of the loss by the size of the new deviator and by its sum, from B
template <class S, int D>
struct LogBars {
  S size = 0, sum = 0;
  LogBars(const LogAxes<S, D>& e, const Matrix<S, D>& B, S kept, S new_sum) {
    for (int i = 0; i < D; ++i) {
      const S bar = exp(kept * e.size * e.n[i] + new_sum / D) * B(i, i);
      size += e.n[i] * bar;
      sum += bar / D;
    }
  }
};

// what has no mapping
template <class L, class S, int D>
ReturnBack<S, D> return_back(const L&, const Matrix<S, D>&, const Memory<S, D>&, const Matrix<S, D>& F_bar,
                             const S& plastic_bar) {
  return unchanged_back(F_bar, plastic_bar);
}

// third number: deviator, the yield stress
template <class S, int D>
ReturnBack<S, D> return_back(const Hencky<S>& law, const Matrix<S, D>& F, const Memory<S, D>&,
                             const Matrix<S, D>& F_bar, const S& plastic_bar) {
  const S radius = law.deviator / (2 * law.mu);
  if (!(law.deviator > 0)) return unchanged_back(F_bar, plastic_bar);
  const LogAxes<S, D> e(F);
  if (!(e.size > radius)) return unchanged_back(F_bar, plastic_bar);
  const Matrix<S, D> B = in_axes(e.f, F_bar);
  const S kept = radius / e.size;
  const LogBars<S, D> bars(e, B, kept, e.sum);
  ReturnBack<S, D> r = unchanged_back(log_axes_back(e, B, kept, e.sum, bars.sum, plastic_bar), plastic_bar);
  const S radius_bar = bars.size - plastic_bar;
  r.law[0] = -radius_bar * radius / law.mu;
  r.law[2] = radius_bar / (2 * law.mu);
  return r;
}

// third and fourth number: sine of the friction angle, cohesion
template <class S, int D>
ReturnBack<S, D> return_back(const Sand<S>& law, const Matrix<S, D>& F, const Memory<S, D>& memory,
                             const Matrix<S, D>& F_bar, const S& plastic_bar) {
  const LogAxes<S, D> e(F);
  const S sum = e.sum + memory.plastic - D * law.cohesion;
  const S ratio = (D * law.lambda + 2 * law.mu) / (2 * law.mu), cone = ratio * law.template friction<D>();
  const bool apart = sum > 0, slides = e.size > cone * max(-sum, S(0));
  const Matrix<S, D> B = in_axes(e.f, F_bar);
  ReturnBack<S, D> r = unchanged_back(Matrix<S, D>::zero(), S(0));
  if (apart) {
    // to the apex: what is left of F is its rotation
    const LogBars<S, D> bars(e, B, S(0), D * law.cohesion);
    r.F = log_axes_back(e, B, S(0), D * law.cohesion, plastic_bar, S(0));
    r.plastic = plastic_bar;
    r.law[3] = D * (bars.sum - plastic_bar);
    return r;
  }
  const S new_sum = sum + D * law.cohesion, kept = slides ? -cone * sum / max(e.size, S(1e-30)) : S(1);
  const LogBars<S, D> bars(e, B, kept, new_sum);
  // sliding, the size follows the sum
  const S follow = slides ? -cone * bars.size : S(0);
  r.F = log_axes_back(e, B, kept, new_sum, bars.sum + follow, slides ? S(0) : bars.size);
  r.plastic = bars.sum + follow;
  r.law[3] = -D * follow;
  if (slides) {
    const S cone_bar = -sum * bars.size, friction = law.template friction<D>();
    r.law[0] = -cone_bar * friction * D * law.lambda / (2 * law.mu * law.mu);
    r.law[1] = cone_bar * friction * D / (2 * law.mu);
    r.law[2] = cone_bar * ratio * (D == 2 ? friction / law.sine : 3 * friction / (law.sine * (3 - law.sine)));
    if (!(law.sine > 0)) r.law[2] = cone_bar * ratio * (D == 2 ? S(0.70710678118654752440) : S(0.54433105395181735515));
  }
  return r;
}

// F' = J^(1/D) I
template <class S, int D>
Matrix<S, D> isotropic_back(const Matrix<S, D>& F, const Matrix<S, D>& F_bar) {
  const S J = determinant(F);
  if (!(J > least_volume<S>)) return Matrix<S, D>::zero();
  return (trace(F_bar) * isotropic<D>(J)(0, 0) / (D * J)) * cofactor(F);
}
template <class S, int D>
ReturnBack<S, D> return_back(const Eraser<S>&, const Matrix<S, D>& F, const Memory<S, D>&, const Matrix<S, D>& F_bar,
                             const S& plastic_bar) {
  return unchanged_back(isotropic_back(F, F_bar), plastic_bar);
}
template <class S, int D>
ReturnBack<S, D> return_back(const Liquid<S>&, const Matrix<S, D>& F, const Memory<S, D>&, const Matrix<S, D>& F_bar,
                             const S& plastic_bar) {
  const bool open = determinant(F) > 1;
  return unchanged_back(open ? Matrix<S, D>::zero() : isotropic_back(F, F_bar), plastic_bar);
}

// third to fifth number: hardening (of the stress), least and largest stretch
template <class S, int D>
ReturnBack<S, D> return_back(const Snow<S>& law, const Matrix<S, D>& F, const Memory<S, D>& memory,
                             const Matrix<S, D>& F_bar, const S& plastic_bar) {
  const Svd<S, D> f = svd(F);
  const S least = law.least_stretch, largest = law.largest_stretch;
  if (!(f.sigma[0] > largest || f.sigma[D - 1] < least)) return unchanged_back(F_bar, plastic_bar);
  const Matrix<S, D> B = in_axes(f, F_bar);
  Vector<S, D> g, s_bar;
  S ratio = 1;
  for (int i = 0; i < D; ++i) {
    g[i] = min(max(f.sigma[i], least), largest);
    ratio *= f.sigma[i] / g[i];
  }
  const S Jp = memory.plastic * ratio;
  const S Jp_bar = Jp > law.least_Jp && Jp < law.largest_Jp ? plastic_bar : S(0);
  ReturnBack<S, D> r = unchanged_back(Matrix<S, D>::zero(), Jp_bar * ratio);
  for (int i = 0; i < D; ++i) {
    const bool held = g[i] != f.sigma[i];
    const S others = Jp / f.sigma[i];
    s_bar[i] = held ? Jp_bar * others : B(i, i);
    if (held) r.law[g[i] == least ? 3 : 4] += B(i, i) - Jp_bar * Jp / g[i];
  }
  r.F = principal_back(f, B, s_bar, g, [&](int i, int j) {
    const S gap = f.sigma[i] - f.sigma[j];
    if (gap == S(0)) return g[i] == f.sigma[i] ? S(1) : S(0);
    return (g[i] - g[j]) / gap;
  });
  return r;
}

// S1, Algorithm 1 backwards. With V from sym(M V) = A~, the derivative by A~ is Y, sym(M^T Y) = that by V: the same closed
// form. Third number: deviator, the yield stress.
template <class S, int D>
ReturnBack<S, D> return_back(const LinearCorotated<S>& law, const Matrix<S, D>& F, const Memory<S, D>& memory,
                             const Matrix<S, D>& F_bar, const S& plastic_bar) {
  if (!(law.deviator > 0)) return unchanged_back(F_bar, plastic_bar);
  const S radius = law.deviator / (2 * law.mu);
  const auto deviator = [](const Matrix<S, D>& A) { return add_diagonal(A, trace(A) * (S(-1) / S(D))); };
  const auto size_of = [&](const Matrix<S, D>& A) { return sqrt(inner(deviator(A), deviator(A))); };
  const Svd<S, D> f = svd(F), f0 = svd(memory.start);
  const Matrix<S, D> R = f.U * transpose(f.V), R0 = f0.U * transpose(f0.V);
  Matrix<S, D> A = symmetric_part(transpose(R0) * F), M = transpose(R0) * R;
  if (!(size_of(A) > radius)) return unchanged_back(F_bar, plastic_bar);
  const bool lost = cosine_of(M) < LinearCorotated<S>::least_cosine;
  if (lost) {
    M = Matrix<S, D>::identity();
    A = symmetric_part(transpose(R) * F);
  }
  const S size = size_of(A), kept = radius / max(size, radius);
  if (!(size > radius)) return unchanged_back(F_bar, plastic_bar);

  // F' = R V
  const Matrix<S, D> dev = deviator(A), V = turned_back(M, add_diagonal(kept * dev, trace(A) / S(D)));
  const Matrix<S, D> Y = turned_back(transpose(M), symmetric_part(transpose(R) * F_bar));
  Matrix<S, D> R_bar = F_bar * V, R0_bar = Matrix<S, D>::zero();
  const Matrix<S, D> M_bar = S(-1) * (Y * V);
  // A~ = mean A + radius dev A / |dev A|
  const Matrix<S, D> Y_dev = deviator(Y);
  const S along = inner(Y_dev, dev) / size;
  const Matrix<S, D> A_bar =
      add_diagonal(kept * Y_dev + ((plastic_bar - kept * along) / size) * dev, trace(Y) / S(D));
  ReturnBack<S, D> r = unchanged_back((lost ? R : R0) * A_bar, plastic_bar);
  if (lost) {
    R_bar += F * A_bar;
  } else {
    R_bar += R0 * M_bar;
    R0_bar = R * transpose(M_bar) + F * A_bar;
  }
  r.F += rotation_differential(f, R_bar);
  r.start = rotation_differential(f0, R0_bar);
  const S radius_bar = along - plastic_bar;
  r.law[0] = -radius_bar * radius / law.mu;
  r.law[2] = radius_bar / (2 * law.mu);
  return r;
}

}  // namespace pliant::material

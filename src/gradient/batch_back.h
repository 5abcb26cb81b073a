// A batch of particles on its way back through the scatter of one substep and the gather of the one before: what goes lane
// by lane. What goes by nodes: slope_packs.h and grid/transfer_packs.h. Equations and their names: README.md.
#pragma once

#include "gradient/bars.h"
#include "gradient/laws_packs_back.h"
#include "gradient/namespace.h"
#include "gradient/slope_packs_2d.h"

#include <limits>

namespace pliant::gradient {

// numbers beyond this are on their way to infinity
template <class S>
constexpr S huge = std::numeric_limits<S>::max() / 16;

template <int D, class S>
struct BatchBack {
  using P = Wide<S>;
  static constexpr int stride = Batch<D, S>::stride;
  Batch<D, S> now;        // particles when the substep before began, and the flow that they then took
  Batch<D, S> bars;       // derivatives, in a record of the shape of a particle
  Batch<D, S> flow_bars;  // by v and C
  PackRows<D, S> at, to;  // places when the substep before began, and when this one did
  SlopeRows<D, S> slopes;
  alignas(64) S stray_mass[stride];                    // what strays take of the mass of nodes
  alignas(64) S mu[stride] = {}, lambda[stride] = {};  // of each particle, where they differ

  // derivatives by mu and lambda have the places of two numbers that no law without memory has
  S* mu_bar() { return bars.plastic(); }
  S* lambda_bar() { return bars.volume(); }
};

// of the piece that a batch is of
template <int D, class S>
struct PieceOfBatch {
  S dt, h;
  Matrix<S, D> actuation;
  S shear_viscosity;
  const Moduli<S>* moduli;  // by id, where particles have their own

  bool is_actuated() const { return inner(actuation, actuation) > 0; }
};

// what the particles of a piece in a block sum up to
template <int D, class P>
struct PieceLanes {
  Matrix<P, D> actuation;
  P shear_viscosity;

  void clear() {
    actuation = Matrix<P, D>::zero();
    shear_viscosity = 0;
  }
  static double sum(const P& x) {
    double sum = 0;
    for (int l = 0; l < P::lanes; ++l) sum += double(x[l]);
    return sum;
  }
  void add_to(PieceBar<D>& piece) const {
    for (int k = 0; k < D * D; ++k) piece.actuation.a[k] += sum(actuation.a[k]);
    piece.shear_viscosity += sum(shear_viscosity);
  }
};

template <class P, int D>
inline Matrix<P, D> deviator(const Matrix<P, D>& A) {
  return add_diagonal(symmetric_part(A), trace(A) * P(Scalar<P>(-1) / Scalar<P>(D)));
}

// lanes from row i on that are particles, of `count`
template <class P>
inline Truth<P> counting(int i, int count) {
  P lane;
  for (int l = 0; l < P::lanes; ++l) lane.set(l, Scalar<P>(l));
  return lane < P(Scalar<P>(count - i));
}

template <int D, class S>
inline void place_before(BatchBack<D, S>& b, const PackStep<D, S>& step, const PackBounds<D, S>& bounds,
                         PackReach<D, S>& reach) {
  using P = Wide<S>;
  for (int i = 0; i < b.now.count; i += P::lanes) {
    P x[D];
    for (int d = 0; d < D; ++d) x[d] = P::load(b.now.x(d) + i);
    locate_pack<D, S>(x, step, bounds, b.at, i, &reach);
  }
}

// x + dt v; dt = 0: there was no substep before
template <int D, class S>
inline void place_after(BatchBack<D, S>& b, const PackStep<D, S>& step, const PackBounds<D, S>& bounds) {
  using P = Wide<S>;
  for (int i = 0; i < b.now.count; i += P::lanes) {
    P x[D];
    for (int d = 0; d < D; ++d) x[d] = P::load(b.now.x(d) + i) + P(step.dt) * P::load(b.now.v[d] + i);
    locate_pack<D, S>(x, step, bounds, b.to, i, nullptr);
  }
}

// What a particle gave is w (m v + A d), A = m h C - (4/h) dt V tau, and w m: leaves A and m v - A f for slopes, and takes
// the derivative by A to F, C, mass and moduli. `moved`: the dt that F went along with the flow, 0 if it did not.
template <class L, int D, class S>
void stress_rows_back(const L& law, const PieceOfBatch<D, S>& piece, S moved, BatchBack<D, S>& b,
                      PieceLanes<D, Wide<S>>& sums) {
  using P = Wide<S>;
  const P h = piece.h, shear = piece.shear_viscosity;
  const bool viscous = piece.shear_viscosity > 0, actuated = piece.is_actuated();
  for (int i = 0; piece.moduli && i < b.now.count; ++i) {
    b.mu[i] = piece.moduli[b.now.id(i)].mu;
    b.lambda[i] = piece.moduli[b.now.id(i)].lambda;
  }
  Matrix<P, D> a;
  for (int k = 0; k < D * D; ++k) a.a[k] = piece.actuation.a[k];
  for (int i = 0; i < b.now.count; i += P::lanes) {
    // lanes past the end count nowhere
    const P m = P::load(b.now.mass() + i),
            scale = select(counting<P>(i, b.now.count), P(-4 * piece.dt / piece.h) * P::load(b.now.volume() + i), P(0));
    const Matrix<P, D> C = load_matrix<D>(b.now.affine, i);
    Matrix<P, D> F = load_matrix<D>(b.now.word + D, i), A_bar;
    F += P(moved) * (C * F);
    P by_mass = P::load(b.bars.mass() + i);
#pragma GCC unroll 3
    for (int c = 0; c < D; ++c) {
      const P u = P::load(b.flow_bars.v[c] + i);
      by_mass = by_mass + u * P::load(b.now.v[c] + i);
#pragma GCC unroll 3
      for (int d = 0; d < D; ++d) A_bar(c, d) = P::load(b.to.moment[D * c + d] + i) - P::load(b.to.f[d] + i) * u;
    }
    (by_mass + h * inner(C, A_bar)).store(b.bars.mass() + i);
    const Matrix<P, D> X = scale * (L::tells_turns ? symmetric_part(A_bar) : A_bar);
    const Moduli<P> moduli = {piece.moduli ? P::load(b.mu + i) : P(law.mu),
                              piece.moduli ? P::load(b.lambda + i) : P(law.lambda)};
    PackStressBack<P, D> back = stress_back(law, moduli, F, X);
    (P::load(b.mu_bar() + i) + back.mu).store(b.mu_bar() + i);
    (P::load(b.lambda_bar() + i) + back.lambda).store(b.lambda_bar() + i);
    Matrix<P, D> C_bar = (m * h) * A_bar;
    // of which the symmetric part is asked for
    const Matrix<P, D> Y = transpose((L::tells_turns ? X : symmetric_part(X)) * F);
    sums.actuation += symmetric_product(P(1), transpose(F), Y);
    if (actuated) {
      back.tau += F * a * transpose(F);
      back.F += (X + transpose(X)) * F * a;
    }
    if (viscous) {
      back.tau += (P(2) * shear) * deviator(C);
      C_bar += (P(2) * shear) * deviator(X);
      sums.shear_viscosity += P(2) * inner(X, deviator(C));
    }
    store_matrix<D>(C_bar, b.flow_bars.affine, i);
    store_matrix<D>(load_matrix<D>(b.bars.word + D, i) + back.F, b.bars.word + D, i);
    const Matrix<P, D> A = (m * h) * C + scale * back.tau;
    store_matrix<D>(A, b.slopes.M, i);
#pragma GCC unroll 3
    for (int c = 0; c < D; ++c) {
      P q = m * P::load(b.now.v[c] + i);
#pragma GCC unroll 3
      for (int d = 0; d < D; ++d) q = q - A(c, d) * P::load(b.to.f[d] + i);
      q.store(b.slopes.q[c] + i);
    }
  }
}

// slopes into the derivative by x; `moves` has the v that is taken or given there
template <int D, class S>
inline void add_slopes(BatchBack<D, S>& b, const Batch<D, S>& moves, S inv_h, int i) {
  using P = Wide<S>;
#pragma GCC unroll 3
  for (int d = 0; d < D; ++d) {
    P by_y = P::load(b.slopes.slope[d] + i);
#pragma GCC unroll 3
    for (int c = 0; c < D; ++c) by_y = by_y - P::load(b.slopes.M[D * c + d] + i) * P::load(moves.v[c] + i);
    (P::load(b.bars.x(d) + i) + P(inv_h) * by_y).store(b.bars.x(d) + i);
  }
}

// slopes of what was given, into the derivatives by x and v; and the mass of the nodes into that by mass
template <int D, class S>
inline void take_slopes(BatchBack<D, S>& b, S inv_h, int i) {
  using P = Wide<S>;
  const P mass = P::load(b.now.mass() + i);
  add_slopes(b, b.flow_bars, inv_h, i);
  (P::load(b.bars.mass() + i) + P::load(b.slopes.mass + i)).store(b.bars.mass() + i);
#pragma GCC unroll 3
  for (int d = 0; d < D; ++d) (mass * P::load(b.flow_bars.v[d] + i)).store(b.flow_bars.v[d] + i);
}

// x += dt v and F <- (1 + dt C) F backwards: derivatives by the flow, as what goes to the nodes
template <int D, class S>
inline void flow_rows_back(BatchBack<D, S>& b, const PackStep<D, S>& step, int i) {
  using P = Wide<S>;
  const P dt = step.dt, scale = 4 * step.inv_h;
  const Matrix<P, D> F = load_matrix<D>(b.now.word + D, i), C = load_matrix<D>(b.now.affine, i),
                     F_bar = load_matrix<D>(b.bars.word + D, i);
  const Matrix<P, D> B = scale * (load_matrix<D>(b.flow_bars.affine, i) + dt * (F_bar * transpose(F)));
  store_matrix<D>(F_bar + dt * (transpose(C) * F_bar), b.bars.word + D, i);
  store_matrix<D>(B, b.slopes.M, i);
  P q[D];
#pragma GCC unroll 3
  for (int c = 0; c < D; ++c) {
    q[c] = P::load(b.flow_bars.v[c] + i) + dt * P::load(b.bars.x(c) + i);
#pragma GCC unroll 3
    for (int d = 0; d < D; ++d) q[c] = q[c] - B(c, d) * P::load(b.at.f[d] + i);
    q[c].store(b.slopes.q[c] + i);
  }
  zip<S>(q[0], q[1], D == 2 ? P(0) : q[D - 1], P(0), b.at.q[0] + i);
#pragma GCC unroll 3
  for (int d = 0; d < D; ++d) zip<S>(B(0, d), B(1, d), D == 2 ? P(0) : B(D - 1, d), P(0), b.at.q[1 + d] + i);
}

// slopes of what was taken, into the derivative by x
template <int D, class S>
inline void take_flow_slopes(BatchBack<D, S>& b, S inv_h) {
  for (int i = 0; i < b.now.count; i += Wide<S>::lanes) add_slopes(b, b.now, inv_h, i);
}

template <int D, class S>
inline bool is_finite(BatchBack<D, S>& b) {
  using P = Wide<S>;
  Truth<P> good = P(0) < P(1);
  for (int i = 0; i < b.now.count; i += P::lanes)
    for (int d = 0; d < D; ++d) good = good & (abs(P::load(b.bars.x(d) + i)) < P(huge<S>));
  return all_of(good);
}

}  // namespace pliant::gradient
